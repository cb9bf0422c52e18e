const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Parses an ISO 8601 date to milliseconds since 1970, as UTC if it has no time zone. Null if it is invalid. */
export function parseDate(text: string): number | null {
  const given = text.trim();
  if (!ISO.test(given)) return null;
  const [date, time = ""] = given.toUpperCase().split(/[T ]/, 2) as [string, string?];
  const [, clock = "00:00", sign, hours, minutes] = /^([\d:.]+)?(?:([+-])(\d\d):?(\d\d)?|Z)?$/.exec(time) ?? [];
  const offset = sign ? `${sign}${hours}:${minutes ?? "00"}` : "Z";
  const instant = Date.parse(`${date}T${clock}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}

/** When a Retry-After header (RFC 9110, section 10.2.3), in seconds or as a date, allows the next attempt; null without one. */
export function retryTime(retryAfter: string | null, now: number): number | null {
  const text = retryAfter ?? "";
  const date = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(date) ? null : date;
}
