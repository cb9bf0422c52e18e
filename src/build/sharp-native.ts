/*
 * sharp inside the executable. Its addon finds libvips by a path relative to itself, and no system loads a library from
 * within another file; so both lie in the executable as plain files and are written to a folder when the first picture
 * arrives. `compile.ts` puts a call of `loadSharpAddon` in the place of sharp's own search.
 *
 * Who can write to that folder can run code as us. So it is only ever one that nobody else can write to.
 */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * A file within the executable, and where it belongs: `node_modules/@img/sharp-linux-x64/lib/…`. The addon expects
 * libvips next to its own package, but has the system look for it, and for the C++ library, up to five folders above
 * itself too. With this path and one folder around it, the fifth is still ours: not /tmp, where anybody may put them.
 */
export interface NativeFile {
  embedded: string;
  path: string;
  bytes: number;
}

export interface NativeFiles {
  /** Other contents have another version. */
  version: string;
  addon: NativeFile;
  libvips: NativeFile;
}

type Environment = Record<string, string | undefined>;

/** What we write into a cache folder begins so, and whatever begins so is ours to remove. */
const PREFIX = "sharp-";

/**
 * The addon's exports. The files are kept where that is safe, in the data folder or in the user's cache; otherwise (no
 * home, a read-only disk, a disk that doesn't run programs) they are written anew and removed as soon as they are loaded.
 */
export function loadSharpAddon(files: NativeFiles, environment: Environment): unknown {
  const ways = [
    ...cacheFolders(environment).map((base) => ({ base, load: () => loadKept(base, files) })),
    { base: tmpdir(), load: () => loadOnce(tmpdir(), files) },
  ];
  const failures: string[] = [];
  for (const { base, load } of ways) {
    try {
      return load();
    } catch (error) {
      failures.push(`${base}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`The library for pictures could not be loaded from any of these folders.\n${failures.join("\n")}`);
}

/** Best first. They are created in what is there already: a mere look at a picture makes no data folder, and no home. */
export function cacheFolders(environment: Environment): string[] {
  const data = environment["LINNET_DATA"] || "linnet-data";
  const inHome = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const cache = environment["XDG_CACHE_HOME"] || join(homedir(), inHome);
  return [
    ...(isFolder(data) ? [join(data, "cache", "native")] : []),
    ...(isFolder(dirname(cache)) ? [join(cache, "linnet")] : []),
  ];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function loadKept(base: string, files: NativeFiles): unknown {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const folder = realpathSync(base);
  assertPrivate(folder);
  return openAddon(keepFiles(folder, files), files);
}

function loadOnce(base: string, files: NativeFiles): unknown {
  const folder = mkdtempSync(join(realpathSync(base), "linnet-"));
  try {
    assertPrivate(folder);
    const inner = join(folder, PREFIX + files.version);
    writeFiles(inner, files);
    return openAddon(inner, files);
  } finally {
    // What is loaded stays loaded, and nothing is left behind, however we end.
    rmSync(folder, { recursive: true, force: true });
  }
}

function openAddon(folder: string, files: NativeFiles): unknown {
  const module = { exports: {} };
  process.dlopen(module, join(folder, files.addon.path));
  return module.exports;
}

/**
 * Throws unless the folder belongs to us and only we can write to it, and nobody but us and root can put another in its
 * place: that takes write access to a folder above it, where the sticky bit (as on /tmp) protects what isn't one's own.
 */
export function assertPrivate(folder: string): void {
  const us = process.getuid?.();
  const { uid, mode } = lstatSync(folder);
  if (uid !== us || (mode & 0o022) !== 0) throw new Error("Others can write to this folder");
  for (let above = dirname(folder); ; above = dirname(above)) {
    const { uid, mode } = lstatSync(above);
    const writable = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    if ((uid !== us && uid !== 0) || writable) throw new Error(`Others can write to ${above}`);
    if (above === dirname(above)) return;
  }
}

/** The folder of this version below `base`. It appears whole or not at all, whoever else is writing it right now. */
export function keepFiles(base: string, files: NativeFiles): string {
  const name = PREFIX + files.version;
  const folder = join(base, name);
  if (isComplete(folder, files)) return folder;
  const fresh = mkdtempSync(join(base, `${PREFIX}new-`));
  writeFiles(fresh, files);
  // One that another process has finished meanwhile is as good as ours; a damaged one goes.
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
  const old = readdirSync(base).filter((entry) => entry.startsWith(PREFIX) && entry !== name);
  for (const entry of old) rmSync(join(base, entry), { recursive: true, force: true });
  return folder;
}

function isComplete(folder: string, { addon, libvips }: NativeFiles): boolean {
  return [addon, libvips].every(({ path, bytes }) => {
    const found = lstatSync(join(folder, path), { throwIfNoEntry: false });
    return found !== undefined && found.isFile() && found.size === bytes;
  });
}

function writeFiles(folder: string, { addon, libvips }: NativeFiles): void {
  for (const { embedded, path } of [addon, libvips]) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const file = openSync(target, "wx", 0o600);
    try {
      writeFileSync(file, readFileSync(embedded));
      // Otherwise a power cut may leave a file of the right length with nothing in it.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
