import { textsIn } from "../../i18n/texts.ts";

export const postsTexts = textsIn(
  {
    deletionIntro:
      "Linnet deletes a few old posts and boosts each minute, here and on other servers, and can’t restore them. A server that is down for more than a week keeps its copies.",
    enabled: "Delete old posts automatically",
    age: "Posts become old after",
    ages: (days: number) => AGES.en[days] ?? `${days} days`,
    exceptions: "Keep",
    keepPinned: "pinned posts",
    keepDirect: "posts for mentioned accounts only",
    keepFavourited: "posts that you have favourited",
    keepBookmarked: "posts that you have bookmarked",
    keepPolls: "polls",
    keepMedia: "posts with media",
    favourites: "Keep posts with at least this many favourites",
    boosts: "Keep posts with at least this many boosts",
    countHelp: "If it is empty, the number doesn’t matter.",
    preview: "Show what it would delete",
    wouldDelete: (count: number) =>
      count === 0
        ? "With these settings, nothing would be deleted now."
        : `With these settings, ${count === 1 ? "one post or boost" : `${count.toLocaleString("en")} posts and boosts`} would be deleted now.`,
    oldest: "The oldest",
    boostOf: (name: string) => `Boost of ${name}`,
    withoutText: "Without text",

    interactionsIntro:
      "These settings apply to new posts. Linnet tells other servers about them, and refuses what you don’t allow. Some servers ignore them: their users may see replies that your followers don’t.",
    forEveryone: "Public posts",
    forFollowers: "Posts for followers",
    reply: "Replies",
    reblog: "Boosts",
    quote: "Quotes",
    replyHelp: "Accounts that you mention or answer may always reply.",
    unchanged: "As an app has set it",
  },
  {
    deletionIntro:
      "Linnet löscht jede Minute einige alte und geteilte Beiträge, hier und auf anderen Servern, und kann sie nicht wiederherstellen. Ein Server, der länger als eine Woche ausfällt, behält seine Kopien.",
    enabled: "Alte Beiträge automatisch löschen",
    age: "Beiträge sind alt nach",
    ages: (days) => AGES.de[days] ?? `${days} Tagen`,
    exceptions: "Behalten",
    keepPinned: "angeheftete Beiträge",
    keepDirect: "Beiträge nur für erwähnte Konten",
    keepFavourited: "Beiträge, die du favorisiert hast",
    keepBookmarked: "Beiträge mit deinem Lesezeichen",
    keepPolls: "Umfragen",
    keepMedia: "Beiträge mit Medien",
    favourites: "Beiträge behalten, die mindestens so oft favorisiert wurden",
    boosts: "Beiträge behalten, die mindestens so oft geteilt wurden",
    countHelp: "Bleibt es leer, spielt die Zahl keine Rolle.",
    preview: "Zeigen, was gelöscht würde",
    wouldDelete: (count) =>
      count === 0
        ? "Mit diesen Einstellungen würde jetzt nichts gelöscht."
        : `Mit diesen Einstellungen ${count === 1 ? "würde jetzt ein eigener oder geteilter Beitrag" : `würden jetzt ${count.toLocaleString("de")} eigene und geteilte Beiträge`} gelöscht.`,
    oldest: "Die ältesten",
    boostOf: (name) => `Geteilter Beitrag von ${name}`,
    withoutText: "Ohne Text",

    interactionsIntro:
      "Diese Einstellungen gelten für neue Beiträge. Linnet teilt sie anderen Servern mit und lehnt ab, was du nicht erlaubst. Manche Server halten sich nicht daran: Dort sind vielleicht Antworten zu sehen, die deine Follower nicht sehen.",
    forEveryone: "Öffentliche Beiträge",
    forFollowers: "Beiträge für Follower",
    reply: "Antworten",
    reblog: "Teilen",
    quote: "Zitate",
    replyHelp: "Konten, die du erwähnst oder denen du antwortest, dürfen immer antworten.",
    unchanged: "Wie in einer App eingestellt",
  },
  {
    deletionIntro:
      "Linnet supprime quelques anciens messages et partages par minute, ici et sur les autres serveurs, et ne peut pas les restaurer. Un serveur en panne pendant plus d’une semaine garde ses copies.",
    enabled: "Supprimer automatiquement les anciens messages",
    age: "Un message est ancien après",
    ages: (days) => AGES.fr[days] ?? `${days} jours`,
    exceptions: "Garder",
    keepPinned: "les messages épinglés",
    keepDirect: "les messages réservés aux comptes mentionnés",
    keepFavourited: "les messages que vous avez mis en favori",
    keepBookmarked: "les messages que vous avez mis en marque-page",
    keepPolls: "les sondages",
    keepMedia: "les messages avec des médias",
    favourites: "Garder les messages qui ont au moins ce nombre de favoris",
    boosts: "Garder les messages qui ont au moins ce nombre de partages",
    countHelp: "Vide, le nombre ne compte pas.",
    preview: "Montrer ce qui serait supprimé",
    wouldDelete: (count) =>
      count === 0
        ? "Avec ces réglages, rien ne serait supprimé maintenant."
        : `Avec ces réglages, ${count === 1 ? "un message ou partage serait supprimé" : `${count.toLocaleString("fr")} messages et partages seraient supprimés`} maintenant.`,
    oldest: "Les plus anciens",
    boostOf: (name) => `Partage d’un message de ${name}`,
    withoutText: "Sans texte",

    interactionsIntro:
      "Ces réglages valent pour les nouveaux messages. Linnet en informe les autres serveurs, et refuse ce que vous n’autorisez pas. Certains serveurs n’en tiennent pas compte : on peut y voir des réponses que vos abonnés ne voient pas.",
    forEveryone: "Messages publics",
    forFollowers: "Messages pour les abonnés",
    reply: "Réponses",
    reblog: "Partages",
    quote: "Citations",
    replyHelp: "Les comptes que vous mentionnez, ou à qui vous répondez, peuvent toujours répondre.",
    unchanged: "Comme réglé dans une application",
  },
);

const AGES: Record<"en" | "de" | "fr", Partial<Record<number, string>>> = {
  en: {
    7: "1 week",
    14: "2 weeks",
    30: "1 month",
    60: "2 months",
    90: "3 months",
    180: "6 months",
    365: "1 year",
    730: "2 years",
  },
  de: {
    7: "1 Woche",
    14: "2 Wochen",
    30: "1 Monat",
    60: "2 Monaten",
    90: "3 Monaten",
    180: "6 Monaten",
    365: "1 Jahr",
    730: "2 Jahren",
  },
  fr: {
    7: "1 semaine",
    14: "2 semaines",
    30: "1 mois",
    60: "2 mois",
    90: "3 mois",
    180: "6 mois",
    365: "1 an",
    730: "2 ans",
  },
};
