import { UnreadableFile } from "../errors.ts";
import type { RawFrames } from "./ffmpeg.ts";
import type { Animation } from "./images.ts";

/** What browsers make of a delay that is shorter than this many milliseconds. */
const SHORTEST = 11;
const INSTEAD = 100;
/** Milliseconds a frame of the film, where those of the animation are shown for different times. */
const STEP = 20;
const UNEVEN = 2;
const MOST_FRAMES = 10_000;

/** An animation as frames of equal length, some of them repeated: a film in the making knows no others. */
export function evenFrames({ width, height, delays, frames }: Animation): RawFrames {
  const shown = delays.map((delay) => (delay < SHORTEST ? INSTEAD : delay));
  const duration = shown.reduce((sum, delay) => sum + delay, 0);
  const mean = duration / shown.length;
  const isEven = shown.every((delay) => Math.abs(delay - mean) <= UNEVEN);
  if (duration / STEP > MOST_FRAMES) throw new UnreadableFile("it lasts too long");
  return {
    width,
    height,
    frameRate: isEven ? `${shown.length * 1000}/${duration}` : `${1000 / STEP}/1`,
    frames: isEven ? frames : repeated(frames, shown, width * height * 3),
  };
}

/** Each part holds some frames of so many bytes. */
async function* repeated(
  parts: AsyncIterable<Uint8Array>,
  delays: number[],
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let [index, time] = [0, 0];
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += bytes) {
      const from = Math.round(time / STEP);
      time += delays[index++]!;
      for (let step = from; step < Math.round(time / STEP); step++) yield part.subarray(at, at + bytes);
    }
  }
}
