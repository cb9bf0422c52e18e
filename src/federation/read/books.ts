import { idOf, numberOf, typesOf, type Json } from "./json.ts";
import { plainTextOf } from "./text.ts";

/* BookWyrm's posts about books. Its newer versions write its own names with the prefix "bw:". */

const TYPES = new Set(["Review", "Rating", "Comment", "Quotation"].flatMap((type) => [type, `bw:${type}`]));

export function isBookPost(json: Json): boolean {
  return typesOf(json).some((type) => TYPES.has(type));
}

function propertyOf(json: Json, name: string): unknown {
  return isBookPost(json) ? (json[name] ?? json[`bw:${name}`]) : null;
}

/** The address of the book; null if it is none of BookWyrm's posts. */
export function bookOf(json: Json): string | null {
  return idOf(propertyOf(json, "inReplyToBook"));
}

const MAX_QUOTE_LENGTH = 10_000;

/** The quoted passage of a Quotation as plain text. */
export function quoteOf(json: Json): string {
  return plainTextOf(propertyOf(json, "quote"), MAX_QUOTE_LENGTH);
}

const STARS = 5;

/** The rating as stars, such as `★★★½☆`; "" without one. */
export function ratingOf(json: Json): string {
  const rating = Math.round(2 * (numberOf(propertyOf(json, "rating")) ?? 0)) / 2;
  if (rating <= 0 || rating > STARS) return "";
  const half = rating % 1 === 0 ? "" : "½";
  return "★".repeat(Math.floor(rating)) + half + "☆".repeat(STARS - Math.ceil(rating));
}
