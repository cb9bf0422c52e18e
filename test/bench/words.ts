/* What the statuses of the benchmark say: words that are as often or as rare as words are, the same in each run. */

/** Stands in a text where each status says something of its own. */
export const SAYING = "SAYING";

const VOCABULARY = 50_000;
/** About a hundred and forty characters. */
const WORDS_IN_A_SAYING = 20;
const SYLLABLES = [..."bdfgklmnprstv"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));

/** The word that is the `rank`-th most common; ranks begin with 1. */
export function word(rank: number): string {
  let [text, rest] = ["", rank + SYLLABLES.length];
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) text += SYLLABLES[rest % SYLLABLES.length]!;
  return text;
}

/** Says something else each time. A word's rank times its frequency is about the same for all, as in any language. */
export function sayings(): () => string {
  const random = numbers();
  const words = Array.from({ length: VOCABULARY }, (_, at) => word(at + 1));
  const next = () => words[Math.floor(VOCABULARY ** random()) - 1]!;
  return () => Array.from({ length: WORDS_IN_A_SAYING }, next).join(" ");
}

/** Numbers from 0 to 1 that look like chance (mulberry32). */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
