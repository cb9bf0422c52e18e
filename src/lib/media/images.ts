import type { FitEnum, Metadata, Sharp, SharpOptions } from "sharp";
import { Refusal, UnreadableFile, validationFailed } from "../../errors.ts";
import { encodeBlurhash } from "./blurhash.ts";
import { colorsOf, type Colors } from "./colors.ts";
import { readHeader, writeGifScreen, type Header } from "./image-header.ts";
import { withoutMetadata } from "./image-metadata.ts";
import { isAvifSequence, sniffType } from "./image-types.ts";
import { TYPES_BY_EXTENSION } from "./media-types.ts";
import { returnFreedMemory } from "../process.ts";
import { drawPlaceholder, type Pixels, type Placeholder } from "./placeholders.ts";

/** An image's bytes, or the path of its file. */
export type ImageSource = Uint8Array | string;

/** Maximum size of a file in bytes, and of an image (or one frame of it) in pixels, checked before decoding. */
export interface ImageLimits {
  bytes: number;
  pixels: number;
}

/** A file to store and serve. Its type is that of the bytes; width and height are as displayed. */
export interface ImageFile {
  bytes: Uint8Array;
  type: string;
  extension: string;
  width: number;
  height: number;
}

/** `small` is the same object as `original` if that is small enough. */
export interface ProcessedImage {
  original: ImageFile;
  small: ImageFile;
  blurhash: string;
  animated: boolean;
}

export interface ProcessedPreview {
  image: ImageFile;
  blurhash: string;
  colors: Colors;
}

/** An avatar, a header or an emoji. `still` is the first frame of an animation; otherwise the same object. */
export interface ProcessedAvatar {
  original: ImageFile;
  still: ImageFile;
}

/** An animation that can be split into frames of equal size. `delays` are the frames' durations in milliseconds. */
export interface Animation extends Size {
  delays: number[];
  /** How many frames to request from writeFrames() at a time. */
  framesPerPart: number;
}

/** Mastodon's: 7680×4320. */
export const DEFAULT_PIXELS = 33_177_600;
/** Mastodon's: 3840×2160. */
const ORIGINAL_PIXELS = 8_294_400;
/** Mastodon's: 640×360. */
const SMALL_PIXELS = 230_400;
/** WebP's longest side, and about the longest that graphics cards support. */
const LONGEST_SIDE = 16_383;
/** JPEG's longest side. libvips keeps whole rows in memory. */
const MAX_SIDE = 65_535;
/** A GIF of 99 MB that plays for minutes has fewer frames. */
const MAX_FRAMES = 5000;
/** All frames of an animation together may have this many times the pixels of one image. */
const ANIMATION_FACTOR = 16;
/** Pixels of all frames together in an animation that is re-encoded: 625 frames of an avatar, 12 in 4K. */
const REENCODED_PIXELS = 100_000_000;
/** Size of the frames that writeFrames() writes at a time. */
const PART_BYTES = 64_000_000;
/** Pixels to decode at most when an animation is split, at 40 ns each. Five seconds of 720p video have as many. */
const SPLIT_PIXELS = 500_000_000;
const BLURHASH_SIDE = 32;
/** As many as Mastodon has. */
const BLURHASH_COMPONENTS = 4;
const QUALITY = 90;
const SMALL_QUALITY = 85;
const ANIMATION_QUALITY = 80;

/** The only decoders of libvips that may read uploads. */
const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((name) => `VipsForeignLoad${name}Buffer`);

const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES_BY_EXTENSION).map(([extension, type]) => [type, extension]),
);

const AVATAR_SIZES = { avatar: { width: 400, height: 400 }, header: { width: 1500, height: 500 } } as const;
/** Mastodon's, for avatars and headers. */
export const AVATAR_LIMITS: ImageLimits = { bytes: 8 * 1024 * 1024, pixels: DEFAULT_PIXELS };

const ANIMATED = new Set(["image/gif", "image/webp"]);
/** Their decoder takes 20 bytes per pixel, others at most 12. */
const HEIF = new Set(["image/avif", "image/heic", "image/heif"]);

/** An animated AVIF contains a still image, which libvips only reads if the major brand is `avif`. */
function asStillAvif(bytes: Uint8Array): Uint8Array {
  const still = bytes.slice();
  still.set(Buffer.from("avif"), 8);
  return still;
}

/**
 * Converts an uploaded image to at most as many pixels as 3840×2160, in a format that browsers show, upright, in sRGB
 * and without metadata. Keeps the pixels of an image that meets these conditions. An animation stays animated.
 */
export function processImage(source: ImageSource, limits: ImageLimits): Promise<ProcessedImage> {
  return freeingMemory(async () => {
    const picture = await inspect(source, limits);
    return refusingBrokenImages(async () => {
      const still = await drawStill(picture, within(picture, SMALL_PIXELS), "fill");
      const original = await encodeOriginal(picture);
      const fits = original.width === still.width && original.height === still.height;
      return {
        original,
        small: fits && !picture.animated ? original : await encodeStill(picture.sharp, still, SMALL_QUALITY),
        blurhash: encodeBlurhash(await shrink(picture.sharp, still), BLURHASH_COMPONENTS),
        animated: picture.animated,
      };
    });
  });
}

/** Converts an image to a preview of other media: still, and as small as processImage's `small`. */
export function processPreview(source: ImageSource, limits: ImageLimits): Promise<ProcessedPreview> {
  return freeingMemory(async () => {
    const picture = await inspect(source, limits);
    return refusingBrokenImages(async () =>
      previewOf(picture.sharp, await drawStill(picture, within(picture, SMALL_PIXELS), "fill")),
    );
  });
}

/** A generated preview of media without an image. */
export function placeholderPreview(placeholder: Placeholder): Promise<ProcessedPreview> {
  return freeingMemory(async () => previewOf(await loadSharp(), drawPlaceholder(placeholder)));
}

/**
 * Reads the size and the delays of an animation, scaled down to a video of at most `pixels` per frame.
 *
 * @throws UnreadableFile if splitting it would take too long. Each part is decoded from the first frame on, since
 * frames build on earlier ones, so the work grows with the square of the number of parts.
 */
export function inspectAnimation(source: ImageSource, limits: ImageLimits, pixels: number): Promise<Animation> {
  return freeingMemory(async () => {
    const picture = await inspect(source, limits);
    const size = within(picture, pixels);
    const delays = picture.metadata.delay ?? [];
    if (delays.length !== picture.frames) throw new UnreadableFile();
    const framesPerPart = Math.max(1, Math.floor(PART_BYTES / (size.width * size.height * 3)));
    const parts = Math.ceil(picture.frames / framesPerPart);
    const decoded = ((parts + 1) / 2) * picture.frames * picture.width * picture.height;
    if (decoded > SPLIT_PIXELS) throw new UnreadableFile("it has too many large frames to become a video");
    return { ...size, delays, framesPerPart };
  });
}

/** Writes the `pages` frames from `page` on to a file, one after the other, as raw RGB on white. */
export function writeFrames(
  source: ImageSource,
  limits: ImageLimits,
  { page, pages, ...size }: Size & { page: number; pages: number },
  to: string,
): Promise<void> {
  return freeingMemory(async () => {
    const picture = await inspect(source, limits);
    await refusingBrokenImages(async () => {
      const frames = picture
        .open({ page, pages })
        .resize({ ...size, fit: "fill" })
        .toColourspace("srgb");
      await Bun.write(to, await frames.flatten({ background: "white" }).removeAlpha().raw().toBuffer());
    });
  });
}

async function previewOf(sharp: SharpModule, pixels: Pixels): Promise<ProcessedPreview> {
  const tiny = await shrink(sharp, pixels);
  return {
    image: await encodeStill(sharp, pixels, SMALL_QUALITY),
    blurhash: encodeBlurhash(tiny, BLURHASH_COMPONENTS),
    colors: colorsOf(tiny.data),
  };
}

/** The part of a picture that stays if it is cropped. */
export const CROPS = ["centre", "top", "bottom", "left", "right"] as const;
export type Crop = (typeof CROPS)[number];

/** Converts an avatar or a header to Mastodon's size. An animation becomes an animated WebP. */
export function processAvatar(
  source: ImageSource,
  kind: "avatar" | "header",
  crop: Crop = "centre",
): Promise<ProcessedAvatar> {
  return freeingMemory(async () => {
    const picture = await inspect(source, AVATAR_LIMITS);
    return refusingBrokenImages(async () => {
      const size = AVATAR_SIZES[kind];
      const still = await encodeStill(picture.sharp, await drawStill(picture, size, "cover", crop), QUALITY);
      return { original: picture.animated ? await drawAnimation(picture, size, "cover", crop) : still, still };
    });
  });
}

/** Converts an image to several sizes, cropped to the middle and still, as PNG or in a compact format. */
export function processCrops(
  source: ImageSource,
  limits: ImageLimits,
  sizes: readonly Size[],
  asPng: boolean,
): Promise<{ files: ImageFile[]; blurhash: string }> {
  return freeingMemory(async () => {
    const picture = await inspect(source, limits);
    const { sharp } = picture;
    return refusingBrokenImages(async () => {
      const files: ImageFile[] = [];
      let hash = "";
      for (const size of sizes) {
        const pixels = await drawStill(picture, size, "cover");
        hash ||= encodeBlurhash(await shrink(sharp, pixels), BLURHASH_COMPONENTS);
        files.push(asPng ? await encodePng(sharp, pixels) : await encodeStill(sharp, pixels, QUALITY));
      }
      return { files, blurhash: hash };
    });
  });
}

/** Converts a custom emoji. Keeps its pixels unless it must be re-encoded. An animation stays animated. */
export function processEmoji(source: ImageSource, limits: ImageLimits): Promise<ProcessedAvatar> {
  return freeingMemory(async () => {
    const picture = await inspect(source, limits);
    return refusingBrokenImages(async () => {
      // Decoded in any case, to detect broken files.
      const first = await drawStill(picture, within(picture, limits.pixels), "fill");
      const original = await encodeOriginal(picture);
      return { original, still: picture.animated ? await encodeStill(picture.sharp, first, QUALITY) : original };
    });
  });
}

type SharpModule = typeof import("sharp").default;

interface Size {
  width: number;
  height: number;
}

/** An image whose header was read and is within the limits. The size is that of one frame, upright. */
interface Picture extends Size {
  sharp: SharpModule;
  /** The file without metadata, or null if it seems malformed; then libvips has to check it. */
  clean: Uint8Array | null;
  type: string;
  metadata: Metadata;
  frames: number;
  animated: boolean;
  open: (options?: SharpOptions) => Sharp;
}

/** Returns memory to the system afterwards: large images take hundreds of megabytes during processing. */
function freeingMemory<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().finally(returnFreedMemory);
}

/** Loaded at the first image, since clips don't need its 30 MB. */
let loaded: Promise<SharpModule> | undefined;

function loadSharp(): Promise<SharpModule> {
  loaded ??= import("sharp").then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    // Regardless of the type that a file claims, no other decoder (SVG, TIFF, files on disk) may read it.
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: LOADERS });
    return sharp;
  });
  return loaded;
}

/** Reads only the header, so that an image that is too large is refused before its pixels are decoded. */
async function inspect(from: ImageSource, limits: ImageLimits): Promise<Picture> {
  const bytes = await bytesOf(from, limits);
  const type = sniffType(bytes);
  if (type === null) throw notAnImage();
  const pixels = HEIF.has(type) ? limits.pixels / 2 : limits.pixels;
  const header = readHeader(bytes, type);
  if (header) checkSize(header, pixels);
  const clean = withoutMetadata(bytes, type);
  // libvips accepts a truncated GIF, and fails if data follows its end.
  const source = type === "image/gif" ? clean : isAvifSequence(bytes) ? asStillAvif(bytes) : bytes;
  // For these two types, we count the frames before libvips does, since it takes quadratic time.
  if (source === null || (ANIMATED.has(type) && (!header || !clean))) throw new UnreadableFile();
  const sharp = await loadSharp();
  const metadata = await refusingBrokenImages(() => sharp(source, { limitInputPixels: false }).metadata());
  const frames = ANIMATED.has(type) ? (metadata.pages ?? 1) : 1;
  const animated = frames > 1;
  const { width, height } = animated ? metadata : metadata.autoOrient;
  checkSize({ width, height, frames }, pixels);
  if (type === "image/gif" && clean) writeGifScreen(clean, metadata);
  const all = animated ? pixels * ANIMATION_FACTOR : pixels;
  const open = (options?: SharpOptions) =>
    sharp(source, { failOn: "error", autoOrient: !animated, limitInputPixels: all, ...options });
  return { sharp, clean, type, metadata, frames, animated, width, height, open };
}

async function bytesOf(source: ImageSource, limits: ImageLimits): Promise<Uint8Array> {
  const length = typeof source === "string" ? Bun.file(source).size : source.length;
  if (length > limits.bytes) throw tooManyBytes(limits.bytes);
  return typeof source === "string" ? Bun.file(source).bytes() : source;
}

function checkSize({ width, height, frames }: Header, pixels: number): void {
  if (!(width > 0 && height > 0)) throw new UnreadableFile();
  if (frames > MAX_FRAMES) throw validationFailed(`File has more than ${MAX_FRAMES} frames`);
  if (Math.max(width, height) > MAX_SIDE) {
    throw validationFailed(`File has ${width}x${height} pixels; no side may be longer than ${MAX_SIDE}`);
  }
  if (width * height > pixels) throw tooManyPixels(`${width}x${height} pixels`, pixels);
  const all = frames > 1 ? pixels * ANIMATION_FACTOR : pixels;
  if (width * height * frames > all) throw tooManyPixels(`${frames} frames of ${width}x${height} pixels`, all);
}

/** The size of the small version of an image or a clip. */
export function smallSize(size: Size): Size {
  return within(size, SMALL_PIXELS);
}

/** The largest size of the same aspect ratio with at most `pixels` pixels, and with sides that WebP supports. */
export function within({ width, height }: Size, pixels: number): Size {
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)), LONGEST_SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

async function encodeOriginal(picture: Picture): Promise<ImageFile> {
  const size = within(picture, ORIGINAL_PIXELS);
  if (picture.clean !== null && !mustReencode(picture, size)) return imageFile(picture.clean, picture.type, picture);
  if (picture.animated) return drawAnimation(picture, size, "fill");
  const type = reencodedType(picture);
  // Photographs mostly have 4:2:0 chroma. Images with 4:4:4 (text, drawings) would lose quality by it, like previews.
  const chroma = picture.metadata.chromaSubsampling === "4:4:4" ? "4:4:4" : "4:2:0";
  const resized = picture.open().resize({ ...size, fit: "fill" });
  const image = type === "image/jpeg" ? encodeLargeJpeg(resized, chroma) : encode(resized, type, QUALITY);
  return imageFile(await image.toBuffer(), type, size);
}

/** Whether removing metadata would change how the image looks, or it is too large, or browsers can't show it. */
function mustReencode({ type, metadata, animated, width, height }: Picture, size: Size): boolean {
  const turned = !animated && (metadata.orientation ?? 1) > 1;
  const otherColours = metadata.icc !== undefined || metadata.space === "cmyk";
  const tooLarge = size.width !== width || size.height !== height;
  return turned || otherColours || tooLarge || !EXTENSIONS.has(type);
}

function reencodedType({ type, metadata }: Picture): string {
  if (type === "image/gif") return "image/png";
  if (EXTENSIONS.has(type)) return type;
  return metadata.hasAlpha ? "image/webp" : "image/jpeg";
}

/** Encodes any animation as WebP: encoding a GIF takes five times as long, and the file is four times as large. */
async function drawAnimation(
  picture: Picture,
  size: Size,
  fit: keyof FitEnum,
  position: Crop = "centre",
): Promise<ImageFile> {
  const pixels = size.width * size.height * picture.frames;
  if (pixels > REENCODED_PIXELS) {
    const most = Math.floor(REENCODED_PIXELS / (size.width * size.height));
    throw validationFailed(`File has ${picture.frames} frames; at this size, at most ${most} are allowed`);
  }
  const image = picture.open({ animated: true }).resize({ ...size, fit, position });
  const bytes = await image.webp({ quality: ANIMATION_QUALITY, effort: 2 }).toBuffer();
  return imageFile(bytes, "image/webp", size);
}

async function drawStill(picture: Picture, size: Size, fit: keyof FitEnum, position: Crop = "centre"): Promise<Pixels> {
  const image = picture
    .open()
    .resize({ ...size, fit, position })
    .toColourspace("srgb")
    .ensureAlpha();
  return { ...size, data: await image.raw().toBuffer() };
}

function reopen(sharp: SharpModule, { data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 4 } });
}

async function encodeStill(sharp: SharpModule, pixels: Pixels, quality: number): Promise<ImageFile> {
  const opaque = isOpaque(pixels);
  const type = opaque ? "image/jpeg" : "image/webp";
  const image = opaque ? reopen(sharp, pixels).removeAlpha() : reopen(sharp, pixels);
  return imageFile(await encode(image, type, quality).toBuffer(), type, pixels);
}

async function encodePng(sharp: SharpModule, pixels: Pixels): Promise<ImageFile> {
  const type = "image/png";
  return imageFile(await encode(reopen(sharp, pixels), type, QUALITY).toBuffer(), type, pixels);
}

function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

function encode(image: Sharp, type: string, quality: number): Sharp {
  if (type === "image/png") return image.png();
  return type === "image/webp" ? image.webp({ quality }) : image.jpeg({ quality, chromaSubsampling: "4:4:4" });
}

/** With optimal Huffman tables, files would be 3 % smaller, but libjpeg would keep the whole image: 45 MB of 8 megapixels. */
function encodeLargeJpeg(image: Sharp, chromaSubsampling: "4:4:4" | "4:2:0"): Sharp {
  return image.jpeg({ quality: QUALITY, chromaSubsampling, optimiseCoding: false });
}

/** Scales the pixels down so far that summing over all of them is fast. */
async function shrink(sharp: SharpModule, pixels: Pixels): Promise<Pixels> {
  const { data, info } = await reopen(sharp, pixels)
    .flatten({ background: "white" })
    .resize(BLURHASH_SIDE, BLURHASH_SIDE, { fit: "inside" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function imageFile(bytes: Uint8Array, type: string, { width, height }: Size): ImageFile {
  return { bytes, type, extension: EXTENSIONS.get(type) ?? "bin", width, height };
}

/** Errors of libvips (always a plain Error) are about the uploaded bytes. Their messages would not help the user. */
async function refusingBrokenImages<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) throw new UnreadableFile();
    throw error;
  }
}

function notAnImage(): Refusal {
  return validationFailed("File content type is invalid", "File is invalid");
}

function tooManyBytes(limit: number): Refusal {
  return new Refusal("too_large", `Validation failed: File size must be at most ${round(limit / 1024 / 1024)} MB`);
}

function tooManyPixels(found: string, limit: number): Refusal {
  return validationFailed(`File has ${found}; at most ${round(limit / 1_000_000)} megapixels are allowed`);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
