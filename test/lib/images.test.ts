import { decode as decodeBlurhash } from "blurhash";
import { describe, expect, test } from "bun:test";
import { array, assert as assertProperty, asyncProperty, constantFrom, double, nat, record } from "fast-check";
import sharp from "sharp";
import { Refusal, type RefusalKind } from "../../src/errors.ts";
import { IMAGE_TYPES, sniffType } from "../../src/lib/media/image-types.ts";
import { DEFAULT_PIXELS, processAvatar, processImage, processPreview } from "../../src/lib/media/images.ts";
import { animation, picture } from "../fixtures/pictures.ts";

const LIMITS = { bytes: 16 * 1024 * 1024, pixels: DEFAULT_PIXELS };
const RED_HEIC = await Bun.file(new URL("../fixtures/red.heic", import.meta.url)).bytes();

/** The mean of red, green and blue, because lossy formats change single pixels. */
async function colour(bytes: Uint8Array): Promise<number[]> {
  return mean(await sharp(bytes).toColourspace("srgb").ensureAlpha().raw().toBuffer());
}

function mean(rgba: Uint8Array | Uint8ClampedArray): number[] {
  const sums = [0, 0, 0];
  for (let at = 0; at < rgba.length; at += 1) if (at % 4 < 3) sums[at % 4]! += rgba[at]!;
  return sums.map((sum) => sum / (rgba.length / 4));
}

function expectColour(found: number[], wanted: number[], tolerance: number): void {
  for (const [channel, value] of wanted.entries()) {
    expect(Math.abs(found[channel]! - value)).toBeLessThanOrEqual(tolerance);
  }
}

async function refusal(work: Promise<unknown>): Promise<{ kind: RefusalKind; message: string }> {
  const error = await work.then(
    () => new Error("It was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw error;
  return { kind: error.kind, message: error.message };
}

const NOT_AN_IMAGE = {
  kind: "invalid" as const,
  message: "Validation failed: File content type is invalid, File is invalid",
};

describe("The media type of a file", () => {
  test("is detected from its bytes for every format that sharp can write", async () => {
    for (const format of ["jpeg", "png", "gif", "webp", "avif"] as const) {
      expect(sniffType(await picture(8, 8).toFormat(format).toBuffer())).toBe(`image/${format}`);
    }
    expect(sniffType(RED_HEIC)).toBe("image/heic");
  });

  test("is detected in ISO containers whose first brand is vague", () => {
    const container = (...brands: string[]) => {
      const bytes = Buffer.from(`....ftyp${brands[0]}....${brands.slice(1).join("")}heic`, "latin1");
      bytes.writeUInt32BE(bytes.length - 4);
      return bytes;
    };
    expect(sniffType(container("mif1", "miaf", "avif"))).toBe("image/avif");
    expect(sniffType(container("mif1", "heix"))).toBe("image/heic");
    expect(sniffType(container("mif1", "miaf"))).toBe("image/heif");
    expect(sniffType(container("isom", "mp41"))).toBeNull();
  });

  test("is null for HTML, SVG, videos and empty files", () => {
    const texts = [
      "",
      "G",
      "GIF",
      "<html></html>",
      "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "RIFF....WAVE",
      "BM...",
    ];
    for (const text of texts) expect(sniffType(Buffer.from(text))).toBeNull();
  });

  test("is detected wherever the file begins in its buffer", async () => {
    const png = await picture(8, 8).png().toBuffer();
    const request = Buffer.concat([Buffer.from("--boundary"), png]);
    const { original } = await processImage(request.subarray(10), LIMITS);
    expect(original.type).toBe("image/png");
  });
});

describe("The list of readable types", () => {});

describe("The image pipeline", () => {
  test("refuses files that are not images", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const tiff = await picture(8, 8).tiff().toBuffer();
    for (const bytes of [new Uint8Array(), Buffer.from("hello"), svg, tiff]) {
      expect(await refusal(processImage(bytes, LIMITS))).toEqual(NOT_AN_IMAGE);
    }
  });

  test("refuses an SVG that pretends to be a JPEG", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const pretender = Buffer.concat([Uint8Array.of(0xff, 0xd8, 0xff), svg]);
    expect(await refusal(processImage(pretender, LIMITS))).toEqual(NOT_AN_IMAGE);
  });

  test("refuses a small file that claims 3,600 megapixels, before decoding it", async () => {
    const bomb = await picture(8, 8).png().toBuffer();
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    bomb.writeUInt32BE(Bun.hash.crc32(bomb.subarray(12, 29)), 29);
    expect(await refusal(processImage(bomb, LIMITS))).toEqual({
      kind: "invalid",
      message: "Validation failed: File has 60000x60000 pixels; at most 33.2 megapixels are allowed",
    });
  });

  test("refuses an animation whose frames have too many pixels in total", async () => {
    const gif = await (await animation(20)).gif().toBuffer();
    const { kind, message } = await refusal(processImage(gif, { ...LIMITS, pixels: 60 * 40 }));
    expect(kind).toBe("invalid");
    expect(message).toContain("20 frames of 60x40 pixels");
  });

  test("refuses an animated avatar that would take minutes to process", async () => {
    const pages = Array.from({ length: 700 }, (_, at) => Uint8Array.of((at * 97) & 255, (at * 31) & 255, 0));
    const strip = sharp(Buffer.concat(pages), { raw: { width: 1, height: 700, channels: 3, pageHeight: 1 } });
    const { kind, message } = await refusal(processAvatar(await strip.gif().toBuffer(), "avatar"));
    expect(kind).toBe("invalid");
    expect(message).toContain("700 frames; at this size, at most 625");
  });

  test("refuses files that are too large, and states the limit", async () => {
    const png = await picture(64, 64).png().toBuffer();
    const refused = await refusal(processImage(png, { ...LIMITS, bytes: png.length - 1 }));
    expect(refused.kind).toBe("too_large");
    expect(await refusal(processAvatar(new Uint8Array(8 * 1024 * 1024 + 1), "avatar"))).toEqual({
      kind: "too_large",
      message: "Validation failed: File size must be at most 8 MB",
    });
    expect((await processImage(png, { ...LIMITS, bytes: png.length })).original.width).toBe(64);
  });

  test("refuses truncated files in every format", async () => {
    const files = ["jpeg", "png", "webp", "gif", "avif"].map((format) =>
      picture(300, 200)
        .toFormat(format as "jpeg")
        .toBuffer(),
    );
    const animated = await animation(5);
    files.push(animated.clone().gif().toBuffer(), animated.clone().webp().toBuffer());
    for (const file of files) {
      const bytes = await file;
      const half = bytes.subarray(0, Math.floor(bytes.length / 2));
      expect(await refusal(processImage(half, LIMITS))).toEqual(NOT_AN_IMAGE);
      expect(await refusal(processAvatar(half, "avatar"))).toEqual(NOT_AN_IMAGE);
    }
  });

  test("refuses badly damaged files, and never fails in another way", async () => {
    const animated = await animation(3, 20, 20);
    const files = await Promise.all([
      picture(40, 30)
        .jpeg()
        .withExif({ IFD0: { Artist: "A" } })
        .toBuffer(),
      picture(40, 30, { seeThrough: true }).png().toBuffer(),
      picture(40, 30).webp().toBuffer(),
      picture(40, 30).avif().toBuffer(),
      animated.clone().gif().toBuffer(),
      animated.clone().webp().toBuffer(),
    ]);
    const damage = array(record({ at: double({ min: 0, max: 1, noNaN: true }), byte: nat(255) }), {
      minLength: 1,
      maxLength: 8,
    });
    await assertProperty(
      asyncProperty(constantFrom(...files), damage, async (file, changes) => {
        const bytes = Buffer.from(file);
        for (const { at, byte } of changes) bytes[Math.floor(at * (bytes.length - 1))] = byte;
        const outcome = await processImage(bytes, LIMITS).then(
          ({ original }) => original.bytes.length > 0,
          (error: unknown) => error instanceof Refusal && error.kind === "invalid",
        );
        expect(outcome).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

describe("A stored image", () => {
  test("is upright as the camera noted", async () => {
    const sideways = await picture(300, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { original, small } = await processImage(sideways, LIMITS);
    expect([original.width, original.height]).toEqual([200, 300]);
    expect(await sharp(original.bytes).metadata()).toMatchObject({ width: 200, height: 300, format: "jpeg" });
    expect((await sharp(original.bytes).metadata()).orientation).toBeUndefined();
    expect([small.width, small.height]).toEqual([200, 300]);
  });

  test("keeps its pixels if only metadata has to be removed", async () => {
    for (const format of ["jpeg", "png", "gif", "webp"] as const) {
      const bytes = await picture(300, 200)
        .toFormat(format)
        .withExif({ IFD0: { Artist: "SECRET" } })
        .toBuffer();
      const { original } = await processImage(bytes, LIMITS);
      expect(original.type).toBe(`image/${format}`);
      expect(original.extension).toBe(format === "jpeg" ? "jpg" : format);
      expect((await sharp(original.bytes).raw().toBuffer()).equals(await sharp(bytes).raw().toBuffer())).toBe(true);
    }
  });

  test("has at most 3840×2160 pixels, its preview 640×360, with the same aspect ratio", async () => {
    const { original, small } = await processImage(await picture(5000, 2500).jpeg().toBuffer(), LIMITS);
    expect(original.width * original.height).toBeLessThanOrEqual(8_294_400);
    expect(original.width * original.height).toBeGreaterThan(8_280_000);
    expect(original.width / original.height).toBeCloseTo(2, 2);
    expect(small.width * small.height).toBeLessThanOrEqual(230_400);
    expect(small.width / small.height).toBeCloseTo(2, 1);
    for (const { bytes, width, height, type } of [original, small]) {
      expect(await sharp(bytes).metadata()).toMatchObject({ width, height, mediaType: type });
    }
  });

  test("has no side longer than WebP allows", async () => {
    const { original, small } = await processImage(await picture(20_000, 20).png().toBuffer(), LIMITS);
    expect([original.width, original.height]).toEqual([16_383, 16]);
    expect(small.width).toBeLessThanOrEqual(16_383);
    const line = await processImage(await picture(1, 20_000).png().toBuffer(), LIMITS);
    expect([line.original.width, line.original.height]).toEqual([1, 16_383]);
  });

  test("is its own preview if it is small", async () => {
    const { original, small } = await processImage(await picture(300, 200).png().toBuffer(), LIMITS);
    expect(small).toBe(original);
  });

  test("stays transparent, and so does its preview", async () => {
    const { original, small } = await processImage(
      await picture(900, 600, { seeThrough: true }).png().toBuffer(),
      LIMITS,
    );
    expect(original.type).toBe("image/png");
    expect(small.type).toBe("image/webp");
    for (const { bytes } of [original, small]) {
      const { hasAlpha } = await sharp(bytes).metadata();
      expect(hasAlpha).toBe(true);
      expect((await sharp(bytes).stats()).isOpaque).toBe(false);
    }
  });

  test("gets a JPEG as its preview if it is opaque, even with an alpha channel", async () => {
    const { small } = await processImage(await picture(900, 600).ensureAlpha().png().toBuffer(), LIMITS);
    expect(small.type).toBe("image/jpeg");
  });

  test("is a JPEG if uploaded as AVIF, or a WebP if it is transparent", async () => {
    const avif = await processImage(await picture(300, 200).avif().toBuffer(), LIMITS);
    expect([avif.original.type, avif.original.extension]).toEqual(["image/jpeg", "jpg"]);
    const seeThrough = await processImage(await picture(300, 200, { seeThrough: true }).avif().toBuffer(), LIMITS);
    expect(seeThrough.original.type).toBe("image/webp");
    expect((await sharp(seeThrough.original.bytes).stats()).isOpaque).toBe(false);
  });

  test("shows the same colours in sRGB, without the profile", async () => {
    const wide = await picture(300, 200).jpeg({ quality: 100 }).withIccProfile("p3").toBuffer();
    const untagged = await sharp(wide, { ignoreIcc: true }).jpeg().toBuffer();
    const wanted = await colour(await picture(300, 200).png().toBuffer());
    const { original } = await processImage(wide, LIMITS);
    expect((await sharp(original.bytes).metadata()).icc).toBeUndefined();
    expectColour(await colour(original.bytes), wanted, 2);
    expect(Math.abs((await colour(untagged))[0]! - wanted[0]!)).toBeGreaterThan(5);
  });

  test("is in sRGB if uploaded in CMYK", async () => {
    const cmyk = await picture(300, 200).toColourspace("cmyk").jpeg().toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe("cmyk");
    expect((await sharp((await processImage(cmyk, LIMITS)).original.bytes).metadata()).space).toBe("srgb");
  });

  test("may have grey or 16-bit pixels", async () => {
    const grey = await picture(900, 600).greyscale().jpeg().toBuffer();
    const deep = await picture(900, 600).toColourspace("rgb16").png().toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe("ushort");
    for (const bytes of [grey, deep]) {
      const { original, small } = await processImage(bytes, LIMITS);
      expectColour(await colour(small.bytes), await colour(bytes), 2);
      expectColour(await colour(original.bytes), await colour(bytes), 2);
    }
  });

  test("has a blurhash of its colours", async () => {
    const { blurhash } = await processImage(await picture(900, 600).jpeg().toBuffer(), LIMITS);
    const pixels = decodeBlurhash(blurhash, 32, 32);
    expect(blurhash).toHaveLength(4 + 2 * 16);
    expectColour(mean(pixels), [200, 100, 30], 20);
  });

  test("has a blurhash that is bright in the same places", async () => {
    for (const turned of [0, 90, 180, 270]) {
      const bytes = await picture(64, 64).rotate(turned).png().toBuffer();
      const pixels = decodeBlurhash((await processImage(bytes, LIMITS)).blurhash, 64, 64);
      const drawn = await sharp(bytes).ensureAlpha().raw().toBuffer();
      for (const at of [0, 63, 63 * 64, 64 * 64 - 1]) {
        expectColour(Array.from(pixels.subarray(at * 4, at * 4 + 3)), [...drawn.subarray(at * 4, at * 4 + 3)], 40);
      }
    }
  });

  test("has a blurhash even if it is one pixel or a line", async () => {
    for (const [width, height] of [
      [1, 1],
      [1000, 1],
      [1, 1000],
    ] as const) {
      const { blurhash, original } = await processImage(await picture(width, height).png().toBuffer(), LIMITS);
      expect(decodeBlurhash(blurhash, 4, 4)).toHaveLength(64);
      expect([original.width, original.height]).toEqual([width, height]);
    }
  });

  test("is the same whether processed alone or among others", async () => {
    const bytes = await picture(900, 600).png().toBuffer();
    const alone = await processImage(bytes, LIMITS);
    const together = await Promise.all([
      ...Array.from({ length: 6 }, () => processImage(bytes, LIMITS)),
      processImage(new Uint8Array(3), LIMITS).catch(() => alone),
    ]);
    for (const one of together) expect(one).toEqual(alone);
  });
});

describe("An animation", () => {
  test("stays animated, keeps its timing, and has its first frame as its preview", async () => {
    for (const format of ["gif", "webp"] as const) {
      const bytes = await (await animation(5)).toFormat(format, { delay: Array(5).fill(120), loop: 3 }).toBuffer();
      const { original, small, animated } = await processImage(bytes, LIMITS);
      expect(animated).toBe(true);
      expect([original.type, original.width, original.height]).toEqual([`image/${format}`, 60, 40]);
      const kept = await sharp(original.bytes).metadata();
      expect(kept).toMatchObject({ pages: 5, delay: [120, 120, 120, 120, 120], loop: 3 });
      expect([small.type, small.width, small.height]).toEqual(["image/jpeg", 60, 40]);
      expectColour(await colour(small.bytes), await colour(await sharp(bytes, { page: 0 }).png().toBuffer()), 3);
    }
  });

  test("stays animated when it is re-encoded", async () => {
    const large = await (await animation(2, 16_400, 20)).gif().toBuffer();
    const { original, animated } = await processImage(large, LIMITS);
    expect(animated).toBe(true);
    expect([original.type, original.width, original.height]).toEqual(["image/webp", 16_383, 19]);
    const { pages, width, pageHeight } = await sharp(original.bytes, { animated: true }).metadata();
    expect([pages, width, pageHeight]).toEqual([2, original.width, original.height]);
  });

  test("is not reported for an image with one frame", async () => {
    for (const format of ["gif", "webp", "png"] as const) {
      const { animated } = await processImage(await picture(60, 40).toFormat(format).toBuffer(), LIMITS);
      expect(animated).toBe(false);
    }
  });

  test("may lack the trailer that many programs forget", async () => {
    const gif = await (await animation(3)).gif().toBuffer();
    const { original } = await processImage(gif.subarray(0, -1), LIMITS);
    expect(Buffer.from(original.bytes).equals(gif)).toBe(true);
  });
});

describe("The image of a link preview", () => {
  test("is still, upright and within 640×360 pixels, and has a blurhash", async () => {
    const turned = await picture(900, 1600).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { image, blurhash } = await processPreview(turned, LIMITS);
    expect([image.type, image.width, image.height, blurhash.length]).toEqual(["image/jpeg", 640, 360, 36]);
    const moving = await (await animation(3)).gif().toBuffer();
    const still = (await processPreview(moving, LIMITS)).image;
    expect([still.type, (await sharp(still.bytes).metadata()).pages ?? 1]).toEqual(["image/jpeg", 1]);
  });

  test("is refused if it is too large or not an image", async () => {
    const png = await picture(64, 64).png().toBuffer();
    expect((await refusal(processPreview(png, { ...LIMITS, pixels: 4000 }))).kind).toBe("invalid");
    expect(await refusal(processPreview(Buffer.from("<svg/>"), LIMITS))).toEqual(NOT_AN_IMAGE);
  });
});

describe("Avatars and headers", () => {
  test("are cropped to Mastodon's size, whatever their shape", async () => {
    const shapes = [
      [900, 300],
      [300, 900],
      [16, 16],
    ] as const;
    for (const [width, height] of shapes) {
      const bytes = await picture(width, height).jpeg().toBuffer();
      const avatar = await processAvatar(bytes, "avatar");
      const header = await processAvatar(bytes, "header");
      expect(await sharp(avatar.original.bytes).metadata()).toMatchObject({ width: 400, height: 400, format: "jpeg" });
      expect(await sharp(header.original.bytes).metadata()).toMatchObject({ width: 1500, height: 500, format: "jpeg" });
      expect(avatar.still).toBe(avatar.original);
    }
  });

  test("stay upright and transparent", async () => {
    const bytes = await picture(300, 200, { seeThrough: true }).webp().withMetadata({ orientation: 6 }).toBuffer();
    const { original } = await processAvatar(bytes, "avatar");
    expect(original.type).toBe("image/webp");
    const { data } = await sharp(original.bytes).raw().toBuffer({ resolveWithObject: true });
    const alpha = (x: number, y: number) => data[(y * 400 + x) * 4 + 3];
    // A quarter turn moves the left half to the top.
    expect([alpha(200, 20), alpha(200, 380)]).toEqual([0, 255]);
  });

  test("stay animated, and have a still of the first frame", async () => {
    for (const format of ["gif", "webp"] as const) {
      const bytes = await (await animation(3)).toFormat(format, { delay: Array(3).fill(90) }).toBuffer();
      const { original, still } = await processAvatar(bytes, "avatar");
      const moving = await sharp(original.bytes, { animated: true }).metadata();
      expect(moving).toMatchObject({ format: "webp", width: 400, pageHeight: 400, pages: 3, delay: [90, 90, 90] });
      expect(await sharp(still.bytes).metadata()).toMatchObject({ format: "jpeg", width: 400, height: 400 });
    }
  });
});

test("every advertised type can be decoded", async () => {
  const drawn = picture(16, 16);
  const files = {
    "image/jpeg": drawn.clone().jpeg(),
    "image/png": drawn.clone().png(),
    "image/gif": drawn.clone().gif(),
    "image/webp": drawn.clone().webp(),
    "image/avif": drawn.clone().avif(),
  };
  for (const type of IMAGE_TYPES) {
    const bytes = await files[type].toBuffer();
    expect(sniffType(bytes)).toBe(type);
    expect((await processImage(bytes, LIMITS)).original.width).toBe(16);
  }
});
