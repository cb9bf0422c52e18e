/** Longer names stay text: they are not meant as hashtags, and each would be a row and a page. In UTF-16 units. */
const MAX_NAME_LENGTH = 200;

/**
 * Source of a regular expression class (flag v) of word characters: letters, marks, digits and joining punctuation of
 * every script, as in Mastodon, but without the invisible marks that turn any character into an emoji.
 */
export const WORD = String.raw`[[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]--[\uFE00-\uFE0F\u20D0-\u20FF\u{E0100}-\u{E01EF}]]`;
/** Allowed inside a name, but not at its ends. */
const MEDIAL = "·・\u200C";
const HASHTAG = new RegExp(String.raw`(?<![=\/\)\p{Alphabetic}\p{Nd}])[#＃](${WORD}[${WORD}${MEDIAL}]*)`, "vy");

/**
 * The hashtag whose `#` (or full-width `＃`) is at `at`: its name as written and its end; null if there is none. A name
 * of digits is a number, unless it contains a separator. After a letter, digit, `/`, `=` or `)` it is part of an
 * address. These are the rules of Mastodon 4.5, which accepts `(#tag)`.
 */
export function hashtagAt(text: string, at: number): { name: string; end: number } | null {
  HASHTAG.lastIndex = at;
  const written = HASHTAG.exec(text)?.[1];
  if (written === undefined) return null;
  const start = at + 1;
  // "#tagshttps://…": in scripts without spaces an address may follow immediately.
  const beforeAddress = text.startsWith("://", start + written.length) ? written.replace(/https?$/, "") : written;
  const name = withoutTrailingMedials(beforeAddress);
  if (name.length > MAX_NAME_LENGTH || !holdsMoreThanNumber(name)) return null;
  return { name, end: start + name.length };
}

/** Whether the whole name, without `#`, is a valid hashtag. */
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

/** Letters of Latin-1 and Latin Extended-A without a separable accent, and the letters that Mastodon folds them to. */
const FOLDED: Record<string, string> = { ð: "d", đ: "d", ħ: "h", ı: "i", ĸ: "k", ł: "l", ŋ: "n", ø: "o", ŧ: "t" };

/**
 * The key under which a hashtag is stored and compared; "" if nothing remains. It is in NFKC and lower case, without
 * Western accents (`#Café` is `cafe`) and without any character that is no letter, digit or separator. The name as
 * written is stored beside it for display. Follows Mastodon's HashtagNormalizer, but keeps the viramas of Indic
 * scripts, without which `#हिन्दी` is misspelt, and truncates names that are longer than any hashtag.
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
