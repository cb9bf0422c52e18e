import type { Context } from "../../context.ts";
import { Refusal, UnreadableFile, validationFailed } from "../../errors.ts";
import { StoredFile } from "../../lib/files.ts";
import { copyExtension, type Clip } from "../../lib/media/clips.ts";
import type { Ffmpeg } from "../../lib/media/ffmpeg.ts";
import { isAvifSequence, sniffType } from "../../lib/media/image-types.ts";
import { smallSize, type ImageSource, type ProcessedImage, type ProcessedPreview } from "../../lib/media/images.ts";
import type { User } from "../../lib/fair-queue.ts";
import { IMAGE_LIMITS, VIDEO_BYTES, VIDEO_FRAME_RATE, VIDEO_PIXELS } from "./limits.ts";
import type { Upload } from "./receive.ts";

/** Side of the square placeholder image for audio and unreadable files, in pixels. */
const PLACEHOLDER_SIDE = 400;
/** Bytes at the start of a file that tell the type of an image. */
const MAGIC_BYTES = 64;

export interface InspectedImage {
  kind: "image" | "animation";
  file: File;
  image: ProcessedImage;
  /** `image` has only the first frame, so a conversion needs the file itself. */
  isFirstFrame: boolean;
  thumbnail: ProcessedPreview | null;
}

export interface InspectedClip {
  kind: "video" | "audio";
  file: File;
  clip: Clip;
  /** The thumbnail, or a placeholder. */
  preview: ProcessedPreview;
  hasThumbnail: boolean;
}

interface UnreadableUpload {
  kind: "unreadable";
  placeholder: ProcessedPreview;
}

/** The content of an upload, within the limits. Nothing is stored yet. */
export type InspectedUpload = InspectedImage | InspectedClip | UnreadableUpload;

/**
 * Detects the content of an upload, and reads it in a media process.
 *
 * @throws Refusal if it is beyond the limits or not supported; UnreadableFile if it is broken
 */
export async function inspectUpload(
  ctx: Context,
  user: User,
  upload: Pick<Upload, "file" | "thumbnail">,
): Promise<InspectedUpload> {
  const thumbnail = upload.thumbnail ? await inspectThumbnail(ctx, user, upload.thumbnail) : null;
  const isImage = (await imageTypeOf(upload.file)) !== null;
  return (isImage ? inspectImage : inspectClip)(ctx, user, upload.file, thumbnail);
}

/** Like `inspectUpload()`, but a broken file becomes an attachment that can be shown and can't be published. */
export async function inspectAnyUpload(ctx: Context, accountId: number, upload: Upload): Promise<InspectedUpload> {
  try {
    return await inspectUpload(ctx, accountId, upload);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const [width, height] = [PLACEHOLDER_SIDE, PLACEHOLDER_SIDE];
    const seed = ctx.clock.now();
    const drawing = { kind: "unknown", width, height, seed } as const;
    const placeholder = await ctx.media.run(accountId, "placeholderPreview", drawing);
    return { kind: "unreadable", placeholder };
  }
}

/** An animation becomes a video if ffmpeg is available. */
async function inspectImage(
  ctx: Context,
  user: User,
  file: File,
  thumbnail: ProcessedPreview | null,
): Promise<InspectedImage> {
  if (file.size > IMAGE_LIMITS.bytes) throw tooLarge("File", IMAGE_LIMITS.bytes);
  const image = await ctx.media.run(user, "processImage", await imageSource(file), IMAGE_LIMITS);
  const isFirstFrame = isAvifSequence(await firstBytes(file));
  const becomesVideo = (image.animated || isFirstFrame) && (await usableFfmpeg(ctx)) !== null;
  return { kind: becomesVideo ? "animation" : "image", file, image, isFirstFrame, thumbnail };
}

/** Video and audio are inspected before they are stored, so that unsupported files are refused at once. */
async function inspectClip(
  ctx: Context,
  user: User,
  file: File,
  thumbnail: ProcessedPreview | null,
): Promise<InspectedClip> {
  if (file.size > VIDEO_BYTES) throw tooLarge("File", VIDEO_BYTES);
  if (!(file instanceof StoredFile)) throw new TypeError("Only a file on disk can be inspected as a clip");
  const clip = await ctx.media.run(user, "inspectClip", file.path);
  if (clip === null) throw validationFailed("File content type is invalid", "File is invalid");
  checkClip(clip, await usableFfmpeg(ctx));
  const preview = thumbnail ?? (await placeholderOf(ctx, user, clip));
  return { kind: clip.video ? "video" : "audio", file, clip, preview, hasThumbnail: thumbnail !== null };
}

function checkClip(clip: Clip, ffmpeg: Ffmpeg | null): void {
  const { video } = clip;
  if (video && video.width * video.height > VIDEO_PIXELS) {
    throw validationFailed(
      `File is a video of ${video.width}x${video.height} pixels; at most ${VIDEO_PIXELS} are allowed`,
    );
  }
  if (video && !(video.frameRate <= VIDEO_FRAME_RATE)) {
    const rate = Math.round(video.frameRate);
    throw validationFailed(`File has ${rate} frames per second; at most ${VIDEO_FRAME_RATE} are allowed`);
  }
  if (!ffmpeg && copyExtension(clip) === null) {
    throw validationFailed("File can't be converted, because this server has no ffmpeg");
  }
}

function placeholderOf(ctx: Context, user: User, { video }: Clip): Promise<ProcessedPreview> {
  const { width, height } = video ? smallSize(video) : { width: PLACEHOLDER_SIDE, height: PLACEHOLDER_SIDE };
  const kind = video ? "video" : "audio";
  return ctx.media.run(user, "placeholderPreview", { kind, width, height, seed: ctx.clock.now() });
}

/**
 * Reads and checks a custom thumbnail.
 *
 * @throws Refusal if it isn't an image, or is too large
 */
export async function inspectThumbnail(ctx: Context, user: User, file: File): Promise<ProcessedPreview> {
  try {
    return await ctx.media.run(user, "processPreview", await imageSource(file), IMAGE_LIMITS);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.kind === "too_large") throw tooLarge("Thumbnail", IMAGE_LIMITS.bytes);
    throw validationFailed("Thumbnail is not a supported image");
  }
}

/** The ffmpeg to use; null if there is none, or if it lacks the codecs. */
export async function usableFfmpeg(ctx: Context): Promise<Ffmpeg | null> {
  if (!ctx.ffmpeg || (await ctx.ffmpeg.isUsable())) return ctx.ffmpeg;
  ctx.log.warn("{path} can't write H.264 (libx264) and AAC, so it isn't used", { path: ctx.config.ffmpeg });
  return null;
}

/** A path if the file is on disk, so that the media process reads it itself; otherwise the bytes. */
export async function imageSource(file: File): Promise<ImageSource> {
  return file instanceof StoredFile ? file.path : file.bytes();
}

export function tooLarge(what: string, bytes: number): Refusal {
  return validationFailed(`${what} size must be less than ${bytes / 1024 / 1024} MB`);
}

/** The type of an image, by its content; null for anything else. */
export async function imageTypeOf(file: Blob): Promise<string | null> {
  return sniffType(await firstBytes(file));
}

function firstBytes(file: Blob): Promise<Uint8Array> {
  return file.slice(0, MAGIC_BYTES).bytes();
}
