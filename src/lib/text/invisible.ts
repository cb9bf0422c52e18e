/** Control characters and direction marks, with which a text could rearrange the text around it. */
export const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const LINE_BREAKS = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;

/**
 * Control characters, and the direction controls that also reverse the text after them if they have no end. The simple
 * direction marks stay: they do no more than a letter, and names in Arabic or Hebrew need them.
 */
const HARMFUL = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u;

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * One line of plain text from another server, such as a display name, the name of a field or a poll option. Line breaks
 * become spaces; control characters and direction controls are removed. At most `max` UTF-16 units long, cut between
 * graphemes. Empty if nothing in it is visible.
 */
export function cleanName(text: string, max: number): string {
  return clean(
    text
      .slice(0, MARGIN * max)
      .replace(LINE_BREAKS, " ")
      .replaceAll("\t", " "),
    max,
  );
}

/** Plain text from another server, such as a media description: like `cleanName()`, but it keeps its line breaks. */
export function cleanText(text: string, max: number): string {
  return clean(text.slice(0, MARGIN * max).replace(LINE_BREAKS, "\n"), max);
}

/** How much of a long text to read, since some of it may be removed. */
const MARGIN = 4;

function clean(text: string, max: number): string {
  const cleaned = truncate(text.toWellFormed().replace(HARMFUL, "").trim(), max).trimEnd();
  return VISIBLE.test(cleaned) ? cleaned : "";
}

function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const { index } = GRAPHEMES.segment(text).containing(max)!;
  // One grapheme can have thousands of accents.
  return index > 0 ? text.slice(0, index) : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
