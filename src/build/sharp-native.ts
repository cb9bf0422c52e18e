/*
 * Loads sharp from the executable. Its addon finds libvips by a path relative to itself, and no system loads a library
 * from inside another file. So the executable embeds both as plain files and writes them to a folder when the first
 * image arrives. `compile.ts` replaces sharp's own search with a call of `loadSharpAddon`.
 *
 * Write access to that folder is enough to run code as our user, so no other user may have it.
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
 * An embedded file and its relative path, such as `node_modules/@img/sharp-linux-x64/lib/…`. The addon expects libvips
 * next to its own package, but its search path for libvips and the C++ library reaches up to five folders above itself.
 * With this path inside one more folder, the fifth is still private and not /tmp, where any user could place a library.
 */
export interface NativeFile {
  embedded: string;
  path: string;
  bytes: number;
}

export interface NativeFiles {
  /** Changes whenever the contents change. */
  version: string;
  addon: NativeFile;
  libvips: NativeFile;
}

type Environment = Record<string, string | undefined>;

/** Prefix of every entry that we create in a cache folder. We remove old entries with this prefix. */
const PREFIX = "sharp-";

/**
 * Loads the addon and returns its exports. The files are cached where that is safe, in the data folder or in the
 * user's cache. Otherwise (no home, a read-only disk, a disk mounted `noexec`) they are written to a temporary folder,
 * which is removed after loading.
 *
 * @throws Error if loading fails from every folder.
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

/** Candidates, best first. Only in existing folders: reading an image must not create a data folder or a home. */
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
    // The loaded library stays usable, and no files remain, however the process ends.
    rmSync(folder, { recursive: true, force: true });
  }
}

function openAddon(folder: string, files: NativeFiles): unknown {
  const module = { exports: {} };
  process.dlopen(module, join(folder, files.addon.path));
  return module.exports;
}

/**
 * Throws unless the folder belongs to our user, no other user can write to it, and only we and root can replace it.
 * Replacing it takes write access to a parent folder, where the sticky bit (as on /tmp) protects other users' entries.
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

/** The folder of this version in `base`, created if necessary. It is never incomplete, even if other processes race. */
export function keepFiles(base: string, files: NativeFiles): string {
  const name = PREFIX + files.version;
  const folder = join(base, name);
  if (isComplete(folder, files)) return folder;
  const fresh = mkdtempSync(join(base, `${PREFIX}new-`));
  writeFiles(fresh, files);
  // Removes a damaged folder, or an equivalent one that another process has finished meanwhile.
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
      // Otherwise a power failure may leave a file of the right length without content.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
