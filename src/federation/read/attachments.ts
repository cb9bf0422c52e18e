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

/** The media of a status, each address once. Links, places and other attachments are left out. */
export function attachmentsOf(json: Json): RemoteAttachment[] {
  const attachments = new Map<string, RemoteAttachment>();
  for (const each of objectsOf(json.attachment).slice(0, MAX_ENTRIES)) {
    const attachment = TYPES.some((type) => hasType(each, type)) ? readAttachment(each) : null;
    if (attachment !== null && !attachments.has(attachment.url)) attachments.set(attachment.url, attachment);
    if (attachments.size === MAX_ATTACHMENTS) break;
  }
  return [...attachments.values()];
}

function readAttachment(json: Json): RemoteAttachment | null {
  const file = fileOf(json);
  if (file === undefined) return null;
  const [focusX, focusY] = focusOf(json.focalPoint);
  const hasSize = file.width !== null && file.height !== null;
  return {
    type: kindOf(json, file.mediaType),
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

/** The file itself, rather than a page about it. */
function fileOf(json: Json): Link | undefined {
  const links = linksOf(json);
  return links.find(({ mediaType }) => mediaType !== "text/html") ?? links[0];
}

function kindOf(json: Json, contentType: string | null): RemoteAttachment["type"] {
  const [kind] = contentType?.split("/") ?? [];
  if (kind === "image" || kind === "video" || kind === "audio") return kind;
  if (contentType !== null) return "unknown";
  if (hasType(json, "Image")) return "image";
  if (hasType(json, "Video")) return "video";
  return hasType(json, "Audio") ? "audio" : "unknown";
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

const DURATION = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** A duration such as `PT1M3.5S` (xsd:duration) in seconds; null if it is invalid or 0. */
function durationOf(value: unknown): number | null {
  const found = DURATION.exec(stringOf(value, 64));
  if (found === null) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds || null;
}
