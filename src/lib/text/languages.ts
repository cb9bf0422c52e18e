import { plainWords } from "./text.ts";

/** Whether it is a language code, with an optional region or script: `de`, `pt-BR`, `zh-Hant`. */
export function isLocale(text: string): boolean {
  return /^[a-z]{2,3}(-[A-Za-z]{2,4})?$/.test(text);
}

/** A locale as apps send it, often in the device's format: `en_US`, `es-419`, `zh-Hant-TW`. */
export const DEVICE_LOCALE = /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$/;

/** The language code of a device locale; without region and script if `isLocale()` rejects it with them. */
export function localeOf(named: string): string {
  return isLocale(named) ? named : named.split(/[_-]/, 1)[0]!.toLowerCase();
}

/** Languages whose only code has three letters, as supported by Mastodon. */
const LONG_CODES = "ast chr ckb cnr csb gsw jbo kab lfn moh nds pdc sco sma smj szl tok vai xal zgh".split(" ");

export interface Language {
  code: string;
  /** In English. */
  name: string;
}

/** The languages that a status can have: all of ISO 639-1 and `LONG_CODES`. */
export function knownLanguages(): Language[] {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return [...codes, ...LONG_CODES].flatMap((code) => {
    const name = Intl.getCanonicalLocales(code)[0] === code ? names.of(code) : undefined;
    return name === undefined ? [] : [{ code, name }];
  });
}

/** UTF-8 bytes of letters that detection needs at least: about three words, or five Chinese characters. */
const MIN_LETTERS = 15;
/** Detection needs no more than this, in UTF-16 units. */
const MAX_LENGTH = 2000;

/**
 * Detects the language of a text. Returns its ISO 639-1 code, or null unless it is clear. Ignores addresses, mentions
 * and hashtags. The detector takes a few megabytes of memory, so it is loaded on first use.
 */
export async function detectLanguage(text: string): Promise<string | null> {
  const words = plainWords(text.slice(0, MAX_LENGTH));
  const letters = words.replaceAll(/[^\p{L}\p{M}]/gu, "");
  if (Buffer.byteLength(letters) < MIN_LETTERS) return null;
  const { eld } = await import("eld/extrasmall");
  const found = eld.detect(words);
  return found.isReliable() ? found.language || null : null;
}
