import { sanitize } from "../../lib/sanitize.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { cleanName, cleanText } from "../../lib/text/invisible.ts";
import { DEVICE_LOCALE, localeOf } from "../../lib/text/languages.ts";
import { isBlank, isJson, stringOf, type Json } from "./json.ts";

const MAX_NAME_LENGTH = 2048;
/** As in Mastodon. */
const MAX_DESCRIPTION_LENGTH = 10_000;

/** A name in one line. It is plain text, as Mastodon reads it: neither tags nor entities have a meaning. */
export function nameOf(value: unknown): string {
  return cleanName(stringOf(value, 2 * MAX_NAME_LENGTH), MAX_NAME_LENGTH);
}

/** A short text as sent, for values that are compared with their origin. */
export function rawNameOf(value: unknown): string {
  return stringOf(value, MAX_NAME_LENGTH);
}

/** Sanitised HTML of at most `max` UTF-16 units of input. */
export function htmlOf(value: unknown, max: number): string {
  // Truncated by the sanitiser, which cuts no tag or entity in two.
  return typeof value === "string" ? sanitize(value, { maxLength: max }) : "";
}

const TAG =
  /<\/?(?:a|abbr|b|blockquote|br|code|del|div|em|h[1-6]|i|li|ol|p|pre|q|s|small|span|strong|u|ul)(?:\s[^<>]*)?\/?>/i;

/**
 * The plain text of a summary. By the vocabulary it is HTML, as some servers send it, but Mastodon sends plain text. So
 * only a summary with a common tag is parsed as HTML; in any other, `<` and `>` are characters. Entities are decoded.
 */
export function plainTextOf(value: unknown, max: number): string {
  const text = stringOf(value, max);
  const html = TAG.test(text)
    ? sanitize(text, { maxLength: max })
    : text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return cleanText(htmlToText(html), max);
}

/** A content warning. One without visible text, as Misskey sends it, still hides the status. */
export function warningOf(value: unknown, max: number): string {
  return plainTextOf(value, max) || (isBlank(value) ? "" : "\u200B");
}

/** The alt text of a file: `summary`, as GoToSocial sends it, or `name`. This is Mastodon's order. */
export function descriptionOf({ summary, name }: Json): string {
  return (
    plainTextOf(summary, MAX_DESCRIPTION_LENGTH) ||
    cleanText(stringOf(name, MAX_DESCRIPTION_LENGTH), MAX_DESCRIPTION_LENGTH)
  );
}

export interface Translation {
  text: string;
  /** A language code of `lib/text/languages.ts`; null if it is not given. */
  language: string | null;
}

const MAX_LANGUAGES = 50;

/**
 * A property that may also be given as a map from languages, such as `content` and `contentMap`. The map is used if the
 * property itself is blank. The language is the one whose text is the property's, or the only one.
 */
export function translationOf(json: Json, property: string): Translation {
  const languages = languagesOf(json[`${property}Map`]);
  const given = json[property];
  if (typeof given !== "string" || isBlank(given)) {
    const [first] = languages;
    return first === undefined ? { text: "", language: null } : { text: first[1], language: languageOf(first[0]) };
  }
  const same = languages.find(([, text]) => text === given) ?? (languages.length === 1 ? languages[0] : undefined);
  return { text: given, language: same === undefined ? null : languageOf(same[0]) };
}

function languagesOf(map: unknown): [language: string, text: string][] {
  if (!isJson(map)) return [];
  return Object.keys(map)
    .slice(0, MAX_LANGUAGES)
    .flatMap((language) => {
      const text = map[language];
      return typeof text === "string" && !isBlank(text) ? [[language, text]] : [];
    });
}

/** Undetermined, no linguistic content, several. */
const NO_LANGUAGE = new Set(["und", "zxx", "mul"]);

function languageOf(code: string): string | null {
  if (code.length > 35 || !DEVICE_LOCALE.test(code)) return null;
  const locale = localeOf(code);
  return NO_LANGUAGE.has(locale) ? null : locale;
}
