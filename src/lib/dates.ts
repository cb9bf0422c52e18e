/** A date and, after it, perhaps a time and its zone. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/** Parses an ISO 8601 date to milliseconds since 1970, as UTC if it has no time zone. Null if it is invalid. */
export function parseDate(text: string): number | null {
  const found = ISO.exec(text.trim());
  if (!found) return null;
  const [, date, clock = "00:00", hours, minutes = "00"] = found;
  const instant = Date.parse(`${date}T${clock}${hours ? `${hours}:${minutes}` : "Z"}`);
  return Number.isNaN(instant) ? null : instant;
}

/** Parses a date and time as browsers send them, such as `2026-03-29T02:30`. Null if it is invalid. */
export function parseLocalTime(text: string, timeZone: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  try {
    // Of a time that clocks show twice, this is the first; one that they skip is as much later as they are put forward.
    return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds;
  } catch {
    return null;
  }
}

/** A time in milliseconds since 1970 as `parseLocalTime()` reads it, to the minute. */
export function localTimeAt(time: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "minute" });
}

/** Whether this is the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !/^[A-Za-z_]+(?:\/[\w+-]+)*$/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** When a Retry-After header (RFC 9110, section 10.2.3), in seconds or as a date, allows the next attempt; null without one. */
export function retryTime(retryAfter: string | null, now: number): number | null {
  const text = retryAfter ?? "";
  const date = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(date) ? null : date;
}
