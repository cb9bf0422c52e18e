import { constants } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sync } from "./files.ts";

/** Identifies the content of a file. */
export interface Fingerprint {
  size: number;
  /** Modification time in milliseconds. */
  modified: number;
  /** In hexadecimal. */
  sha256: string;
}

/** The fingerprint of a file on disk. The modification time is rounded, since file systems differ in precision. */
export async function fingerprint(path: string): Promise<Fingerprint> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of Bun.file(path).stream()) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { ...(await shapeOf(path)), size, sha256: hash.digest("hex") };
}

/** Reads a file to compare its content. False also if the file is missing or can't be read. */
export async function hasContent(path: string, { size, sha256 }: Fingerprint): Promise<boolean> {
  try {
    return (await shapeOf(path)).size === size && (await fingerprint(path)).sha256 === sha256;
  } catch {
    return false;
  }
}

/** The properties of a file that are known without reading its content. */
export async function shapeOf(path: string): Promise<Omit<Fingerprint, "sha256">> {
  const { size, mtimeMs } = await stat(path);
  return { size, modified: Math.round(mtimeMs) };
}

/**
 * Copies a file with mode 0600 and its modification time (or `time`, in milliseconds), and returns the fingerprint of
 * the copy as read back. The copy is on disk then, but its folder entry is not: see `syncFolders()`. Shares the blocks
 * of the original if the file system can.
 */
export async function copyDurably(from: string, to: string, time?: number): Promise<Fingerprint> {
  const modified = time ?? (await shapeOf(from)).modified;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
  await utimes(to, modified / 1000, modified / 1000);
  await sync(to);
  return { ...(await fingerprint(to)), modified };
}

/** Creates a hard link; false if the file system can't, or not for this file. */
export async function linkFile(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  return link(from, to).then(
    () => true,
    () => false,
  );
}

/** Writes the entries of a folder and of all folders below it to disk. */
export async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolders(join(root, entry.name));
  await sync(root);
}

/** Runs the work for every item, at most `atOnce` at the same time. After a failure it starts no more, and rejects. */
export async function forEachOf<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = queue.next(); !next.done && failures.length === 0; next = queue.next()) {
      await work(next.value).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
