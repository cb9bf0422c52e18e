import type { Context } from "../../context.ts";
import { build, execute } from "../../db/builder.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { mediaAttachments } from "../../db/schema/index.ts";
import { frameRateText, type Clip } from "../../lib/media/clips.ts";
import type { ImageFile, ProcessedPreview } from "../../lib/media/images.ts";
import type { InspectedClip, InspectedImage, InspectedUpload } from "./inspect.ts";
import type { Upload } from "./receive.ts";
import { INITIAL, type StoredPreview } from "./states.ts";
import { newFolder, storeImage, storeUnchanged } from "./stored-files.ts";

type NewMedia = typeof mediaAttachments.$inferInsert;
/** The columns that describe the stored files of an upload. */
export type FileColumns = Omit<NewMedia, "id" | "account_id" | "created_at">;

/**
 * Stores an upload and returns its id. The files are on disk before the row is written. A job converts animations,
 * video and audio.
 */
export async function storeUpload(
  ctx: Context,
  accountId: number,
  { about }: Upload,
  inspected: InspectedUpload,
): Promise<number> {
  const files = await storeFiles(ctx, inspected);
  const id = ctx.ids.next();
  const write = (tx: Tx) => {
    const row: NewMedia = {
      ...files,
      id,
      account_id: accountId,
      focus_x: about.focus?.x ?? 0,
      focus_y: about.focus?.y ?? 0,
      description: about.description || null,
      created_at: ctx.clock.now(),
    };
    execute(tx, build.insert(mediaAttachments).values(row));
    if (files.state === "processing") enqueue(ctx, tx, "media.process", { id }, { key: `media.process ${id}` });
  };
  // The upload has been moved into place already, so the caller can't run again.
  await ctx.db.whenWritable(() => ctx.db.transaction(write));
  return id;
}

/** Stores the files of an upload; the caller writes the row. */
export function storeFiles(ctx: Context, inspected: InspectedUpload): Promise<FileColumns> {
  const folder = newFolder("attachments");
  if (inspected.kind === "unreadable") return storePlaceholder(ctx, folder, inspected.placeholder.image);
  return "clip" in inspected ? storeClip(ctx, folder, inspected) : storeImageFiles(ctx, folder, inspected);
}

async function storeImageFiles(
  ctx: Context,
  folder: string,
  { kind, file, image, isFirstFrame, thumbnail }: InspectedImage,
): Promise<FileColumns> {
  const original = await storeImage(ctx, `${folder}/original`, image.original);
  const sourceOfAnimation = () => (isFirstFrame ? storeUnchanged(ctx, `${folder}/source`, file) : original);
  const hasOneFile = !thumbnail && image.small === image.original;
  const small = thumbnail?.image ?? image.small;
  return {
    ...INITIAL[kind],
    source: kind === "animation" ? await sourceOfAnimation() : null,
    content_type: image.original.type,
    file: original,
    file_size: image.original.bytes.length,
    width: image.original.width,
    height: image.original.height,
    small: hasOneFile ? original : await storeImage(ctx, `${folder}/${thumbnail ? "thumbnail" : "small"}`, small),
    small_width: small.width,
    small_height: small.height,
    has_thumbnail: thumbnail ? 1 : 0,
    blurhash: thumbnail?.blurhash ?? image.blurhash,
  };
}

async function storeClip(
  ctx: Context,
  folder: string,
  { kind, file, clip, preview, hasThumbnail }: InspectedClip,
): Promise<FileColumns> {
  const small = await storeImage(ctx, `${folder}/${hasThumbnail ? "thumbnail" : "placeholder"}`, preview.image);
  return {
    ...INITIAL[kind],
    source: await storeUnchanged(ctx, `${folder}/source`, file),
    content_type: preview.image.type,
    file: small,
    file_size: file.size,
    ...clipColumns(clip, file.size),
    small,
    small_width: preview.image.width,
    small_height: preview.image.height,
    has_thumbnail: hasThumbnail ? 1 : 0,
    blurhash: preview.blurhash,
    colors: kind === "audio" ? JSON.stringify(preview.colors) : null,
  };
}

async function storePlaceholder(ctx: Context, folder: string, image: ImageFile): Promise<FileColumns> {
  const file = await storeImage(ctx, `${folder}/placeholder`, image);
  return {
    ...INITIAL.unreadable,
    content_type: image.type,
    file,
    file_size: image.bytes.length,
    width: image.width,
    height: image.height,
    small: file,
    small_width: image.width,
    small_height: image.height,
  };
}

/** Stores a custom thumbnail that was sent after its upload; no row references it yet. */
export async function storeThumbnail(ctx: Context, preview: ProcessedPreview): Promise<StoredPreview> {
  return { file: await storeImage(ctx, `${newFolder("attachments")}/thumbnail`, preview.image), preview };
}

/** The columns for a clip of this size. Audio has no width and height. */
export function clipColumns({ video, duration }: Clip, bytes: number) {
  return {
    width: video?.width ?? 0,
    height: video?.height ?? 0,
    // In seconds, to the microsecond, as Mastodon gets it from ffmpeg.
    duration: Math.round(duration * 1e6) / 1e6,
    frame_rate: video && frameRateText(video.frameRate),
    bitrate: Math.round((bytes * 8) / duration),
  };
}
