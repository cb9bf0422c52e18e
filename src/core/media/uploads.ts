import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { mediaAttachments } from "../../db/schema/index.ts";
import { notFound, validationFailed } from "../../errors.ts";
import { copyExtension, type Clip } from "../../lib/media/clips.ts";
import type { Ffmpeg } from "../../lib/media/ffmpeg.ts";
import { StoredFile } from "../../lib/files.ts";
import { isMovingAvif, sniffType } from "../../lib/media/image-types.ts";
import { smallSize, type ProcessedPreview, type ProcessedAvatar } from "../../lib/media/images.ts";
import { IMAGE_LIMITS, imageSource, keepImage, keepUpload, newFolder, VIDEO_BYTES } from "./media-files.ts";
import { applyMediaChanges, checkDescription, discardFiles, waitingMedia } from "./media.ts";
import type { MediaChanges, MediaRow } from "./media.ts";
import { clipColumns, usableFfmpeg } from "./processing.ts";
import { keepThumbnail, readThumbnail, setThumbnail } from "./thumbnails.ts";

/** Mastodon's limits, like those in media-files.ts; clients read them from the instance configuration. */
export const VIDEO_PIXELS = 8_294_400;
export const VIDEO_FRAME_RATE = 120;
export const AVATAR_BYTES = 8 * 1024 * 1024;

/** Side of the square placeholder image for audio, in pixels. */
const SOUND_SIDE = 400;

type NewMedia = typeof mediaAttachments.$inferInsert;

export interface Upload {
  file: File;
  /** A custom thumbnail. */
  thumbnail?: File;
  about: MediaChanges;
}

/**
 * Stores an upload and returns its id. The files are on disk before the row is written. An image is ready at once; a
 * job converts animations, video and audio.
 *
 * @throws UnreadableFile if its type is accepted but it is broken
 */
export async function upload(ctx: Context, accountId: number, { file, thumbnail, about }: Upload): Promise<number> {
  checkDescription(about.description);
  const preview = thumbnail && (await readThumbnail(ctx, accountId, thumbnail));
  const isImage = sniffType(await file.slice(0, 64).bytes()) !== null;
  const keep = isImage ? keepImageFile : keepClip;
  const media = await keep(ctx, accountId, file, preview);
  return insertMedia(ctx, accountId, about, media);
}

/** Stores an attachment for an unreadable upload. It can be shown, and can't be published. */
export async function keepUnreadable(ctx: Context, accountId: number, about: MediaChanges): Promise<number> {
  checkDescription(about.description);
  const seed = ctx.clock.now();
  const { image } = await ctx.media.run(accountId, "placeholderPreview", "unknown", SOUND_SIDE, SOUND_SIDE, seed);
  const file = await keepImage(ctx, `${newFolder("attachments")}/placeholder`, image);
  return insertMedia(ctx, accountId, about, {
    type: "unknown",
    state: "failed",
    content_type: image.type,
    file,
    file_size: image.bytes.length,
    width: image.width,
    height: image.height,
    small: file,
    small_width: image.width,
    small_height: image.height,
  });
}

type StoredMedia = Omit<NewMedia, "id" | "account_id" | "created_at">;

/** Waits for the write lock itself: the upload has been moved into place already, so the caller can't run again. */
async function insertMedia(ctx: Context, accountId: number, about: MediaChanges, media: StoredMedia): Promise<number> {
  const id = ctx.ids.next();
  const write = (tx: Tx) => {
    const row: NewMedia = {
      ...media,
      id,
      account_id: accountId,
      focus_x: about.focus?.x ?? 0,
      focus_y: about.focus?.y ?? 0,
      description: about.description || null,
      created_at: ctx.clock.now(),
    };
    tx.orm.insert(mediaAttachments).values(row).run();
    if (media.state === "processing") processLater(ctx, tx, id);
  };
  await ctx.db.whenWritable(() => ctx.db.transaction(write));
  return id;
}

function processLater(ctx: Context, tx: Tx, id: number): void {
  enqueue(ctx, tx, "media.process", { id }, { key: `media.process ${id}` });
}

/** Stores an image. If it is animated and ffmpeg is available, a job converts it to a video. */
async function keepImageFile(
  ctx: Context,
  accountId: number,
  file: File,
  thumbnail: ProcessedPreview | undefined,
): Promise<StoredMedia> {
  if (file.size > IMAGE_LIMITS.bytes) throw tooLarge("File", IMAGE_LIMITS.bytes);
  const image = await ctx.media.run(accountId, "processImage", await imageSource(file), IMAGE_LIMITS);
  const movesAsAvif = isMovingAvif(await file.slice(0, 64).bytes());
  const becomesFilm = (image.animated || movesAsAvif) && (await usableFfmpeg(ctx)) !== null;
  const folder = newFolder("attachments");
  const original = await keepImage(ctx, `${folder}/original`, image.original);
  const isSmall = !thumbnail && image.small === image.original;
  const small = thumbnail?.image ?? image.small;
  return {
    type: becomesFilm ? "gifv" : "image",
    state: becomesFilm ? "processing" : "ready",
    // Images made from an animated AVIF contain only the first frame, so the upload is needed.
    source: !becomesFilm ? null : movesAsAvif ? await keepUpload(ctx, `${folder}/source`, file) : original,
    content_type: image.original.type,
    file: original,
    file_size: image.original.bytes.length,
    width: image.original.width,
    height: image.original.height,
    small: isSmall ? original : await keepImage(ctx, `${folder}/${thumbnail ? "thumbnail" : "small"}`, small),
    small_width: small.width,
    small_height: small.height,
    has_thumbnail: thumbnail ? 1 : 0,
    blurhash: thumbnail?.blurhash ?? image.blurhash,
  };
}

/** Stores video or audio. It is inspected now, so that unsupported files are refused at once, and converted later. */
async function keepClip(
  ctx: Context,
  accountId: number,
  file: File,
  thumbnail: ProcessedPreview | undefined,
): Promise<StoredMedia> {
  if (file.size > VIDEO_BYTES) throw tooLarge("File", VIDEO_BYTES);
  if (!(file instanceof StoredFile)) throw new TypeError("Only a file on the disk can be looked at as a clip");
  const clip = await ctx.media.run(accountId, "inspectClip", file.path);
  if (clip === null) throw validationFailed("File content type is invalid", "File is invalid");
  checkClip(clip, await usableFfmpeg(ctx));
  const type = clip.video ? "video" : "audio";
  const folder = newFolder("attachments");
  const preview = thumbnail ?? (await standIn(ctx, accountId, type, clip));
  const small = await keepImage(ctx, `${folder}/${thumbnail ? "thumbnail" : "placeholder"}`, preview.image);
  return {
    type,
    state: "processing",
    source: await keepUpload(ctx, `${folder}/source`, file),
    content_type: preview.image.type,
    file: small,
    file_size: file.size,
    ...clipColumns(clip, file.size),
    small,
    small_width: preview.image.width,
    small_height: preview.image.height,
    has_thumbnail: thumbnail ? 1 : 0,
    blurhash: preview.blurhash,
    colors: type === "audio" ? JSON.stringify(preview.colors) : null,
  };
}

function checkClip(clip: Clip, ffmpeg: Ffmpeg | null): void {
  const { video } = clip;
  if (video && video.width * video.height > VIDEO_PIXELS) {
    throw validationFailed(
      `File is a film of ${video.width}x${video.height}; at most ${VIDEO_PIXELS} pixels can be taken`,
    );
  }
  if (video && !(video.frameRate <= VIDEO_FRAME_RATE)) {
    const rate = Math.round(video.frameRate);
    throw validationFailed(`File has ${rate} frames a second; at most ${VIDEO_FRAME_RATE} can be taken`);
  }
  if (!ffmpeg && copyExtension(clip) === null) {
    throw validationFailed("File is of a kind that this server can't make playable, since it has no ffmpeg");
  }
}

function standIn(ctx: Context, accountId: number, type: "video" | "audio", { video }: Clip): Promise<ProcessedPreview> {
  const { width, height } = video ? smallSize(video) : { width: SOUND_SIDE, height: SOUND_SIDE };
  return ctx.media.run(accountId, "placeholderPreview", type, width, height, ctx.clock.now());
}

/** Changes an unpublished upload: its description, focus or thumbnail. */
export async function changeUpload(
  ctx: Context,
  accountId: number,
  id: number | null,
  changes: MediaChanges,
  thumbnail: File | undefined,
): Promise<MediaRow> {
  const found = waitingMedia(ctx, accountId, id);
  checkDescription(changes.description);
  const preview = thumbnail && (await readThumbnail(ctx, accountId, thumbnail));
  const kept = preview && (await keepThumbnail(ctx, preview));
  const changed = ctx.db.transaction((tx) => {
    // It may have been published or deleted while the thumbnail was read.
    const row = tx.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id AND status_id IS NULL", {
      id: found.id,
    });
    if (!row && kept) discardFiles(ctx, tx, [kept.file]);
    if (!row) return null;
    applyMediaChanges(tx, row, changes);
    if (kept) setThumbnail(ctx, tx, row, kept);
    return row.id;
  });
  if (changed === null) throw notFound();
  return waitingMedia(ctx, accountId, changed);
}

/** The files of an avatar or header: the original and a still image of it. */
export type Picture = { file: string; still: string };

export type PictureKind = "avatar" | "header";

/** Reads and checks a new avatar or header, before anything is stored. */
export async function preparePicture(
  ctx: Context,
  accountId: number,
  kind: PictureKind,
  file: File,
): Promise<ProcessedAvatar> {
  if (file.size > AVATAR_BYTES) throw tooLarge(kind === "avatar" ? "Avatar file" : "Header file", AVATAR_BYTES);
  return ctx.media.run(accountId, "processAvatar", await imageSource(file), kind);
}

/** Stores an avatar or header; the caller writes the row. */
export async function keepPicture(ctx: Context, kind: PictureKind, picture: ProcessedAvatar): Promise<Picture> {
  const folder = newFolder(`${kind}s`);
  const original = await keepImage(ctx, `${folder}/original`, picture.original);
  const still = picture.still === picture.original ? original : await keepImage(ctx, `${folder}/static`, picture.still);
  return { file: original, still };
}

function tooLarge(what: string, bytes: number) {
  return validationFailed(`${what} size must be less than ${bytes / 1024 / 1024} MB`);
}
