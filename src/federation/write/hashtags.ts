import type { Context } from "../../context.ts";
import { tagUrl } from "../../core/addresses.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import type { JsonObject } from "../documents.ts";

/** A hashtag in any spelling. */
export function hashtagDocument(ctx: Context, written: string): JsonObject {
  return { type: "Hashtag", href: tagUrl(ctx, normaliseHashtag(written)), name: `#${written}` };
}
