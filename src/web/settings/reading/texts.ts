import { counted } from "../../i18n/messages.ts";
import { textsIn } from "../../i18n/texts.ts";

export const readingSettingsTexts = textsIn(
  {
    policyIntro:
      "Notifications from accounts that you follow or have accepted always arrive. For the others you decide by kind. Filtered ones wait apart until you accept or dismiss them; ignored ones are dropped.",
    kinds: {
      for_not_following: ["Accounts that you don’t follow", "Until you accept them"],
      for_not_followers: ["Accounts that don’t follow you", "Also those that have followed you for less than 3 days"],
      for_new_accounts: ["New accounts", "Created within the last 30 days"],
      for_private_mentions: ["Unsolicited private mentions", "Unless they answer your own mention"],
      for_limited_accounts: ["Limited accounts", "Limited by the moderators of this server"],
    },
    levels: { accept: "Accept", filter: "Filter", drop: "Ignore" },
    requests: "Filtered notifications",
    requestsIntro: "Accepting an account moves its notifications to your list, and new ones arrive there.",
    noRequests: "No notifications are filtered.",
    filtered: (count: number) => counted("en-GB", count, "filtered mention or quote", "filtered mentions and quotes"),
    accept: "Accept",
    dismiss: "Dismiss",
    about: (action: string, name: string) => `${action}: ${name}`,
    backToPolicy: "Choose what is filtered",
  },
  {
    policyIntro:
      "Benachrichtigungen von Konten, denen du folgst oder die du zugelassen hast, kommen immer an. Bei den anderen entscheidest du nach Art. Gefilterte warten getrennt, bis du sie annimmst oder verwirfst; ignorierte fallen weg.",
    kinds: {
      for_not_following: ["Konten, denen du nicht folgst", "Bis du sie zulässt"],
      for_not_followers: ["Konten, die dir nicht folgen", "Auch solche, die dir erst seit weniger als 3 Tagen folgen"],
      for_new_accounts: ["Neue Konten", "In den letzten 30 Tagen erstellt"],
      for_private_mentions: ["Unverlangte private Erwähnungen", "Außer Antworten auf deine eigenen"],
      for_limited_accounts: ["Eingeschränkte Konten", "Von der Moderation dieses Servers eingeschränkt"],
    },
    levels: { accept: "Annehmen", filter: "Filtern", drop: "Ignorieren" },
    requests: "Gefilterte Benachrichtigungen",
    requestsIntro:
      "Lässt du ein Konto zu, kommen seine Benachrichtigungen in deine Liste, und neue kommen gleich dort an.",
    noRequests: "Keine Benachrichtigungen sind gefiltert.",
    filtered: (count) =>
      counted("de-DE", count, "gefilterte Erwähnung oder Zitat", "gefilterte Erwähnungen und Zitate"),
    accept: "Zulassen",
    dismiss: "Verwerfen",
    about: (action, name) => `${action}: ${name}`,
    backToPolicy: "Auswählen, was gefiltert wird",
  },
  {
    policyIntro:
      "Les notifications des comptes que vous suivez ou avez acceptés arrivent toujours. Pour les autres, vous décidez par catégorie. Les notifications filtrées attendent à part que vous les acceptiez ou les rejetiez ; les ignorées sont supprimées.",
    kinds: {
      for_not_following: ["Comptes que vous ne suivez pas", "Jusqu’à ce que vous les acceptiez"],
      for_not_followers: ["Comptes qui ne vous suivent pas", "Aussi ceux qui vous suivent depuis moins de 3 jours"],
      for_new_accounts: ["Nouveaux comptes", "Créés au cours des 30 derniers jours"],
      for_private_mentions: ["Mentions privées non sollicitées", "Sauf en réponse à votre propre mention"],
      for_limited_accounts: ["Comptes limités", "Limités par la modération de ce serveur"],
    },
    levels: { accept: "Accepter", filter: "Filtrer", drop: "Ignorer" },
    requests: "Notifications filtrées",
    requestsIntro:
      "Si vous acceptez un compte, ses notifications rejoignent votre liste, et les nouvelles y arrivent directement.",
    noRequests: "Aucune notification n’est filtrée.",
    filtered: (count) => counted("fr-FR", count, "mention ou citation filtrée", "mentions et citations filtrées"),
    accept: "Accepter",
    dismiss: "Rejeter",
    about: (action, name) => `${action} : ${name}`,
    backToPolicy: "Choisir ce qui est filtré",
  },
);
