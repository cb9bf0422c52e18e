import { parseDate } from "../../lib/dates.ts";

/*
 * Tolerant access to other servers' documents, which are read as plain JSON: a string where a list is expected, an
 * object where its id is, and the other way round.
 */

/** A JSON object of another server. Any property may be missing, null or of another type than expected. */
export type Json = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 32;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a document. Null if it is no JSON object, or nested more than 32 deep. */
export function parseDocument(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) && !isDeeperThan(value, MAX_DEPTH) ? value : null;
  } catch {
    return null;
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth === 0) return true;
  // `Object.values()` of a list with 200,000 entries takes 0.4 s.
  const children = Array.isArray(value) ? value : Object.values(value);
  return children.some((child) => isDeeperThan(child, depth - 1));
}

/** A single value is a list of one; null and a missing value are an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** The objects of a list, or the only one. */
export function objectsOf(value: unknown): Json[] {
  return listOf(value).filter(isJson);
}

const MAX_TYPES = 16;

/** The type of an object, or its types. */
export function typesOf(json: Json): string[] {
  return listOf(json.type)
    .slice(0, MAX_TYPES)
    .filter((type) => typeof type === "string");
}

export function hasType(json: Json, type: string): boolean {
  return json.type === type || typesOf(json).includes(type);
}

/** A string of at most `max` UTF-16 units, without lone surrogates and NUL; "" for any other value. */
export function stringOf(value: unknown, max: number): string {
  if (typeof value !== "string") return "";
  // A cut inside a pair leaves a lone surrogate, which becomes U+FFFD.
  const text = value.slice(0, max).toWellFormed().replaceAll("\0", "");
  return value.length > max && text.endsWith("\uFFFD") ? text.slice(0, -1) : text;
}

export function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

const MAX_URI_LENGTH = 2048;
/** Excludes credentials in the authority, and characters that parsers of addresses drop or interpret differently. */
const URI = /^https?:\/\/[^\s\\/?#@\p{Cc}\p{Cs}]+(?:[/?#][^\s\\\p{Cc}\p{Cs}]*)?$/iu;

/** The id of an object, or the id itself; of a list, the first. Null unless it is an http(s) address. */
export function idOf(value: unknown): string | null {
  for (const each of listOf(value)) {
    const id = isJson(each) ? each.id : each;
    if (typeof id === "string" && id.length <= MAX_URI_LENGTH && URI.test(id) && URL.canParse(id)) return id;
  }
  return null;
}

/** The distinct ids among the first entries of a list of ids or objects. */
export function idsOf(value: unknown, maxEntries: number): string[] {
  const ids = listOf(value)
    .slice(0, maxEntries)
    .map(idOf)
    .filter((id) => id !== null);
  return [...new Set(ids)];
}

/**
 * An address to open or fetch, as a browser would read it: with a space or an umlaut, it is encoded. Null unless it is
 * an http(s) address without credentials.
 */
export function addressOf(value: unknown): string | null {
  const address = isJson(value) ? value.id : value;
  const url = typeof address === "string" && address.length <= MAX_URI_LENGTH ? URL.parse(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href.length <= MAX_URI_LENGTH ? url.href : null;
}

/** A time in milliseconds since 1970. Null if it is invalid or not after 1970, which is a missing time in disguise. */
export function dateOf(value: unknown): number | null {
  const time = typeof value === "string" && value.length <= 64 ? parseDate(value) : null;
  return time !== null && time > 0 ? time : null;
}

/** A time that has passed; one in the future becomes `now`. */
export function pastDateOf(value: unknown, now: number): number | null {
  const time = dateOf(value);
  return time === null ? null : Math.min(time, now);
}

/** Apps store counts in 32 bits. */
const MAX_COUNT = 2 ** 31 - 1;

/** A count; null for anything but a non-negative integer of that size. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** `totalItems` of an embedded collection; null if there is none, or only the collection's address. */
export function totalOf(collection: unknown): number | null {
  return isJson(collection) ? countOf(collection.totalItems) : null;
}
