import type { ErrorSentences } from "./errors-de.ts";

/** Errors of the API in French; see errors-de.ts. */
export const sentences: ErrorSentences = {
  "Validation failed: {reasons}": "Données non valides : {reasons}",
  "Record not found": "Cela n’existe pas ici",
  "Not found": "Cela n’existe pas ici",
  "This action is not allowed": "Cette action n’est pas autorisée",
  "The author of this post does not allow you to favourite it.":
    "L’auteur de ce message ne vous permet pas de l’ajouter à vos favoris.",
  "The author of this post does not allow you to reply to it.":
    "L’auteur de ce message ne vous permet pas d’y répondre.",
  "The author of this post does not allow you to boost it.":
    "L’auteur de ce message ne vous permet pas de le partager.",
  "Too many requests": "Trop de requêtes. Réessayez plus tard.",
  "Something went wrong on the server": "Une erreur s’est produite sur le serveur",
  "The disk of this server is full. The administrator must free up space.":
    "Le disque de ce serveur est plein. L’administration doit libérer de l’espace.",
  "The lists of posts in the archive are larger than 4 GB.": "Les listes de messages de l’archive dépassent 4 Go.",
  "Another archive is being imported. Try again when that is done.":
    "Une autre archive est en cours d’importation. Réessayez quand elle sera terminée.",
  'The archive contains a file with the name "{name}", which is not allowed.':
    "L’archive contient un fichier nommé « {name} », ce qui n’est pas autorisé.",
  'The archive contains a list without "{member}".': "L’archive contient une liste sans « {member} ».",
  "The archive contains a post that is larger than 4 MB.": "L’archive contient un message de plus de 4 Mo.",
  "The archive contains more than {limit} files.": "L’archive contient plus de {limit} fichiers.",
  "The archive contains no posts: it has neither outbox.json, data/tweets.js nor pixelfed-statuses.json.":
    "L’archive ne contient aucun message : elle n’a ni outbox.json, ni data/tweets.js, ni pixelfed-statuses.json.",
  "The archive contains something that is neither a file nor a folder.":
    "L’archive contient un élément qui n’est ni un fichier ni un dossier.",
  'The archive contains the link "{name}" instead of a file.':
    "L’archive contient le lien « {name} » au lieu d’un fichier.",
  'The archive contains two files with the name "{name}".': "L’archive contient deux fichiers nommés « {name} ».",
  "The uploaded archive is gone. Upload it again.": "L’archive téléversée n’est plus là. Téléversez-la à nouveau.",
  "The archive is damaged or incomplete. Download it again.":
    "L’archive est endommagée ou incomplète. Téléchargez-la à nouveau.",
  "The archive is encrypted. Unpack it, and pack it again without a password.":
    "L’archive est chiffrée. Décompressez-la, puis recréez-la sans mot de passe.",
  "The archive would expand to far more data than an archive of posts contains.":
    "Une fois décompressée, l’archive contient bien plus de données qu’une archive de messages.",
  "The file is not an archive of posts: it is neither .zip, .tar.gz nor .json.":
    "Le fichier n’est pas une archive de messages : il n’est ni .zip, ni .tar.gz, ni .json.",
  "Another program is using the database. Nothing was saved. Try again in a few seconds.":
    "Un autre programme utilise la base de données. Rien n’a été enregistré. Réessayez dans quelques secondes.",
  "Service Unavailable": "Le service n’est pas disponible",
  "@{name} is a pending sign-up. Approve it before you make it an owner.":
    "@{name} est une inscription en attente. Approuvez-la avant d’en faire un propriétaire.",
  "@{name} is the only owner of this server. Make another user an owner first.":
    "@{name} est le seul propriétaire de ce serveur. Désignez d’abord un autre propriétaire.",
  "This account has moved to another one: cancel the move to post, boost or follow here.":
    "Ce compte a déménagé : annulez le déménagement pour publier, partager ou suivre ici.",
  "This account has moved to {name} already.": "Ce compte a déjà déménagé vers {name}.",
  "This account has not moved.": "Ce compte n’a pas déménagé.",
  "This is the account itself: name another one.": "C’est le compte lui-même : indiquez-en un autre.",
  "No account is found as {name}: check that it is written like @name@example.org.":
    "Aucun compte trouvé pour {name} : vérifiez qu’il est écrit comme @nom@example.org.",
  "The server of {name} does not respond: try again later.":
    "Le serveur de {name} ne répond pas : réessayez plus tard.",
  "{name} has moved, too: name the account that is in use now.":
    "{name} a lui-même déménagé : indiquez le compte utilisé.",
  '{name} must name {own} as an alias first: add it there (in Mastodon under Preferences, Account, "Moving from a different account"), then try again.':
    "{name} doit d’abord indiquer {own} comme alias : ajoutez-le là-bas (dans Mastodon sous Préférences, Compte, « Déménager depuis un compte différent »), puis réessayez.",
  "An account can move once in 30 days: this one can move again after {day}.":
    "Un compte peut déménager une fois tous les 30 jours : celui-ci pourra de nouveau déménager après le {day}.",
  "An account can have at most {count} aliases: remove one first.":
    "Un compte peut avoir {count} alias : retirez-en un d’abord.",
  "You have uploaded too many archives within an hour. Try again later.":
    "Vous avez envoyé trop d’archives en une heure. Réessayez plus tard.",
  "An import of this kind is running already. Wait until it ends, or cancel it.":
    "Une importation de ce type est déjà en cours. Attendez sa fin, ou annulez-la.",
  "The file is empty. Nothing was imported.": "Le fichier est vide. Rien n’a été importé.",
  "The file is a list of accounts, but doesn't say for what: choose what it contains.":
    "Le fichier est une liste de comptes, mais ne dit pas pour quoi : choisissez ce qu’il contient.",
  "The file can't be read near line {line}. Nothing was imported.":
    "Le fichier est illisible vers la ligne {line}. Rien n’a été importé.",
  "The file is too large: an import has at most {count} rows and {size} MB. Nothing was imported. Split the file.":
    "Le fichier est trop grand : une importation a au plus {count} lignes et {size} Mo. Rien n’a été importé. Divisez le fichier.",
  "The file contains something else than you chose. Nothing was imported.":
    "Le fichier contient autre chose que ce que vous avez choisi. Rien n’a été importé.",
  "This is no file of Mastodon's export: neither a CSV file of accounts, lists, domains or bookmarks nor a list of filters. Nothing was imported.":
    "Ce n’est pas un fichier d’export de Mastodon : ni un fichier CSV de comptes, listes, domaines ou marque-pages, ni une liste de filtres. Rien n’a été importé.",
  "No post is found at {address}: it was deleted, or its address is wrong.":
    "Aucun message n’est trouvé à {address} : il a été supprimé, ou l’adresse est fausse.",
  "This server exchanges nothing with {host}.": "Ce serveur n’échange rien avec {host}.",
  "A filter can have at most {count} keywords.": "Un filtre peut avoir {count} mots au plus.",
  "This account is already linked to another user of this server.":
    "Ce compte est déjà lié à quelqu’un d’autre sur ce serveur.",
  "You have linked too many accounts. Unlink one first.": "Vous avez lié trop de comptes. Déliez-en un d’abord.",
  "This is your only way to sign in. Add another one first.":
    "C’est votre seul moyen de vous connecter. Ajoutez-en un autre d’abord.",
  "The password is wrong.": "Le mot de passe est incorrect.",
  "This page can't be used by scripts. Open it in a tab and try again.":
    "Cette page ne peut pas être utilisée par des scripts. Ouvrez-la dans un onglet et réessayez.",
  "This server already has an owner": "Ce serveur a déjà un propriétaire",

  "The access token expired": "Le jeton d’accès a expiré",
  "The access token is invalid": "Le jeton d’accès n’est pas valide",
  "Missing access token": "Le jeton d’accès manque",
  "This API requires an authenticated user": "Il faut être connecté pour cela",
  "This method requires an authenticated user": "Il faut être connecté pour cela",
  "This action is outside the authorized scopes": "Vous n’avez pas autorisé cette application à le faire",
  "Access token does not have the required scopes": "Vous n’avez pas autorisé cette application à le faire",
  "Your login is currently disabled": "Votre compte est désactivé",
  "Your login is missing a confirmed e-mail address":
    "Confirmez d’abord votre adresse e-mail avec le lien que nous vous avons envoyé",
  "Your login is currently pending approval": "Votre compte attend encore d’être approuvé",
  "This method is only available while the e-mail is awaiting confirmation":
    "Ce n’est possible que tant que l’adresse e-mail n’est pas confirmée",
  "The parameter {name} must be a string.": "Le paramètre {name} doit être un texte.",
  "The parameter {name} is too long.": "Le paramètre {name} est trop long.",
  "The parameter {name} is missing.": "Le paramètre {name} manque.",
  "Client authentication failed: client_id and client_secret are unknown, missing or don't belong together.":
    "L’application ne s’est pas identifiée : client_id et client_secret sont inconnus, manquent ou ne vont pas ensemble.",
  "grant_type must be authorization_code or client_credentials.":
    "grant_type doit être authorization_code ou client_credentials.",
  "The code is unknown, expired or already used, or it was given to another app, for another redirect_uri or with another code_challenge.":
    "Le code est inconnu, expiré ou déjà utilisé, ou il a été donné à une autre application, pour une autre redirect_uri ou avec un autre code_challenge.",
  "A requested scope is unknown or was not registered for this app.":
    "Un droit demandé est inconnu ou n’a pas été enregistré pour cette application.",
  "You are not authorized to revoke this token.": "Vous ne pouvez pas révoquer ce jeton.",

  "The request body is not valid multipart/form-data":
    "Le contenu de la requête n’est pas du multipart/form-data valide",
  "The request body is not valid JSON": "Le contenu de la requête n’est pas du JSON valide",
  "The request body must be a JSON object": "Le contenu de la requête doit être un objet JSON",
  "The request body is incomplete": "Le contenu de la requête n’est pas arrivé en entier",
  "The request body is larger than {count} bytes": "Le contenu de la requête dépasse {count} octets",
  "A field of the form is larger than {count} bytes": "Un champ du formulaire dépasse {count} octets",
  "Lists directly inside lists are not supported":
    "Les listes placées directement dans une liste ne sont pas prises en charge",
  "Parameter {name} is given in two conflicting forms": "Le paramètre {name} est donné sous deux formes qui s’excluent",
  "The request has more than {count} parameters": "La requête contient plus de {count} paramètres",
  "Parameters are nested more than {count} levels deep": "Les paramètres sont imbriqués sur plus de {count} niveaux",
  "The name of a parameter is longer than {count} characters": "Le nom d’un paramètre dépasse {count} caractères",
  "'{value}' is not a valid {name}": "« {value} » n’est pas possible pour {name}",

  "{field} can't be blank": "{field} : ne peut pas être vide",
  "{field} is invalid": "{field} : n’est pas valide",
  "{field} is not a file": "{field} : n’est pas un fichier",
  "{field} is not a number": "{field} : n’est pas un nombre",
  "{field} is not a valid id": "{field} : n’est pas un identifiant valide",
  "{field} must be true or false": "{field} : doit être true ou false",
  "{field} must be an integer": "{field} : doit être un nombre entier",
  "{field} must be greater than or equal to {count}": "{field} : doit être au moins {count}",
  "{field} must be less than or equal to {count}": "{field} : doit être au plus {count}",
  "{field} has too many items (maximum is {count})": "{field} : trop d’éléments ({count} au plus)",
  "{field} has too few items (minimum is {count})": "{field} : trop peu d’éléments ({count} au moins)",
  "{field} is too short (minimum is {count} character)": "{field} : trop court ({count} caractère au moins)",
  "{field} is too short (minimum is {count} characters)": "{field} : trop court ({count} caractères au moins)",
  "{field} must be a colour such as #ad2140": "{field} doit être une couleur comme #ad2140",
  "{field} must not load files: remove @import, url() and backslashes":
    "{field} ne doivent pas charger de fichiers : retirez @import, url() et les barres obliques inversées",
  "{field} is too long (maximum is {count} character)": "{field} : trop long ({count} caractère au plus)",
  "{field} is too long (maximum is {count} characters)": "{field} : trop long ({count} caractères au plus)",
  "{field} has already been taken": "{field} : déjà pris",
  "{field} is reserved": "{field} : réservé au serveur",
  "{field} must be accepted": "{field} : manque",
  "{field} must contain only letters, numbers and underscores":
    "{field} : seulement des lettres, des chiffres et des tirets bas",
  "{field} must not be at the domain of this server's handles":
    "{field} : ne doit pas être dans le domaine des identifiants de ce serveur",
  "{field} is not a valid domain name": "{field} : n’est pas un nom de domaine valide",
  "Redirect URI must be an absolute URI.": "L’adresse de réponse doit être une URI absolue.",
  "Redirect URI cannot contain a fragment.": "L’adresse de réponse ne peut pas contenir de fragment.",
  "Scopes doesn't match configured on the server.": "Le serveur ne connaît pas l’un des droits demandés.",
  "Website must be a valid URL": "Le site web doit avoir une adresse valide",

  "Text character limit of {count} exceeded": "Le texte dépasse {count} caractères",
  "Cannot attach more than {count} files": "Il ne peut pas y avoir plus de {count} fichiers",
  "Cannot attach files to a post with a poll": "Un sondage ne peut pas avoir de fichiers",
  "Cannot attach a video to a post that already contains images":
    "Une vidéo ne peut pas accompagner des images dans un message",
  "Cannot attach files that have not finished processing. Try again in a moment!":
    "Les fichiers sont encore en traitement. Réessayez dans un instant !",
  "Cannot attach files that could not be processed. Remove them, or upload others.":
    "Des fichiers n’ont pas pu être traités. Retirez-les ou téléversez-en d’autres.",
  "Media attachments can't be attached twice": "Un fichier ne peut pas être joint deux fois",
  "Media attachments are unknown, or belong to another post. Upload them again.":
    "Des fichiers joints sont inconnus ou appartiennent à un autre message. Téléversez-les de nouveau.",
  "Media attachment is currently used by a status": "Le fichier est utilisé dans un message",
  "The post you are trying to reply to does not appear to exist.":
    "Le message auquel vous voulez répondre n’existe pas.",
  "The post you are trying to quote does not appear to exist.": "Le message que vous voulez citer n’existe pas.",
  "Cannot quote a non-mentioned user in a Private Mention post.":
    "Dans une mention privée, vous ne pouvez citer que les personnes mentionnées.",
  "The author of that post has to agree to quotes, and a local-only post cannot ask them":
    "L’auteur de ce message doit accepter les citations, et un message réservé à ce serveur ne peut pas le demander",
  "Post would be sent to unexpected accounts": "Le message irait aussi à des comptes qui n’étaient pas prévus",
  "Scheduled at The scheduled date must be in the future": "Le moment doit être dans le futur",
  "You have exceeded the limit of {count} scheduled posts":
    "Il ne peut pas y avoir plus de {count} messages programmés",
  "You have exceeded the limit of {count} scheduled posts for today":
    "Il ne peut pas y avoir plus de {count} messages programmés par jour",
  "A boost cannot be pinned": "Un partage ne peut pas être épinglé",
  "Someone else's post cannot be pinned": "Seuls vos propres messages peuvent être épinglés",
  "Posts that are only visible to mentioned users cannot be pinned":
    "Les messages que seules les personnes mentionnées voient ne peuvent pas être épinglés",
  "You have already pinned the maximum number of posts": "Vous ne pouvez pas épingler plus de messages",

  "Choices must have more than one item": "Un sondage a besoin de plus d’un choix",
  "Choices can't contain more than {count} items": "Un sondage peut avoir {count} choix au plus",
  "Choices cannot be longer than {count} characters each": "Un choix peut avoir {count} caractères au plus",
  "Choices contain duplicate items": "Deux choix sont identiques",
  "Deadline is too far into the future": "Le sondage dure trop longtemps",
  "Deadline is too soon": "Le sondage est trop court",
  "The poll has already ended": "Le sondage est déjà terminé",
  "The chosen vote option does not exist": "Le choix n’existe pas",
  "You cannot vote in your own polls": "Vous ne pouvez pas voter dans vos propres sondages",
  "You have already voted on this poll": "Vous avez déjà voté dans ce sondage",

  "File content type is invalid": "Les fichiers de ce type ne sont pas acceptés",
  "File has {frames} frames; at this size, at most {most} are allowed":
    "Le fichier a {frames} images ; à cette taille, {most} au plus sont possibles",
  "File has {pixels} pixels; at most {most} megapixels are allowed":
    "Le fichier a {pixels} pixels ; {most} mégapixels au plus sont possibles",
  "File has {frames} frames of {pixels} pixels; at most {most} megapixels are allowed":
    "Le fichier a {frames} images de {pixels} pixels ; {most} mégapixels au plus sont possibles en tout",
  "File has more than {count} frames": "Le fichier a plus de {count} images",
  "File has {pixels} pixels; no side may be longer than {most}":
    "Le fichier a {pixels} pixels ; aucun côté ne peut dépasser {most}",
  "File is a video of {pixels} pixels; at most {most} are allowed":
    "Le fichier est une vidéo de {pixels} pixels ; {most} au plus sont possibles",
  "File has {rate} frames per second; at most {most} are allowed":
    "Le fichier a {rate} images par seconde ; {most} au plus sont possibles",
  "File can't be converted, because this server has no ffmpeg":
    "Le fichier ne peut pas être converti, car ce serveur n’a pas ffmpeg",
  "File takes more time or memory than is allowed. Upload a smaller or simpler one.":
    "Le fichier demande plus de temps ou de mémoire que permis. Téléversez-en un plus petit ou plus simple.",
  "File size must be at most {count} MB": "Le fichier peut avoir {count} Mo au plus",
  "{field} size must be less than {count} MB": "{field} : doit être plus petit que {count} Mo",
  "Thumbnail is not a supported image": "La vignette n’est pas une image prise en charge",
  "The file could not be processed. Upload another one.": "Le fichier n’a pas pu être traité. Téléversez-en un autre.",
  "Focus must be two numbers between -1.0 and 1.0, separated by a comma":
    "Le centre de l’image doit être deux nombres entre -1.0 et 1.0, séparés par une virgule",

  "Profile can have at most {count} fields": "Un profil peut avoir {count} champs au plus",
  "You must be already following the person you want to endorse":
    "Vous ne pouvez recommander que des personnes que vous suivez",
  "You have already featured the maximum number of hashtags": "Vous ne pouvez pas mettre plus de hashtags en avant",
  "You have reached the maximum number of invitations": "Vous ne pouvez pas avoir plus d’invitations",
  "This invitation is no longer valid. Ask for a new one.":
    "Cette invitation n’est plus valable. Demandez-en une nouvelle.",
  "You have reached the maximum number of lists": "Vous ne pouvez pas avoir plus de listes",
  "Context None or invalid context supplied": "Il manque où le filtre doit s’appliquer, ou ce n’est pas valide",
  "These parameters cannot be changed from this application because they apply to more than one filter keyword. Use a more recent application or the web interface.":
    "Cette application ne peut pas le changer, car cela vaut pour plusieurs mots du filtre. Prenez une application plus récente.",
  "Name is not a recognized emoji": "Cet émoji est inconnu",
  "Limit of different reactions reached": "Il ne peut pas y avoir plus de réactions différentes",
  "Rule ids does not reference valid rules": "Une des règles nommées n’existe pas",
  "Conflict during update, please try again": "Une autre application vient de le changer. Réessayez.",
  "Search queries that resolve remote resources or use an offset are not supported without authentication":
    "Il faut être connecté pour chercher ainsi",
  "The server-wide usage quota for the translation service has been exceeded.":
    "Le serveur a épuisé son quota auprès du service de traduction.",
  "There have been too many requests to the translation service recently.":
    "Le service de traduction a reçu trop de requêtes récemment.",
  "Endpoint must be a public https:// address": "Le point de terminaison doit être une adresse https:// ouverte à tous",
  "Key p256dh must be an uncompressed point of the curve P-256 in Base64":
    "La clé p256dh doit être un point non compressé de la courbe P-256 en Base64",
  "Key auth must be {count} bytes in Base64": "La clé auth doit avoir {count} octets en Base64",
  "Not authorized to stream this list": "Cette liste n’est pas à vous",
  "Unknown stream type": "Ce flux n’existe pas",
  "Missing {name} name parameter": "Le nom manque : {name}",
  "Expected a WebSocket handshake": "Une connexion WebSocket est attendue ici",
  "At most {count} streams can be open. Close one before you open another.":
    "{count} flux au plus peuvent être ouverts. Fermez-en un avant d’en ouvrir un autre.",
  "At most {count} streams are allowed on one connection": "{count} flux au plus sur une connexion",
};

/** The names of fields in the sentences. */
export const fields: Record<string, string> = {
  Accent: "La couleur",
  Css: "Vos styles",
  Account: "Compte",
  Agreement: "Accord avec les règles",
  "Application name": "Nom de l’application",
  Avatar: "Photo de profil",
  "Avatar description": "Description de la photo de profil",
  Boosts: "Partages",
  Choices: "Choix",
  "Client name": "Nom de l’application",
  Comment: "Commentaire",
  Context: "Contexte",
  Deadline: "Fin du sondage",
  Description: "Description",
  "Display name": "Nom affiché",
  Favourites: "Favoris",
  Domain: "Domaine",
  Email: "Adresse e-mail",
  "Expires in": "Durée",
  File: "Fichier",
  Header: "Bannière",
  "Header description": "Description de la bannière",
  Locale: "Langue",
  "Media attachments": "Fichiers joints",
  Name: "Nom",
  Note: "Présentation",
  Password: "Mot de passe",
  Phrase: "Mot ou expression",
  "Profile field name": "Nom d’un champ du profil",
  "Profile field value": "Contenu d’un champ du profil",
  Reason: "Raison",
  "Redirect URI": "Adresse de réponse",
  "Redirect uris": "Adresse de réponse",
  "Scheduled at": "Moment",
  Scopes: "Droits",
  Status: "Message",
  Tag: "Hashtag",
  Text: "Texte",
  Thumbnail: "Vignette",
  Title: "Titre",
  Username: "Nom",
};
