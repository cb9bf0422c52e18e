import { htmlToText } from "./html.ts";

const MAX_LENGTH = 128;

/** Whether a local emoji may have this shortcode, by Mastodon's rule. */
export function isShortcode(text: string): boolean {
  return /^\w{2,}$/.test(text) && text.length <= MAX_LENGTH;
}

/** A quick check that most texts fail. */
const CANDIDATE = /:\w\w+:/;

/**
 * Mastodon's SCAN_RE: no letter, digit or colon may touch the outer colons, so that words and times of day contain no
 * emoji.
 */
const USED = String.raw`(?<![\p{Alphabetic}\p{Nd}:]):(\w{2,}):(?![\p{Alphabetic}\p{Nd}:])`;
const SHORTCODES = new RegExp(USED, "gu");
const TAGS_AND_SHORTCODES = new RegExp(`<[^<>]*>|${USED}`, "gu");

/** The shortcodes that texts use, each once, in order of appearance. */
export function shortcodesIn(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    if (!CANDIDATE.test(text)) continue;
    for (const [, shortcode] of text.matchAll(SHORTCODES)) found.add(shortcode!);
  }
  return [...found];
}

/** The text of stored HTML in which to search for shortcodes; "" if a quick check finds none, since parsing is slow. */
export function wordsWithShortcodes(html: string): string {
  return CANDIDATE.test(html) ? htmlToText(html) : "";
}

/** Replaces the shortcodes in stored HTML. A shortcode stays unchanged if its replacement is null. */
export function replaceShortcodes(html: string, replacement: (shortcode: string) => string | null): string {
  if (!CANDIDATE.test(html)) return html;
  return html.replace(
    TAGS_AND_SHORTCODES,
    (found: string, shortcode?: string) => (shortcode === undefined ? null : replacement(shortcode)) ?? found,
  );
}

/** Marks the known shortcodes in stored HTML as text not to be translated. */
export function protectShortcodes(html: string, isKnown: (shortcode: string) => boolean): string {
  return replaceShortcodes(html, (shortcode) =>
    isKnown(shortcode) ? `<span translate="no">:${shortcode}:</span>` : null,
  );
}
