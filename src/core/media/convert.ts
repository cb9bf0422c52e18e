import { join } from "node:path";
import type { Context } from "../../context.ts";
import { UnreadableFile } from "../../errors.ts";
import { toConstantFrameRate } from "../../lib/media/animations.ts";
import { copyExtension, type Clip } from "../../lib/media/clips.ts";
import type { Ffmpeg, RawFrames, Run, Size } from "../../lib/media/ffmpeg.ts";
import { smallSize, within, type Animation, type ProcessedPreview } from "../../lib/media/images.ts";
import type { Conversion } from "../../lib/media/media-queue.ts";
import type { Extension } from "../../lib/media/media-types.ts";
import { imageTypeOf, usableFfmpeg } from "./inspect.ts";
import { CONVERTED_PIXELS, IMAGE_LIMITS, VIDEO_BYTES } from "./limits.ts";
import type { MediaRow } from "./states.ts";

/** In bits per second. */
const MAX_VIDEO_BITRATE = 6_000_000;
const MIN_VIDEO_BITRATE = 300_000;
const MAX_AUDIO_BITRATE = 160_000;
const MIN_AUDIO_BITRATE = 64_000;

/** The upload to convert, and a temporary folder. */
export interface Work {
  row: MediaRow;
  source: string;
  folder: string;
  conversion: Conversion;
}

/** A converted file, with its preview image if there is one. */
export interface ConvertedMedia {
  path: string;
  extension: Extension;
  preview: ProcessedPreview | null;
}

/**
 * Converts an upload to a file that plays everywhere, in the temporary folder.
 *
 * @throws UnreadableFile if that isn't possible
 */
export async function convert(ctx: Context, work: Work): Promise<ConvertedMedia> {
  const ffmpeg = await usableFfmpeg(ctx);
  const run: Run = { folder: work.folder, signal: work.conversion.signal };
  if (work.row.type === "gifv") return convertAnimation(ffmpeg, work, run);
  const clip = await work.conversion.run("inspectClip", work.source);
  if (!clip) throw new UnreadableFile();
  if (!ffmpeg) return copyStreams(work, clip);
  return clip.video ? convertVideo(ffmpeg, work, clip, clip.video, run) : convertAudio(ffmpeg, work, clip, run);
}

async function convertVideo(
  ffmpeg: Ffmpeg,
  { source, folder, conversion }: Work,
  clip: Clip,
  video: NonNullable<Clip["video"]>,
  run: Run,
): Promise<ConvertedMedia> {
  const from = { path: source, container: clip.container };
  const poster = join(folder, "poster.png");
  await ffmpeg.poster(from, poster, smallSize(video), run);
  const settings = {
    ...evenSize(within(video, CONVERTED_PIXELS)),
    copyVideo: video.isPlayable,
    copyAudio: clip.audio?.isPlayable ?? false,
    channels: clip.audio?.channels ?? 0,
    frameRate: video.frameRate,
    // The converted file is at most about twice as large as an upload may be, however long it is.
    bitrate: Math.round(
      Math.max(MIN_VIDEO_BITRATE, Math.min(MAX_VIDEO_BITRATE, (2 * VIDEO_BYTES * 8) / clip.duration)),
    ),
  };
  const path = join(folder, "video.mp4");
  await ffmpeg.video(from, path, settings, run);
  const preview = await conversion.run("processPreview", poster, IMAGE_LIMITS);
  return { path, extension: "mp4", preview };
}

async function convertAudio(
  ffmpeg: Ffmpeg,
  { source, folder, conversion }: Work,
  clip: Clip,
  run: Run,
): Promise<ConvertedMedia> {
  const { container, audio } = clip;
  const playable = container === "mp3" || container === "flac" ? container : audio?.isPlayable ? "mp4" : null;
  const path = join(folder, "audio");
  // A bit more than the original's bitrate: encoding again loses quality, and a much higher bitrate can't restore it.
  const before = (Bun.file(source).size * 8) / clip.duration;
  const bitrate = Math.round(Math.max(MIN_AUDIO_BITRATE, Math.min(MAX_AUDIO_BITRATE, 1.5 * before)));
  await ffmpeg.audio(
    { path: source, container },
    path,
    { copyTo: playable, channels: audio?.channels ?? 0, bitrate },
    run,
  );
  const preview = await coverOf(conversion, source);
  return { path, extension: playable === null || playable === "mp4" ? "m4a" : playable, preview };
}

/** Without ffmpeg a clip isn't converted; this only removes metadata. */
async function copyStreams({ source, folder, conversion }: Work, clip: Clip): Promise<ConvertedMedia> {
  const extension = copyExtension(clip);
  if (!extension) throw new UnreadableFile("there is no ffmpeg to convert it");
  const path = join(folder, "copy");
  await conversion.run("copyClip", source, path, extension);
  return { path, extension, preview: clip.video ? null : await coverOf(conversion, source) };
}

async function convertAnimation(ffmpeg: Ffmpeg | null, work: Work, run: Run): Promise<ConvertedMedia> {
  if (!ffmpeg) throw new UnreadableFile("ffmpeg is no longer available");
  const { row, source, folder } = work;
  const path = join(folder, "animation.mp4");
  const type = await imageTypeOf(Bun.file(source));
  const size = evenSize(within(row, CONVERTED_PIXELS));
  // Released versions of ffmpeg don't read animated WebP.
  const from =
    type === "image/webp"
      ? await animationFrames(work)
      : { path: source, container: type === "image/gif" ? "gif" : "mov" };
  await ffmpeg.animation(from, path, size, run);
  return { path, extension: "mp4", preview: null };
}

/** H.264 with 4:2:0 chroma subsampling needs even dimensions. */
function evenSize({ width, height }: Size): Size {
  return { width: Math.max(2, width - (width % 2)), height: Math.max(2, height - (height % 2)) };
}

function coverOf(conversion: Conversion, source: string): Promise<ProcessedPreview | null> {
  return conversion.run("coverPreview", source, IMAGE_LIMITS);
}

async function animationFrames(work: Work): Promise<RawFrames> {
  const animation = await work.conversion.run("inspectAnimation", work.source, IMAGE_LIMITS, CONVERTED_PIXELS);
  return toConstantFrameRate(animation, framesOf(work, animation));
}

/** Reads one frame at a time from a file with a few frames, to limit memory use. */
async function* framesOf({ source, folder, conversion }: Work, animation: Animation): AsyncGenerator<Uint8Array> {
  const { width, height, delays, framesPerPart } = animation;
  const path = join(folder, "frames");
  for (let page = 0; page < delays.length; page += framesPerPart) {
    const part = { width, height, page, pages: Math.min(framesPerPart, delays.length - page) };
    await conversion.run("writeFrames", source, IMAGE_LIMITS, part, path);
    const bytes = width * height * 3;
    for (let at = 0; at < part.pages * bytes; at += bytes)
      yield Bun.file(path)
        .slice(at, at + bytes)
        .bytes();
  }
}
