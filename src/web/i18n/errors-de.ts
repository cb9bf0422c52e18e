/**
 * Errors of the API in German, by their English sentence. `{field}` is a name of `fields`, and anything else in braces
 * is a placeholder for a value. If a sentence begins with `{field}`, its translation must begin with it too.
 */
export const sentences = {
  "Validation failed: {reasons}": "Ungültige Angaben: {reasons}",
  "Record not found": "Das gibt es hier nicht",
  "Not found": "Das gibt es hier nicht",
  "This action is not allowed": "Das ist nicht erlaubt",
  "The author of this post does not allow you to favourite it.":
    "Der Verfasser dieses Beitrags lässt nicht zu, dass du ihn favorisierst.",
  "The author of this post does not allow you to reply to it.":
    "Der Verfasser dieses Beitrags lässt nicht zu, dass du darauf antwortest.",
  "The author of this post does not allow you to boost it.":
    "Der Verfasser dieses Beitrags lässt nicht zu, dass du ihn teilst.",
  "Too many requests": "Zu viele Anfragen. Versuche es später noch einmal.",
  "Something went wrong on the server": "Auf dem Server ist etwas schiefgegangen",
  "The disk of this server is full. The administrator must free up space.":
    "Der Speicher dieses Servers ist voll. Die Administration muss Platz schaffen.",
  "The lists of posts in the archive are larger than 4 GB.": "Die Beitragslisten im Archiv sind größer als 4 GB.",
  "Another archive is being imported. Try again when that is done.":
    "Gerade wird ein anderes Archiv importiert. Versuche es danach noch einmal.",
  'The archive contains a file with the name "{name}", which is not allowed.':
    "Das Archiv enthält eine Datei mit dem Namen „{name}“, der nicht erlaubt ist.",
  'The archive contains a list without "{member}".': "Das Archiv enthält eine Liste ohne „{member}“.",
  "The archive contains a post that is larger than 4 MB.": "Das Archiv enthält einen Beitrag, der größer als 4 MB ist.",
  "The archive contains more than {limit} files.": "Das Archiv enthält mehr als {limit} Dateien.",
  "The archive contains no posts: it has neither outbox.json, data/tweets.js nor pixelfed-statuses.json.":
    "Das Archiv enthält keine Beiträge: Es hat weder outbox.json noch data/tweets.js noch pixelfed-statuses.json.",
  "The archive contains something that is neither a file nor a folder.":
    "Das Archiv enthält etwas, das weder eine Datei noch ein Ordner ist.",
  'The archive contains the link "{name}" instead of a file.':
    "Das Archiv enthält statt einer Datei den Verweis „{name}“.",
  'The archive contains two files with the name "{name}".': "Das Archiv enthält zwei Dateien mit dem Namen „{name}“.",
  "The uploaded archive is gone. Upload it again.":
    "Das hochgeladene Archiv ist nicht mehr da. Lade es noch einmal hoch.",
  "The archive is damaged or incomplete. Download it again.":
    "Das Archiv ist beschädigt oder unvollständig. Lade es noch einmal herunter.",
  "The archive is encrypted. Unpack it, and pack it again without a password.":
    "Das Archiv ist verschlüsselt. Entpacke es und packe es ohne Passwort neu.",
  "The archive would expand to far more data than an archive of posts contains.":
    "Das Archiv enthält entpackt weit mehr Daten als ein Archiv von Beiträgen.",
  "The file is not an archive of posts: it is neither .zip, .tar.gz nor .json.":
    "Die Datei ist kein Archiv von Beiträgen: Sie ist weder .zip noch .tar.gz noch .json.",
  "Another program is using the database. Nothing was saved. Try again in a few seconds.":
    "Ein anderes Programm benutzt die Datenbank. Nichts wurde gespeichert. Versuche es in einigen Sekunden noch einmal.",
  "Service Unavailable": "Der Dienst ist gerade nicht erreichbar",
  "@{name} is a pending sign-up. Approve it before you make it an owner.":
    "@{name} ist eine offene Anmeldung. Bestätige sie, bevor du sie zum Eigentümer machst.",
  "@{name} is the only owner of this server. Make another user an owner first.":
    "@{name} ist der einzige Eigentümer dieses Servers. Bestimme zuerst einen weiteren.",
  "This account has moved to another one: cancel the move to post, boost or follow here.":
    "Dieses Konto ist umgezogen: Nimm den Umzug zurück, um hier zu schreiben, zu teilen oder zu folgen.",
  "This account has moved to {name} already.": "Dieses Konto ist schon zu {name} umgezogen.",
  "This account has not moved.": "Dieses Konto ist nicht umgezogen.",
  "This is the account itself: name another one.": "Das ist das Konto selbst: Nenne ein anderes.",
  "No account is found as {name}: check that it is written like @name@example.org.":
    "Unter {name} ist kein Konto zu finden: Prüfe, ob es wie @name@example.org geschrieben ist.",
  "The server of {name} does not respond: try again later.":
    "Der Server von {name} antwortet nicht: Versuche es später noch einmal.",
  "{name} has moved, too: name the account that is in use now.":
    "{name} ist selbst umgezogen: Nenne das Konto, das benutzt wird.",
  '{name} must name {own} as an alias first: add it there (in Mastodon under Preferences, Account, "Moving from a different account"), then try again.':
    "{name} muss zuerst {own} als Alias nennen: Füge ihn dort hinzu (in Mastodon unter Einstellungen, Konto, „Von einem anderen Konto umziehen“) und versuche es dann noch einmal.",
  "An account can move once in 30 days: this one can move again after {day}.":
    "Ein Konto kann einmal in 30 Tagen umziehen: dieses wieder nach dem {day}.",
  "An account can have at most {count} aliases: remove one first.":
    "Ein Konto kann {count} Aliasse haben: Entferne zuerst einen.",
  "You have uploaded too many archives within an hour. Try again later.":
    "Du hast in einer Stunde zu viele Archive hochgeladen. Versuche es später noch einmal.",
  "An import of this kind is running already. Wait until it ends, or cancel it.":
    "Ein Import dieser Art läuft schon. Warte auf sein Ende, oder brich ihn ab.",
  "The file is empty. Nothing was imported.": "Die Datei ist leer. Nichts wurde importiert.",
  "The file is a list of accounts, but doesn't say for what: choose what it contains.":
    "Die Datei ist eine Liste von Konten, sagt aber nicht wofür: Wähle, was sie enthält.",
  "The file can't be read near line {line}. Nothing was imported.":
    "Die Datei ist bei Zeile {line} nicht lesbar. Nichts wurde importiert.",
  "The file is too large: an import has at most {count} rows and {size} MB. Nothing was imported. Split the file.":
    "Die Datei ist zu groß: Ein Import hat höchstens {count} Zeilen und {size} MB. Nichts wurde importiert. Teile die Datei auf.",
  "The file contains something else than you chose. Nothing was imported.":
    "Die Datei enthält etwas anderes, als du gewählt hast. Nichts wurde importiert.",
  "This is no file of Mastodon's export: neither a CSV file of accounts, lists, domains or bookmarks nor a list of filters. Nothing was imported.":
    "Das ist keine Datei aus Mastodons Export: weder eine CSV-Datei mit Konten, Listen, Domains oder Lesezeichen noch eine Liste von Filtern. Nichts wurde importiert.",
  "No post is found at {address}: it was deleted, or its address is wrong.":
    "Unter {address} ist kein Beitrag zu finden: Er wurde gelöscht, oder die Adresse ist falsch.",
  "This server exchanges nothing with {host}.": "Dieser Server tauscht mit {host} nichts aus.",
  "A filter can have at most {count} keywords.": "Ein Filter kann {count} Wörter haben.",
  "This account is already linked to another user of this server.":
    "Dieses Konto ist schon mit jemand anderem auf diesem Server verknüpft.",
  "You have linked too many accounts. Unlink one first.":
    "Du hast zu viele Konten verknüpft. Trenne zuerst eines davon.",
  "This is your only way to sign in. Add another one first.":
    "Das ist dein einziger Weg, dich anzumelden. Füge zuerst einen anderen hinzu.",
  "The password is wrong.": "Das Passwort ist falsch.",
  "This page can't be used by scripts. Open it in a tab and try again.":
    "Diese Seite kann nicht von Skripten benutzt werden. Öffne sie in einem Tab und versuche es noch einmal.",
  "This server already has an owner": "Dieser Server hat schon einen Eigentümer",

  "The access token expired": "Das Zugriffstoken ist abgelaufen",
  "The access token is invalid": "Das Zugriffstoken ist ungültig",
  "Missing access token": "Das Zugriffstoken fehlt",
  "This API requires an authenticated user": "Dafür musst du angemeldet sein",
  "This method requires an authenticated user": "Dafür musst du angemeldet sein",
  "This action is outside the authorized scopes": "Das hast du dieser App nicht erlaubt",
  "Access token does not have the required scopes": "Das hast du dieser App nicht erlaubt",
  "Your login is currently disabled": "Deine Anmeldung ist gesperrt",
  "Your login is missing a confirmed e-mail address":
    "Bestätige zuerst deine E-Mail-Adresse mit dem Link, den wir dir geschickt haben",
  "Your login is currently pending approval": "Dein Konto wartet noch auf Freigabe",
  "This method is only available while the e-mail is awaiting confirmation":
    "Das geht nur, solange die E-Mail-Adresse noch nicht bestätigt ist",
  "The parameter {name} must be a string.": "Der Parameter {name} muss ein Text sein.",
  "The parameter {name} is too long.": "Der Parameter {name} ist zu lang.",
  "The parameter {name} is missing.": "Der Parameter {name} fehlt.",
  "Client authentication failed: client_id and client_secret are unknown, missing or don't belong together.":
    "Die App hat sich nicht ausgewiesen: client_id und client_secret sind unbekannt, fehlen oder gehören nicht zusammen.",
  "grant_type must be authorization_code or client_credentials.":
    "grant_type muss authorization_code oder client_credentials sein.",
  "The code is unknown, expired or already used, or it was given to another app, for another redirect_uri or with another code_challenge.":
    "Der Code ist unbekannt, abgelaufen oder schon benutzt, oder er gehört zu einer anderen App, einer anderen redirect_uri oder einer anderen code_challenge.",
  "A requested scope is unknown or was not registered for this app.":
    "Ein verlangtes Recht ist unbekannt oder für diese App nicht registriert.",
  "You are not authorized to revoke this token.": "Du darfst dieses Token nicht widerrufen.",

  "The request body is not valid multipart/form-data": "Der Inhalt der Anfrage ist kein gültiges multipart/form-data",
  "The request body is not valid JSON": "Der Inhalt der Anfrage ist kein gültiges JSON",
  "The request body must be a JSON object": "Der Inhalt der Anfrage muss ein JSON-Objekt sein",
  "The request body is incomplete": "Der Inhalt der Anfrage ist nicht ganz angekommen",
  "The request body is larger than {count} bytes": "Der Inhalt der Anfrage ist größer als {count} Bytes",
  "A field of the form is larger than {count} bytes": "Ein Feld des Formulars ist größer als {count} Bytes",
  "Lists directly inside lists are not supported": "Listen direkt in Listen werden nicht unterstützt",
  "Parameter {name} is given in two conflicting forms":
    "Der Parameter {name} ist auf zwei Arten angegeben, die einander ausschließen",
  "The request has more than {count} parameters": "Die Anfrage hat mehr als {count} Parameter",
  "Parameters are nested more than {count} levels deep": "Parameter sind mehr als {count} Ebenen tief verschachtelt",
  "The name of a parameter is longer than {count} characters":
    "Der Name eines Parameters ist länger als {count} Zeichen",
  "'{value}' is not a valid {name}": "„{value}“ ist für {name} nicht möglich",

  "{field} can't be blank": "{field} darf nicht leer sein",
  "{field} is invalid": "{field} ist ungültig",
  "{field} is not a file": "{field} ist keine Datei",
  "{field} is not a number": "{field} ist keine Zahl",
  "{field} is not a valid id": "{field} ist keine gültige ID",
  "{field} must be true or false": "{field} muss true oder false sein",
  "{field} must be an integer": "{field} muss eine ganze Zahl sein",
  "{field} must be greater than or equal to {count}": "{field} muss mindestens {count} sein",
  "{field} must be less than or equal to {count}": "{field} darf höchstens {count} sein",
  "{field} has too many items (maximum is {count})": "{field} hat zu viele Einträge (höchstens {count})",
  "{field} has too few items (minimum is {count})": "{field} hat zu wenige Einträge (mindestens {count})",
  "{field} is too short (minimum is {count} character)": "{field} ist zu kurz (mindestens {count} Zeichen)",
  "{field} is too short (minimum is {count} characters)": "{field} ist zu kurz (mindestens {count} Zeichen)",
  "{field} must be a colour such as #ad2140": "{field} muss eine Farbe wie #ad2140 sein",
  "{field} must not load files: remove @import, url() and backslashes":
    "{field} dürfen keine Dateien laden: Entferne @import, url() und umgekehrte Schrägstriche",
  "{field} is too long (maximum is {count} character)": "{field} ist zu lang (höchstens {count} Zeichen)",
  "{field} is too long (maximum is {count} characters)": "{field} ist zu lang (höchstens {count} Zeichen)",
  "{field} has already been taken": "{field} ist schon vergeben",
  "{field} is reserved": "{field} ist dem Server vorbehalten",
  "{field} must be accepted": "{field} fehlt",
  "{field} must contain only letters, numbers and underscores":
    "{field} darf nur Buchstaben, Ziffern und Unterstriche enthalten",
  "{field} must not be at the domain of this server's handles":
    "{field} darf nicht zur Domain der Profiladressen dieses Servers gehören",
  "{field} is not a valid domain name": "{field} ist kein gültiger Domainname",
  "Redirect URI must be an absolute URI.": "Die Adresse für die Antwort muss eine absolute URI sein.",
  "Redirect URI cannot contain a fragment.": "Die Adresse für die Antwort darf kein Fragment haben.",
  "Scopes doesn't match configured on the server.": "Der Server kennt eines der verlangten Rechte nicht.",
  "Website must be a valid URL": "Die Website muss eine gültige Adresse haben",

  "Text character limit of {count} exceeded": "Der Text ist länger als {count} Zeichen",
  "Cannot attach more than {count} files": "Mehr als {count} Dateien sind nicht möglich",
  "Cannot attach files to a post with a poll": "Eine Umfrage kann keine Dateien haben",
  "Cannot attach a video to a post that already contains images":
    "Ein Video kann nicht neben Bildern in einem Beitrag sein",
  "Cannot attach files that have not finished processing. Try again in a moment!":
    "Die Dateien werden noch verarbeitet. Versuche es gleich noch einmal!",
  "Cannot attach files that could not be processed. Remove them, or upload others.":
    "Dateien konnten nicht verarbeitet werden. Entferne sie, oder lade andere hoch.",
  "Media attachments can't be attached twice": "Eine Datei kann nicht zweimal angehängt werden",
  "Media attachments are unknown, or belong to another post. Upload them again.":
    "Angehängte Dateien sind unbekannt oder gehören zu einem anderen Beitrag. Lade sie noch einmal hoch.",
  "Media attachment is currently used by a status": "Die Datei wird in einem Beitrag verwendet",
  "The post you are trying to reply to does not appear to exist.":
    "Den Beitrag, auf den du antworten willst, gibt es nicht.",
  "The post you are trying to quote does not appear to exist.": "Den Beitrag, den du zitieren willst, gibt es nicht.",
  "Cannot quote a non-mentioned user in a Private Mention post.":
    "In einer privaten Erwähnung kannst du nur zitieren, wen du erwähnst.",
  "The author of that post has to agree to quotes, and a local-only post cannot ask them":
    "Wer den Beitrag geschrieben hat, muss Zitaten zustimmen, und ein Beitrag nur für diesen Server kann nicht fragen",
  "Post would be sent to unexpected accounts": "Der Beitrag ginge auch an Konten, die nicht gemeint waren",
  "Scheduled at The scheduled date must be in the future": "Der Zeitpunkt muss in der Zukunft liegen",
  "You have exceeded the limit of {count} scheduled posts": "Mehr als {count} geplante Beiträge sind nicht möglich",
  "You have exceeded the limit of {count} scheduled posts for today":
    "Mehr als {count} geplante Beiträge am Tag sind nicht möglich",
  "A boost cannot be pinned": "Ein geteilter Beitrag kann nicht angeheftet werden",
  "Someone else's post cannot be pinned": "Nur eigene Beiträge können angeheftet werden",
  "Posts that are only visible to mentioned users cannot be pinned":
    "Beiträge, die nur Erwähnte sehen, können nicht angeheftet werden",
  "You have already pinned the maximum number of posts": "Mehr Beiträge können nicht angeheftet werden",

  "Choices must have more than one item": "Eine Umfrage braucht mehr als eine Antwort",
  "Choices can't contain more than {count} items": "Eine Umfrage kann höchstens {count} Antworten haben",
  "Choices cannot be longer than {count} characters each": "Eine Antwort darf höchstens {count} Zeichen haben",
  "Choices contain duplicate items": "Zwei Antworten sind gleich",
  "Deadline is too far into the future": "Die Umfrage dauert zu lang",
  "Deadline is too soon": "Die Umfrage dauert zu kurz",
  "The poll has already ended": "Die Umfrage ist schon beendet",
  "The chosen vote option does not exist": "Die gewählte Antwort gibt es nicht",
  "You cannot vote in your own polls": "In eigenen Umfragen kannst du nicht abstimmen",
  "You have already voted on this poll": "Du hast in dieser Umfrage schon abgestimmt",

  "File content type is invalid": "Eine Datei dieser Art wird nicht angenommen",
  "File has {frames} frames; at this size, at most {most} are allowed":
    "Die Datei hat {frames} Bilder; bei ihrer Größe sind höchstens {most} möglich",
  "File has {pixels} pixels; at most {most} megapixels are allowed":
    "Die Datei hat {pixels} Pixel; höchstens {most} Megapixel sind möglich",
  "File has {frames} frames of {pixels} pixels; at most {most} megapixels are allowed":
    "Die Datei hat {frames} Bilder von {pixels} Pixeln; zusammen sind höchstens {most} Megapixel möglich",
  "File has more than {count} frames": "Die Datei hat mehr als {count} Bilder",
  "File has {pixels} pixels; no side may be longer than {most}":
    "Die Datei hat {pixels} Pixel; keine Seite darf länger als {most} sein",
  "File is a video of {pixels} pixels; at most {most} are allowed":
    "Die Datei ist ein Video von {pixels} Pixeln; höchstens {most} sind möglich",
  "File has {rate} frames per second; at most {most} are allowed":
    "Die Datei hat {rate} Bilder in der Sekunde; höchstens {most} sind möglich",
  "File can't be converted, because this server has no ffmpeg":
    "Die Datei kann nicht umgewandelt werden, weil dem Server ffmpeg fehlt",
  "File takes more time or memory than is allowed. Upload a smaller or simpler one.":
    "Die Datei braucht mehr Zeit oder Speicher als erlaubt. Lade eine kleinere oder einfachere hoch.",
  "File size must be at most {count} MB": "Die Datei darf höchstens {count} MB groß sein",
  "{field} size must be less than {count} MB": "{field} muss kleiner als {count} MB sein",
  "Thumbnail is not a supported image": "Das Vorschaubild hat kein unterstütztes Bildformat",
  "The file could not be processed. Upload another one.":
    "Die Datei konnte nicht verarbeitet werden. Lade eine andere hoch.",
  "Focus must be two numbers between -1.0 and 1.0, separated by a comma":
    "Der Bildmittelpunkt muss aus zwei Zahlen von -1.0 bis 1.0 mit einem Komma dazwischen bestehen",

  "Profile can have at most {count} fields": "Ein Profil kann höchstens {count} Felder haben",
  "You must be already following the person you want to endorse": "Du kannst nur empfehlen, wem du folgst",
  "You have already featured the maximum number of hashtags": "Mehr Hashtags können nicht vorgestellt werden",
  "You have reached the maximum number of invitations": "Mehr Einladungen sind nicht möglich",
  "This invitation is no longer valid. Ask for a new one.": "Diese Einladung gilt nicht mehr. Bitte um eine neue.",
  "You have reached the maximum number of lists": "Mehr Listen sind nicht möglich",
  "Context None or invalid context supplied": "Es fehlt, wo der Filter gelten soll, oder es ist ungültig",
  "These parameters cannot be changed from this application because they apply to more than one filter keyword. Use a more recent application or the web interface.":
    "Das kann diese App nicht ändern, weil es für mehr als ein Wort des Filters gilt. Nimm eine neuere App.",
  "Name is not a recognized emoji": "Dieses Emoji ist unbekannt",
  "Limit of different reactions reached": "Mehr verschiedene Reaktionen sind nicht möglich",
  "Rule ids does not reference valid rules": "Eine der genannten Regeln gibt es nicht",
  "Conflict during update, please try again": "Eine andere App hat das gerade geändert. Versuche es noch einmal.",
  "Search queries that resolve remote resources or use an offset are not supported without authentication":
    "So suchen können nur Angemeldete",
  "The server-wide usage quota for the translation service has been exceeded.":
    "Der Server hat sein Kontingent beim Übersetzungsdienst ausgeschöpft.",
  "There have been too many requests to the translation service recently.":
    "Der Übersetzungsdienst hatte zuletzt zu viele Anfragen.",
  "Endpoint must be a public https:// address": "Der Endpunkt muss eine https://-Adresse sein, die alle erreichen",
  "Key p256dh must be an uncompressed point of the curve P-256 in Base64":
    "Der Schlüssel p256dh muss ein unkomprimierter Punkt der Kurve P-256 in Base64 sein",
  "Key auth must be {count} bytes in Base64": "Der Schlüssel auth muss aus {count} Bytes in Base64 bestehen",
  "Not authorized to stream this list": "Diese Liste ist nicht deine",
  "Unknown stream type": "Diesen Stream gibt es nicht",
  "Missing {name} name parameter": "Der Name fehlt: {name}",
  "Expected a WebSocket handshake": "Hier wird eine WebSocket-Verbindung erwartet",
  "At most {count} streams can be open. Close one before you open another.":
    "Höchstens {count} Streams können offen sein. Schließe einen, bevor du einen weiteren öffnest.",
  "At most {count} streams are allowed on one connection": "Höchstens {count} Streams auf einer Verbindung",
};

/** The translations of the API's error messages, by the English sentence. */
export type ErrorSentences = Record<keyof typeof sentences, string>;

/** The names of fields in the sentences. A field that is missing here keeps its name in the API. */
export const fields: Record<string, string> = {
  Accent: "Die Akzentfarbe",
  Css: "Deine Stile",
  Account: "Konto",
  Agreement: "Zustimmung zu den Regeln",
  Avatar: "Profilbild",
  "Avatar description": "Beschreibung des Profilbilds",
  Boosts: "Teilungen",
  Choices: "Antworten",
  "Application name": "Name der App",
  "Client name": "Name der App",
  Comment: "Kommentar",
  Context: "Geltungsbereich",
  Deadline: "Ende der Umfrage",
  Description: "Beschreibung",
  "Display name": "Anzeigename",
  Favourites: "Favorisierungen",
  Domain: "Domain",
  Email: "E-Mail-Adresse",
  "Expires in": "Dauer",
  File: "Datei",
  Header: "Titelbild",
  "Header description": "Beschreibung des Titelbilds",
  Locale: "Sprache",
  "Media attachments": "Angehängte Dateien",
  Name: "Name",
  Note: "Text über dich",
  Password: "Passwort",
  Phrase: "Wort oder Wendung",
  "Profile field name": "Name eines Profilfelds",
  "Profile field value": "Inhalt eines Profilfelds",
  Reason: "Begründung",
  "Redirect URI": "Adresse für die Antwort",
  "Redirect uris": "Adresse für die Antwort",
  "Scheduled at": "Zeitpunkt",
  Scopes: "Rechte",
  Status: "Beitrag",
  Tag: "Hashtag",
  Text: "Text",
  Thumbnail: "Vorschaubild",
  Title: "Titel",
  Username: "Name",
};
