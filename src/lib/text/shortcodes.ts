import { htmlToText } from "./html.ts";

const MAX_LENGTH = 128;

/** Whether an emoji of ours may be called so, by Mastodon's rule. */
export function isShortcode(text: string): boolean {
  return /^\w{2,}$/.test(text) && text.length <= MAX_LENGTH;
}

/** What most texts don't have, and quick to look for. */
const CANDIDATE = /:\w\w+:/;

/**
 * By Mastodon's SCAN_RE: no letter, digit or colon touches the outer colons, so that neither words nor times of day hold
 * an emoji.
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

/** The words of stored HTML to look for shortcodes in; none where there can't be any, since reading them takes longer. */
export function wordsWithShortcodes(html: string): string {
  return CANDIDATE.test(html) ? htmlToText(html) : "";
}

/** Stored HTML with something else in place of its shortcodes; where that is null, one stays as it is. */
export function replaceShortcodes(html: string, replacement: (shortcode: string) => string | null): string {
  if (!CANDIDATE.test(html)) return html;
  return html.replace(
    TAGS_AND_SHORTCODES,
    (found: string, shortcode?: string) => (shortcode === undefined ? null : replacement(shortcode)) ?? found,
  );
}

/** Stored HTML with its shortcodes marked as what is the same in every language. */
export function protectShortcodes(html: string, isKnown: (shortcode: string) => boolean): string {
  return replaceShortcodes(html, (shortcode) =>
    isKnown(shortcode) ? `<span translate="no">:${shortcode}:</span>` : null,
  );
}
