import { textsIn } from "../i18n/texts.ts";

export const mailTexts = textsIn(
  {
    forgotPassword: "Forgotten your password?",
    resetTitle: "Choose a new password",
    resetIntro: "You get an e-mail with a link to choose a new password.",
    noMail: "This server sends no e-mails. Its administrator can set a new password with this command:",
    sendLink: "Send the link",
    linkSentTitle: "Check your e-mail",
    linkSent:
      "If there is an account with this name or address, and it has a confirmed e-mail address, the link is on its way. It works for an hour.",
    noLinkYet: "No e-mail after a few minutes? Look in the spam folder, or ask the administrator of this server.",
    newPassword: "New password",
    signOutEverywhere: "Sign out all browsers and apps",
    signOutEverywhereHelp: "Choose this if someone else may have used your account.",
    setPassword: "Set the password",
    passwordSetTitle: "Your password has been changed",
    passwordSet: "You can sign in with it now. One-time codes and passkeys stay as they are.",
    brokenLinkTitle: "This link is not valid",
    brokenLink: "It may have expired, or it was used already. Each link works once.",
    askAgain: "Ask for a new link",

    confirmTitle: "Confirm your e-mail address",
    confirmIntro: (address: string) => `Is ${address} your address?`,
    confirm: "Yes, confirm it",
    confirmedTitle: "Your address is confirmed",
    confirmed: "You can use your account now.",
    pending: "Your account is now waiting for approval by the administrator.",
    confirmFirst: "Confirm your e-mail address first: use the link in the e-mail that you got.",

    emailAddress: "E-mail address",
    whatFor: "You can sign in with your address, and get a new password if you forget yours. Nobody else sees it.",
    whatForWithoutMail: "You can sign in with your address. Nobody else sees it. This server sends no e-mails.",
    changeHelp: "Leave it empty to remove the address.",
    waiting: (address: string) => `${address} is not confirmed yet. Use the link in the e-mail that we sent there.`,
    sendAgain: "Send it again",
    sentAgain: "The e-mail is on its way.",
    cancel: "Cancel the change",
  },
  {
    forgotPassword: "Passwort vergessen?",
    resetTitle: "Neues Passwort wählen",
    resetIntro: "Du bekommst eine E-Mail mit einem Link, um ein neues Passwort zu wählen.",
    noMail:
      "Dieser Server sendet keine E-Mails. Die Administration kann mit diesem Befehl ein neues Passwort festlegen:",
    sendLink: "Link senden",
    linkSentTitle: "Sieh in deinen E-Mails nach",
    linkSent:
      "Wenn es ein Konto mit diesem Namen oder dieser Adresse gibt und seine E-Mail-Adresse bestätigt ist, ist der Link unterwegs. Er gilt eine Stunde lang.",
    noLinkYet: "Nach ein paar Minuten nichts da? Sieh im Spam-Ordner nach oder frag die Administration dieses Servers.",
    newPassword: "Neues Passwort",
    signOutEverywhere: "Alle Browser und Apps abmelden",
    signOutEverywhereHelp: "Wähle das, wenn jemand anderes dein Konto benutzt haben könnte.",
    setPassword: "Passwort festlegen",
    passwordSetTitle: "Dein Passwort ist geändert",
    passwordSet: "Du kannst dich jetzt damit anmelden. Einmalcodes und Passkeys bleiben, wie sie sind.",
    brokenLinkTitle: "Dieser Link ist nicht gültig",
    brokenLink: "Er ist abgelaufen oder wurde schon benutzt. Jeder Link gilt einmal.",
    askAgain: "Neuen Link anfordern",

    confirmTitle: "Bestätige deine E-Mail-Adresse",
    confirmIntro: (address) => `Ist ${address} deine Adresse?`,
    confirm: "Ja, bestätigen",
    confirmedTitle: "Deine Adresse ist bestätigt",
    confirmed: "Du kannst dein Konto jetzt benutzen.",
    pending: "Dein Konto wartet jetzt auf Freigabe durch die Administration.",
    confirmFirst: "Bestätige zuerst deine E-Mail-Adresse: mit dem Link in der E-Mail, die du bekommen hast.",

    emailAddress: "E-Mail-Adresse",
    whatFor:
      "Mit deiner Adresse kannst du dich anmelden und ein neues Passwort bekommen, wenn du deines vergessen hast. Niemand sonst sieht sie.",
    whatForWithoutMail:
      "Mit deiner Adresse kannst du dich anmelden. Niemand sonst sieht sie. Dieser Server sendet keine E-Mails.",
    changeHelp: "Ein leeres Feld entfernt die Adresse.",
    waiting: (address) =>
      `${address} ist noch nicht bestätigt. Benutze den Link in der E-Mail, die wir dorthin geschickt haben.`,
    sendAgain: "Noch einmal senden",
    sentAgain: "Die E-Mail ist unterwegs.",
    cancel: "Änderung abbrechen",
  },
  {
    forgotPassword: "Mot de passe oublié ?",
    resetTitle: "Choisir un nouveau mot de passe",
    resetIntro: "Vous recevrez un e-mail avec un lien pour choisir un nouveau mot de passe.",
    noMail:
      "Ce serveur n’envoie pas d’e-mails. Son administration peut définir un nouveau mot de passe avec cette commande :",
    sendLink: "Envoyer le lien",
    linkSentTitle: "Consultez vos e-mails",
    linkSent:
      "S’il existe un compte avec ce nom ou cette adresse, et si son adresse e-mail est confirmée, le lien est en route. Il fonctionne pendant une heure.",
    noLinkYet:
      "Rien après quelques minutes ? Regardez dans les indésirables, ou demandez à l’administration de ce serveur.",
    newPassword: "Nouveau mot de passe",
    signOutEverywhere: "Déconnecter tous les navigateurs et toutes les applications",
    signOutEverywhereHelp: "À choisir si quelqu’un d’autre a pu utiliser votre compte.",
    setPassword: "Définir le mot de passe",
    passwordSetTitle: "Votre mot de passe a été modifié",
    passwordSet:
      "Vous pouvez maintenant vous connecter avec. Les codes à usage unique et les clés d’accès ne changent pas.",
    brokenLinkTitle: "Ce lien n’est pas valable",
    brokenLink: "Il a expiré ou a déjà été utilisé. Chaque lien fonctionne une seule fois.",
    askAgain: "Demander un nouveau lien",

    confirmTitle: "Confirmez votre adresse e-mail",
    confirmIntro: (address) => `${address} est-elle votre adresse ?`,
    confirm: "Oui, confirmer",
    confirmedTitle: "Votre adresse est confirmée",
    confirmed: "Vous pouvez maintenant utiliser votre compte.",
    pending: "Votre compte attend maintenant d’être approuvé par l’administration.",
    confirmFirst: "Confirmez d’abord votre adresse e-mail avec le lien de l’e-mail que vous avez reçu.",

    emailAddress: "Adresse e-mail",
    whatFor:
      "Votre adresse vous permet de vous connecter, et d’obtenir un nouveau mot de passe si vous oubliez le vôtre. Personne d’autre ne la voit.",
    whatForWithoutMail:
      "Votre adresse vous permet de vous connecter. Personne d’autre ne la voit. Ce serveur n’envoie pas d’e-mails.",
    changeHelp: "Laissez le champ vide pour supprimer l’adresse.",
    waiting: (address) =>
      `${address} n’est pas encore confirmée. Utilisez le lien de l’e-mail que nous y avons envoyé.`,
    sendAgain: "Envoyer de nouveau",
    sentAgain: "L’e-mail est en route.",
    cancel: "Annuler le changement",
  },
);
