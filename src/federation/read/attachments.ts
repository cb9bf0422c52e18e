import { isBlurhash } from "../../lib/media/blurhash.ts";
import { hasType, isJson, listOf, numberOf, objectsOf, stringOf, type Json } from "./json.ts";
import { linksOf, pictureOf, type Link } from "./links.ts";
import { descriptionOf } from "./text.ts";

export interface RemoteAttachment {
  /** A guess from what its server says. No server says that a video is a `gifv`. */
  type: "image" | "video" | "audio" | "unknown";
  /** As its server says, in lower case; null if it says nothing usable. */
  contentType: string | null;
  url: string;
  previewUrl: string | null;
  description: string | null;
  width: number | null;
  height: number | null;
  /** From -1 (left, bottom) to 1 (right, top). */
  focusX: number;
  focusY: number;
  blurhash: string | null;
  /** In seconds. */
  duration: number | null;
}

const MAX_ATTACHMENTS = 16;
const MAX_ENTRIES = 100;
const TYPES = ["Document", "Image", "Video", "Audio"];

/**
 * The media of a status, each address once. An object that is a picture, a sound or a video itself comes first. Links,
 * places and other attachments are left out.
 */
export function attachmentsOf(json: Json): RemoteAttachment[] {
  const attachments = new Map<string, RemoteAttachment>();
  const own = ownAttachment(json);
  if (own !== null) attachments.set(own.url, own);
  for (const each of objectsOf(json.attachment).slice(0, MAX_ENTRIES)) {
    const attachment = TYPES.some((type) => hasType(each, type)) ? readAttachment(each, fileOf(each)) : null;
    if (attachment !== null && !attachments.has(attachment.url)) attachments.set(attachment.url, attachment);
    if (attachments.size === MAX_ATTACHMENTS) break;
  }
  return [...attachments.values()];
}

function readAttachment(json: Json, file: Link | undefined): RemoteAttachment | null {
  if (file === undefined) return null;
  const [focusX, focusY] = focusOf(json.focalPoint);
  const hasSize = file.width !== null && file.height !== null;
  return {
    type: kindOf(json, file),
    contentType: file.mediaType,
    url: file.href,
    previewUrl: pictureOf(json.icon)?.href ?? null,
    description: descriptionOf(json) || null,
    width: hasSize ? file.width : null,
    height: hasSize ? file.height : null,
    focusX,
    focusY,
    blurhash: blurhashOf(json.blurhash),
    duration: durationOf(json.duration),
  };
}

/** The name of the object is the title of the status, so it describes nothing. */
function ownAttachment(json: Json): RemoteAttachment | null {
  const type = ["Image", "Audio", "Video"].find((each) => hasType(json, each));
  const attachment = type === undefined ? null : readAttachment(json, ownFile(json, `${type.toLowerCase()}/`));
  if (attachment === null) return null;
  const preview = attachment.type === "image" ? null : (pictureOf(json.icon) ?? pictureOf(json.image));
  return { ...attachment, previewUrl: preview?.href ?? null, description: null };
}

/** Enough for a timeline. A larger file may not fit into the cache. */
const ENOUGH_LINES = 360;

/** The file that the object links among its page, playlists and torrents; of several, the smallest that is large enough. */
function ownFile(json: Json, mediaTypes: string): Link | undefined {
  // PeerTube nests the files of a playlist in its link.
  const links = linksOf(json.url).flatMap((link) => [link, ...linksOf(link.source?.tag)]);
  const files = links
    .filter(({ mediaType }) => mediaType?.startsWith(mediaTypes))
    .toSorted((one, other) => (one.height ?? 0) - (other.height ?? 0));
  return files.find(({ height }) => (height ?? 0) >= ENOUGH_LINES) ?? files.at(-1);
}

/** The file itself, rather than a page about it. */
function fileOf(json: Json): Link | undefined {
  const links = linksOf(json);
  return links.find(({ mediaType }) => mediaType !== "text/html") ?? links[0];
}

const PICTURE = /\.(?:avif|gif|jpe?g|png|webp)$/i;

function kindOf(json: Json, file: Link): RemoteAttachment["type"] {
  const contentType = file.mediaType;
  const [kind] = contentType?.split("/") ?? [];
  if (kind === "image" || kind === "video" || kind === "audio") return kind;
  if (contentType !== null) return "unknown";
  if (hasType(json, "Image")) return "image";
  if (hasType(json, "Video")) return "video";
  if (hasType(json, "Audio")) return "audio";
  // BookWyrm's covers are Documents without a media type.
  return PICTURE.test(new URL(file.href).pathname) ? "image" : "unknown";
}

function focusOf(value: unknown): [x: number, y: number] {
  const point: unknown = isJson(value) ? value["@list"] : value;
  const [x, y] = listOf(point).slice(0, 2).map(numberOf);
  return typeof x === "number" && typeof y === "number" ? [clamp(x), clamp(y)] : [0, 0];
}

function clamp(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

const MAX_BLURHASH_LENGTH = 200;

function blurhashOf(value: unknown): string | null {
  const hash = stringOf(value, MAX_BLURHASH_LENGTH);
  return isBlurhash(hash) ? hash : null;
}

/** As many as a duration in text may have. */
const MAX_SECONDS = 1e9;
const DURATION = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** A duration such as `PT1M3.5S` (xsd:duration), or the seconds, in seconds; null if it is invalid or 0. */
function durationOf(value: unknown): number | null {
  if (typeof value === "number") return value > 0 && value <= MAX_SECONDS ? value : null;
  const found = DURATION.exec(stringOf(value, 64));
  if (found === null) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds || null;
}
