import { idsOf, listOf, type Json } from "./json.ts";

export interface Audience {
  to: string[];
  cc: string[];
}

/** The collection of everyone; a document addressed to it is public. */
export const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";
/** Its other spellings, which JSON-LD processors write. */
const PUBLIC_NAMES = new Set(["as:Public", "Public"]);

/** Far more than the mentions of a post. */
const MAX_RECIPIENTS = 1000;

/**
 * The audience of a document; a property that it lacks is taken from `fallback`, the activity around it. Everyone is
 * always spelled `PUBLIC`. `bto` and `bcc` are not read.
 */
export function audienceOf(json: Json, fallback: Audience | null = null): Audience {
  return {
    to: json.to === undefined || json.to === null ? (fallback?.to ?? []) : recipientsOf(json.to),
    cc: json.cc === undefined || json.cc === null ? (fallback?.cc ?? []) : recipientsOf(json.cc),
  };
}

/** A list of recipients; everyone is always spelled `PUBLIC`. */
export function recipientsOf(value: unknown): string[] {
  const recipients = listOf(value)
    .slice(0, MAX_RECIPIENTS)
    .map((each) => (typeof each === "string" && PUBLIC_NAMES.has(each) ? PUBLIC : each));
  return idsOf(recipients, MAX_RECIPIENTS);
}

/**
 * The visibility of a status or boost, as Mastodon derives it. A followers collection counts in `cc`, too: its author
 * sent the status to all followers.
 */
export function visibilityOf(
  { to, cc }: Audience,
  followersUrl: string | null,
): "public" | "unlisted" | "private" | "direct" {
  if (to.includes(PUBLIC)) return "public";
  if (cc.includes(PUBLIC)) return "unlisted";
  return followersUrl !== null && (to.includes(followersUrl) || cc.includes(followersUrl)) ? "private" : "direct";
}
