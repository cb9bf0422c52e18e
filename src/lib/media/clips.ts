import type { AudioCodec, Conversion, Input, InputFormat, OutputFormat, VideoCodec } from "mediabunny";
import { UnreadableFile } from "../../errors.ts";
import type { Extension } from "./media-types.ts";

/** The properties of a video or audio file, detected from its content. */
export interface Clip {
  /** ffmpeg's name for the container. */
  container: Container;
  /** In seconds. */
  duration: number;
  /** Null for audio. The size is the displayed one, the frame rate is the average. */
  video: { codec: VideoCodec | null; width: number; height: number; frameRate: number; isPlayable: boolean } | null;
  audio: { codec: AudioCodec | null; channels: number; isPlayable: boolean } | null;
}

export type Container = "mov" | "matroska" | "ogg" | "mp3" | "flac" | "wav" | "aac" | "mpegts";

type Library = typeof import("mediabunny");

/** Baseline, main and high profile of H.264, which have 8 bits and 4:2:0 chroma, and play everywhere. */
const PLAYABLE_H264 = /^avc[13]\.(42|4d|58|64)/i;

const MAX_DURATION = 24 * 3600;
/** The index of a three-hour video has 10 MB; in memory it takes ten times as much as on disk. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const MAX_BOXES = 2000;
/** Copied bytes between two garbage collections. */
const COLLECT_AFTER = 10_000_000;

/** Loaded at the first clip, so that servers without clips need no memory for it. */
async function load(): Promise<Library> {
  const library = await import("mediabunny");
  // Its messages about users' files do not belong in our log.
  library.Logging.level = library.LogLevel.Silent;
  return library;
}

/**
 * Detects the content of a file; null if it is neither video nor audio. Call it only through MediaProcesses: with some
 * broken files the library never returns nor yields, so that no timer of the same thread could stop it.
 *
 * @throws UnreadableFile if it looks like a clip but is broken.
 */
export async function inspectClip(path: string): Promise<Clip | null> {
  await refuseHugeIndex(path);
  const library = await load();
  const input = open(library, path);
  return withInput(input, async () => {
    // It throws for a file of a few bytes.
    if (!(await input.canRead().catch(() => false))) return null;
    const container = containerOf(library, await input.getFormat());
    const duration = (await input.computeDuration()) - Math.max(0, await input.getFirstTimestamp());
    const [video, audio] = [await inspectVideo(input, duration), await inspectAudio(input)];
    if (!(video || audio) || !(duration > 0 && duration <= MAX_DURATION)) throw new UnreadableFile();
    return { container, duration, video, audio };
  });
}

async function inspectVideo(input: Input, duration: number): Promise<Clip["video"]> {
  const track = await input.getPrimaryVideoTrack();
  if (!track) return null;
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  if (!(width > 0 && height > 0)) throw new UnreadableFile();
  const { averageFrameRate, probedPacketCount } = await track.computeFrameRateMetrics();
  return {
    codec: await track.getCodec(),
    width: Math.round(width),
    height: Math.round(height),
    // The average needs an interval between two frames.
    frameRate: probedPacketCount > 1 ? averageFrameRate : 1 / duration,
    isPlayable: PLAYABLE_H264.test((await track.getCodecParameterString()) ?? ""),
  };
}

async function inspectAudio(input: Input): Promise<Clip["audio"]> {
  const track = await input.getPrimaryAudioTrack();
  if (!track) return null;
  const codec = await track.getCodec();
  return { codec, channels: await track.getNumberOfChannels(), isPlayable: codec === "aac" };
}

/** The bytes of the cover image in an audio file; null if there is none. */
export async function coverOf(path: string): Promise<Uint8Array | null> {
  const input = open(await load(), path);
  return withInput(input, async () => {
    const { images = [] } = await input.getMetadataTags();
    return (images.find(({ kind }) => kind === "coverFront") ?? images[0])?.data ?? null;
  });
}

/** The file type with which a clip is served unchanged; null if browsers don't play files of its kind. */
export function servedExtension({ container, video, audio }: Clip): Extension | null {
  if (container === "mpegts") return null;
  if (container === "mov") return video ? "mp4" : "m4a";
  if (container !== "matroska") return container;
  // WebM is Matroska with these codecs.
  const isWebm =
    (!video || /^(vp8|vp9|av1)$/.test(video.codec ?? "")) && (!audio || /^(opus|vorbis)$/.test(audio.codec ?? ""));
  if (!isWebm) return null;
  return video ? "webm" : "weba";
}

/** The file type that can hold a clip's streams without re-encoding; null if there is none. */
export function copyExtension({ container, video, audio }: Clip): Extension | null {
  if (video) {
    if (video.codec === null) return null;
    const isWebmAudio = !audio || audio.codec === "opus" || audio.codec === "vorbis";
    return isWebmAudio && /^(vp8|vp9|av1)$/.test(video.codec) ? "webm" : "mp4";
  }
  if (!audio?.codec) return null;
  if (container === "matroska") return "weba";
  return container === "mov" || container === "mpegts" ? "m4a" : container;
}

/**
 * Copies the video and audio streams unchanged to a new file, without any metadata such as location, device or names.
 *
 * @throws UnreadableFile if they can't be copied.
 */
export async function copyClip(from: string, to: string, extension: Extension): Promise<void> {
  const library = await load();
  const input = open(library, from);
  await withInput(input, async () => {
    const conversion = await library.Conversion.init({
      input,
      output: new library.Output({ format: outputFormat(library, extension), target: new library.FilePathTarget(to) }),
      tracks: "primary",
      copy: { mode: "forced", shiftTolerance: Infinity },
      tags: {},
      showWarnings: false,
    });
    if (!conversion.isValid) throw new UnreadableFile();
    collectGarbageOften(conversion, Bun.file(from).size);
    await conversion.execute();
  });
}

/** Collects garbage often: the whole file goes through memory in small pieces, and the machine may have little. */
function collectGarbageOften(conversion: Conversion, bytes: number): void {
  let last = 0;
  conversion.onProgress = (progress) => {
    if ((progress - last) * bytes < COLLECT_AFTER) return;
    last = progress;
    Bun.gc(true);
  };
}

function open({ Input, FilePathSource, ...library }: Library, path: string): Input {
  const { MP4, QTFF, WEBM, MATROSKA, OGG, MP3, FLAC, WAVE, ADTS, MPEG_TS } = library;
  return new Input({
    // Not all formats: playlists would refer to other files.
    formats: [MP4, QTFF, WEBM, MATROSKA, OGG, MP3, FLAC, WAVE, ADTS, MPEG_TS],
    source: new FilePathSource(path, { handleUnhandledError: () => {} }),
  });
}

function containerOf(library: Library, format: InputFormat): Container {
  if (format === library.WEBM || format === library.MATROSKA) return "matroska";
  if (format === library.OGG) return "ogg";
  if (format === library.MP3) return "mp3";
  if (format === library.FLAC) return "flac";
  if (format === library.WAVE) return "wav";
  if (format === library.ADTS) return "aac";
  return format === library.MPEG_TS ? "mpegts" : "mov";
}

function outputFormat(library: Library, extension: Extension): OutputFormat {
  if (extension === "webm" || extension === "weba") return new library.WebMOutputFormat();
  if (extension === "ogg") return new library.OggOutputFormat();
  if (extension === "mp3") return new library.Mp3OutputFormat();
  if (extension === "flac") return new library.FlacOutputFormat();
  if (extension === "wav") return new library.WavOutputFormat();
  if (extension === "aac") return new library.AdtsOutputFormat();
  // The index is at the end: to put it in front, the library would keep the video in memory.
  return new library.Mp4OutputFormat({ fastStart: false });
}

/** Closes the input at the end. Errors of the library mean that the file is unreadable; system errors pass through. */
async function withInput<Result>(input: Input, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw error;
    throw new UnreadableFile();
  } finally {
    input.dispose();
  }
}

/** Checks the sizes of an MP4's top-level boxes. Reads only their headers. */
async function refuseHugeIndex(path: string): Promise<void> {
  const file = Bun.file(path);
  let at = 0;
  for (let count = 0; count < MAX_BOXES && at + 16 <= file.size; count++) {
    const head = new DataView(await file.slice(at, at + 16).arrayBuffer());
    const type = String.fromCharCode(head.getUint8(4), head.getUint8(5), head.getUint8(6), head.getUint8(7));
    if (at === 0 && !/^(ftyp|moov|mdat|wide|free|skip)$/.test(type)) return;
    const length = head.getUint32(0) === 1 ? Number(head.getBigUint64(8)) : head.getUint32(0) || file.size - at;
    if (/^moo[vf]$/.test(type) && length > MAX_INDEX_BYTES) throw new UnreadableFile();
    if (length < 8) return;
    at += length;
  }
}

/** A frame rate in Mastodon's format: `30/1`, or `30000/1001` for NTSC rates. */
export function frameRateText(rate: number): string {
  const odd = Math.round(rate * 1.001) * 1000;
  const isWhole = Math.abs(rate - Math.round(rate)) < 0.002;
  if (!isWhole && Math.abs(odd / 1001 - rate) < 0.002) return `${odd}/1001`;
  if (isWhole && rate >= 1) return `${Math.round(rate)}/1`;
  const thousandths = Math.max(1, Math.round(rate * 1000));
  const divisor = greatestDivisor(thousandths, 1000);
  return `${thousandths / divisor}/${1000 / divisor}`;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
