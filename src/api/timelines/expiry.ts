import type { Context } from "../../context.ts";
import { validationFailed } from "../../errors.ts";
import { optional, text } from "../../lib/http/input.ts";

/** A hundred years, so that the expiry stays a valid date. */
const MAX_SECONDS = 100 * 365.25 * 24 * 3600;

/** `expires_in` of filters, as text: an empty one means never, unlike a missing one. */
export function expiry() {
  return optional(text({ max: 40 }));
}

/** The expiry in milliseconds since 1970; null for never, undefined if missing, a validation error if not a number. */
export function expiryOf(ctx: Context, seconds: string | undefined): number | null | undefined {
  if (seconds === undefined) return undefined;
  if (seconds.trim() === "") return null;
  const number = Number(seconds);
  if (!Number.isFinite(number)) throw validationFailed("Expires in is not a number");
  return ctx.clock.now() + Math.trunc(Math.min(Math.max(number, 0), MAX_SECONDS)) * 1000;
}
