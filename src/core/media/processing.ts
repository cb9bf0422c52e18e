import { dirname, join } from "node:path";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { DatabaseLockedRefusal, UnreadableFile } from "../../errors.ts";
import { evenFrames } from "../../lib/media/animations.ts";
import { copyExtension, frameRateText, type Clip } from "../../lib/media/clips.ts";
import type { Ffmpeg, RawFrames, Run, Size } from "../../lib/media/ffmpeg.ts";
import { moveDurably, withTemporaryFolder } from "../../lib/files.ts";
import { sniffType } from "../../lib/media/image-types.ts";
import { smallSize, within, type Animation, type ProcessedPreview } from "../../lib/media/images.ts";
import type { Conversion } from "../../lib/media/media-queue.ts";
import { TYPES_BY_EXTENSION, type Extension } from "../../lib/media/media-types.ts";
import { IMAGE_LIMITS, incomingFolder, keepImage, storedFile, VIDEO_BYTES } from "./media-files.ts";
import { discardFiles, filesOf, type MediaRow } from "./media.ts";

/** The size of converted videos: at most full HD, because a small computer has to encode and send them. */
const FILM_PIXELS = 1920 * 1080;
/** In bits per second. */
const BEST_FILM = 6_000_000;
const WORST_FILM = 300_000;
const BEST_SOUND = 160_000;
const WORST_SOUND = 64_000;
/** Number of tries for an upload that crashes the server or fills the disk. */
const MAX_TRIES = 3;

/** A converted file, with its preview image if there is one. */
interface ConvertedMedia {
  path: string;
  extension: Extension;
  preview: ProcessedPreview | null;
}

/** The upload to convert, and a temporary folder. */
interface Work {
  row: MediaRow;
  source: string;
  folder: string;
  conversion: Conversion;
}

/**
 * Converts an upload to a playable file, unless that is done already. Only one conversion runs at a time on the whole
 * server. Also resolves if the upload can't be converted; the row's state tells.
 */
export async function processMedia(ctx: Context, id: number): Promise<void> {
  // Uploads that are ready needn't wait in the queue.
  const waiting = stillProcessing(ctx.db, id);
  if (!waiting) return;
  await ctx.media.convert(waiting.account_id, id, async (conversion) => {
    const row = countTry(ctx, id);
    if (!row) return;
    try {
      await withTemporaryFolder(incomingFolder(ctx), async (folder) => {
        const work: Work = { row, source: storedFile(ctx, row.source!), folder, conversion };
        await finish(ctx, work, await make(ctx, work));
      });
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw leftFor(ctx, id, conversion, error);
      ctx.log.info("upload {id} could not be processed: {details}", { id, details: error.details || "it is broken" });
      await write(ctx, conversion, (tx) => giveUp(ctx, tx, id));
    }
  });
}

/** Counts the try before it starts. Null if there is nothing to do. */
function countTry(ctx: Context, id: number): MediaRow | null {
  return ctx.db.transaction((tx) => {
    const row = stillProcessing(tx, id);
    if (!row) return null;
    if (row.tries < MAX_TRIES) tx.run("UPDATE media_attachments SET tries = tries + 1 WHERE id = +$id", { id });
    else giveUp(ctx, tx, id);
    return row.tries < MAX_TRIES ? row : null;
  });
}

/** Waits for the lock as long as it takes: the work behind it took minutes, and must not be done again. */
async function write(ctx: Context, { signal }: Conversion, work: (tx: Tx) => void): Promise<void> {
  for (;;) {
    try {
      return await ctx.db.whenWritable(() => ctx.db.transaction(work));
    } catch (error) {
      if (!(error instanceof DatabaseLockedRefusal) || signal.aborted) throw error;
    }
  }
}

/** A try that was interrupted by the shutdown of the server doesn't count. */
function leftFor(ctx: Context, id: number, { signal }: Conversion, error: unknown): unknown {
  if (signal.aborted) {
    ctx.db.transaction((tx) => tx.run("UPDATE media_attachments SET tries = tries - 1 WHERE id = +$id", { id }));
  }
  return error;
}

function stillProcessing(db: Reads, id: number): MediaRow | null {
  return db.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id AND state = 'processing'", { id });
}

/** An animated image stays an image. Of video and audio, only the placeholder image remains. */
function giveUp(ctx: Context, tx: Tx, id: number): void {
  const row = stillProcessing(tx, id);
  if (!row) return;
  if (row.type === "gifv") {
    tx.run("UPDATE media_attachments SET type = 'image', state = 'ready', source = NULL WHERE id = +$id", { id });
  } else {
    tx.run(
      `UPDATE media_attachments SET type = 'unknown', state = 'failed', source = NULL, blurhash = NULL, colors = NULL,
         width = small_width, height = small_height, duration = NULL, frame_rate = NULL, bitrate = NULL WHERE id = +$id`,
      { id },
    );
  }
  if (row.source !== row.file) discardFiles(ctx, tx, [row.source]);
}

/** Gives up on unpublished uploads that have been waiting since before this time. */
export function giveUpOlder(ctx: Context, tx: Tx, before: number): void {
  const rows = tx.all<{ id: number }>(
    "SELECT id FROM media_attachments WHERE status_id IS NULL AND state = 'processing' AND created_at < +$before",
    { before },
  );
  for (const { id } of rows) giveUp(ctx, tx, id);
}

async function make(ctx: Context, work: Work): Promise<ConvertedMedia> {
  const ffmpeg = await usableFfmpeg(ctx);
  const run: Run = { folder: work.folder, signal: work.conversion.signal };
  if (work.row.type === "gifv") return makeLoop(ffmpeg, work, run);
  const clip = await work.conversion.run("inspectClip", work.source);
  if (!clip) throw new UnreadableFile();
  if (!ffmpeg) return makeCopy(work, clip);
  return clip.video ? makeFilm(ffmpeg, work, clip, clip.video, run) : makeSound(ffmpeg, work, clip, run);
}

async function makeFilm(
  ffmpeg: Ffmpeg,
  { source, folder, conversion }: Work,
  clip: Clip,
  video: NonNullable<Clip["video"]>,
  run: Run,
): Promise<ConvertedMedia> {
  const from = { path: source, container: clip.container };
  const poster = join(folder, "poster.png");
  await ffmpeg.poster(from, poster, smallSize(video), run);
  const film = {
    ...evenSize(within(video, FILM_PIXELS)),
    copyVideo: video.plays,
    copyAudio: clip.audio?.plays ?? false,
    channels: clip.audio?.channels ?? 0,
    frameRate: video.frameRate,
    // The converted file is at most about twice as large as an upload may be, however long it is.
    bitrate: Math.round(Math.max(WORST_FILM, Math.min(BEST_FILM, (2 * VIDEO_BYTES * 8) / clip.duration))),
  };
  const path = join(folder, "film.mp4");
  await ffmpeg.film(from, path, film, run);
  const preview = await conversion.run("processPreview", poster, IMAGE_LIMITS);
  return { path, extension: "mp4", preview };
}

async function makeSound(
  ffmpeg: Ffmpeg,
  { source, folder, conversion }: Work,
  clip: Clip,
  run: Run,
): Promise<ConvertedMedia> {
  const { container, audio } = clip;
  const playable = container === "mp3" || container === "flac" ? container : audio?.plays ? "mp4" : null;
  const path = join(folder, "sound");
  // A bit more than the original's bitrate: encoding again loses quality, and a much higher bitrate can't restore it.
  const before = (Bun.file(source).size * 8) / clip.duration;
  const bitrate = Math.round(Math.max(WORST_SOUND, Math.min(BEST_SOUND, 1.5 * before)));
  await ffmpeg.sound(
    { path: source, container },
    path,
    { copyTo: playable, channels: audio?.channels ?? 0, bitrate },
    run,
  );
  const preview = await cover(conversion, source);
  return { path, extension: playable === null || playable === "mp4" ? "m4a" : playable, preview };
}

/** Without ffmpeg a clip isn't converted; this only removes metadata. */
async function makeCopy({ source, folder, conversion }: Work, clip: Clip): Promise<ConvertedMedia> {
  const extension = copyExtension(clip);
  if (!extension) throw new UnreadableFile("there is no ffmpeg to convert it");
  const path = join(folder, "copy");
  await conversion.run("copyClip", source, path, extension);
  return { path, extension, preview: clip.video ? null : await cover(conversion, source) };
}

async function makeLoop(ffmpeg: Ffmpeg | null, work: Work, run: Run): Promise<ConvertedMedia> {
  if (!ffmpeg) throw new UnreadableFile("ffmpeg is gone");
  const { row, source, folder } = work;
  const path = join(folder, "loop.mp4");
  const type = sniffType(await Bun.file(source).slice(0, 64).bytes());
  const size = evenSize(within(row, FILM_PIXELS));
  // Released versions of ffmpeg don't read animated WebP.
  const from =
    type === "image/webp"
      ? await animationFrames(work)
      : { path: source, container: type === "image/gif" ? "gif" : "mov" };
  await ffmpeg.loop(from, path, size, run);
  return { path, extension: "mp4", preview: null };
}

/** H.264 with 4:2:0 chroma subsampling needs even dimensions. */
function evenSize({ width, height }: Size): Size {
  return { width: Math.max(2, width - (width % 2)), height: Math.max(2, height - (height % 2)) };
}

function cover(conversion: Conversion, source: string): Promise<ProcessedPreview | null> {
  return conversion.run("coverPreview", source, IMAGE_LIMITS);
}

async function animationFrames(work: Work): Promise<RawFrames> {
  const animation = await work.conversion.run("inspectAnimation", work.source, IMAGE_LIMITS, FILM_PIXELS);
  return evenFrames(animation, framesOf(work, animation));
}

/** Reads one frame at a time from a file with a few frames, to limit memory use. */
async function* framesOf({ source, folder, conversion }: Work, animation: Animation): AsyncGenerator<Uint8Array> {
  const { width, height, delays, together } = animation;
  const path = join(folder, "frames");
  for (let page = 0; page < delays.length; page += together) {
    const part = { width, height, page, pages: Math.min(together, delays.length - page) };
    await conversion.run("writeFrames", source, IMAGE_LIMITS, part, path);
    const bytes = width * height * 3;
    for (let at = 0; at < part.pages * bytes; at += bytes)
      yield Bun.file(path)
        .slice(at, at + bytes)
        .bytes();
  }
}

/** Moves the converted file into place and updates the row. */
async function finish(
  ctx: Context,
  { row, conversion }: Work,
  { path, extension, preview }: ConvertedMedia,
): Promise<void> {
  const clip = await conversion.run("inspectClip", path);
  if (!clip) throw new UnreadableFile("nothing that plays came of it");
  const { size } = Bun.file(path);
  const folder = dirname(row.source!);
  const file = `${folder}/original.${extension}`;
  await moveDurably(storedFile(ctx, file), path);
  const poster = preview && { file: await keepImage(ctx, `${folder}/poster`, preview.image), preview };
  await write(ctx, conversion, (tx) => {
    const now = stillProcessing(tx, row.id);
    // The upload was deleted or given up meanwhile.
    if (!now) return discardFiles(ctx, tx, [file, poster?.file ?? null]);
    const shown = now.has_thumbnail === 0 ? poster : null;
    writeMade(tx, now, { file, size, extension, clip });
    if (shown) writeSmall(tx, now, shown);
    const kept = new Set<string | null>([file, shown?.file ?? now.small]);
    const left = [...filesOf(now), poster?.file ?? null].filter((each) => !kept.has(each));
    discardFiles(ctx, tx, left);
  });
}

function writeMade(
  tx: Tx,
  row: MediaRow,
  { file, size, extension, clip }: { file: string; size: number; extension: Extension; clip: Clip },
): void {
  const { width, height, duration, frame_rate, bitrate } = clipColumns(clip, size);
  tx.run(
    `UPDATE media_attachments SET state = 'ready', source = NULL, file = $file, file_size = $size, content_type = $contentType, width = $width,
       height = $height, duration = $duration, frame_rate = $frameRate, bitrate = $bitrate WHERE id = +$id`,
    {
      file,
      size,
      contentType: TYPES_BY_EXTENSION[extension],
      width,
      height,
      duration,
      frameRate: frame_rate,
      bitrate,
      id: row.id,
    },
  );
}

/** Replaces the small image. The colours of audio come from it, too. */
export function writeSmall(
  tx: Tx,
  row: MediaRow,
  { file, preview }: { file: string; preview: ProcessedPreview },
): void {
  tx.run(
    "UPDATE media_attachments SET small = $file, small_width = $width, small_height = $height, blurhash = $blurhash, colors = $colors WHERE id = +$id",
    {
      file,
      width: preview.image.width,
      height: preview.image.height,
      blurhash: preview.blurhash,
      colors: row.type === "audio" ? JSON.stringify(preview.colors) : null,
      id: row.id,
    },
  );
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

/** The ffmpeg to use; null if there is none, or if it lacks the codecs. */
export async function usableFfmpeg(ctx: Context): Promise<Ffmpeg | null> {
  if (!ctx.ffmpeg || (await ctx.ffmpeg.isUsable())) return ctx.ffmpeg;
  ctx.log.warn("{path} can't write H.264 (libx264) and AAC, so it isn't used", { path: ctx.config.ffmpeg });
  return null;
}
