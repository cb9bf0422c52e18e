import type { Context } from "../context.ts";
import { newBrowsersWith, type NewBrowserRow } from "../core/sign-in/new-browsers.ts";
import { programIn, systemIn } from "../core/sign-in/user-agents.ts";
import { inLocale } from "./locales.ts";

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
    details: "Si ce n’était pas vous, changez votre mot de passe et déconnectez ce navigateur dans les paramètres.",
  },
} satisfies Record<string, Texts>;

/** Mastodon's NotificationFallback (entities/NotificationFallback) of sign-ins from new browsers, as JSON text by id. */
export function signInTexts(ctx: Context, ids: readonly number[]): Map<number, string> {
  return new Map(newBrowsersWith(ctx.db, ids).map((row) => [row.id, JSON.stringify(fallback(row))]));
}

function fallback({ locale, address, user_agent }: NewBrowserRow) {
  const texts = inLocale<Texts>(LANGUAGES, locale);
  const [program, system] = [programIn(user_agent), systemIn(user_agent)];
  const browser = program && system ? texts.browser(program, system) : (program ?? system ?? texts.unknown);
  return { title: texts.title, summary: texts.summary(browser, address), details: texts.details };
}
