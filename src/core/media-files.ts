import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { moveDurably, StoredFile, writeDurably } from "../lib/files.ts";
import { DEFAULT_PIXELS, type ImageFile, type ImageLimits } from "../lib/images.ts";
import { newSecret } from "../lib/secrets.ts";

/** Mastodon's. */
export const IMAGE_LIMITS: ImageLimits = { bytes: 16 * 1024 * 1024, pixels: DEFAULT_PIXELS };
export const VIDEO_BYTES = 99 * 1024 * 1024;

/** Everything that is served below /media, and what waits to be processed. */
export function mediaFolder(ctx: Context): string {
  return join(ctx.config.data, "media");
}

/** For files that come in or are being made: on the same disk as where they go, and never served. */
export function incomingFolder(ctx: Context): string {
  return join(mediaFolder(ctx), "incoming");
}

/** Removes what a crash left behind; before anything comes in. */
export function clearIncoming(ctx: Context): void {
  rmSync(incomingFolder(ctx), { recursive: true, force: true });
}

/** Nobody can guess it, so that what is not shown yet stays unseen; spread, so that no folder grows large. */
export function newFolder(area: string): string {
  const secret = newSecret().slice(0, 22).replaceAll("-", "a").replaceAll("_", "b");
  return `${area}/${secret.slice(0, 2)}/${secret}`;
}

/** Keeps a picture under this name and the extension of its type; gives back its path below the media folder. */
export async function keepImage(ctx: Context, name: string, file: ImageFile): Promise<string> {
  const path = `${name}.${file.extension}`;
  await writeDurably(join(mediaFolder(ctx), path), file.bytes);
  return path;
}

/** Keeps an upload as it is, without reading it where it lies on the disk already. */
export async function keepUpload(ctx: Context, path: string, file: File): Promise<string> {
  if (file instanceof StoredFile) await moveDurably(join(mediaFolder(ctx), path), file.path);
  else await writeDurably(join(mediaFolder(ctx), path), await file.bytes());
  return path;
}
