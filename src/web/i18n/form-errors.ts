import type { ErrorSentences } from "./errors-de.ts";
import type { Texts } from "./texts.ts";

/** Two reasons that the API always gives together. */
export const UNUSABLE_FILE = "File content type is invalid, File is invalid";

/** The API's sentence about a certain field. */
type AboutField = `${string} ${"can't be blank" | "is invalid" | "has already been taken"}`;

/**
 * How forms say what the API says in Mastodon's words, which apps and their developers know. The sentence is beside its
 * field, so it doesn't name it. Placeholders may be left out. A sentence that is missing here is shown as the API has it.
 */
export const formErrors: Texts<Partial<Record<keyof ErrorSentences | AboutField, string>>> = {
  en: {
    "Record not found": "This is not here any more. It may have been deleted.",
    "Too many requests": "You have done this many times in a short time. Wait a few minutes, then try again.",

    "The request body is larger than {count} bytes":
      "This is more than the form can take. Go back, and make it shorter or choose a smaller file.",
    "A field of the form is larger than {count} bytes":
      "This is more than the form can take. Go back, and make it shorter.",
    "No account is found as {name}: check that it is written like @name@example.org.":
      "No account has this handle. Check that it is written like @name@example.org.",

    "{field} can't be blank": "Fill this in.",
    "{field} is invalid": "This is not valid.",
    "Email is invalid": "This is not a valid e-mail address.",
    "{field} is too short (minimum is {count} characters)": "This is too short. Use at least {count} characters.",
    "{field} is too long (maximum is {count} characters)": "This is too long. Use at most {count} characters.",
    "{field} must be greater than or equal to {count}": "Enter a number that is at least {count}.",
    "{field} has already been taken": "This is already taken. Choose another one.",
    "{field} is reserved": "This name is reserved. Choose another one.",
    "{field} must be accepted": "You can only sign up if you agree.",
    "{field} must contain only letters, numbers and underscores": "Use only letters (a to z), numbers and underscores.",
    "{field} must not be at the domain of this server's handles":
      "Addresses at this domain are handles on this server. Use another address.",
    "{field} is not a valid domain name": "This is not the name of a server. Write it like example.org.",
    "{field} must be a colour such as #ad2140": "Choose a colour such as #ad2140.",
    "{field} must not load files: remove @import, url() and backslashes":
      "Your styles must not load files. Remove @import, url() and backslashes.",

    "Text can't be blank": "Write something, or add a file.",
    "Text character limit of {count} exceeded": "The text is too long. Use at most {count} characters.",
    "Cannot attach more than {count} files":
      "A post can have at most {count} files. The first {count} are attached, the others were left out.",
    "Cannot attach files to a post with a poll": "A post has either files or a poll. Remove one of them.",
    "Cannot attach a video to a post that already contains images":
      "A post has either images or one video or audio file. Remove the others.",
    "Cannot attach files that have not finished processing. Try again in a moment!":
      "The files are still being processed. Try again in a moment.",
    "Cannot attach files that could not be processed. Remove them, or upload others.":
      "A file could not be processed. Remove it, or upload another one.",
    "Media attachments are unknown, or belong to another post. Upload them again.":
      "Some files are gone, or belong to another post. Upload them again.",
    "Scheduled at is invalid": "Choose a date and a time.",
    "Scheduled at The scheduled date must be in the future": "Choose a time that is at least 5 minutes from now.",
    "You have exceeded the limit of {count} scheduled posts":
      "You already have {count} scheduled posts, and can't have more. Cancel one first.",
    "You have exceeded the limit of {count} scheduled posts for today":
      "At most {count} posts can be scheduled for one day. Choose another day.",
    "Cannot quote a non-mentioned user in a Private Mention post.":
      "A post for mentioned accounts can only quote accounts that it mentions.",

    "Choices can't be blank": "Choose an answer first.",
    "Choices must have more than one item": "A poll needs at least two choices.",
    "Choices can't contain more than {count} items": "A poll can have at most {count} choices.",
    "Choices cannot be longer than {count} characters each": "Each choice can have at most {count} characters.",
    "Choices contain duplicate items": "Two choices are the same. Change one of them.",
    "Deadline is too soon": "Choose how long the poll is open.",

    [UNUSABLE_FILE]:
      "This file is damaged, or of a kind that doesn't work here. These work: images (JPEG, PNG, GIF, WebP, AVIF), video (MP4, MOV, WebM) and audio (MP3, M4A, OGG, FLAC, WAV).",
    "File content type is invalid": "Files of this kind don't work here.",
    "File has {pixels} pixels; at most {most} megapixels are allowed":
      "The image has {pixels} pixels. It can have at most {most} megapixels.",
    "File has more than {count} frames": "The animation has more than {count} frames. Make it shorter.",
    "File has {pixels} pixels; no side may be longer than {most}":
      "The image has {pixels} pixels. No side can be longer than {most}.",
    "File is a video of {pixels} pixels; at most {most} are allowed":
      "The video has {pixels} pixels. It can have at most {most} in a frame.",
    "File has {rate} frames per second; at most {most} are allowed":
      "The video has {rate} frames per second. It can have at most {most}.",
    "File can't be converted, because this server has no ffmpeg":
      "This kind of file doesn't work here, because the server has no ffmpeg to convert it. MP4 and MP3 files work.",
    "File size must be at most {count} MB": "The file is too large. It can have at most {count} MB.",
    "{field} size must be less than {count} MB": "The file is too large. It must have less than {count} MB.",

    "Profile field name can't be blank": "Give this field a name, or empty its value.",
    "Tag is invalid": "Use only letters, numbers and underscores, and at least one letter.",
    "Account has already been taken": "This account is already in the list.",
    "Context can't be blank": "Choose at least one place.",
    "Context None or invalid context supplied": "Choose at least one place.",
    "You have already featured the maximum number of hashtags":
      "You already feature as many hashtags as possible. Remove one first.",
    "You have reached the maximum number of invitations":
      "You already have as many invitations as possible. Delete one first.",
    "You have reached the maximum number of lists": "You already have as many lists as possible. Delete one first.",
    "You have already pinned the maximum number of posts":
      "You already have as many pinned posts as possible. Unpin one first.",
  },
  de: {
    "Record not found": "Das gibt es hier nicht mehr. Vielleicht wurde es gelöscht.",
    "Too many requests": "Das hast du in kurzer Zeit oft getan. Warte einige Minuten und versuche es dann noch einmal.",

    "The request body is larger than {count} bytes":
      "Das ist mehr, als das Formular aufnimmt. Geh zurück und kürze es, oder wähle eine kleinere Datei.",
    "A field of the form is larger than {count} bytes":
      "Das ist mehr, als das Formular aufnimmt. Geh zurück und kürze es.",
    "No account is found as {name}: check that it is written like @name@example.org.":
      "Kein Konto hat diese Profiladresse. Prüfe, ob sie wie @name@example.org geschrieben ist.",

    "{field} can't be blank": "Fülle dieses Feld aus.",
    "{field} is invalid": "Das ist nicht gültig.",
    "Email is invalid": "Das ist keine gültige E-Mail-Adresse.",
    "{field} is too short (minimum is {count} characters)":
      "Das ist zu kurz. Es müssen mindestens {count} Zeichen sein.",
    "{field} is too long (maximum is {count} characters)": "Das ist zu lang. Höchstens {count} Zeichen sind möglich.",
    "{field} must be greater than or equal to {count}": "Gib eine Zahl ein, die mindestens {count} ist.",
    "{field} has already been taken": "Das ist schon vergeben. Wähle etwas anderes.",
    "{field} is reserved": "Dieser Name ist dem Server vorbehalten. Wähle einen anderen.",
    "{field} must be accepted": "Du kannst dich nur registrieren, wenn du zustimmst.",
    "{field} must contain only letters, numbers and underscores":
      "Nur Buchstaben (a bis z), Ziffern und Unterstriche sind möglich.",
    "{field} must not be at the domain of this server's handles":
      "Adressen dieser Domain sind Profiladressen dieses Servers. Nimm eine andere Adresse.",
    "{field} is not a valid domain name": "Das ist nicht der Name eines Servers. Schreibe ihn wie example.org.",
    "{field} must be a colour such as #ad2140": "Wähle eine Farbe wie #ad2140.",
    "{field} must not load files: remove @import, url() and backslashes":
      "Deine Stile dürfen keine Dateien laden. Entferne @import, url() und umgekehrte Schrägstriche.",

    "Text can't be blank": "Schreibe etwas, oder füge eine Datei hinzu.",
    "Text character limit of {count} exceeded": "Der Text ist zu lang. Höchstens {count} Zeichen sind möglich.",
    "Cannot attach more than {count} files":
      "Ein Beitrag kann höchstens {count} Dateien haben. Die ersten {count} sind angehängt, die anderen nicht.",
    "Cannot attach files to a post with a poll":
      "Ein Beitrag hat entweder Dateien oder eine Umfrage. Entferne eines davon.",
    "Cannot attach a video to a post that already contains images":
      "Ein Beitrag hat entweder Bilder oder eine Video- oder Tondatei. Entferne die anderen.",
    "Cannot attach files that could not be processed. Remove them, or upload others.":
      "Eine Datei konnte nicht verarbeitet werden. Entferne sie, oder lade eine andere hoch.",
    "Media attachments are unknown, or belong to another post. Upload them again.":
      "Einige Dateien sind nicht mehr da oder gehören zu einem anderen Beitrag. Lade sie noch einmal hoch.",
    "Scheduled at is invalid": "Wähle ein Datum und eine Uhrzeit.",
    "Scheduled at The scheduled date must be in the future":
      "Wähle einen Zeitpunkt, der mindestens 5 Minuten in der Zukunft liegt.",
    "You have exceeded the limit of {count} scheduled posts":
      "Du hast schon {count} geplante Beiträge, mehr sind nicht möglich. Brich zuerst einen ab.",
    "You have exceeded the limit of {count} scheduled posts for today":
      "Für einen Tag können höchstens {count} Beiträge geplant werden. Wähle einen anderen Tag.",
    "Cannot quote a non-mentioned user in a Private Mention post.":
      "Ein Beitrag für erwähnte Konten kann nur Konten zitieren, die er erwähnt.",

    "Choices can't be blank": "Wähle zuerst eine Antwort.",
    "Choices must have more than one item": "Eine Umfrage braucht mindestens zwei Antworten.",
    "Choices contain duplicate items": "Zwei Antworten sind gleich. Ändere eine davon.",
    "Deadline is too soon": "Wähle, wie lange die Umfrage offen ist.",

    [UNUSABLE_FILE]:
      "Diese Datei ist beschädigt oder von einer Art, die hier nicht funktioniert. Möglich sind Bilder (JPEG, PNG, GIF, WebP, AVIF), Videos (MP4, MOV, WebM) und Ton (MP3, M4A, OGG, FLAC, WAV).",
    "File content type is invalid": "Dateien dieser Art funktionieren hier nicht.",
    "File can't be converted, because this server has no ffmpeg":
      "Diese Art von Datei funktioniert hier nicht, weil dem Server ffmpeg zum Umwandeln fehlt. MP4- und MP3-Dateien funktionieren.",
    "File size must be at most {count} MB": "Die Datei ist zu groß. Sie darf höchstens {count} MB haben.",
    "{field} size must be less than {count} MB": "Die Datei ist zu groß. Sie muss kleiner als {count} MB sein.",

    "Profile field name can't be blank": "Gib diesem Feld einen Namen, oder leere seinen Inhalt.",
    "Tag is invalid": "Nur Buchstaben, Ziffern und Unterstriche sind möglich, und mindestens ein Buchstabe.",
    "Account has already been taken": "Dieses Konto ist schon in der Liste.",
    "Context can't be blank": "Wähle mindestens einen Ort.",
    "Context None or invalid context supplied": "Wähle mindestens einen Ort.",
    "You have already featured the maximum number of hashtags":
      "Mehr Hashtags kannst du nicht vorstellen. Entferne zuerst einen.",
    "You have reached the maximum number of invitations": "Mehr Einladungen sind nicht möglich. Lösche zuerst eine.",
    "You have reached the maximum number of lists": "Mehr Listen sind nicht möglich. Lösche zuerst eine.",
    "You have already pinned the maximum number of posts": "Mehr Beiträge kannst du nicht anheften. Löse zuerst einen.",
  },
  fr: {
    "Record not found": "Cela n’existe plus ici. Il a peut-être été supprimé.",
    "Too many requests":
      "Vous l’avez fait de nombreuses fois en peu de temps. Attendez quelques minutes, puis réessayez.",

    "The request body is larger than {count} bytes":
      "C’est plus que le formulaire ne peut contenir. Revenez en arrière et raccourcissez, ou choisissez un fichier plus petit.",
    "A field of the form is larger than {count} bytes":
      "C’est plus que le formulaire ne peut contenir. Revenez en arrière et raccourcissez.",
    "No account is found as {name}: check that it is written like @name@example.org.":
      "Aucun compte n’a cet identifiant. Vérifiez qu’il s’écrit comme @nom@example.org.",

    "{field} can't be blank": "Remplissez ce champ.",
    "{field} is invalid": "Ce n’est pas valide.",
    "Email is invalid": "Ce n’est pas une adresse e-mail valide.",
    "{field} is too short (minimum is {count} characters)": "C’est trop court : {count} caractères au moins.",
    "{field} is too long (maximum is {count} characters)": "C’est trop long : {count} caractères au plus.",
    "{field} must be greater than or equal to {count}": "Indiquez un nombre qui vaut au moins {count}.",
    "{field} has already been taken": "C’est déjà pris. Choisissez autre chose.",
    "{field} is reserved": "Ce nom est réservé au serveur. Choisissez-en un autre.",
    "{field} must be accepted": "Vous devez donner votre accord pour vous inscrire.",
    "{field} must contain only letters, numbers and underscores":
      "Utilisez seulement des lettres (a à z), des chiffres et des tirets bas.",
    "{field} must not be at the domain of this server's handles":
      "Les adresses de ce domaine sont des identifiants de ce serveur. Utilisez une autre adresse.",
    "{field} is not a valid domain name": "Ce n’est pas le nom d’un serveur. Écrivez-le comme example.org.",
    "{field} must be a colour such as #ad2140": "Choisissez une couleur comme #ad2140.",
    "{field} must not load files: remove @import, url() and backslashes":
      "Vos styles ne doivent pas charger de fichiers. Retirez @import, url() et les barres obliques inversées.",

    "Text can't be blank": "Écrivez quelque chose, ou ajoutez un fichier.",
    "Text character limit of {count} exceeded": "Le texte est trop long : {count} caractères au plus.",
    "Cannot attach more than {count} files":
      "Un message peut avoir {count} fichiers au plus. Les {count} premiers sont joints, les autres non.",
    "Cannot attach files to a post with a poll":
      "Un message a soit des fichiers, soit un sondage. Retirez l’un des deux.",
    "Cannot attach a video to a post that already contains images":
      "Un message a soit des images, soit un fichier vidéo ou audio. Retirez les autres.",
    "Cannot attach files that could not be processed. Remove them, or upload others.":
      "Un fichier n’a pas pu être traité. Retirez-le, ou téléversez-en un autre.",
    "Media attachments are unknown, or belong to another post. Upload them again.":
      "Des fichiers ne sont plus là ou appartiennent à un autre message. Téléversez-les de nouveau.",
    "Scheduled at is invalid": "Choisissez une date et une heure.",
    "Scheduled at The scheduled date must be in the future": "Choisissez un moment dans au moins 5 minutes.",
    "You have exceeded the limit of {count} scheduled posts":
      "Vous avez déjà {count} messages programmés, ce qui est le maximum. Annulez-en un d’abord.",
    "You have exceeded the limit of {count} scheduled posts for today":
      "{count} messages au plus peuvent être programmés pour un même jour. Choisissez un autre jour.",
    "Cannot quote a non-mentioned user in a Private Mention post.":
      "Un message pour des comptes mentionnés ne peut citer que des comptes qu’il mentionne.",

    "Choices can't be blank": "Faites d’abord un choix.",
    "Choices must have more than one item": "Un sondage a besoin d’au moins deux choix.",
    "Choices contain duplicate items": "Deux choix sont identiques. Modifiez l’un d’eux.",
    "Deadline is too soon": "Choisissez combien de temps le sondage est ouvert.",

    [UNUSABLE_FILE]:
      "Ce fichier est endommagé, ou d’un type qui ne convient pas ici. Sont possibles : images (JPEG, PNG, GIF, WebP, AVIF), vidéo (MP4, MOV, WebM) et son (MP3, M4A, OGG, FLAC, WAV).",
    "File content type is invalid": "Les fichiers de ce type ne conviennent pas ici.",
    "File can't be converted, because this server has no ffmpeg":
      "Ce type de fichier ne convient pas ici, car le serveur n’a pas ffmpeg pour le convertir. Les fichiers MP4 et MP3 conviennent.",
    "File size must be at most {count} MB": "Le fichier est trop grand : {count} Mo au plus.",
    "{field} size must be less than {count} MB": "Le fichier est trop grand : il doit faire moins de {count} Mo.",

    "Profile field name can't be blank": "Donnez un nom à ce champ, ou videz son contenu.",
    "Tag is invalid": "Utilisez seulement des lettres, des chiffres et des tirets bas, et au moins une lettre.",
    "Account has already been taken": "Ce compte est déjà dans la liste.",
    "Context can't be blank": "Choisissez au moins un endroit.",
    "Context None or invalid context supplied": "Choisissez au moins un endroit.",
    "You have already featured the maximum number of hashtags":
      "Vous ne pouvez pas mettre plus de hashtags en avant. Retirez-en un d’abord.",
    "You have reached the maximum number of invitations":
      "Vous ne pouvez pas avoir plus d’invitations. Supprimez-en une d’abord.",
    "You have reached the maximum number of lists":
      "Vous ne pouvez pas avoir plus de listes. Supprimez-en une d’abord.",
    "You have already pinned the maximum number of posts":
      "Vous ne pouvez pas épingler plus de messages. Détachez-en un d’abord.",
  },
};
