import { textsIn } from "../i18n/texts.ts";

/** The words for the position of the important part of an image, from the top left to the bottom right. */
type Positions = readonly [string, string, string, string, string, string, string, string, string];

export const composeTexts = textsIn(
  {
    write: "Write a post",
    reply: "Reply",
    replyTo: (name: string) => `Reply to ${name}`,
    quote: "Quote",
    quoteOf: (name: string) => `Quote ${name}`,
    edit: "Edit post",
    text: "Text",
    count: (max: string) => `of ${max} characters`,
    tooLong: (count: number, shown: string) =>
      count === 1 ? "The text is one character too long:" : `The text is ${shown} characters too long:`,
    warning: "Content warning",
    warningHelp: "The post is hidden behind it.",

    media: "Images, video and audio",
    files: "Add files",
    filesHelp: (most: number) => `Up to ${most} images, or one video or audio file. Upload them to describe them.`,
    upload: "Upload",
    isProcessing: "It is still being processed. You can already describe it.",
    description: (number: number) => `Description of file ${number}`,
    descriptionHelp: "For people who don’t see or hear it",
    focus: "Most important part",
    focusHelp: "It stays visible where the picture is cropped.",
    positions: [
      "top left",
      "top",
      "top right",
      "left",
      "centre",
      "right",
      "bottom left",
      "bottom",
      "bottom right",
    ] as Positions,
    remove: "Remove",
    removeNumber: (number: number) => `Remove file ${number}`,
    sensitive: "Hide media as sensitive",

    visibility: "Visibility",
    language: "Language",
    anyLanguage: "Detect it",
    keepLanguage: "Unchanged",

    format: "Format",

    localOnly: "Only on this server",
    localOnlyHelp: "Only users of this server see it, and no other server gets it.",

    interaction: "Who may interact",
    byDefault: "Your default",
    withApproval: "After you agree",
    mayReply: "Reply",
    mayBoost: "Boost",
    mayQuote: "Quote",

    poll: "Poll",
    pollHelp: "A poll can’t have files.",
    pollEditHelp: "If you change the choices, all votes are lost. Empty all of them to remove the poll.",
    choice: (number: number) => `Choice ${number}`,
    duration: "Open for",
    unchanged: "Unchanged",
    multiple: "Several choices at once",

    schedule: "Publish later",
    dateIn: (timeZone: string) => `Date and time (${timeZone})`,
    dateHelp: "At least five minutes from now.",
    emptyDate: "Leave it empty to publish at once.",
    changeTimeZone: "Change your time zone",

    publish: "Publish",
    saveEdit: "Save changes",
    quoteRefused: "The author doesn’t allow you to quote this post.",
    gone: {
      edited:
        "This post was deleted while you edited it. Your text is still here. Publish it as a new post, or leave it.",
      scheduled:
        "This post is no longer scheduled: it was published or cancelled. Your changes are still here. Publish them as a new post, or leave them.",
      replyTo:
        "The post that you reply to was deleted, or you can’t see it any more. You can publish your text as a post of its own.",
      quoted:
        "The post that you quote was deleted, or you can’t see it any more. You can publish your text as a post of its own.",
    },

    scheduled: "Scheduled posts",
    scheduledHelp: "They are published at the time shown.",
    noneScheduled: "Nothing is scheduled. Choose “Publish later” when you write a post.",
    isScheduled: "The post is scheduled.",
    changeScheduled: "Change scheduled post",
    change: "Change",
    changeAt: (date: string) => `Change the post scheduled for ${date}`,
    cancel: "Cancel",
    cancelAt: (date: string) => `Cancel the post scheduled for ${date}`,
    isCancelled: "The post will not be published.",
    attached: (count: number) => (count === 1 ? "1 file" : `${count} files`),
  },
  {
    write: "Beitrag schreiben",
    reply: "Antworten",
    replyTo: (name) => `Antwort an ${name}`,
    quote: "Zitieren",
    quoteOf: (name) => `${name} zitieren`,
    edit: "Beitrag bearbeiten",
    text: "Text",
    count: (max) => `von ${max} Zeichen`,
    tooLong: (count, shown) =>
      count === 1 ? "Der Text ist um ein Zeichen zu lang:" : `Der Text ist um ${shown} Zeichen zu lang:`,
    warning: "Inhaltswarnung",
    warningHelp: "Dahinter ist der Beitrag verborgen.",

    media: "Bilder, Video und Ton",
    files: "Dateien hinzufügen",
    filesHelp: (most) => `Bis zu ${most} Bilder oder eine Video- oder Tondatei. Lade sie hoch, um sie zu beschreiben.`,
    upload: "Hochladen",
    isProcessing: "Die Datei wird noch verarbeitet. Du kannst sie schon beschreiben.",
    description: (number) => `Beschreibung von Datei ${number}`,
    descriptionHelp: "Für Menschen, die sie nicht sehen oder hören",
    focus: "Wichtigste Stelle",
    focusHelp: "Sie bleibt sichtbar, wo das Bild beschnitten wird.",
    positions: [
      "oben links",
      "oben",
      "oben rechts",
      "links",
      "Mitte",
      "rechts",
      "unten links",
      "unten",
      "unten rechts",
    ],
    remove: "Entfernen",
    removeNumber: (number) => `Datei ${number} entfernen`,
    sensitive: "Medien als heikel verbergen",

    visibility: "Sichtbarkeit",
    language: "Sprache",
    anyLanguage: "Erkennen",
    keepLanguage: "Unverändert",

    format: "Format",

    localOnly: "Nur auf diesem Server",
    localOnlyHelp: "Nur Benutzer dieses Servers sehen ihn, und kein anderer Server bekommt ihn.",

    interaction: "Wer reagieren darf",
    byDefault: "Dein Standard",
    withApproval: "Nach deiner Zustimmung",
    mayReply: "Antworten",
    mayBoost: "Teilen",
    mayQuote: "Zitieren",

    poll: "Umfrage",
    pollHelp: "Eine Umfrage kann keine Dateien haben.",
    pollEditHelp:
      "Wenn du die Antworten änderst, gehen alle Stimmen verloren. Leere alle, um die Umfrage zu entfernen.",
    choice: (number) => `Antwort ${number}`,
    duration: "Offen für",
    unchanged: "Unverändert",
    multiple: "Mehrere Antworten möglich",

    schedule: "Später veröffentlichen",
    dateIn: (timeZone) => `Datum und Uhrzeit (${timeZone})`,
    dateHelp: "Frühestens in fünf Minuten.",
    emptyDate: "Lass es leer, um sofort zu veröffentlichen.",
    changeTimeZone: "Zeitzone ändern",

    publish: "Veröffentlichen",
    saveEdit: "Änderungen speichern",
    quoteRefused: "Der Verfasser erlaubt dir nicht, diesen Beitrag zu zitieren.",
    gone: {
      edited:
        "Dieser Beitrag wurde gelöscht, während du ihn bearbeitet hast. Dein Text ist noch da. Veröffentliche ihn als neuen Beitrag, oder verwirf ihn.",
      scheduled:
        "Dieser Beitrag ist nicht mehr geplant: Er wurde veröffentlicht oder abgebrochen. Deine Änderungen sind noch da. Veröffentliche sie als neuen Beitrag, oder verwirf sie.",
      replyTo:
        "Der Beitrag, auf den du antwortest, wurde gelöscht oder ist für dich nicht mehr sichtbar. Du kannst deinen Text als eigenen Beitrag veröffentlichen.",
      quoted:
        "Der Beitrag, den du zitierst, wurde gelöscht oder ist für dich nicht mehr sichtbar. Du kannst deinen Text als eigenen Beitrag veröffentlichen.",
    },

    scheduled: "Geplante Beiträge",
    scheduledHelp: "Sie erscheinen zur angegebenen Zeit.",
    noneScheduled: "Nichts ist geplant. Wähle beim Schreiben „Später veröffentlichen“.",
    isScheduled: "Der Beitrag ist geplant.",
    changeScheduled: "Geplanten Beitrag ändern",
    change: "Ändern",
    changeAt: (date) => `Den für ${date} geplanten Beitrag ändern`,
    cancel: "Abbrechen",
    cancelAt: (date) => `Den für ${date} geplanten Beitrag abbrechen`,
    isCancelled: "Der Beitrag wird nicht veröffentlicht.",
    attached: (count) => (count === 1 ? "1 Datei" : `${count} Dateien`),
  },
  {
    write: "Écrire un message",
    reply: "Répondre",
    replyTo: (name) => `Réponse à ${name}`,
    quote: "Citer",
    quoteOf: (name) => `Citer ${name}`,
    edit: "Modifier le message",
    text: "Texte",
    count: (max) => `sur ${max} caractères`,
    tooLong: (count, shown) =>
      count === 1 ? "Le texte est trop long d’un caractère :" : `Le texte est trop long de ${shown} caractères :`,
    warning: "Avertissement",
    warningHelp: "Le message est caché derrière.",

    media: "Images, vidéo et son",
    files: "Ajouter des fichiers",
    filesHelp: (most) => `Jusqu’à ${most} images, ou un fichier vidéo ou audio. Téléversez-les pour les décrire.`,
    upload: "Téléverser",
    isProcessing: "Le fichier est encore en cours de traitement. Vous pouvez déjà le décrire.",
    description: (number) => `Description du fichier ${number}`,
    descriptionHelp: "Pour les personnes qui ne le voient ou ne l’entendent pas",
    focus: "Partie la plus importante",
    focusHelp: "Elle reste visible là où l’image est recadrée.",
    positions: [
      "en haut à gauche",
      "en haut",
      "en haut à droite",
      "à gauche",
      "au centre",
      "à droite",
      "en bas à gauche",
      "en bas",
      "en bas à droite",
    ],
    remove: "Retirer",
    removeNumber: (number) => `Retirer le fichier ${number}`,
    sensitive: "Masquer les médias comme sensibles",

    visibility: "Visibilité",
    language: "Langue",
    anyLanguage: "La reconnaître",
    keepLanguage: "Inchangée",

    format: "Format",

    localOnly: "Seulement sur ce serveur",
    localOnlyHelp: "Seuls les utilisateurs de ce serveur le voient, et aucun autre serveur ne le reçoit.",

    interaction: "Qui peut réagir",
    byDefault: "Par défaut",
    withApproval: "Avec votre accord",
    mayReply: "Répondre",
    mayBoost: "Partager",
    mayQuote: "Citer",

    poll: "Sondage",
    pollHelp: "Un sondage ne peut pas avoir de fichiers.",
    pollEditHelp: "Si vous modifiez les choix, tous les votes sont perdus. Videz-les tous pour retirer le sondage.",
    choice: (number) => `Choix ${number}`,
    duration: "Ouvert pendant",
    unchanged: "Inchangé",
    multiple: "Plusieurs choix à la fois",

    schedule: "Publier plus tard",
    dateIn: (timeZone) => `Date et heure (${timeZone})`,
    dateHelp: "Dans cinq minutes au plus tôt.",
    emptyDate: "Laissez vide pour publier tout de suite.",
    changeTimeZone: "Changer de fuseau horaire",

    publish: "Publier",
    saveEdit: "Enregistrer",
    quoteRefused: "L’auteur ne vous permet pas de citer ce message.",
    gone: {
      edited:
        "Ce message a été supprimé pendant que vous le modifiiez. Votre texte est toujours là. Publiez-le comme nouveau message, ou abandonnez-le.",
      scheduled:
        "Ce message n’est plus programmé : il a été publié ou annulé. Vos modifications sont toujours là. Publiez-les comme nouveau message, ou abandonnez-les.",
      replyTo:
        "Le message auquel vous répondez a été supprimé, ou vous ne pouvez plus le voir. Vous pouvez publier votre texte comme un message à part.",
      quoted:
        "Le message que vous citez a été supprimé, ou vous ne pouvez plus le voir. Vous pouvez publier votre texte comme un message à part.",
    },

    scheduled: "Messages programmés",
    scheduledHelp: "Ils sont publiés à l’heure indiquée.",
    noneScheduled: "Rien n’est programmé. Choisissez « Publier plus tard » en écrivant un message.",
    isScheduled: "Le message est programmé.",
    changeScheduled: "Modifier le message programmé",
    change: "Modifier",
    changeAt: (date) => `Modifier le message programmé pour le ${date}`,
    cancel: "Annuler",
    cancelAt: (date) => `Annuler le message programmé pour le ${date}`,
    isCancelled: "Le message ne sera pas publié.",
    attached: (count) => (count === 1 ? "1 fichier" : `${count} fichiers`),
  },
);
