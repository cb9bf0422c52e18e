import { WORD } from "./hashtags.ts";

/** A keyword as it is looked for. */
export interface Pattern {
  keyword: string;
  /** What stands in the text; see `fold()`. */
  folded: string;
  /** Whether no word may go on before or after it. */
  bounded: { before: boolean; after: boolean };
}

const ENDS_IN_WORD = new RegExp(`${WORD}$`, "v");
const BEGINS_WITH_WORD = new RegExp(`^${WORD}`, "v");

/** A text without what makes no difference to keywords: case, and how accents are composed. */
export function fold(text: string): string {
  // Upwards, since Greek has two small sigmas for one capital.
  return text.normalize().toUpperCase();
}

/**
 * A keyword, as whole words or wherever its letters stand. As with Mastodon the bounds of words count only where the
 * keyword itself begins or ends with a word: "#cats" may follow anything, in scripts without spaces too.
 */
export function patternOf(keyword: string, wholeWord: boolean): Pattern {
  const folded = fold(keyword);
  const bounded = {
    before: wholeWord && BEGINS_WITH_WORD.test(folded),
    after: wholeWord && ENDS_IN_WORD.test(folded),
  };
  return { keyword, folded, bounded };
}

/** Whether a text, folded, holds the keyword. */
export function holds(text: string, { folded, bounded }: Pattern): boolean {
  for (let at = text.indexOf(folded); at >= 0; at = text.indexOf(folded, at + 1)) {
    const end = at + folded.length;
    // Two units, since a letter may take both.
    const goesOn =
      (bounded.before && ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at))) ||
      (bounded.after && BEGINS_WITH_WORD.test(text.slice(end, end + 2)));
    if (!goesOn) return true;
  }
  return false;
}
