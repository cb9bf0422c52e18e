import { describe, expect, test } from "bun:test";
import { assert as assertProperty, asyncProperty, constantFrom, nat, property, tuple, uint8Array } from "fast-check";
import sharp from "sharp";
import { Refusal } from "../../src/errors.ts";
import { readHeader } from "../../src/lib/media/image-header.ts";
import { sniffType } from "../../src/lib/media/image-types.ts";
import {
  DEFAULT_PIXELS,
  inspectAnimation,
  processAvatar,
  processCrops,
  processEmoji,
  processImage,
  processPreview,
} from "../../src/lib/media/images.ts";
import { blackPng, movingWebp, tinyGif } from "../fixtures/hostile-pictures.ts";
import { animation, picture } from "../fixtures/pictures.ts";

const LIMITS = { bytes: 16 * 1024 * 1024, pixels: DEFAULT_PIXELS };

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error.message;
  throw new Error(`expected a refusal, got ${String(error)}`);
}

const WAYS: [string, (bytes: Uint8Array) => Promise<unknown>][] = [
  ["an upload", (bytes) => processImage(bytes, LIMITS)],
  ["a preview or a thumbnail", (bytes) => processPreview(bytes, LIMITS)],
  ["an avatar", (bytes) => processAvatar(bytes, "avatar")],
  ["an image of the server", (bytes) => processCrops(bytes, LIMITS, [{ width: 10, height: 10 }], true)],
  ["an emoji", (bytes) => processEmoji(bytes, LIMITS)],
  ["an animation converted to video", (bytes) => inspectAnimation(bytes, LIMITS, 10_000)],
];

describe.each(WAYS)("As %s", (_, process) => {
  test("a WebP or GIF with many frames is refused by its header", async () => {
    expect(await refusal(process(await movingWebp(80_000, 1)))).toContain("more than 5000 frames");
    expect(await refusal(process(tinyGif([1, 1], 5001)))).toContain("more than 5000 frames");
  });

  test("an image with an overlong side is refused by its header", async () => {
    expect(await refusal(process(blackPng(1_000_000, 33)))).toContain("no side may be longer than 65535");
    expect(await refusal(process(await movingWebp(2, 1, [2 ** 24, 1])))).toContain("no side may be longer than 65535");
  });

  test("an image with too many pixels is refused by its header", async () => {
    expect(await refusal(process(blackPng(40_000, 1000)))).toContain("at most 33.2 megapixels");
    expect(await refusal(process(await movingWebp(2, 1, [16_000, 16_000])))).toContain("at most 33.2 megapixels");
    expect(await refusal(process(await movingWebp(200, 1, [2000, 2000])))).toContain("200 frames of 2000x2000 pixels");
  });

  test("a WebP with an unclear number of frames is refused", async () => {
    const webp = await movingWebp(3, 1);
    expect(await refusal(process(webp.subarray(0, -10)))).toContain("File is invalid");
  });
});

test("An AVIF may have half as many pixels as other formats, because its decoder needs twice as much memory", async () => {
  const create = { width: 4100, height: 4100, channels: 3, background: "red" } as const;
  const avif = await sharp({ create }).avif({ effort: 0 }).toBuffer();
  expect(await refusal(processImage(avif, LIMITS))).toContain("at most 16.6 megapixels");
});

test("A stored GIF has the screen size that its frames need, not the one it claims", async () => {
  for (const [bytes, frames] of [
    [tinyGif([65_535, 65_535]), 1],
    [tinyGif([5000, 5000], 5000), 5000],
    [tinyGif([1, 1], 2), 2],
  ] as const) {
    const { original } = await processImage(bytes, LIMITS);
    expect([original.width, original.height]).toEqual([1, 1]);
    expect(readHeader(original.bytes, "image/gif")).toEqual({ width: 1, height: 1, frames });
    const view = new DataView(original.bytes.buffer, original.bytes.byteOffset);
    expect([view.getUint16(6, true), view.getUint16(8, true)]).toEqual([1, 1]);
  }
  const gif = await (await animation(3, 800, 600)).gif().toBuffer();
  expect(Buffer.from((await processImage(gif, LIMITS)).original.bytes).equals(gif)).toBe(true);
});

test("An animation with large frames is not converted to video, because splitting it would take minutes", async () => {
  const webp = await movingWebp(130, 2000);
  expect(webp.length).toBeLessThan(30_000);
  expect(await refusal(inspectAnimation(webp, LIMITS, 1920 * 1080))).toContain("invalid");
  expect(await inspectAnimation(await movingWebp(130, 200), LIMITS, 1920 * 1080)).toMatchObject({ width: 200 });
});

describe("Reading an image header", () => {
  test("returns the same size and frame count as decoding", async () => {
    const size = tuple(nat(90), nat(90));
    const format = constantFrom("jpeg", "png", "gif", "webp", "lossless", "progressive", "moving");
    await assertProperty(
      asyncProperty(size, format, async ([width, height], kind) => {
        const drawn = picture(width + 1, height + 1, { seeThrough: kind === "webp" });
        const bytes =
          kind === "lossless"
            ? await drawn.webp({ lossless: true }).toBuffer()
            : kind === "progressive"
              ? await drawn.jpeg({ progressive: true }).toBuffer()
              : kind === "moving"
                ? await (await animation(2, width + 1, height + 1)).webp().toBuffer()
                : await drawn.toFormat(kind as "png").toBuffer();
        const header = readHeader(bytes, sniffType(bytes)!);
        expect(header).toEqual({ width: width + 1, height: height + 1, frames: kind === "moving" ? 2 : 1 });
      }),
      { numRuns: 60 },
    );
  });

  test("never fails, whatever follows the first bytes", () => {
    const begins = ["\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "GIF89a", "RIFF\xff\0\0\0WEBPVP8X", "RIFF\xff\0\0\0WEBPVP8L"];
    assertProperty(
      property(constantFrom(...begins), uint8Array({ maxLength: 200 }), (begin, rest) => {
        const bytes = Buffer.concat([Buffer.from(begin, "latin1"), rest]);
        const header = readHeader(bytes, sniffType(bytes)!);
        if (header) expect(Object.values(header).every((value) => value >= 0)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
