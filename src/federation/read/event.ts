import { dateOf, hasType, isJson, objectsOf, stringOf, type Json } from "./json.ts";
import { nameOf } from "./text.ts";

/** The time and the place of an Event; none for anything else. */
export function eventLines(json: Json): string[] {
  return hasType(json, "Event") ? [startOf(json), placeOf(json)] : [];
}

/** In no language, since the reader's is unknown. */
const FORMAT = { dateStyle: "short", timeStyle: "short" } as const;

function startOf(json: Json): string {
  const start = dateOf(json.startTime);
  if (start === null) return "";
  const format = formatIn(stringOf(json.timezone, 64)) ?? formatIn("UTC")!;
  return `${format.format(start)} (${format.resolvedOptions().timeZone})`;
}

/** Mobilizon names the event's zone. Null unless it is a known one. */
function formatIn(timeZone: string): Intl.DateTimeFormat | null {
  if (!/^[A-Za-z_]+(?:\/[\w+-]+)*$/.test(timeZone)) return null;
  try {
    // Sweden's format is that of ISO 8601.
    return new Intl.DateTimeFormat("sv", { ...FORMAT, timeZone });
  } catch {
    return null;
  }
}

function placeOf(json: Json): string {
  const [place] = objectsOf(json.location);
  if (place === undefined) return "";
  const { address } = place;
  const parts = isJson(address) ? [address.streetAddress, address.addressLocality, address.addressCountry] : [address];
  return [...new Set([place.name, ...parts].map(nameOf))].filter((part) => part !== "").join(", ");
}
