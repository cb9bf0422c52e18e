import { inLocale } from "./locales.ts";

/** The texts of an e-mail besides its greeting. */
export interface MailText {
  subject: string;
  paragraphs: string[];
  /** The label of the link, if there is one. */
  link?: string;
  /** After the link. */
  notes: string[];
}

/** The texts of all e-mails. `server` is the name of the server, `handle` that of the user. */
export interface MailTexts {
  language: "en" | "de" | "fr";
  greeting(name: string): string;
  confirm(handle: string): MailText;
  passwordReset(handle: string): MailText;
  test(): MailText;
}

const english: MailTexts = {
  language: "en",
  greeting: (name) => `Hello ${name},`,
  confirm: (handle) => ({
    subject: "Confirm your e-mail address",
    paragraphs: [`Please confirm that this is the e-mail address of ${handle}.`],
    link: "Confirm the address",
    notes: [
      "The link works once and expires after two days.",
      "If you didn't ask for this, ignore this e-mail: nothing happens without the confirmation.",
    ],
  }),
  passwordReset: (handle) => ({
    subject: "Choose a new password",
    paragraphs: [`You can choose a new password for ${handle}.`],
    link: "Choose a new password",
    notes: [
      "The link works once and expires after an hour.",
      "If you didn't ask for this, ignore this e-mail: your password stays as it is.",
    ],
  }),
  test: () => ({
    subject: "Test e-mail",
    paragraphs: ["This server can send e-mails."],
    notes: [],
  }),
};

const german: MailTexts = {
  language: "de",
  greeting: (name) => `Hallo ${name}!`,
  confirm: (handle) => ({
    subject: "Bestätige deine E-Mail-Adresse",
    paragraphs: [`Bitte bestätige, dass dies die E-Mail-Adresse von ${handle} ist.`],
    link: "Adresse bestätigen",
    notes: [
      "Der Link gilt einmal und zwei Tage lang.",
      "Wenn du das nicht wolltest, kannst du diese E-Mail ignorieren: Ohne Bestätigung geschieht nichts.",
    ],
  }),
  passwordReset: (handle) => ({
    subject: "Wähle ein neues Passwort",
    paragraphs: [`Du kannst ein neues Passwort für ${handle} wählen.`],
    link: "Neues Passwort wählen",
    notes: [
      "Der Link gilt einmal und eine Stunde lang.",
      "Wenn du das nicht wolltest, kannst du diese E-Mail ignorieren: Dein Passwort bleibt, wie es ist.",
    ],
  }),
  test: () => ({
    subject: "Test-E-Mail",
    paragraphs: ["Dieser Server kann E-Mails senden."],
    notes: [],
  }),
};

const french: MailTexts = {
  language: "fr",
  greeting: (name) => `Bonjour ${name},`,
  confirm: (handle) => ({
    subject: "Confirmez votre adresse e-mail",
    paragraphs: [`Veuillez confirmer que cette adresse e-mail est celle de ${handle}.`],
    link: "Confirmer l’adresse",
    notes: [
      "Le lien fonctionne une seule fois et expire au bout de deux jours.",
      "Si vous n’avez rien demandé, ignorez cet e-mail : sans confirmation, il ne se passe rien.",
    ],
  }),
  passwordReset: (handle) => ({
    subject: "Choisissez un nouveau mot de passe",
    paragraphs: [`Vous pouvez choisir un nouveau mot de passe pour ${handle}.`],
    link: "Choisir un nouveau mot de passe",
    notes: [
      "Le lien fonctionne une seule fois et expire au bout d’une heure.",
      "Si vous n’avez rien demandé, ignorez cet e-mail : votre mot de passe ne change pas.",
    ],
  }),
  test: () => ({
    subject: "E-mail de test",
    paragraphs: ["Ce serveur peut envoyer des e-mails."],
    notes: [],
  }),
};

const LANGUAGES = { en: english, de: german, fr: french };

/** The texts in the language of `locale`, or in English if there is no translation. */
export function mailTextsIn(locale: string): MailTexts {
  return inLocale<MailTexts>(LANGUAGES, locale);
}
