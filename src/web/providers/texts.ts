import { textsIn } from "../i18n/texts.ts";

export const providerTexts = textsIn(
  {
    signInWith: (provider: string) => `Sign in with ${provider}`,
    goingTo: (provider: string) => `Continue to ${provider}`,
    goingToHelp: "Your browser should open it by itself.",
    failed: (provider: string) =>
      `Signing in with ${provider} didn’t work, so nothing was changed. Please try again. If it fails again, tell the administrator of this server.`,
    cancelled: (provider: string) => `You didn’t sign in with ${provider}.`,
    notLinked: (provider: string) =>
      `This ${provider} account isn’t linked to any account here. Sign in another way, then link it in the security settings.`,
    passwordsOff: "On this server, nobody can sign in with a password. Choose another way.",
    passwordsOffHelp: "Can’t sign in any more? The administrator can make a link for you with this command:",

    title: "Linked accounts",
    help: "You can sign in with an account of another service, once it is linked.",
    linkedOn: (date: string) => `Linked on ${date}`,
    link: (provider: string) => `Link ${provider}`,
    unlink: "Unlink",
    unlinkNamed: (provider: string, label: string) => `Unlink ${label} of ${provider}`,
    isLinked: "The account is linked. You can sign in with it from now on.",
    isUnlinked: "The account is no longer linked.",
    linkFailedTitle: "The account was not linked",
    toSecurity: "Back to the security settings",

    linkTitle: (name: string) => `Sign in as @${name}?`,
    linkHelp: "The administrator of this server has made this link for you. It works once.",
    linkButton: "Sign in",
  },
  {
    signInWith: (provider) => `Mit ${provider} anmelden`,
    goingTo: (provider) => `Weiter zu ${provider}`,
    goingToHelp: "Dein Browser sollte es von selbst öffnen.",
    failed: (provider) =>
      `Die Anmeldung mit ${provider} hat nicht geklappt, deshalb wurde nichts geändert. Bitte versuche es noch einmal. Wenn es wieder nicht klappt, sag der Administration dieses Servers Bescheid.`,
    cancelled: (provider) => `Du hast dich nicht mit ${provider} angemeldet.`,
    notLinked: (provider) =>
      `Dieses ${provider}-Konto ist hier mit keinem Konto verknüpft. Melde dich anders an und verknüpfe es dann in den Sicherheitseinstellungen.`,
    passwordsOff: "Auf diesem Server kann sich niemand mit einem Passwort anmelden. Wähle einen anderen Weg.",
    passwordsOffHelp:
      "Du kannst dich nicht mehr anmelden? Die Administration kann mit diesem Befehl einen Link für dich erstellen:",

    title: "Verknüpfte Konten",
    help: "Du kannst dich mit einem Konto bei einem anderen Dienst anmelden, sobald es verknüpft ist.",
    linkedOn: (date) => `Verknüpft am ${date}`,
    link: (provider) => `${provider} verknüpfen`,
    unlink: "Trennen",
    unlinkNamed: (provider, label) => `${label} von ${provider} trennen`,
    isLinked: "Das Konto ist verknüpft. Du kannst dich ab jetzt damit anmelden.",
    isUnlinked: "Das Konto ist nicht mehr verknüpft.",
    linkFailedTitle: "Das Konto wurde nicht verknüpft",
    toSecurity: "Zurück zu den Sicherheitseinstellungen",

    linkTitle: (name) => `Als @${name} anmelden?`,
    linkHelp: "Die Administration dieses Servers hat diesen Link für dich erstellt. Er gilt einmal.",
    linkButton: "Anmelden",
  },
  {
    signInWith: (provider) => `Se connecter avec ${provider}`,
    goingTo: (provider) => `Continuer vers ${provider}`,
    goingToHelp: "Votre navigateur devrait l’ouvrir tout seul.",
    failed: (provider) =>
      `La connexion avec ${provider} n’a pas fonctionné, donc rien n’a été modifié. Veuillez réessayer. Si cela échoue encore, prévenez l’administration de ce serveur.`,
    cancelled: (provider) => `Vous ne vous êtes pas connecté avec ${provider}.`,
    notLinked: (provider) =>
      `Ce compte ${provider} n’est lié à aucun compte ici. Connectez-vous autrement, puis liez-le dans les réglages de sécurité.`,
    passwordsOff: "Sur ce serveur, personne ne peut se connecter avec un mot de passe. Choisissez un autre moyen.",
    passwordsOffHelp:
      "Vous ne pouvez plus vous connecter ? L’administration peut créer un lien pour vous avec cette commande :",

    title: "Comptes liés",
    help: "Vous pouvez vous connecter avec un compte d’un autre service, une fois qu’il est lié.",
    linkedOn: (date) => `Lié le ${date}`,
    link: (provider) => `Lier ${provider}`,
    unlink: "Délier",
    unlinkNamed: (provider, label) => `Délier ${label} de ${provider}`,
    isLinked: "Le compte est lié. Vous pouvez désormais vous connecter avec.",
    isUnlinked: "Le compte n’est plus lié.",
    linkFailedTitle: "Le compte n’a pas été lié",
    toSecurity: "Retour aux réglages de sécurité",

    linkTitle: (name) => `Se connecter en tant que @${name} ?`,
    linkHelp: "L’administration de ce serveur a créé ce lien pour vous. Il fonctionne une seule fois.",
    linkButton: "Se connecter",
  },
);
