/**
 * Scripts that are written without spaces between words. Their text is cut into overlapping pairs of characters, so that
 * a word is found wherever it stands, also one of two characters, which trigrams would not find. The last character of a
 * run stands alone after its pairs: then a pair or a single character begins at every character.
 */
const CHARACTER =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー々〆]";
const UNSPACED = new RegExp(`${CHARACTER}+`, "gu");
const UNSPACED_END = new RegExp(`${CHARACTER}+$`, "u");

/** A word as the index has it: a run of what its tokenizer keeps, or one character of an unspaced script. */
const WORD = new RegExp(`${CHARACTER}|(?:(?!${CHARACTER})[\\p{L}\\p{N}\\p{M}\\p{Co}])+`, "gu");

const MAX_WORDS = 10_000;

/** A text as it goes into the index: NFKC, with runs of unspaced scripts as pairs. */
export function indexWords(text: string): string {
  return text
    .normalize("NFKC")
    .slice(0, MAX_WORDS * 8)
    .replace(UNSPACED, (run) => ` ${pairsOf(run).join(" ")} `);
}

/** A text up to its first `max` words, and how many words that is. */
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
 * A word or a phrase as FTS5 understands it: its words in this order, and for unspaced scripts their pairs. Null when
 * nothing in it could be found.
 */
export function phraseQuery(text: string): string | null {
  const prepared = text.normalize("NFKC").replaceAll('"', " ").trim();
  if (!/[\p{L}\p{N}]/u.test(prepared)) return null;
  // Where it ends in a run, the text may go on: what is sought are its pairs, or for one character whatever begins so.
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
