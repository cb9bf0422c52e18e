const EMOJI = /^\p{RGI_Emoji}$/v;
/** Characters that are drawn as text unless what follows them says otherwise. */
const DRAWN_AS_TEXT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;
const AS_EMOJI = "\uFE0F";

/**
 * The one emoji that a text is, written in full; null for anything else. Keyboards leave out the invisible characters
 * that ask for a picture, and with or without them it is the same one.
 */
export function unicodeEmoji(text: string): string | null {
  if (EMOJI.test(text)) return text;
  const full = text.replaceAll(AS_EMOJI, "").replace(DRAWN_AS_TEXT, `$&${AS_EMOJI}`);
  return EMOJI.test(full) ? full : null;
}
