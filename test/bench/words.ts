/* The words of the benchmark's statuses. They are as frequent or as rare as in a language, and the same in each run. */

/** A placeholder in a text that differs for each status. */
export const PLACEHOLDER = "PLACEHOLDER";

const VOCABULARY = 50_000;
/** About 140 characters. */
const WORDS_PER_TEXT = 20;
const SYLLABLES = [..."bdfgklmnprstv"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));

/** The `rank`-th most common word, counted from 1. */
export function word(rank: number): string {
  let [text, rest] = ["", rank + SYLLABLES.length];
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) text += SYLLABLES[rest % SYLLABLES.length]!;
  return text;
}

/** Returns a different text each time. Rank times frequency is about the same for all words, as in any language. */
export function textGenerator(): () => string {
  const random = numbers();
  const words = Array.from({ length: VOCABULARY }, (_, at) => word(at + 1));
  const next = () => words[Math.floor(VOCABULARY ** random()) - 1]!;
  return () => Array.from({ length: WORDS_PER_TEXT }, next).join(" ");
}

/** Pseudorandom numbers from 0 to 1 (mulberry32). */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
