import { UnreadableFile } from "../../errors.ts";
import type { RawFrames } from "./ffmpeg.ts";
import type { Animation } from "./images.ts";

/** Browsers replace a delay shorter than this many milliseconds by `INSTEAD`. */
const SHORTEST = 11;
const INSTEAD = 100;
/** Milliseconds per frame of the video, if the delays of the animation differ by more than `UNEVEN` milliseconds. */
const STEP = 20;
const UNEVEN = 2;
const MOST_FRAMES = 10_000;

/** Converts an animation to a constant frame rate, which the encoder needs, by repeating frames. */
export function evenFrames(
  { width, height, delays }: Omit<Animation, "framesPerPart">,
  frames: AsyncIterable<Uint8Array>,
): RawFrames {
  const shown = delays.map((delay) => (delay < SHORTEST ? INSTEAD : delay));
  const duration = shown.reduce((sum, delay) => sum + delay, 0);
  const mean = duration / shown.length;
  const isEven = shown.every((delay) => Math.abs(delay - mean) <= UNEVEN);
  if (duration / STEP > MOST_FRAMES) throw new UnreadableFile("it lasts too long");
  return {
    width,
    height,
    frameRate: isEven ? `${shown.length * 1000}/${duration}` : `${1000 / STEP}/1`,
    frames: isEven ? frames : repeated(frames, shown),
  };
}

async function* repeated(frames: AsyncIterable<Uint8Array>, delays: number[]): AsyncGenerator<Uint8Array> {
  let [index, time] = [0, 0];
  for await (const frame of frames) {
    const from = Math.round(time / STEP);
    time += delays[index++]!;
    for (let step = from; step < Math.round(time / STEP); step++) yield frame;
  }
}
