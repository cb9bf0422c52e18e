import type { SignInChange } from "../db/mail-order.ts";
import { inLocale, timeInLocale } from "./locales.ts";
import type { MailText } from "./mail-texts.ts";

interface ChangeTexts {
  subject: string;
  /** `wanted` is the new e-mail address, if that is the change. */
  sentence(handle: string, wanted: string): string;
  /** Replaces the other one. */
  notYou?: string;
}

interface Texts {
  from(address: string, time: string): string;
  notYou: string;
  changes: Record<SignInChange, ChangeTexts>;
}

const LANGUAGES = {
  en: {
    from: (address, time) => `From the address ${address}, on ${time}.`,
    notYou:
      "If this wasn’t you, change your password and check all ways to sign in, in the settings. If you can’t sign in any more, contact the administrator of this server.",
    changes: {
      password: {
        subject: "Your password was changed",
        sentence: (handle) => `The password of ${handle} was changed.`,
      },
      password_reset: {
        subject: "Your password was changed",
        sentence: (handle) => `The password of ${handle} was changed with a link from an e-mail.`,
      },
      email: {
        subject: "Your e-mail address is being changed",
        sentence: (handle, wanted) =>
          `The e-mail address of ${handle} is being changed to ${wanted}. It changes as soon as the new address is confirmed.`,
        notYou: "If you didn't do this, sign in, cancel the change in the settings, and choose a new password.",
      },
      email_confirmed: {
        subject: "Your e-mail address was changed",
        sentence: (handle, wanted) => `The e-mail address of ${handle} was changed to ${wanted}.`,
      },
      email_removed: {
        subject: "Your e-mail address was removed",
        sentence: (handle) => `This e-mail address was removed from ${handle}.`,
      },
      passkey_added: {
        subject: "A passkey was added",
        sentence: (handle) => `A passkey with which you can sign in was added to ${handle}.`,
      },
      passkey_removed: {
        subject: "A passkey was removed",
        sentence: (handle) => `A passkey of ${handle} was removed.`,
      },
      codes_on: {
        subject: "One-time codes were turned on",
        sentence: (handle) => `Signing in to ${handle} now needs a code of an authenticator app.`,
      },
      codes_off: {
        subject: "One-time codes were turned off",
        sentence: (handle) => `The codes of the authenticator app for ${handle} were turned off.`,
      },
      recovery_codes: {
        subject: "You have new recovery codes",
        sentence: (handle) => `New recovery codes for ${handle} were created. The previous ones no longer work.`,
      },
      identity_linked: {
        subject: "An account was linked for signing in",
        sentence: (handle) => `An account of another service was linked: it can be used to sign in to ${handle}.`,
      },
      identity_unlinked: {
        subject: "An account was unlinked",
        sentence: (handle) =>
          `An account of another service was unlinked: it can no longer be used to sign in to ${handle}.`,
      },
    },
  },
  de: {
    from: (address, time) => `Von der Adresse ${address}, am ${time}.`,
    notYou:
      "Falls du das nicht warst, ändere dein Passwort und prüfe in den Einstellungen alle Wege, dich anzumelden. Wenn du dich nicht mehr anmelden kannst, wende dich an die Administration dieses Servers.",
    changes: {
      password: {
        subject: "Dein Passwort wurde geändert",
        sentence: (handle) => `Das Passwort von ${handle} wurde geändert.`,
      },
      password_reset: {
        subject: "Dein Passwort wurde geändert",
        sentence: (handle) => `Das Passwort von ${handle} wurde mit einem Link aus einer E-Mail geändert.`,
      },
      email: {
        subject: "Deine E-Mail-Adresse wird geändert",
        sentence: (handle, wanted) =>
          `Die E-Mail-Adresse von ${handle} wird in ${wanted} geändert. Sie ändert sich, sobald die neue Adresse bestätigt ist.`,
        notYou:
          "Wenn du das nicht warst, melde dich an, brich die Änderung in den Einstellungen ab und wähle ein neues Passwort.",
      },
      email_confirmed: {
        subject: "Deine E-Mail-Adresse wurde geändert",
        sentence: (handle, wanted) => `Die E-Mail-Adresse von ${handle} wurde in ${wanted} geändert.`,
      },
      email_removed: {
        subject: "Deine E-Mail-Adresse wurde entfernt",
        sentence: (handle) => `Diese E-Mail-Adresse wurde von ${handle} entfernt.`,
      },
      passkey_added: {
        subject: "Ein Passkey wurde hinzugefügt",
        sentence: (handle) => `Für ${handle} wurde ein Passkey hinzugefügt, mit dem du dich anmelden kannst.`,
      },
      passkey_removed: {
        subject: "Ein Passkey wurde entfernt",
        sentence: (handle) => `Ein Passkey von ${handle} wurde entfernt.`,
      },
      codes_on: {
        subject: "Einmalcodes wurden eingeschaltet",
        sentence: (handle) => `Für die Anmeldung bei ${handle} ist nun ein Code einer Authenticator-App nötig.`,
      },
      codes_off: {
        subject: "Einmalcodes wurden ausgeschaltet",
        sentence: (handle) => `Die Codes der Authenticator-App für ${handle} wurden ausgeschaltet.`,
      },
      recovery_codes: {
        subject: "Du hast neue Wiederherstellungscodes",
        sentence: (handle) =>
          `Für ${handle} wurden neue Wiederherstellungscodes erstellt. Die bisherigen gelten nicht mehr.`,
      },
      identity_linked: {
        subject: "Ein Konto wurde für die Anmeldung verknüpft",
        sentence: (handle) =>
          `Ein Konto bei einem anderen Dienst wurde verknüpft: Damit kann man sich bei ${handle} anmelden.`,
      },
      identity_unlinked: {
        subject: "Eine Verknüpfung wurde aufgehoben",
        sentence: (handle) =>
          `Die Verknüpfung mit dem Konto bei einem anderen Dienst wurde aufgehoben: Damit kann man sich nicht mehr bei ${handle} anmelden.`,
      },
    },
  },
  fr: {
    from: (address, time) => `Depuis l’adresse ${address}, le ${time}.`,
    notYou:
      "Si ce n’était pas vous, changez votre mot de passe et vérifiez dans les réglages toutes les façons de vous connecter. Si vous ne pouvez plus vous connecter, contactez l’administration de ce serveur.",
    changes: {
      password: {
        subject: "Votre mot de passe a été modifié",
        sentence: (handle) => `Le mot de passe de ${handle} a été modifié.`,
      },
      password_reset: {
        subject: "Votre mot de passe a été modifié",
        sentence: (handle) => `Le mot de passe de ${handle} a été modifié avec un lien reçu par e-mail.`,
      },
      email: {
        subject: "Votre adresse e-mail va changer",
        sentence: (handle, wanted) =>
          `L’adresse e-mail de ${handle} va devenir ${wanted}. Elle changera dès que la nouvelle adresse sera confirmée.`,
        notYou:
          "Si ce n’était pas vous, connectez-vous, annulez le changement dans les réglages et choisissez un nouveau mot de passe.",
      },
      email_confirmed: {
        subject: "Votre adresse e-mail a été modifiée",
        sentence: (handle, wanted) => `L’adresse e-mail de ${handle} est désormais ${wanted}.`,
      },
      email_removed: {
        subject: "Votre adresse e-mail a été retirée",
        sentence: (handle) => `Cette adresse e-mail a été retirée de ${handle}.`,
      },
      passkey_added: {
        subject: "Une clé d’accès a été ajoutée",
        sentence: (handle) => `Une clé d’accès qui permet de vous connecter a été ajoutée à ${handle}.`,
      },
      passkey_removed: {
        subject: "Une clé d’accès a été supprimée",
        sentence: (handle) => `Une clé d’accès de ${handle} a été supprimée.`,
      },
      codes_on: {
        subject: "Les codes à usage unique sont activés",
        sentence: (handle) =>
          `La connexion à ${handle} demande désormais un code d’une application d’authentification.`,
      },
      codes_off: {
        subject: "Les codes à usage unique sont désactivés",
        sentence: (handle) => `Les codes de l’application d’authentification de ${handle} ont été désactivés.`,
      },
      recovery_codes: {
        subject: "Vous avez de nouveaux codes de secours",
        sentence: (handle) =>
          `De nouveaux codes de secours ont été créés pour ${handle}. Les précédents ne fonctionnent plus.`,
      },
      identity_linked: {
        subject: "Un compte a été lié pour la connexion",
        sentence: (handle) => `Un compte d’un autre service a été lié : il permet de se connecter à ${handle}.`,
      },
      identity_unlinked: {
        subject: "Un compte a été délié",
        sentence: (handle) =>
          `Un compte d’un autre service a été délié : il ne permet plus de se connecter à ${handle}.`,
      },
    },
  },
} satisfies Record<string, Texts>;

/** The text of an e-mail about a change of how a user signs in. */
export function signInChangeMail(
  { locale, timeZone, handle }: { locale: string; timeZone: string; handle: string },
  { change, address, wanted, at }: { change: SignInChange; address: string; wanted: string; at: number },
): MailText {
  const { changes, from, notYou } = inLocale<Texts>(LANGUAGES, locale);
  const { subject, sentence, notYou: ownNote } = changes[change];
  const place = from(address, timeInLocale(LANGUAGES, at, { locale, timeZone }));
  return { subject, paragraphs: [sentence(handle, wanted), place], notes: [ownNote ?? notYou] };
}
