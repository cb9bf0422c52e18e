import { plainWords } from "./text.ts";

/** Whether it is a language's code, with a region or script perhaps: `de`, `pt-BR`, `zh-Hant`. */
export function isLocale(text: string): boolean {
  return /^[a-z]{2,3}(-[A-Za-z]{2,4})?$/.test(text);
}

/** A language as an app names it, often in its device's way: `en_US`, `es-419`, `zh-Hant-TW`. */
export const DEVICE_LOCALE = /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$/;

/** The code of a language that is named so; without region and script where `isLocale()` would not take it with them. */
export function localeOf(named: string): string {
  return isLocale(named) ? named : named.split(/[_-]/, 1)[0]!.toLowerCase();
}

/** Languages that have a code of three letters only, and that people write in here, as with Mastodon. */
const LONG_CODES = "ast chr ckb cnr csb gsw jbo kab lfn moh nds pdc sco sma smj szl tok vai xal zgh".split(" ");

export interface Language {
  code: string;
  /** In English. */
  name: string;
}

/** The languages that a status can be in: all of ISO 639-1, and some more. */
export function knownLanguages(): Language[] {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return [...codes, ...LONG_CODES].flatMap((code) => {
    const name = Intl.getCanonicalLocales(code)[0] === code ? names.of(code) : undefined;
    return name === undefined ? [] : [{ code, name }];
  });
}

/** UTF-8 bytes of letters below which a text is too short to tell: about three words, or five Chinese characters. */
const MIN_LETTERS = 15;
/** Nobody needs more to know. */
const MAX_LENGTH = 2000;

/**
 * The language of a text as its ISO 639-1 code, told by its letters; null unless it is clear. Addresses, mentions and
 * hashtags don't count. What tells languages apart takes some megabytes of memory, so it is loaded at the first need.
 */
export async function detectLanguage(text: string): Promise<string | null> {
  const words = plainWords(text.slice(0, MAX_LENGTH));
  const letters = words.replaceAll(/[^\p{L}\p{M}]/gu, "");
  if (Buffer.byteLength(letters) < MIN_LETTERS) return null;
  const { eld } = await import("eld/extrasmall");
  const found = eld.detect(words);
  return found.isReliable() ? found.language || null : null;
}
