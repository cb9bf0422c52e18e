import { rmSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../../context.ts";
import { moveDurably, StoredFile, writeDurably } from "../../lib/files.ts";
import { DEFAULT_PIXELS, type ImageFile, type ImageLimits, type ImageSource } from "../../lib/media/images.ts";
import { newSecret } from "../../lib/secrets.ts";

/** Mastodon's limits. */
export const IMAGE_LIMITS: ImageLimits = { bytes: 16 * 1024 * 1024, pixels: DEFAULT_PIXELS };
export const VIDEO_BYTES = 99 * 1024 * 1024;

/** The path of a file that a row names: uploads are below `media/`, files that can be fetched again below `cache/`. */
export function storedFile(ctx: Context, file: string): string {
  return join(ctx.config.data, file.startsWith("cache/") ? "" : "media", file);
}

/**
 * The folder for uploads in progress and for conversions. It is on the same disk as their destination, so that files
 * can be moved, and it is never served.
 */
export function incomingFolder(ctx: Context): string {
  return join(ctx.config.data, "media", "incoming");
}

/** Removes files left behind by a crash. Call it before the first upload. */
export function clearIncoming(ctx: Context): void {
  rmSync(incomingFolder(ctx), { recursive: true, force: true });
}

/** Removes files, and the folder of an upload with its last file. */
export async function removeFiles(ctx: Context, files: readonly string[]): Promise<void> {
  const paths = files.map((file) => storedFile(ctx, file));
  for (const path of paths) await rm(path, { force: true });
  for (const folder of new Set(paths.map(dirname))) await rmdir(folder).catch(() => {});
}

/**
 * A new folder for one upload. Its name can't be guessed, so that unpublished files stay private. The first two
 * characters spread folders, so that none gets too many entries.
 */
export function newFolder(area: string): string {
  const secret = newSecret().slice(0, 22).replaceAll("-", "a").replaceAll("_", "b");
  return `${area}/${secret.slice(0, 2)}/${secret}`;
}

/** A path if the file is on disk, so that the media process reads it itself; otherwise the bytes. */
export async function imageSource(file: File): Promise<ImageSource> {
  return file instanceof StoredFile ? file.path : file.bytes();
}

/** Stores an image under this name with the extension of its type. Returns its path, relative to `storedFile()`. */
export async function keepImage(ctx: Context, name: string, file: ImageFile): Promise<string> {
  const path = `${name}.${file.extension}`;
  await writeDurably(storedFile(ctx, path), file.bytes);
  return path;
}

/** Stores an upload unchanged; moves it if it is on disk already. Returns the path. */
export async function keepUpload(ctx: Context, path: string, file: File): Promise<string> {
  if (file instanceof StoredFile) await moveDurably(storedFile(ctx, path), file.path);
  else await writeDurably(storedFile(ctx, path), await file.bytes());
  return path;
}
