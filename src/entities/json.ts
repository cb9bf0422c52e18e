/** An object's members as JSON text, without its braces: for what is put together with text that was rendered before. */
export function members(part: object): string {
  return JSON.stringify(part).slice(1, -1);
}

/** A moment as every client reads it: with three decimals, in UTC. */
export function timestamp(time: number): string;
export function timestamp(time: number | null): string | null;
export function timestamp(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
