import type { Context } from "../../context.ts";
import { localUrl, mediaUrl } from "../../core/addresses.ts";
import { type CustomEmoji, emojisIn } from "../../core/media/emojis.ts";
import { typeOfFile } from "../../lib/media/media-types.ts";
import type { JsonObject } from "../documents.ts";

/** The local custom emoji in plain texts, as tags of a document. */
export function emojiTags(ctx: Context, texts: readonly string[]): JsonObject[] {
  return emojisIn(ctx, null, texts).map((emoji) => emojiDocument(ctx, emoji));
}

export function emojiDocument(ctx: Context, { shortcode, image }: CustomEmoji): JsonObject {
  return {
    id: localUrl(ctx, `/emojis/${shortcode}`),
    type: "Emoji",
    name: `:${shortcode}:`,
    icon: { type: "Image", mediaType: typeOfFile(image!), url: mediaUrl(ctx, image!) },
  };
}
