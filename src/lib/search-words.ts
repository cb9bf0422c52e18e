/**
 * Scripts that are written without spaces between words. Their text is cut into overlapping pairs of characters, so that
 * a word is found wherever it stands, also one of two characters, which trigrams would not find.
 */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々〆]+/gu;

const MAX_WORDS = 10_000;

/** A text as it goes into the index: NFKC, with runs of unspaced scripts as pairs. */
export function indexWords(text: string): string {
  return text
    .normalize("NFKC")
    .slice(0, MAX_WORDS * 8)
    .replace(UNSPACED, (run) => ` ${pairsOf(run).join(" ")} `);
}

/**
 * A word or a phrase as FTS5 understands it: its words in this order, and for unspaced scripts their pairs. Null when
 * nothing in it could be found.
 */
export function phraseQuery(text: string): string | null {
  const prepared = indexWords(text).replaceAll('"', " ").trim();
  if (!/[\p{L}\p{N}]/u.test(prepared)) return null;
  // A single character has no pair: it stands at the beginning of one.
  const single = /^\S$/u.test(prepared) && prepared.search(UNSPACED) === 0;
  return single ? `"${prepared}" *` : `"${prepared}"`;
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => characters[at]! + character);
}
