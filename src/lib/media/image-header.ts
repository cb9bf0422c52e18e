/*
 * Reads the size of an image from its header, before a decoder sees the file. A file of a few bytes can claim a size
 * for which an image library needs hundreds of megabytes or minutes.
 */
import { ByteReader } from "./byte-reader.ts";

export interface Header {
  /** Size of the canvas that all frames share, in pixels, before rotation by EXIF. */
  width: number;
  height: number;
  frames: number;
}

/** Null for other types, which the image library must check, and for a malformed file. */
export function readHeader(bytes: Uint8Array, type: string): Header | null {
  const read = READERS.get(type);
  if (read === undefined) return null;
  try {
    return read(new ByteReader(bytes));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const READERS: ReadonlyMap<string, (file: ByteReader) => Header | null> = new Map([
  ["image/jpeg", jpegHeader],
  ["image/png", pngHeader],
  ["image/gif", gifHeader],
  ["image/webp", webpHeader],
]);

/** The frame header (SOF0–15 without DHT, JPG and DAC) comes before the first scan. */
function jpegHeader(file: ByteReader): Header | null {
  file.take(2);
  for (;;) {
    if (file.u8() !== 0xff) return null;
    let marker = file.u8();
    while (marker === 0xff) marker = file.u8();
    if (marker === 0xda || marker === 0xd9) return null;
    const segment = new ByteReader(file.take(file.u16() - 2));
    if (marker < 0xc0 || marker > 0xcf || [0xc4, 0xc8, 0xcc].includes(marker)) continue;
    segment.take(1);
    const height = segment.u16();
    return { width: segment.u16(), height, frames: 1 };
  }
}

function pngHeader(file: ByteReader): Header {
  // The signature, then the length and name of IHDR, which is always the first chunk.
  file.take(16);
  return { width: file.u32(), height: file.u32(), frames: 1 };
}

/** The canvas is as large as the frames require: decoders and browsers disagree about a larger screen. */
function gifHeader(file: ByteReader): Header {
  file.take(10);
  file.take(2 + colours(file.u8()));
  const canvas = { width: 0, height: 0, frames: 0 };
  for (let kind = next(file); kind !== 0x3b; kind = next(file)) {
    if (kind === 0x2c) {
      const [left, top] = [file.u16(true), file.u16(true)];
      canvas.width = Math.max(canvas.width, left + file.u16(true));
      canvas.height = Math.max(canvas.height, top + file.u16(true));
      canvas.frames += 1;
      file.take(colours(file.u8()) + 1);
    } else if (kind === 0x21) file.take(1);
    else throw new RangeError("Neither an image nor an extension");
    for (let length = file.u8(); length !== 0; length = file.u8()) file.take(length);
  }
  return canvas;
}

/** The next block's type. The end of the file counts as the trailer, which may be missing. */
function next(file: ByteReader): number {
  return file.left === 0 ? 0x3b : file.u8();
}

/** The size in bytes of the colour table that the flags declare. */
function colours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Overwrites the screen size of a GIF, which may be anything up to 65535×65535, with the size that its frames need. */
export function writeGifScreen(gif: Uint8Array, { width, height }: { width: number; height: number }): void {
  const view = new DataView(gif.buffer, gif.byteOffset);
  view.setUint16(6, width, true);
  view.setUint16(8, height, true);
}

function webpHeader(file: ByteReader): Header | null {
  file.take(4);
  const body = new ByteReader(file.take(file.u32(true)));
  body.take(4);
  let [canvas, frames]: [Omit<Header, "frames"> | null, number] = [null, 0];
  while (body.left > 0) {
    const name = body.text(4);
    const chunk = new ByteReader(body.take(body.u32(true)));
    if (chunk.bytes.length % 2 === 1 && body.left > 0) body.take(1);
    if (name === "ANMF") frames += 1;
    else canvas ??= webpCanvas(name, chunk);
  }
  return canvas && { ...canvas, frames: Math.max(1, frames) };
}

function webpCanvas(name: string, chunk: ByteReader): Omit<Header, "frames"> | null {
  if (name === "VP8X") {
    chunk.take(4);
    return { width: 1 + u24(chunk), height: 1 + u24(chunk) };
  }
  if (name === "VP8L") {
    chunk.take(1);
    const bits = chunk.u32(true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (name !== "VP8 ") return null;
  chunk.take(6);
  return { width: chunk.u16(true) & 0x3fff, height: chunk.u16(true) & 0x3fff };
}

function u24(file: ByteReader): number {
  return file.u8() | (file.u8() << 8) | (file.u8() << 16);
}
