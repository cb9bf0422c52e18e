import { rmSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../../context.ts";
import { moveDurably, StoredFile, writeDurably } from "../../lib/files.ts";
import { DEFAULT_PIXELS, type ImageFile, type ImageLimits, type ImageSource } from "../../lib/media/images.ts";
import { newSecret } from "../../lib/secrets.ts";

/** Mastodon's. */
export const IMAGE_LIMITS: ImageLimits = { bytes: 16 * 1024 * 1024, pixels: DEFAULT_PIXELS };
export const VIDEO_BYTES = 99 * 1024 * 1024;

/** Where a file lies that a row names: uploads below `media/`, what can be fetched again below `cache/`. */
export function storedFile(ctx: Context, file: string): string {
  return join(ctx.config.data, file.startsWith("cache/") ? "" : "media", file);
}

/** For files that come in or are being made: on the same disk as where they go, and never served. */
export function incomingFolder(ctx: Context): string {
  return join(ctx.config.data, "media", "incoming");
}

/** Removes what a crash left behind; before anything comes in. */
export function clearIncoming(ctx: Context): void {
  rmSync(incomingFolder(ctx), { recursive: true, force: true });
}

/** Removes files; the folder of an upload goes with the last of its files. */
export async function removeFiles(ctx: Context, files: readonly string[]): Promise<void> {
  const paths = files.map((file) => storedFile(ctx, file));
  for (const path of paths) await rm(path, { force: true });
  for (const folder of new Set(paths.map(dirname))) await rmdir(folder).catch(() => {});
}

/** Nobody can guess it, so that what is not shown yet stays unseen; spread, so that no folder grows large. */
export function newFolder(area: string): string {
  const secret = newSecret().slice(0, 22).replaceAll("-", "a").replaceAll("_", "b");
  return `${area}/${secret.slice(0, 2)}/${secret}`;
}

/** A file on the disk is read by the process that needs it. */
export async function imageSource(file: File): Promise<ImageSource> {
  return file instanceof StoredFile ? file.path : file.bytes();
}

/** Keeps a picture under this name and the extension of its type; gives back its path below the media folder. */
export async function keepImage(ctx: Context, name: string, file: ImageFile): Promise<string> {
  const path = `${name}.${file.extension}`;
  await writeDurably(storedFile(ctx, path), file.bytes);
  return path;
}

/** Keeps an upload as it is, without reading it where it lies on the disk already. */
export async function keepUpload(ctx: Context, path: string, file: File): Promise<string> {
  if (file instanceof StoredFile) await moveDurably(storedFile(ctx, path), file.path);
  else await writeDurably(storedFile(ctx, path), await file.bytes());
  return path;
}
