const EMOJI = /^\p{RGI_Emoji}$/v;
/** Characters that are drawn as text unless a variation selector or modifier follows. */
const DRAWN_AS_TEXT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;
const AS_EMOJI = "\uFE0F";

/**
 * The fully qualified form of a text that is one emoji; null for any other text. Keyboards often omit the invisible
 * variation selectors; the emoji is the same with and without them.
 */
export function unicodeEmoji(text: string): string | null {
  if (EMOJI.test(text)) return text;
  const full = text.replaceAll(AS_EMOJI, "").replace(DRAWN_AS_TEXT, `$&${AS_EMOJI}`);
  return EMOJI.test(full) ? full : null;
}
