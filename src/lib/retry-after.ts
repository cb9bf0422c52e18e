/** When a Retry-After header (RFC 9110, section 10.2.3), in seconds or as a date, allows the next attempt; null without one. */
export function retryTime(retryAfter: string | null, now: number): number | null {
  const text = retryAfter ?? "";
  const date = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(date) ? null : date;
}
