import type { Pixels } from "./placeholders.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

type Rgb = [red: number, green: number, blue: number];

/**
 * Encodes pixels as a BlurHash with as many components across as down (https://github.com/woltapp/blurhash,
 * Algorithm.md). Ignores alpha. The npm package `blurhash` scales by the largest coefficient instead of the largest
 * absolute one, so that images whose brightness increases to the right or downwards look flat.
 */
export function encodeBlurhash(pixels: Pixels, components: number): string {
  const linear = Float64Array.from({ length: 256 }, (_, value) => toLinear(value / 255));
  const across = basis(pixels.width, components);
  const down = basis(pixels.height, components);
  const [average, ...others] = down.flatMap((row, j) =>
    across.map((column, i) => {
      const share = (i === 0 && j === 0 ? 1 : 2) / (pixels.width * pixels.height);
      return sumOf(pixels, column, row, linear).map((sum) => sum * share);
    }),
  );
  const largest = Math.max(0, ...others.flat().map(Math.abs));
  const quantized = clamp(Math.floor(largest * 166 - 0.5), 82);
  const scale = (quantized + 1) / 166;
  return [
    base83(components - 1 + (components - 1) * 9, 1),
    base83(quantized, 1),
    base83(joined(average!.map(toSrgb), 256), 4),
    ...others.map((factors) =>
      base83(
        joined(
          factors.map((value) => quantize(value / scale)),
          19,
        ),
        2,
      ),
    ),
  ].join("");
}

/** For each component, the cosines at all positions. */
function basis(length: number, components: number): Float64Array[] {
  return Array.from({ length: components }, (_, component) =>
    Float64Array.from({ length }, (_, at) => Math.cos((Math.PI * component * at) / length)),
  );
}

function sumOf({ data, width, height }: Pixels, column: Float64Array, row: Float64Array, linear: Float64Array): Rgb {
  const sum: Rgb = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const weight = column[x]! * row[y]!;
      const at = (y * width + x) * 4;
      for (const channel of [0, 1, 2] as const) sum[channel] += weight * linear[data[at + channel]!]!;
    }
  }
  return sum;
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function toSrgb(value: number): number {
  const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  return clamp(Math.round(encoded * 255), 255);
}

function quantize(value: number): number {
  return clamp(Math.floor(Math.sign(value) * Math.sqrt(Math.abs(value)) * 9 + 9.5), 18);
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}

function joined(digits: number[], base: number): number {
  return digits.reduce((sum, digit) => sum * base + digit, 0);
}

function base83(value: number, length: number): string {
  return Array.from({ length }, (_, at) => ALPHABET[Math.floor(value / 83 ** (length - 1 - at)) % 83]).join("");
}

/** Whether it is a complete BlurHash. Its first character gives the numbers of components, and these its length. */
export function isBlurhash(text: string): boolean {
  const size = text === "" ? -1 : ALPHABET.indexOf(text[0]!);
  const components = ((size % 9) + 1) * (Math.floor(size / 9) + 1);
  const isSize = size >= 0 && size < 9 * 9;
  return isSize && text.length === 4 + 2 * components && [...text].every((each) => ALPHABET.includes(each));
}
