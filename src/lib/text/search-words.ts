/**
 * Scripts that are written without spaces between words. Their text is split into overlapping pairs of characters, so
 * that a word is found at any position, even a word of two characters, which trigrams would not find. The last
 * character of a run is added alone after the pairs, so that a token begins at every character.
 */
const CHARACTER =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー々〆]";
const UNSPACED = new RegExp(`${CHARACTER}+`, "gu");
const UNSPACED_END = new RegExp(`${CHARACTER}+$`, "u");

/** A word as in the index: a run of characters that its tokenizer keeps, or one character of an unspaced script. */
const WORD = new RegExp(`${CHARACTER}|(?:(?!${CHARACTER})[\\p{L}\\p{N}\\p{M}\\p{Co}])+`, "gu");

const MAX_WORDS = 10_000;

/** The text to index: NFKC, with runs of unspaced scripts as pairs. */
export function indexWords(text: string): string {
  return text
    .normalize("NFKC")
    .slice(0, MAX_WORDS * 8)
    .replace(UNSPACED, (run) => ` ${pairsOf(run).join(" ")} `);
}

/** The beginning of a text with at most `max` words, and its number of words. */
export function firstWords(text: string, max: number): { text: string; words: number } {
  const normal = text.normalize("NFKC");
  let [words, end] = [0, 0];
  for (const { 0: word, index } of normal.matchAll(WORD)) {
    if (words === max) return { text: normal.slice(0, end), words };
    words++;
    end = index + word.length;
  }
  return { text: normal, words };
}

/**
 * The FTS5 query for a word or a phrase: its words in this order, with unspaced scripts as pairs. Null if it contains
 * nothing to search for.
 */
export function phraseQuery(text: string): string | null {
  const prepared = text.normalize("NFKC").replaceAll('"', " ").trim();
  if (!/[\p{L}\p{N}]/u.test(prepared)) return null;
  // If it ends in a run, the run may continue in the text: search for its pairs, or for one character as a prefix.
  const [run = ""] = UNSPACED_END.exec(prepared) ?? [];
  const pairs = pairsOf(run);
  const sought =
    pairs.length > 1
      ? `${indexWords(prepared.slice(0, -run.length))} ${pairs.slice(0, -1).join(" ")}`
      : indexWords(prepared);
  return `"${sought.trim()}"${pairs.length === 1 ? " *" : ""}`;
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}
