import { decode, isBlurhashValid } from "blurhash";

/** Decoded pixels: red, green, blue and alpha, one byte each. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

type Kind = Placeholder["kind"];
type Rgb = [red: number, green: number, blue: number];

/** The sign's size from its middle to its edge, as a part of the shorter side. */
const SIGN = 0.22;
const SIGN_OPACITY = 0.85;
/** Heights of the bars of the audio sign, as parts of the sign's height. */
const BARS = [0.35, 0.7, 1, 0.55, 0.85, 0.4];

/** A preview to draw. `seed` selects its colours, unless there is a valid BlurHash. */
export interface Placeholder {
  kind: "video" | "audio" | "unknown";
  width: number;
  height: number;
  seed: number;
  blurhash?: string | null;
}

/** Side of the image that a BlurHash is decoded to, which is then enlarged. */
const DECODED_SIDE = 32;

/**
 * Draws the preview of media without an image: the BlurHash or a gradient between two colours, with a play triangle or
 * audio bars. For an unknown file there is no sign.
 */
export function drawPlaceholder({ kind, width, height, seed, blurhash }: Placeholder): Pixels {
  const data = new Uint8Array(width * height * 4);
  const colorAt = (blurhash && blurred(blurhash)) || gradient(seed);
  const scale = Math.min(width, height) * SIGN;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = colorAt((x + 0.5) / width, (y + 0.5) / height);
      const sign = SIGN_OPACITY * coverage(kind, (x + 0.5 - width / 2) / scale, (y + 0.5 - height / 2) / scale, scale);
      const at = (y * width + x) * 4;
      for (const channel of [0, 1, 2] as const) {
        data[at + channel] = Math.round(color[channel] + (255 - color[channel]) * sign);
      }
      data[at + 3] = 255;
    }
  }
  return { data, width, height };
}

/** The colour at a point; coordinates are 0 to 1. */
type Background = (x: number, y: number) => Rgb;

function gradient(seed: number): Background {
  const hue = (seed * 137.508) % 360;
  const [from, to] = [fromHue(hue, 0.42), fromHue(hue + 50, 0.24)];
  return (x, y) => between(from, to, (x + y) / 2);
}

/** Null if the BlurHash is invalid. */
function blurred(blurhash: string): Background | null {
  if (!isBlurhashValid(blurhash).result) return null;
  const pixels = decode(blurhash, DECODED_SIDE, DECODED_SIDE);
  const colorOf = (x: number, y: number): Rgb => {
    const at = (y * DECODED_SIDE + x) * 4;
    return [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
  };
  const last = DECODED_SIDE - 1;
  return (x, y) => {
    const [left, top] = [Math.floor(x * last), Math.floor(y * last)];
    const across = (row: number) =>
      between(colorOf(left, row), colorOf(Math.min(left + 1, last), row), x * last - left);
    return between(across(top), across(Math.min(top + 1, last)), y * last - top);
  };
}

function between(from: Rgb, to: Rgb, share: number): Rgb {
  const mix = (channel: 0 | 1 | 2) => from[channel] + (to[channel] - from[channel]) * share;
  return [mix(0), mix(1), mix(2)];
}

/** How much of this point the sign covers, from 0 to 1. Edges are a pixel wide; `x` and `y` are -1 to 1 in the sign. */
function coverage(kind: Kind, x: number, y: number, scale: number): number {
  if (kind === "unknown") return 0;
  const inside = kind === "video" ? insideTriangle(x, y) : insideBars(x, y);
  return Math.max(0, Math.min(1, inside * scale + 0.5));
}

/** The distance of a point from the triangle's nearest side, negative outside. */
function insideTriangle(x: number, y: number): number {
  const slanted = (1 - x - Math.abs(y) * Math.sqrt(3)) / 2;
  return Math.min(x + 0.5, slanted);
}

function insideBars(x: number, y: number): number {
  const place = ((x + 1) / 2) * BARS.length;
  const bar = BARS[Math.floor(place)];
  if (bar === undefined) return -1;
  const across = 0.3 - Math.abs(place - Math.floor(place) - 0.5);
  return Math.min((across * 2) / BARS.length, bar - Math.abs(y));
}

/** The RGB values, 0 to 255, of a muted colour with this hue in degrees and lightness from 0 to 1. */
function fromHue(hue: number, lightness: number): Rgb {
  const spread = 0.45 * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const at = (offset + hue / 30) % 12;
    return 255 * (lightness - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}
