import { isShortcode } from "../../lib/text/shortcodes.ts";
import { unicodeEmoji } from "../../lib/text/unicode-emoji.ts";
import { type Json, stringOf } from "./json.ts";

const MAX_LENGTH = 300;

/**
 * The emoji of a reaction, in `content`: a Unicode emoji, or the shortcode of a custom one between colons, which some
 * servers leave out. Null for a plain favourite, and for any other text.
 */
export function reactionEmojiOf(json: Json): string | null {
  const content = stringOf(json.content, MAX_LENGTH).trim();
  const unicode = unicodeEmoji(content);
  if (unicode !== null) return unicode;
  const shortcode = content.replace(/^:(.*):$/s, "$1");
  return isShortcode(shortcode) ? `:${shortcode}:` : null;
}
