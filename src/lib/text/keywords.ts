import { WORD } from "./hashtags.ts";

/** A keyword, prepared for matching. */
export interface Pattern {
  keyword: string;
  /** The keyword as it appears in a folded text; see `fold()`. */
  folded: string;
  /** Whether a word boundary is required before and after it. */
  bounded: { before: boolean; after: boolean };
}

const ENDS_IN_WORD = new RegExp(`${WORD}$`, "v");
const BEGINS_WITH_WORD = new RegExp(`^${WORD}`, "v");

/** Normalises a text for keyword matching, which ignores case and how accents are composed. */
export function fold(text: string): string {
  // To upper case, since Greek has two small sigmas for one capital.
  return text.normalize().toUpperCase();
}

/**
 * The pattern of a keyword that matches whole words or any part of the text. As in Mastodon, a word boundary is only
 * required where the keyword itself begins or ends with a word character: "#cats" may follow anything.
 */
export function patternOf(keyword: string, wholeWord: boolean): Pattern {
  const folded = fold(keyword);
  const bounded = {
    before: wholeWord && BEGINS_WITH_WORD.test(folded),
    after: wholeWord && ENDS_IN_WORD.test(folded),
  };
  return { keyword, folded, bounded };
}

/** Whether a folded text contains the keyword. */
export function matchesPattern(text: string, { folded, bounded }: Pattern): boolean {
  for (let at = text.indexOf(folded); at >= 0; at = text.indexOf(folded, at + 1)) {
    const end = at + folded.length;
    // Two UTF-16 units, since a letter may need both.
    const goesOn =
      (bounded.before && ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at))) ||
      (bounded.after && BEGINS_WITH_WORD.test(text.slice(end, end + 2)));
    if (!goesOn) return true;
  }
  return false;
}
