/*
 * Removes metadata from image files: location, camera, owner, edits, uncropped thumbnails, appended videos. These
 * functions copy a file part by part and keep only the parts that are needed to show it. So unknown kinds of metadata
 * are removed too, and the pixels stay exactly the same.
 */

import { ByteReader } from "./byte-reader.ts";

/**
 * The image reduced to the parts that are needed to show it; null if the type is unknown or the file is malformed
 * (truncated, or in a way that only a decoder may tolerate). Removes colour profiles as well: convert an image that has
 * one to sRGB instead.
 */
export function withoutMetadata(bytes: Uint8Array, type: string): Uint8Array | null {
  const strip = STRIPPERS.get(type);
  if (strip === undefined) return null;
  try {
    return concat(strip(new ByteReader(bytes)));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const STRIPPERS: ReadonlyMap<string, (file: ByteReader) => Uint8Array[]> = new Map([
  ["image/jpeg", jpegParts],
  ["image/png", pngParts],
  ["image/gif", gifParts],
  ["image/webp", webpParts],
]);

function concat(parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

function malformed(): never {
  throw new RangeError("The parts of the picture do not fit together");
}

const JPEG_SOI = 0xd8;
const JPEG_EOI = 0xd9;
const JPEG_SOS = 0xda;
const JPEG_APP0 = 0xe0;
const JPEG_APP14 = 0xee;

/** A JFIF header without a thumbnail, which the original may contain. It tells decoders that the colours are YCbCr. */
const JFIF = Uint8Array.of(0xff, JPEG_APP0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);

/** Frames, tables and scans: SOF0–15 with DHT and DAC between them, SOS, DQT, DNL and DRI. */
function showsJpeg(marker: number): boolean {
  return (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= JPEG_SOS && marker <= 0xdd);
}

function jpegParts(file: ByteReader): Uint8Array[] {
  if (file.u8() !== 0xff || file.u8() !== JPEG_SOI) malformed();
  const parts: Uint8Array[] = [Uint8Array.of(0xff, JPEG_SOI)];
  for (;;) {
    const marker = nextJpegMarker(file);
    if (marker === JPEG_EOI) {
      // Phones append more images and videos after the end, with their own locations.
      parts.push(Uint8Array.of(0xff, JPEG_EOI));
      return parts;
    }
    const start = file.at - 2;
    const payload = file.take(file.u16() - 2);
    if (marker === JPEG_SOS) skipScan(file);
    if (showsJpeg(marker)) parts.push(file.bytes.subarray(start, file.at));
    else if (marker === JPEG_APP0 && startsWith(payload, "JFIF\0")) parts.push(JFIF);
    // Adobe's segment declares the colour encoding; without it, decoders show some images in false colours.
    else if (marker === JPEG_APP14 && startsWith(payload, "Adobe") && payload.length >= 12)
      parts.push(Uint8Array.of(0xff, JPEG_APP14, 0, 14), payload.subarray(0, 12));
  }
}

function nextJpegMarker(file: ByteReader): number {
  if (file.u8() !== 0xff) malformed();
  let marker = file.u8();
  while (marker === 0xff) marker = file.u8();
  return marker;
}

/** Skips a scan's entropy-coded bytes, up to the first marker that is neither a stuffed zero nor a restart. */
function skipScan(file: ByteReader): void {
  for (;;) {
    const next = file.bytes.indexOf(0xff, file.at);
    if (next === -1 || next + 1 >= file.bytes.length) malformed();
    const after = file.bytes[next + 1]!;
    file.at = next;
    if (after === 0 || (after >= 0xd0 && after <= 0xd7)) file.at = next + 2;
    else if (after === 0xff) file.at = next + 1;
    else return;
  }
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return bytes.length >= text.length && [...text].every((character, at) => bytes[at] === character.charCodeAt(0));
}

const PNG_SIGNATURE = 8;
const PNG_SHOWN = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND", "gAMA", "cHRM", "sRGB", "sBIT", "cICP"]);

function pngParts(file: ByteReader): Uint8Array[] {
  const parts = [file.take(PNG_SIGNATURE)];
  for (;;) {
    const start = file.at;
    const length = file.u32();
    const name = file.text(4);
    file.take(length + 4);
    if (PNG_SHOWN.has(name)) parts.push(file.bytes.subarray(start, file.at));
    // Some editors crop an image in place and leave the rest of the original after the end.
    if (name === "IEND") return parts;
  }
}

const GIF_IMAGE = 0x2c;
const GIF_EXTENSION = 0x21;
const GIF_TRAILER = 0x3b;
const GIF_CONTROL = 0xf9;
const GIF_APPLICATION = 0xff;
const GIF_LOOPS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"]);

function gifParts(file: ByteReader): Uint8Array[] {
  file.take(10);
  const flags = file.u8();
  file.take(2 + gifColours(flags));
  const parts = [file.bytes.subarray(0, file.at)];
  for (;;) {
    // Many programs omit the trailer, so every viewer treats the end of the file as one.
    const kind = file.left === 0 ? GIF_TRAILER : file.u8();
    if (kind === GIF_TRAILER) break;
    const start = file.at - 1;
    if (kind === GIF_IMAGE) {
      file.take(8);
      // The colour table, then one byte with the minimum code size.
      file.take(gifColours(file.u8()) + 1);
      skipGifBlocks(file);
      parts.push(file.bytes.subarray(start, file.at));
    } else if (kind === GIF_EXTENSION) {
      const shown = gifExtension(file, start);
      if (shown !== null) parts.push(shown);
    } else malformed();
  }
  parts.push(Uint8Array.of(GIF_TRAILER));
  return parts;
}

/** The size in bytes of the colour table that a screen's or an image's flags declare. */
function gifColours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function skipGifBlocks(file: ByteReader): void {
  for (let length = file.u8(); length !== 0; length = file.u8()) file.take(length);
}

/** Keeps the timing of frames and the number of loops; null for comments, XMP and other extensions. */
function gifExtension(file: ByteReader, start: number): Uint8Array | null {
  const label = file.u8();
  if (label === GIF_CONTROL) {
    skipGifBlocks(file);
    return file.bytes.subarray(start, file.at);
  }
  if (label === GIF_APPLICATION && file.u8() === 11 && GIF_LOOPS.has(file.text(11))) {
    const loop = file.u8() === 3 && file.u8() === 1 ? file.take(2) : malformed();
    skipGifBlocks(file);
    const head = file.bytes.subarray(start, start + 14);
    return concat([head, Uint8Array.of(3, 1), loop, Uint8Array.of(0)]);
  }
  file.at = start + 2;
  skipGifBlocks(file);
  return null;
}

const WEBP_SHOWN = new Set(["VP8 ", "VP8L", "ALPH", "ANIM"]);
/** These bits of VP8X declare a colour profile, EXIF and XMP. */
const WEBP_METADATA_FLAGS = 0x20 | 0x08 | 0x04;
const WEBP_FRAME_HEADER = 16;

function webpParts(file: ByteReader): Uint8Array[] {
  file.take(4);
  const body = new ByteReader(file.take(file.u32(true)));
  return [webpChunk("RIFF", [body.take(4), ...webpChunks(body, shownWebpChunk)])];
}

function shownWebpChunk(name: string, payload: Uint8Array): Uint8Array[] {
  if (name === "VP8X") return [webpChunk(name, [withoutFlags(payload, WEBP_METADATA_FLAGS)])];
  // A frame of an animation has its own chunks, which may contain metadata.
  if (name === "ANMF") {
    const frame = new ByteReader(payload);
    return [webpChunk(name, [frame.take(WEBP_FRAME_HEADER), ...webpChunks(frame, shownInFrame)])];
  }
  return shownInFrame(name, payload);
}

function shownInFrame(name: string, payload: Uint8Array): Uint8Array[] {
  return WEBP_SHOWN.has(name) ? [webpChunk(name, [payload])] : [];
}

function webpChunks(file: ByteReader, shown: (name: string, payload: Uint8Array) => Uint8Array[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  while (file.left > 0) {
    const name = file.text(4);
    const payload = file.take(file.u32(true));
    // Chunks begin at even offsets; some writers omit the last padding byte.
    if (payload.length % 2 === 1 && file.left > 0) file.take(1);
    chunks.push(...shown(name, payload));
  }
  return chunks;
}

function withoutFlags(payload: Uint8Array, flags: number): Uint8Array {
  // Not slice(): on a Buffer it does not copy.
  const copy = new Uint8Array(payload);
  copy[0] = (copy[0] ?? malformed()) & ~flags;
  return copy;
}

function webpChunk(name: string, payload: Uint8Array[]): Uint8Array {
  const length = payload.reduce((sum, part) => sum + part.length, 0);
  const head = new Uint8Array(8);
  head.set(Buffer.from(name, "latin1"));
  new DataView(head.buffer).setUint32(4, length, true);
  return concat([head, ...payload, new Uint8Array(length % 2)]);
}
