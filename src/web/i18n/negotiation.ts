import { german } from "./de.ts";
import { english } from "./en.ts";
import { french } from "./fr.ts";
import type { Messages } from "./messages.ts";
import type { Language } from "./texts.ts";

const LANGUAGES: Record<Language, Messages> = { en: english, de: german, fr: french };

/** The texts in the first supported language of these, else in the browser's first supported one, else in English. */
export function messagesFor(wanted: readonly (string | null)[], acceptLanguage: string | null): Messages {
  return LANGUAGES[languageFor(wanted, acceptLanguage)];
}

/** The first supported language of these, then of the browser's; English otherwise. */
export function languageFor(wanted: readonly (string | null)[], acceptLanguage: string | null): Language {
  for (const tag of [...wanted, ...preferences(acceptLanguage ?? "")]) {
    const language = tag?.toLowerCase().split(/[-_]/, 1)[0] ?? "";
    if (Object.hasOwn(LANGUAGES, language)) return language as Language;
  }
  return "en";
}

/** The languages of an Accept-Language header, most preferred first. */
function preferences(header: string): string[] {
  const weighted = header
    .slice(0, 500)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((text) => text.trim());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return { tag, weight: Number(quality) || 0 };
    });
  return weighted
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}
