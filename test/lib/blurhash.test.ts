import { decode } from "blurhash";
import { describe, expect, test } from "bun:test";
import { encodeBlurhash, isBlurhash } from "../../src/lib/media/blurhash.ts";
import type { Pixels } from "../../src/lib/media/placeholders.ts";

const SIDE = 32;

function draw(shade: (x: number, y: number) => [red: number, green: number, blue: number]): Pixels {
  const data = new Uint8Array(SIDE * SIDE * 4).fill(255);
  for (let at = 0; at < SIDE * SIDE; at++)
    data.set(shade((at % SIDE) / (SIDE - 1), Math.floor(at / SIDE) / (SIDE - 1)), at * 4);
  return { data, width: SIDE, height: SIDE };
}

/** The mean difference between the channel values of two images. */
function difference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += Math.abs(one[at]! - other[at]!);
  return sum / one.length;
}

const grey = (value: number): [number, number, number] => [255 * value, 255 * value, 255 * value];

describe("A blurhash", () => {
  test.each<[string, Pixels]>([
    ["is brighter to the right", draw((x) => grey(x))],
    ["is brighter to the left", draw((x) => grey(1 - x))],
    ["is brighter towards the bottom", draw((_, y) => grey(y))],
    ["is brighter towards the top", draw((_, y) => grey(1 - y))],
    ["is brighter towards one corner", draw((x, y) => grey((x + y) / 2))],
    ["is brighter in the middle", draw((x, y) => grey(1 - Math.hypot(x - 0.5, y - 0.5)))],
    ["is darker in the middle", draw((x, y) => grey(Math.hypot(x - 0.5, y - 0.5)))],
    ["has red above blue", draw((_, y) => [255 * (1 - y), 0, 255 * y])],
    ["has a single colour", draw(() => [200, 100, 30])],
  ])("resembles an image that %s", (_, picture) => {
    const hash = encodeBlurhash(picture, 4);
    expect(hash).toHaveLength(4 + 2 * 16);
    expect(difference(decode(hash, SIDE, SIDE), picture.data)).toBeLessThan(12);
  });
});

test("A blurhash of one component is the average colour", () => {
  const hash = encodeBlurhash(
    draw(() => [200, 100, 30]),
    1,
  );
  expect(hash).toHaveLength(6);
  expect([...decode(hash, 1, 1)]).toEqual([200, 100, 30, 255]);
});

describe("isBlurhash()", () => {
  const hash = encodeBlurhash(
    draw((x, y) => grey(x * y)),
    4,
  );

  test.each([1, 4, 9])("accepts a hash of %i components across and down", (components) => {
    expect(isBlurhash(encodeBlurhash(draw(grey), components))).toBe(true);
  });

  test.each([
    ["nothing", ""],
    ["a hash without its end", hash.slice(0, -1)],
    ["a hash with more than its end", `${hash}0`],
    ["a character outside its alphabet", hash.replace(/.$/, '"')],
    ["an emoji", hash.replace(/..$/, "🐦")],
    ["ten components", `}${"0".repeat(23)}`],
  ])("rejects %s", (_, text) => {
    expect(isBlurhash(text)).toBe(false);
  });
});
