/**
 * The types that every installation can read. HEIC is tried too, but only a distribution's libvips can have a decoder
 * for HEVC, which is patented. The libvips bundled with sharp has none, so we don't list it.
 */
export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"] as const;

const HEIF_BRANDS: ReadonlyMap<string, string> = new Map([
  ...["avif", "avis"].map((brand) => [brand, "image/avif"] as const),
  ...["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"].map((brand) => [brand, "image/heic"] as const),
  ...["mif1", "msf1"].map((brand) => [brand, "image/heif"] as const),
]);

/** Detects the media type of an image by its content, independent of its name and declared type; null if unknown. */
export function sniffType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString("latin1");
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "image/webp";
  if (head.startsWith("ftyp", 4)) return sniffHeif(bytes, head);
  return null;
}

/** Whether an AVIF declares itself animated. As an image, only its first frame is kept. */
export function isAvifSequence(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString("latin1", 4) === "ftypavis";
}

/** Checks the brands of an ISO container. The first one may be as vague as "mif1"; the list after it says more. */
function sniffHeif(bytes: Uint8Array, head: string): string | null {
  const length = Math.min(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), head.length);
  const types = [8, ...Array.from({ length: Math.max(0, Math.floor((length - 16) / 4)) }, (_, at) => 16 + 4 * at)]
    .map((at) => HEIF_BRANDS.get(head.slice(at, at + 4)))
    .filter((type) => type !== undefined);
  return types.find((type) => type !== "image/heif") ?? types[0] ?? null;
}
