import { join } from "node:path";
import type { Context } from "../context.ts";
import { validationFailed } from "../errors.ts";
import { writeDurably } from "../lib/files.ts";
import { DEFAULT_PIXELS, processAvatar, processImage, type ImageFile, type ProcessedAvatar } from "../lib/images.ts";
import { newSecret } from "../lib/secrets.ts";
import { checkDescription, type MediaChanges } from "./media.ts";

/** Mastodon's limits for pictures; clients read them from the instance's configuration. */
export const IMAGE_BYTES = 16 * 1024 * 1024;
export const IMAGE_PIXELS = DEFAULT_PIXELS;
export const AVATAR_BYTES = 8 * 1024 * 1024;

/** Where a file lies that a row names: uploads below `media/`, what can be fetched again below `cache/`. */
export function storedFile(ctx: Context, file: string): string {
  return join(ctx.config.data, file.startsWith("cache/") ? "" : "media", file);
}

/** Keeps an uploaded picture: its files are on the disk before the row that speaks of them. Returns its id. */
export async function upload(ctx: Context, accountId: number, file: File, about: MediaChanges): Promise<number> {
  checkDescription(about.description);
  if (file.size > IMAGE_BYTES) throw tooLarge("File", IMAGE_BYTES);
  const image = await processImage(new Uint8Array(await file.arrayBuffer()), {
    bytes: IMAGE_BYTES,
    pixels: IMAGE_PIXELS,
  });
  const folder = newFolder("attachments");
  const original = await keep(ctx, `${folder}/original`, image.original);
  const small = image.small === image.original ? original : await keep(ctx, `${folder}/small`, image.small);
  const id = ctx.ids.next();
  ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO media_attachments (id, account_id, type, content_type, file, file_size, width, height,
         small, small_width, small_height, focus_x, focus_y, description, blurhash, created_at)
       VALUES (?, ?, 'image', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      accountId,
      image.original.type,
      original,
      image.original.bytes.length,
      image.original.width,
      image.original.height,
      small,
      image.small.width,
      image.small.height,
      about.focus?.x ?? 0,
      about.focus?.y ?? 0,
      about.description || null,
      image.blurhash,
      ctx.clock.now(),
    ),
  );
  return id;
}

/** Files of an avatar or a header, by the column that names each. */
export type Picture = { file: string; still: string };

export type PictureKind = "avatar" | "header";

/** Reads and checks what shall become an avatar or a header, before anything is kept. */
export async function preparePicture(kind: PictureKind, file: File): Promise<ProcessedAvatar> {
  if (file.size > AVATAR_BYTES) throw tooLarge(kind === "avatar" ? "Avatar file" : "Header file", AVATAR_BYTES);
  return processAvatar(new Uint8Array(await file.arrayBuffer()), kind);
}

/** Keeps an avatar or a header; the caller writes the row. */
export async function keepPicture(ctx: Context, kind: PictureKind, picture: ProcessedAvatar): Promise<Picture> {
  const folder = newFolder(`${kind}s`);
  const original = await keep(ctx, `${folder}/original`, picture.original);
  const still = picture.still === picture.original ? original : await keep(ctx, `${folder}/static`, picture.still);
  return { file: original, still };
}

/** Nobody can guess it, so that what is not shown yet stays unseen; spread, so that no folder grows large. */
export function newFolder(area: string): string {
  const secret = newSecret().slice(0, 22).replaceAll("-", "a").replaceAll("_", "b");
  return `${area}/${secret.slice(0, 2)}/${secret}`;
}

export async function keep(ctx: Context, name: string, file: ImageFile): Promise<string> {
  const path = `${name}.${file.extension}`;
  await writeDurably(storedFile(ctx, path), file.bytes);
  return path;
}

function tooLarge(what: string, bytes: number) {
  return validationFailed(`${what} size must be less than ${bytes / 1024 / 1024} MB`);
}
