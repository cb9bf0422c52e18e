import { UnreadableFile } from "../../errors.ts";
import type { RawFrames } from "./ffmpeg.ts";
import type { Animation } from "./images.ts";

/** Browsers replace a delay shorter than this many milliseconds by `DEFAULT_DELAY`. */
const MIN_DELAY = 11;
const DEFAULT_DELAY = 100;
/** Milliseconds per frame of the video, if the delays of the animation differ by more than `MAX_DEVIATION` milliseconds. */
const FRAME_DURATION = 20;
const MAX_DEVIATION = 2;
const MAX_FRAMES = 10_000;

/** Converts an animation to a constant frame rate, which the encoder needs, by repeating frames. */
export function toConstantFrameRate(
  { width, height, delays }: Omit<Animation, "framesPerPart">,
  frames: AsyncIterable<Uint8Array>,
): RawFrames {
  const shown = delays.map((delay) => (delay < MIN_DELAY ? DEFAULT_DELAY : delay));
  const duration = shown.reduce((sum, delay) => sum + delay, 0);
  const mean = duration / shown.length;
  const isEven = shown.every((delay) => Math.abs(delay - mean) <= MAX_DEVIATION);
  if (duration / FRAME_DURATION > MAX_FRAMES) throw new UnreadableFile("it lasts too long");
  return {
    width,
    height,
    frameRate: isEven ? `${shown.length * 1000}/${duration}` : `${1000 / FRAME_DURATION}/1`,
    frames: isEven ? frames : repeated(frames, shown),
  };
}

async function* repeated(frames: AsyncIterable<Uint8Array>, delays: number[]): AsyncGenerator<Uint8Array> {
  let [index, time] = [0, 0];
  for await (const frame of frames) {
    const from = Math.round(time / FRAME_DURATION);
    time += delays[index++]!;
    for (let step = from; step < Math.round(time / FRAME_DURATION); step++) yield frame;
  }
}
