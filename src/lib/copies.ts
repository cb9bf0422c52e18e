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

/** Of the content that is on the disk now; the modification time is rounded, as file systems do it differently. */
export async function fingerprint(path: string): Promise<Fingerprint> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of Bun.file(path).stream()) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { ...(await shapeOf(path)), size, sha256: hash.digest("hex") };
}

/** Facts about a file that need no reading of its content. */
export async function shapeOf(path: string): Promise<Omit<Fingerprint, "sha256">> {
  const { size, mtimeMs } = await stat(path);
  return { size, modified: Math.round(mtimeMs) };
}

/**
 * Copies a file for its owner alone, with its modification time (or another one), and reads the copy back. The copy is on
 * the disk then; its folder is not, see `syncFolders()`. Shares the blocks of the original where the file system can.
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

/** Gives a file a second name; false where the file system can't, or not for this one. */
export async function linkFile(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  return link(from, to).then(
    () => true,
    () => false,
  );
}

/** Puts the names in a folder and in all folders below it onto the disk. */
export async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolders(join(root, entry.name));
  await sync(root);
}

/** Runs the work for every item, at most `atOnce` at the same time. After a failure it begins no other. */
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
