/** An object's members as JSON text without the braces, to combine with text that is already rendered. */
export function members(part: object): string {
  return JSON.stringify(part).slice(1, -1);
}

/** Milliseconds since 1970 in the form that every client can parse: ISO 8601 in UTC with three decimals. */
export function timestamp(time: number): string;
export function timestamp(time: number | null): string | null;
export function timestamp(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
