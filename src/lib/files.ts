import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** An uploaded file that is already on disk, so that it can be moved instead of read. */
export class StoredFile extends File {
  constructor(
    readonly path: string,
    name: string,
    type: string,
  ) {
    // Bun keeps a reference to a file that is the only part: nothing is read until the bytes are requested.
    super([Bun.file(path)], name, { type });
  }
}

/**
 * Writes a file atomically, even if the power fails: writes it under a temporary name, syncs it, renames it, and syncs
 * the folder.
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

/** Like `writeDurably()`, but moves an existing file of the same file system. */
export async function moveDurably(target: string, from: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await sync(from);
  await rename(from, target);
  await sync(dirname(target));
}

/**
 * The random bytes in a file with mode 0600, which is created with `bytes` bytes if missing. Synchronous, so that
 * simultaneous callers get the same secret.
 */
export function readOrCreateSecret(path: string, bytes: number): Uint8Array {
  if (!existsSync(path)) {
    const fresh = `${path}.new`;
    writeFileSync(fresh, randomBytes(bytes), { mode: 0o600 });
    renameDurably(fresh, path);
  }
  return readFileSync(path);
}

/** Renames a finished file. After a power failure it has one name or the other, and all its bytes. */
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

/** Runs the work with a new private folder in `parent`, which is removed afterwards. */
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

/** Writes a file, or the entries of a folder, to disk (fsync). */
export async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
