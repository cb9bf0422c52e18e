import { textsIn } from "../../i18n/texts.ts";

export const accountTexts = textsIn(
  {
    reach: "Followers and search",
    locked: "Approve followers yourself",
    lockedHelp: "New followers wait until you accept them.",
    discoverable: "Suggest my account to others",
    discoverableHelp:
      "It may appear in the directory, on the front page and in suggestions, here and on other servers.",
    indexable: "Let everyone find my public posts",
    indexableHelp:
      "They may appear in results of search engines and of other servers. Otherwise only people who have interacted with a post find it.",
    onProfile: "On your profile",
    hideCollections: "Hide followers and followed accounts",
    hideCollectionsHelp: "Only the numbers remain visible.",
    showMedia: "Show a tab with media",
    showMediaReplies: "Include media from replies in it",
    showFeatured: "Show featured hashtags and accounts",
  },
  {
    reach: "Follower und Suche",
    locked: "Follower selbst bestätigen",
    lockedHelp: "Neue Follower warten, bis du sie annimmst.",
    discoverable: "Mein Konto anderen vorschlagen",
    discoverableHelp:
      "Es darf im Verzeichnis, auf der Startseite und in Vorschlägen stehen, hier und auf anderen Servern.",
    indexable: "Alle dürfen meine öffentlichen Beiträge finden",
    indexableHelp:
      "Sie dürfen in den Ergebnissen von Suchmaschinen und anderen Servern stehen. Sonst findet einen Beitrag nur, wer schon mit ihm zu tun hatte.",
    onProfile: "Auf deinem Profil",
    hideCollections: "Follower und gefolgte Konten verbergen",
    hideCollectionsHelp: "Nur die Zahlen bleiben sichtbar.",
    showMedia: "Reiter mit Medien zeigen",
    showMediaReplies: "Darin auch Medien aus Antworten",
    showFeatured: "Vorgestellte Hashtags und Konten zeigen",
  },
  {
    reach: "Abonnés et recherche",
    locked: "Approuver vous-même les abonnés",
    lockedHelp: "Les nouveaux abonnés attendent votre accord.",
    discoverable: "Suggérer mon compte aux autres",
    discoverableHelp:
      "Il peut apparaître dans l’annuaire, sur la page d’accueil et dans les suggestions, ici et sur d’autres serveurs.",
    indexable: "Tout le monde peut trouver mes messages publics",
    indexableHelp:
      "Ils peuvent apparaître dans les résultats des moteurs de recherche et des autres serveurs. Sinon, seules les personnes qui ont interagi avec un message le trouvent.",
    onProfile: "Sur votre profil",
    hideCollections: "Cacher les abonnés et les abonnements",
    hideCollectionsHelp: "Seuls les nombres restent visibles.",
    showMedia: "Montrer un onglet avec les médias",
    showMediaReplies: "Y inclure les médias des réponses",
    showFeatured: "Montrer les hashtags et comptes mis en avant",
  },
);
