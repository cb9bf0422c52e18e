import { describe, expect, test } from "bun:test";
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

describe("The placeholder of a clip", () => {
  const pixel = ({ data, width }: { data: Uint8Array; width: number }, x: number, y: number) =>
    Array.from(data.slice((y * width + x) * 4, (y * width + x) * 4 + 3));

  test("has a light symbol in its middle, unless the clip can't be played", () => {
    for (const sort of ["video", "audio"] as const) {
      expect(Math.min(...pixel(drawPlaceholder(sort, 200, 100, 1), sort === "video" ? 100 : 96, 50))).toBeGreaterThan(
        180,
      );
    }
    expect(Math.max(...pixel(drawPlaceholder("unknown", 200, 100, 1), 100, 50))).toBeLessThan(180);
  });

  test("depends only on its seed", () => {
    const [one, two] = [1, 2].map((seed) => pixel(drawPlaceholder("video", 40, 30, seed), 0, 0));
    expect(one).not.toEqual(two!);
    expect(pixel(drawPlaceholder("video", 40, 30, 1), 0, 0)).toEqual(one!);
  });
});
