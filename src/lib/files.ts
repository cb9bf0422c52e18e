import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file that was sent to us and lies on the disk, where it can be moved to its place instead of being read. */
export class StoredFile extends File {
  constructor(
    readonly path: string,
    name: string,
    type: string,
  ) {
    // Bun keeps a file as the only part of another by its path: nothing is read before somebody asks for its bytes.
    super([Bun.file(path)], name, { type });
  }
}

/**
 * Writes a file so that it is there whole or not at all, also after a power cut: under another name first, on the disk
 * before it gets its own, and the folder after it.
 */
export async function writeDurably(target: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${randomUUID()}`);
  try {
    await writeAndSync(temporary, bytes);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await sync(folder);
}

/** The same for a file that is there already, on the same disk. */
export async function moveDurably(target: string, from: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await sync(from);
  await rename(from, target);
  await sync(dirname(target));
}

/**
 * The random bytes in a file for nobody's eyes but ours, made when it isn't there. Synchronous, so that two who ask at
 * once get the same.
 */
export function keptSecret(path: string, bytes: number): Uint8Array {
  if (!existsSync(path)) {
    const fresh = `${path}.new`;
    writeFileSync(fresh, randomBytes(bytes), { mode: 0o600 });
    renameDurably(fresh, path);
  }
  return readFileSync(path);
}

/** Renames a finished file so that it has one name or the other after a power cut, and all its bytes. */
export function renameDurably(from: string, to: string): void {
  syncNow(from);
  renameSync(from, to);
  syncNow(dirname(to));
}

function syncNow(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A folder of its own in `parent` for as long as the work takes, for nobody's eyes but ours. */
export async function withTemporaryFolder<Result>(
  parent: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "t-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeAndSync(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o644);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Puts a file, or the names in a folder, onto the disk. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
