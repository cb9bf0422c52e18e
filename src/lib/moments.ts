const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Milliseconds since 1970 of a moment in ISO 8601; in UTC where no zone is given. Null for what isn't one. */
export function parseMoment(text: string): number | null {
  const given = text.trim();
  if (!ISO.test(given)) return null;
  const [date, time = ""] = given.toUpperCase().split(/[T ]/, 2) as [string, string?];
  const [, clock = "00:00", sign, hours, minutes] = /^([\d:.]+)?(?:([+-])(\d\d):?(\d\d)?|Z)?$/.exec(time) ?? [];
  const offset = sign ? `${sign}${hours}:${minutes ?? "00"}` : "Z";
  const moment = Date.parse(`${date}T${clock}${offset}`);
  return Number.isNaN(moment) ? null : moment;
}
