import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { moveDurably, StoredFile, writeDurably } from "../../lib/files.ts";
import type { ImageFile } from "../../lib/media/images.ts";
import { newSecret } from "../../lib/secrets.ts";

/** The path of a file that a row names: uploads are below `media/`, files that can be fetched again below `cache/`. */
export function storedFile(ctx: Context, file: string): string {
  return join(ctx.config.data, file.startsWith("cache/") ? "" : "media", file);
}

/**
 * A new folder for one upload. Its name can't be guessed, so that unpublished files stay private. The first two
 * characters spread folders, so that none gets too many entries.
 */
export function newFolder(area: string): string {
  const secret = newSecret().slice(0, 22).replaceAll("-", "a").replaceAll("_", "b");
  return `${area}/${secret.slice(0, 2)}/${secret}`;
}

/** Stores an image under this name with the extension of its type. Returns its path, relative to `storedFile()`. */
export async function storeImage(ctx: Context, name: string, file: ImageFile): Promise<string> {
  const path = `${name}.${file.extension}`;
  await writeDurably(storedFile(ctx, path), file.bytes);
  return path;
}

/** Stores an uploaded file unchanged; moves it if it is on disk already. Returns the path. */
export async function storeUnchanged(ctx: Context, path: string, file: File): Promise<string> {
  if (file instanceof StoredFile) await moveDurably(storedFile(ctx, path), file.path);
  else await writeDurably(storedFile(ctx, path), await file.bytes());
  return path;
}

/** Enqueues removing files that no row references any more. */
export function discardFiles(ctx: Context, tx: Tx, files: readonly (string | null)[]): void {
  const present = [...new Set(files)].filter((file) => file !== null);
  if (present.length === 0) return;
  enqueue(ctx, tx, "media.delete_files", { files: present });
}

/** Removes files, and the folder of an upload with its last file. */
export async function removeFiles(ctx: Context, files: readonly string[]): Promise<void> {
  const paths = files.map((file) => storedFile(ctx, file));
  for (const path of paths) await rm(path, { force: true });
  for (const folder of new Set(paths.map(dirname))) await rmdir(folder).catch(() => {});
}
