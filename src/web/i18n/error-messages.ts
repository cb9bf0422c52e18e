import type { Context } from "../../context.ts";
import { searchOf } from "../../lib/http/params.ts";
import { localeOfToken } from "../../oauth/guard.ts";
import * as german from "./errors-de.ts";
import * as french from "./errors-fr.ts";
import { formErrors, UNUSABLE_FILE } from "./form-errors.ts";
import { languageFor } from "./negotiation.ts";
import type { Language } from "./texts.ts";

interface Sentence {
  /** Matches the English sentence, with a group for each value in it. */
  pattern: RegExp;
  /** The names of the values, in the order of the groups. */
  values: string[];
  translation: string;
}

interface Catalogue {
  sentences: Sentence[];
  fields: Record<string, string>;
}

/** The values that could otherwise include the next reasons. */
const VALUES: Partial<Record<string, string>> = { field: "([A-Z][\\w ]*)", count: "(-?[\\d.]+)" };

const CATALOGUES: Partial<Record<string, Catalogue>> = { de: catalogueOf(german), fr: catalogueOf(french) };

/** The sentences as they are, to find where one reason ends and the next one begins. */
const REASONS = catalogueOf({ sentences: { ...unchanged(), [UNUSABLE_FILE]: UNUSABLE_FILE }, fields: {} });

const FORMS: Record<Language, Catalogue> = {
  en: catalogueOf({ sentences: { ...unchanged(), ...formErrors.en }, fields: {} }),
  de: catalogueOf({ sentences: { ...german.sentences, ...formErrors.de }, fields: german.fields }),
  fr: catalogueOf({ sentences: { ...french.sentences, ...formErrors.fr }, fields: french.fields }),
};

const FAILED = "Validation failed: ";

function unchanged(): Record<string, string> {
  return Object.fromEntries(Object.keys(german.sentences).map((sentence) => [sentence, sentence]));
}

function catalogueOf({ sentences, fields }: Record<"sentences" | "fields", Record<string, string>>): Catalogue {
  const literal = (english: string) => english.replaceAll(/\{\w+\}/g, "").length;
  // The most specific first: "File content type is invalid" is not about a field of that name.
  const exactFirst = Object.entries(sentences).toSorted(([a], [b]) => literal(b) - literal(a));
  return { sentences: exactFirst.map(([english, translation]) => sentenceOf(english, translation)), fields };
}

function sentenceOf(english: string, translation: string): Sentence {
  const values: string[] = [];
  const source = english.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    values.push(part);
    return VALUES[part] ?? "(.+)";
  });
  return { pattern: new RegExp(`^${source.join("")}$`, "s"), values, translation };
}

/**
 * The language for a request's errors: its parameter `lang`, the locale of the token's user, then its Accept-Language;
 * English if the pages have none of these.
 */
export function errorLanguage(ctx: Context, request: Request): string {
  // Not parseQuery(), which may refuse the query again if the query caused this error.
  const asked = new URLSearchParams(searchOf(request.url)).get("lang");
  return languageFor([asked, userLocale(ctx, request)], request.headers.get("accept-language"));
}

/** Null if the database fails, since it may have caused the error that is reported. */
function userLocale(ctx: Context, request: Request): string | null {
  try {
    return localeOfToken(ctx, request.headers.get("authorization"));
  } catch {
    return null;
  }
}

/** An error in another language; in English if it has no translation. */
export function inLanguage(message: string, language: string): string {
  return translate(message, language) ?? message;
}

/** The reasons in a message of the API, one by one. */
export function reasonsOf(message: string): string[] {
  const text = withoutBeginning(message);
  return text === message ? [message] : (reasonsIn(REASONS, text) ?? [text]);
}

/** A reason as a form shows it: a whole sentence. */
export function inForm(reason: string, language: Language): string {
  const sentence = sentenceIn(FORMS[language], reason) ?? reason;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** All reasons of a message as a page shows them. */
export function onPage(message: string, language: Language): string {
  return [...new Set(reasonsOf(message).map((reason) => inForm(reason, language)))].join(" ");
}

function withoutBeginning(message: string): string {
  return message.startsWith(FAILED) ? message.slice(FAILED.length) : message;
}

/** The problem with a field, without the field's name: "can't be blank". */
export function describeIn(description: string, language: string): string {
  const translation = translate(`Field ${description}`, language);
  return translation === null ? description : translation.replace(/^Field (?:: )?/, "");
}

/** Null if the sentence, or one of its reasons, has no translation; unchanged for English. */
export function translate(message: string, language: string): string | null {
  const catalogue = CATALOGUES[language];
  if (!catalogue) return message;
  if (!message.startsWith(FAILED)) return sentenceIn(catalogue, message);
  const reasons = reasonsIn(catalogue, message.slice(FAILED.length));
  return reasons && sentenceIn(catalogue, FAILED + reasons.join(", "));
}

/** Reasons are separated by commas, and some have commas of their own. */
function reasonsIn(catalogue: Catalogue, text: string): string[] | null {
  const whole = sentenceIn(catalogue, text);
  if (whole !== null) return [whole];
  for (let at = text.indexOf(", "); at >= 0; at = text.indexOf(", ", at + 1)) {
    const first = sentenceIn(catalogue, text.slice(0, at));
    const others = first === null ? null : reasonsIn(catalogue, text.slice(at + 2));
    if (others) return [first!, ...others];
  }
  return null;
}

function sentenceIn({ sentences, fields }: Catalogue, text: string): string | null {
  for (const { pattern, values, translation } of sentences) {
    const found = pattern.exec(text);
    if (!found) continue;
    return translation.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = found[values.indexOf(name) + 1]!;
      return name === "field" ? (fields[value] ?? value) : value;
    });
  }
  return null;
}
