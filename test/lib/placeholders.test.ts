import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { encodeBlurhash } from "../../src/lib/media/blurhash.ts";
import { colorsOf } from "../../src/lib/media/colors.ts";
import { drawPlaceholder } from "../../src/lib/media/placeholders.ts";

describe("The colours of an image", () => {
  const solid = (...color: number[]) => new Uint8Array([...color, 255, ...color, 255]);

  test("have a foreground that contrasts with the background", () => {
    expect(colorsOf(solid(255, 255, 255)).foreground).toBe("#000000");
    expect(colorsOf(solid(20, 20, 60)).foreground).toBe("#ffffff");
  });

  test("are its average and its most saturated colour", () => {
    const pixels = new Uint8Array([255, 0, 0, 255, 100, 100, 100, 255]);
    expect(colorsOf(pixels)).toMatchObject({ background: "#b23232", accent: "#ff0000" });
  });
});

describe("A placeholder", () => {
  const pixel = ({ data, width }: { data: Uint8Array; width: number }, x: number, y: number) =>
    Array.from(data.slice((y * width + x) * 4, (y * width + x) * 4 + 3));
  const drawn = (kind: "video" | "audio" | "unknown", seed: number, blurhash?: string) =>
    drawPlaceholder({ kind, width: 200, height: 100, seed, blurhash });

  test("has a light symbol in its middle, unless the file can't be played", () => {
    for (const kind of ["video", "audio"] as const) {
      expect(Math.min(...pixel(drawn(kind, 1), kind === "video" ? 100 : 96, 50))).toBeGreaterThan(180);
    }
    expect(Math.max(...pixel(drawn("unknown", 1), 100, 50))).toBeLessThan(180);
  });

  test("depends only on its seed", () => {
    const [one, two] = [1, 2].map((seed) => pixel(drawn("video", seed), 0, 0));
    expect(one).not.toEqual(two!);
    expect(pixel(drawn("video", 1), 0, 0)).toEqual(one!);
  });

  test("has the colours of a BlurHash, if that is valid", () => {
    const halves = new Uint8Array(8 * 8 * 4).map((_, at) =>
      at % 4 === 3 || (at % 4 === 0) === (at >> 2) % 8 < 4 ? 255 : 0,
    );
    const blurhash = encodeBlurhash({ data: halves, width: 8, height: 8 }, 4);
    const image = drawn("unknown", 1, blurhash);
    const [left, right] = [pixel(image, 20, 50), pixel(image, 180, 50)];
    expect(left[0]! - right[0]!).toBeGreaterThan(100);
    expect(right[1]! - left[1]!).toBeGreaterThan(100);
    for (const invalid of ["", "x", blurhash.slice(1)]) {
      expect(pixel(drawn("unknown", 1, invalid), 0, 0)).toEqual(pixel(drawn("unknown", 1), 0, 0));
    }
  });

  test("can be drawn from any text in place of a BlurHash", () => {
    const hash = fc.oneof(fc.string(), fc.stringMatching(/^[0-9A-Za-z#$%*+,.:;=?@[\]^_{|}~-]{6,40}$/));
    fc.assert(
      fc.property(hash, (blurhash) => drawn("unknown", 1, blurhash).data.length === 80_000),
      { numRuns: 30 },
    );
  });
});
