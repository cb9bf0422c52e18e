import { constants, setPriority } from "node:os";
import type { Subprocess } from "bun";
import { UnreadableFile } from "../../errors.ts";

/** The path of a clip, and the ffmpeg demuxer to use: ffmpeg must not guess the format. */
export interface Source {
  path: string;
  container: string;
}

export interface Size {
  width: number;
  height: number;
}

/** The working directory of a run, and the signal that aborts it. */
export interface Run {
  folder: string;
  signal: AbortSignal;
}

/** A stream of raw RGB frames, and their frame rate as a fraction such as `50/1`. */
export interface RawFrames extends Size {
  frameRate: string;
  frames: AsyncIterable<Uint8Array>;
}

export interface VideoSettings extends Size {
  /** Whether to copy the stream instead of re-encoding it. */
  copyVideo: boolean;
  copyAudio: boolean;
  /** Channels of the source; more than two are mixed down to two. */
  channels: number;
  /** Frame rate of the source; above 60, frames are dropped. */
  frameRate: number;
  /** Maximum of the video, in bits per second. */
  bitrate: number;
}

export interface AudioSettings {
  copyTo: "mp4" | "mp3" | "flac" | null;
  /** Channels of the source; more than two are mixed down to two. */
  channels: number;
  /** In bits per second, if it is re-encoded. */
  bitrate: number;
}

/** Bit rate of a video's audio, in bits per second. */
const VIDEO_AUDIO_BITRATE = 128_000;
/** In seconds. */
const POSTER_TIMEOUT = 60;
/** In seconds: enough to convert a video of a few minutes on a Raspberry Pi. */
const CONVERSION_TIMEOUT = 45 * 60;
/** 4K, plus the padding of codecs. */
const MAX_PIXELS = 16_000_000;
const MAX_FRAME_RATE = 60;
/** The poster is the most representative frame among this many: the first one is often black. */
const POSTER_FRAMES = 24;
/** Characters of an error message. */
const MAX_ERROR = 1000;

const H264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-profile:v", "high", "-pix_fmt", "yuv420p"];
const WITHOUT_METADATA = ["-map_metadata", "-1", "-map_chapters", "-1", "-sn", "-dn"];
const MP4 = ["-movflags", "+faststart", "-f", "mp4"];

/** The system's ffmpeg, restricted: one thread, lowest priority, local files only, empty environment. */
export class Ffmpeg {
  private usable: Promise<boolean> | null = null;

  constructor(private readonly path: string) {}

  /** Whether it can encode H.264 and AAC: in some distributions it can't. */
  isUsable(): Promise<boolean> {
    this.usable ??= Bun.$`${this.path} -hide_banner -encoders`
      .env({})
      .quiet()
      .text()
      .then(
        (list) => / libx264 /.test(list) && / aac /.test(list),
        () => false,
      );
    return this.usable;
  }

  /** Writes a representative frame as a PNG of this size. */
  poster(source: Source, to: string, size: Size, run: Run): Promise<void> {
    const filter = `scale=${size.width}:${size.height},thumbnail=${POSTER_FRAMES},format=rgb24`;
    const output = ["-map", "0:V:0", "-vf", filter, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1"];
    return this.convert([...open(source)], [...output, to], POSTER_TIMEOUT, run);
  }

  /** Writes an MP4 that plays everywhere, with its index in front, and without metadata, subtitles and data streams. */
  video(source: Source, to: string, settings: VideoSettings, run: Run): Promise<void> {
    const video = settings.copyVideo
      ? ["-c:v", "copy"]
      : [...H264, ...maxRate(settings.bitrate), "-vf", videoFilter(settings)];
    const audio = settings.copyAudio ? ["-c:a", "copy"] : aac(VIDEO_AUDIO_BITRATE, settings.channels);
    const output = ["-map", "0:V:0", "-map", "0:a:0?", ...video, ...audio, ...WITHOUT_METADATA, ...MP4];
    return this.convert(open(source), [...output, to], CONVERSION_TIMEOUT, run);
  }

  /** Writes audio only: copied to a file of the format `copyTo`, or re-encoded to MP4 if that is null. */
  audio(source: Source, to: string, { copyTo, channels, bitrate }: AudioSettings, run: Run): Promise<void> {
    const codec = copyTo ? ["-c:a", "copy"] : aac(bitrate, channels);
    const format = copyTo === "mp3" ? ["-id3v2_version", "0", "-f", "mp3"] : copyTo === "flac" ? ["-f", "flac"] : MP4;
    const output = ["-map", "0:a:0", "-vn", ...codec, ...WITHOUT_METADATA, ...format];
    return this.convert(open(source), [...output, to], CONVERSION_TIMEOUT, run);
  }

  /** Converts an animation to a silent video, with white in place of transparency. */
  animation(source: Source | RawFrames, to: string, { width, height }: Size, run: Run): Promise<void> {
    const filter =
      `[0:v:0]scale=${width}:${height},format=rgba,split[back][front];` +
      `[back]lutrgb=r=255:g=255:b=255:a=255[white];[white][front]overlay,setsar=1`;
    const output = ["-filter_complex", filter, "-an", ...H264, ...WITHOUT_METADATA, ...MP4, to];
    if ("path" in source) return this.convert(open(source), output, CONVERSION_TIMEOUT, run);
    const size = `${source.width}x${source.height}`;
    const input = ["-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", size, "-framerate", source.frameRate];
    return this.convert([...input, "-i", "pipe:0"], output, CONVERSION_TIMEOUT, run, source.frames);
  }

  /** @throws UnreadableFile if ffmpeg fails or exceeds the timeout; the signal's reason if it was aborted. */
  private async convert(
    input: string[],
    output: string[],
    seconds: number,
    { folder, signal }: Run,
    frames?: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    signal.throwIfAborted();
    const bounds = ["-hide_banner", "-loglevel", "error", "-y", "-filter_threads", "1", "-filter_complex_threads", "1"];
    const reading = ["-threads", "1", "-protocol_whitelist", "file,pipe", "-max_pixels", String(MAX_PIXELS)];
    const child = Bun.spawn([this.path, ...bounds, ...reading, ...input, "-threads", "1", ...output], {
      cwd: folder,
      env: {},
      stdio: [frames ? "pipe" : "ignore", "ignore", "pipe"],
      timeout: seconds * 1000,
      killSignal: "SIGKILL",
      signal,
    });
    lowerPriority(child.pid);
    const [error] = await Promise.all([endOfOutput(child.stderr), frames && feed(child, frames)]);
    const code = await child.exited;
    signal.throwIfAborted();
    if (code !== 0) throw new UnreadableFile(child.signalCode === "SIGKILL" ? "it took too long" : error);
  }
}

function open({ path, container }: Source): string[] {
  return ["-f", container, "-i", `file:${path}`];
}

function maxRate(bitrate: number): string[] {
  return ["-maxrate", String(bitrate), "-bufsize", String(bitrate * 2)];
}

function videoFilter({ width, height, frameRate }: VideoSettings): string {
  const slower = frameRate > MAX_FRAME_RATE ? `,fps=${MAX_FRAME_RATE}` : "";
  return `scale=${width}:${height},setsar=1${slower}`;
}

function aac(bitrate: number, channels: number): string[] {
  return ["-c:a", "aac", "-b:a", String(bitrate), ...(channels > 2 ? ["-ac", "2"] : [])];
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already ended.
  }
}

/** Writes the frames to ffmpeg until it accepts no more. Its exit code tells why it stopped. */
async function feed(child: Subprocess<"pipe" | "ignore">, frames: AsyncIterable<Uint8Array>): Promise<void> {
  const stdin = child.stdin!;
  try {
    for await (const frame of frames) {
      const taken = await accepted(() => {
        stdin.write(frame);
        return stdin.flush();
      });
      if (!taken) return;
    }
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  await accepted(() => stdin.end());
}

async function accepted(write: () => number | Promise<number>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch {
    return false;
  }
}

async function endOfOutput(stream: ReadableStream<Uint8Array>): Promise<string> {
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) output = (output + decoder.decode(chunk, { stream: true })).slice(-MAX_ERROR);
  return output.trim();
}
