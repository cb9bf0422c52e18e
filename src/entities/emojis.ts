import type { Context } from "../context.ts";
import { type CustomEmoji, emojisIn, emojisOf } from "../core/media/emojis.ts";
import { rejectsMedia } from "../core/remote-media/rejected-media.ts";
import { remoteEmojiUrl } from "../core/remote-media/remote-names.ts";
import { mediaUrl } from "../core/addresses.ts";

/** Mastodon's CustomEmoji (entities/CustomEmoji). A missing category is omitted, as in Mastodon. */
export type EmojiJson = ReturnType<typeof emojiJson>;

export function emojiJson(ctx: Context, emoji: CustomEmoji) {
  return {
    shortcode: emoji.shortcode,
    url: emoji.image === null ? remoteEmojiUrl(ctx, emoji, "original") : mediaUrl(ctx, emoji.image),
    static_url: emoji.static_image === null ? remoteEmojiUrl(ctx, emoji, "static") : mediaUrl(ctx, emoji.static_image),
    visible_in_picker: emoji.visible_in_picker === 1,
    ...(emoji.category !== null && { category: emoji.category }),
  };
}

/** The emoji of this server for pickers, without the hidden ones. */
export function showListedEmojis(ctx: Context): EmojiJson[] {
  const listed = [...emojisOf(ctx, null).values()].filter((emoji) => emoji.visible_in_picker === 1);
  return listed.map((emoji) => emojiJson(ctx, emoji));
}

/** The custom emoji in plain texts whose author is on `domain` (null for this server). */
export function emojisJson(ctx: Context, domain: string | null, texts: readonly string[]): EmojiJson[] {
  if (rejectsMedia(ctx, domain)) return [];
  return emojisIn(ctx, domain, texts).map((emoji) => emojiJson(ctx, emoji));
}
