import type { Context } from "../../context.ts";
import { newBrowsersWith, type NewBrowserRow } from "../../core/sign-in/new-browsers.ts";
import { programIn, systemIn } from "../../core/sign-in/user-agents.ts";
import { inLocale, timeInLocale } from "../locales.ts";
import type { MailText } from "../mail-texts.ts";

interface Texts {
  title: string;
  unknown: string;
  browser(program: string, system: string): string;
  summary(browser: string, address: string): string;
  details: string;
}

const LANGUAGES = {
  en: {
    title: "New sign-in",
    unknown: "an unknown browser",
    browser: (program, system) => `${program} on ${system}`,
    summary: (browser, address) => `You signed in with ${browser}, from the address ${address}.`,
    details: "If this wasn’t you, change your password and sign that browser out in the settings.",
  },
  de: {
    title: "Neue Anmeldung",
    unknown: "einem unbekannten Browser",
    browser: (program, system) => `${program} unter ${system}`,
    summary: (browser, address) => `Du hast dich mit ${browser} angemeldet, von der Adresse ${address}.`,
    details: "Falls du das nicht warst, ändere dein Passwort und melde diesen Browser in den Einstellungen ab.",
  },
  fr: {
    title: "Nouvelle connexion",
    unknown: "un navigateur inconnu",
    browser: (program, system) => `${program} sous ${system}`,
    summary: (browser, address) => `Vous vous êtes connecté avec ${browser}, depuis l’adresse ${address}.`,
    details: "Si ce n’était pas vous, changez votre mot de passe et déconnectez ce navigateur dans les réglages.",
  },
} satisfies Record<string, Texts>;

/** Mastodon's NotificationFallback (entities/NotificationFallback) of sign-ins from new browsers, as JSON text by id. */
export function signInTexts(ctx: Context, ids: readonly number[], language?: string): Map<number, string> {
  return new Map(newBrowsersWith(ctx.db, ids).map((row) => [row.id, JSON.stringify(fallback(row, language))]));
}

/** The text of an e-mail about a sign-in from a new browser; null if its row is gone. */
export function signInMail(ctx: Context, id: number): MailText | null {
  const [row] = newBrowsersWith(ctx.db, [id]);
  if (!row) return null;
  const { title, summary, details } = fallback(row);
  const timeZone = row.time_zone ?? "UTC";
  const time = timeInLocale(LANGUAGES, row.created_at, { locale: row.locale, timeZone });
  return { subject: title, paragraphs: [summary, time], notes: [details] };
}

function fallback({ locale, address, user_agent }: NewBrowserRow, language = locale) {
  const texts = inLocale<Texts>(LANGUAGES, language);
  const [program, system] = [programIn(user_agent), systemIn(user_agent)];
  const browser = program && system ? texts.browser(program, system) : (program ?? system ?? texts.unknown);
  return { title: texts.title, summary: texts.summary(browser, address), details: texts.details };
}
