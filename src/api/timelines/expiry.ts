import type { Context } from "../../context.ts";
import { validationFailed } from "../../errors.ts";
import { optional, text } from "../../lib/http/input.ts";

/** A hundred years, so that a moment stays one that can be written. */
const MAX_SECONDS = 100 * 365.25 * 24 * 3600;

/** `expires_in` of filters, as text: an empty one means never, which differs from none. */
export function expiry() {
  return optional(text({ max: 40 }));
}

/** When that is, in milliseconds since 1970; null for never, undefined for what wasn't said. */
export function expiryOf(ctx: Context, seconds: string | undefined): number | null | undefined {
  if (seconds === undefined) return undefined;
  if (seconds.trim() === "") return null;
  const number = Number(seconds);
  if (!Number.isFinite(number)) throw validationFailed("Expires in is not a number");
  return ctx.clock.now() + Math.trunc(Math.min(Math.max(number, 0), MAX_SECONDS)) * 1000;
}
