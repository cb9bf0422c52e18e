import { describe, expect, test } from "bun:test";
import { assert as assertProperty, constantFrom, nat, property, uint8Array } from "fast-check";
import sharp from "sharp";
import { withoutMetadata } from "../../src/lib/media/image-metadata.ts";
import { DEFAULT_PIXELS, processAvatar, processImage } from "../../src/lib/media/images.ts";
import { animation, picture } from "../fixtures/pictures.ts";

const LIMITS = { bytes: 16 * 1024 * 1024, pixels: DEFAULT_PIXELS };

describe("Metadata", () => {
  const SECRET = "SECRET-PLACE";

  function jpegSegment(marker: number, payload: string): Buffer {
    const bytes = Buffer.from(`....${payload}`, "latin1");
    bytes.set([0xff, marker]);
    bytes.writeUInt16BE(bytes.length - 2, 2);
    return bytes;
  }

  function pngChunk(name: string, payload: string): Buffer {
    const bytes = Buffer.from(`....${name}${payload}....`, "latin1");
    bytes.writeUInt32BE(payload.length);
    bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(4, -4)), bytes.length - 4);
    return bytes;
  }

  async function expectNothing(given: Uint8Array): Promise<void> {
    const bytes = Buffer.from(given);
    expect(bytes.includes(SECRET)).toBe(true);
    const { original, small } = await processImage(bytes, LIMITS);
    const header = await processAvatar(bytes, "header");
    expect(bytes.equals(given)).toBe(true);
    for (const file of [original, small, header.original, header.still]) {
      expect(Buffer.from(file.bytes).includes(SECRET)).toBe(false);
      const { exif, xmp, iptc, icc } = await sharp(file.bytes).metadata();
      expect([exif, xmp, iptc, icc]).toEqual([undefined, undefined, undefined, undefined]);
    }
  }

  test("with the location is removed from every part of a JPEG", async () => {
    const gps = { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 3230/100" };
    const photo = await picture(300, 200)
      .jpeg()
      .withExif({ IFD0: { Artist: SECRET }, IFD3: gps })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`)
      .toBuffer();
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    const corners = [
      jpegSegment(0xe0, `JFXX\0${SECRET}`),
      jpegSegment(0xe2, `MPF\0${SECRET}`),
      jpegSegment(0xeb, `JP${SECRET}`),
      jpegSegment(0xed, `Photoshop 3.0\0${SECRET}`),
      jpegSegment(0xee, `Adobe\0d\0\0\0\0\x01${SECRET}`),
      jpegSegment(0xfe, SECRET),
    ];
    await expectNothing(Buffer.concat([photo.subarray(0, 2), ...corners, photo.subarray(2), Buffer.from(SECRET)]));
  });

  test("is removed from a JPEG that is re-encoded", async () => {
    await expectNothing(
      await picture(300, 200)
        .jpeg()
        .withExif({ IFD0: { Artist: SECRET } })
        .withMetadata({ orientation: 3 })
        .toBuffer(),
    );
  });

  test("is removed from a PNG, along with data after its end", async () => {
    const png = await picture(300, 200).png().toBuffer();
    const chunks = [pngChunk("tEXt", `Comment\0${SECRET}`), pngChunk("teSt", SECRET)];
    await expectNothing(Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33), Buffer.from(SECRET)]));
  });

  test("is removed from a GIF, still or animated", async () => {
    const comment = Buffer.from(`\x21\xfe${String.fromCharCode(SECRET.length)}${SECRET}\0`, "latin1");
    const xmp = Buffer.from(`\x21\xff\x0bXMP DataXMP${String.fromCharCode(SECRET.length)}${SECRET}\0`, "latin1");
    for (const frames of [2, 1]) {
      const gif = await (frames > 1 ? await animation(frames) : picture(60, 40)).gif().toBuffer();
      await expectNothing(Buffer.concat([gif.subarray(0, -1), comment, xmp, Buffer.from(";"), Buffer.from(SECRET)]));
    }
  });

  test("is removed from a WebP, still or animated", async () => {
    for (const image of [picture(300, 200), await animation(2)]) {
      const webp = await image
        .webp()
        .withExif({ IFD0: { Artist: SECRET } })
        .withXmp(`<x>${SECRET}</x>`)
        .toBuffer();
      await expectNothing(Buffer.concat([webp, Buffer.from(SECRET)]));
    }
  });

  test("is removed from an AVIF", async () => {
    await expectNothing(
      await picture(300, 200)
        .avif()
        .withExif({ IFD0: { Artist: SECRET } })
        .toBuffer(),
    );
  });
});

describe("withoutMetadata()", () => {
  const TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

  test("returns null for truncated files", async () => {
    const animated = await animation(2);
    const files = {
      "image/jpeg": picture(40, 30).jpeg(),
      "image/png": picture(40, 30).png(),
      "image/gif": animated.clone().gif(),
      "image/webp": animated.clone().webp(),
    };
    for (const [type, image] of Object.entries(files)) {
      const bytes = await image.toBuffer();
      expect(withoutMetadata(bytes, type)).not.toBeNull();
      // Two bytes, because a GIF without its last byte is accepted.
      expect(withoutMetadata(bytes.subarray(0, -2), type)).toBeNull();
    }
  });

  test("never grows a file, whatever follows the first bytes of an image", async () => {
    const starts = await Promise.all(
      ["jpeg", "png", "gif", "webp"].map((format) =>
        picture(8, 8)
          .toFormat(format as "jpeg")
          .toBuffer(),
      ),
    );
    assertProperty(
      property(constantFrom(...starts), nat(200), uint8Array({ maxLength: 300 }), (start, length, rest) => {
        const bytes = Buffer.concat([start.subarray(0, length), rest]);
        for (const type of TYPES) {
          const clean = withoutMetadata(bytes, type);
          if (clean !== null) expect(clean.length).toBeLessThanOrEqual(bytes.length + 1);
        }
      }),
    );
  });

  test("changes nothing when applied twice", async () => {
    const webp = await (
      await animation(3)
    )
      .webp()
      .withExif({ IFD0: { Artist: "A" } })
      .toBuffer();
    const clean = withoutMetadata(webp, "image/webp");
    expect(clean!.length).toBeLessThan(webp.length);
    expect(withoutMetadata(clean!, "image/webp")).toEqual(clean);
  });

  test("returns null for unknown formats", () => {
    expect(withoutMetadata(new Uint8Array(20), "image/avif")).toBeNull();
  });
});
