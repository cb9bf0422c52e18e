import { decode } from "blurhash";
import { describe, expect, test } from "bun:test";
import { encodeBlurhash } from "../../src/lib/media/blurhash.ts";
import type { Pixels } from "../../src/lib/media/placeholders.ts";

const SIDE = 32;

function draw(shade: (x: number, y: number) => [red: number, green: number, blue: number]): Pixels {
  const data = new Uint8Array(SIDE * SIDE * 4).fill(255);
  for (let at = 0; at < SIDE * SIDE; at++)
    data.set(shade((at % SIDE) / (SIDE - 1), Math.floor(at / SIDE) / (SIDE - 1)), at * 4);
  return { data, width: SIDE, height: SIDE };
}

/** The mean difference of a channel's values between two pictures. */
function difference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += Math.abs(one[at]! - other[at]!);
  return sum / one.length;
}

const grey = (value: number): [number, number, number] => [255 * value, 255 * value, 255 * value];

describe("A blurhash looks like its picture", () => {
  test.each<[string, Pixels]>([
    ["brighter to the right", draw((x) => grey(x))],
    ["brighter to the left", draw((x) => grey(1 - x))],
    ["brighter downwards", draw((_, y) => grey(y))],
    ["brighter upwards", draw((_, y) => grey(1 - y))],
    ["brighter to a corner", draw((x, y) => grey((x + y) / 2))],
    ["brighter in the middle", draw((x, y) => grey(1 - Math.hypot(x - 0.5, y - 0.5)))],
    ["darker in the middle", draw((x, y) => grey(Math.hypot(x - 0.5, y - 0.5)))],
    ["red above blue", draw((_, y) => [255 * (1 - y), 0, 255 * y])],
    ["of one colour", draw(() => [200, 100, 30])],
  ])("that is %s", (_, picture) => {
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
