/** Longer names stay text: nobody means them, and each is a row and an address. In UTF-16 units. */
const MAX_NAME_LENGTH = 200;

/**
 * Source of a class (flag v) of what makes up words: letters, marks, digits and joining punctuation of every script, as
 * in Mastodon, but without the invisible marks by which a character becomes an emoji, which may follow anything.
 */
export const WORD = String.raw`[[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]--[\uFE00-\uFE0F\u20D0-\u20FF\u{E0100}-\u{E01EF}]]`;
/** May stand inside a name, not at its ends. */
const MEDIAL = "·・\u200C";
const HASHTAG = new RegExp(String.raw`(?<![=\/\)\p{Alphabetic}\p{Nd}])[#＃](${WORD}[${WORD}${MEDIAL}]*)`, "vy");

/**
 * The hashtag whose `#` (or full-width `＃`) stands at `at`: its name as written and where it ends. A name of digits
 * alone is a number, unless something inside separates them; after a letter, digit, `/`, `=` or `)` it is part of an
 * address. Rules of Mastodon 4.5, which still takes `(#tag)`.
 */
export function hashtagAt(text: string, at: number): { name: string; end: number } | null {
  HASHTAG.lastIndex = at;
  const written = HASHTAG.exec(text)?.[1];
  if (written === undefined) return null;
  const start = at + 1;
  // "#tagshttps://…": in scripts without spaces an address may follow at once.
  const beforeAddress = text.startsWith("://", start + written.length) ? written.replace(/https?$/, "") : written;
  const name = withoutTrailingMedials(beforeAddress);
  if (name.length > MAX_NAME_LENGTH || !holdsMoreThanNumber(name)) return null;
  return { name, end: start + name.length };
}

/** Whether a name, without `#`, is wholly a hashtag. */
export function isHashtagName(name: string): boolean {
  return hashtagAt(`#${name}`, 0)?.name === name;
}

function withoutTrailingMedials(name: string): string {
  let end = name.length;
  while (end > 0 && MEDIAL.includes(name[end - 1]!)) end--;
  return name.slice(0, end);
}

function holdsMoreThanNumber(name: string): boolean {
  return /\p{Alphabetic}/u.test(name) || /[_·・\u200C]/.test(name.slice(1, -1));
}

/** Letters of Latin-1 and Latin Extended-A that carry no separable accent, and what Mastodon folds them to. */
const FOLDED: Record<string, string> = { ð: "d", đ: "d", ħ: "h", ı: "i", ĸ: "k", ł: "l", ŋ: "n", ø: "o", ŧ: "t" };

/**
 * The key under which a hashtag is stored and compared, "" when nothing remains: compatible forms and case united,
 * Western accents dropped (`#Café` is `cafe`), all else that is no letter, digit or separator removed. What was
 * written is kept beside it for display. Follows Mastodon's HashtagNormalizer, save that it keeps the vowel killers of
 * Indic scripts, without which `#हिन्दी` is misspelt, and cuts what is longer than any hashtag.
 */
export function normaliseHashtag(name: string): string {
  const bounded = name.slice(0, MAX_NAME_LENGTH);
  if (/^[a-z0-9_]*$/.test(bounded)) return bounded;
  return bounded
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00e0-\u017f]/g, withoutAccent)
    .replace(/[^\p{Alphabetic}\p{Nd}_·・\u200C[\p{M}--\p{Script=Inherited}]]/gv, "");
}

function withoutAccent(letter: string): string {
  const folded = FOLDED[letter];
  if (folded !== undefined) return folded;
  const base = letter.normalize("NFD")[0]!;
  return base < "\x80" ? base : letter;
}
