import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as german from "../../src/web/i18n/errors-de.ts";
import * as french from "../../src/web/i18n/errors-fr.ts";
import { describeIn, onPage, reasonsOf, translate } from "../../src/web/i18n/error-messages.ts";
import { formErrors } from "../../src/web/i18n/form-errors.ts";

const LANGUAGES = { de: german, fr: french };
const codes = Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[];

describe.each(codes)("Error messages in %s", (language) => {
  const { sentences, fields } = LANGUAGES[language];

  test("have the same placeholders as in English, and start with the field if English does", () => {
    for (const [english, translation] of Object.entries(sentences)) {
      const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
      expect([english, values(translation)]).toEqual([english, values(english)]);
      expect([english, translation.startsWith("{field} ")]).toEqual([english, english.startsWith("{field} ")]);
    }
  });

  test("name the same fields", () => {
    expect(Object.keys(fields).toSorted()).toEqual(Object.keys(german.fields).toSorted());
  });
});

test.each([
  ["Record not found", "Das gibt es hier nicht"],
  ["Validation failed: Text can't be blank", "Ungültige Angaben: Text darf nicht leer sein"],
  [
    "Validation failed: Email is invalid, Username is too long (maximum is 30 characters)",
    "Ungültige Angaben: E-Mail-Adresse ist ungültig, Name ist zu lang (höchstens 30 Zeichen)",
  ],
  [
    "Validation failed: Media attachments are unknown, or belong to another post. Upload them again., Unheard of can't be blank",
    "Ungültige Angaben: Angehängte Dateien sind unbekannt oder gehören zu einem anderen Beitrag. Lade sie noch einmal hoch., Unheard of darf nicht leer sein",
  ],
  [
    "Validation failed: File content type is invalid, File is invalid",
    "Ungültige Angaben: Eine Datei dieser Art wird nicht angenommen, Datei ist ungültig",
  ],
  [
    "Validation failed: File has 9x9 pixels; at most 1 megapixels are allowed",
    "Ungültige Angaben: Die Datei hat 9x9 Pixel; höchstens 1 Megapixel sind möglich",
  ],
  [
    "Validation failed: File has 3 frames of 9x9 pixels; at most 1 megapixels are allowed",
    "Ungültige Angaben: Die Datei hat 3 Bilder von 9x9 Pixeln; zusammen sind höchstens 1 Megapixel möglich",
  ],
  [
    "Validation failed: Display name is too long (maximum is 30 characters), Note is too long (maximum is 500 characters)",
    "Ungültige Angaben: Anzeigename ist zu lang (höchstens 30 Zeichen), Text über dich ist zu lang (höchstens 500 Zeichen)",
  ],
  ["'a, b\n' is not a valid visibility", "„a, b\n“ ist für visibility nicht möglich"],
  ["'$& $1' is not a valid visibility", "„$& $1“ ist für visibility nicht möglich"],
])("%p is %p in German", (english, translation) => {
  expect([translate(english, "de"), translate(english, "en")]).toEqual([translation, english]);
});

test("an unknown message stays as it is", () => {
  for (const message of ["Not in the list", "Validation failed: Text can't be blank, Not in the list", ""]) {
    expect([translate(message, "de"), translate(message, "xx")]).toEqual([null, message]);
  }
});

test("the description of a field's error is translated without the field", () => {
  expect(describeIn("can't be blank", "de")).toBe("darf nicht leer sein");
  expect(describeIn("can't be blank", "fr")).toBe("ne peut pas être vide");
  expect(describeIn("not in the list", "de")).toBe("not in the list");
});

describe("Forms", () => {
  test("show each reason as a sentence without the API's words", () => {
    const message = "Validation failed: Title can't be blank, Context can't be blank, Choices contain duplicate items";
    expect(reasonsOf(message)).toEqual([
      "Title can't be blank",
      "Context can't be blank",
      "Choices contain duplicate items",
    ]);
    expect(onPage(message, "en")).toBe(
      "Fill this in. Choose at least one place. Two choices are the same. Change one of them.",
    );
    expect(onPage(message, "de")).toBe(
      "Fülle dieses Feld aus. Wähle mindestens einen Ort. Zwei Antworten sind gleich. Ändere eine davon.",
    );
    expect(onPage("Record not found", "fr")).toContain("plus ici");
    expect(onPage("Validation failed: Not in the list", "en")).toBe("Not in the list.");
  });

  test("know the same sentences in each language, and no values that the API doesn't give", () => {
    const values = (text: string): string[] => text.match(/\{\w+\}/g) ?? [];
    const [known, ...others] = (["en", ...codes] as const).map((code) => formErrors[code] as Record<string, string>);
    for (const [english, sentence] of [known!, ...others].flatMap((errors) => Object.entries(errors))) {
      expect([english, values(sentence).filter((value) => !values(english).includes(value))]).toEqual([english, []]);
    }
    expect(others.flatMap(Object.keys).filter((english) => !Object.hasOwn(known!, english))).toEqual([]);
  });
});

/** Files whose errors only appear on the command line, which is in English. */
const FOR_OWNERS = [
  /^(?:cli|build|db)\//,
  /^core\/(?:discovery\/trends|media\/emojis|moderation\/(?:domain-blocks|moderation|relays))\.ts$/,
  /^core\/server\/(?:announcements|jobs|pages|rules|server-address|site-pictures|terms)\.ts$/,
  /^federation\/(?:peers\/|relays\.ts$)/,
];
/** Command-line errors in files with other errors, and a message composed of two. */
const EXCEPTIONS = /^(?:There is no report |Report |File has 0; at most |With LINNET_PASSWORD_SIGN_IN=off)/;

const REFUSING = /\b(?:new (?:\w*Refusal)|super|validationFailed|refuseWhere|tooLong|complain|badArchive)\(/g;

/** The message texts in the arguments of calls that create errors, with `0` in place of values. */
function sentencesOf(source: string): string[] {
  return [...source.matchAll(REFUSING)].flatMap(({ 0: call, index }) => {
    const end = endOfCall(source, index + call.length);
    const texts = source.slice(index, end).matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
    const wholeCall = call.startsWith("tooLong")
      ? (text: string) => `${text} is too long (maximum is 0 characters)`
      : null;
    return [...texts].flatMap(([, plain, template]) => {
      const text = (plain ?? template!).replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "0").replaceAll('\\"', '"');
      if (wholeCall && /^[A-Z]/.test(text)) return [wholeCall(text)];
      return text.includes(" ") ? [text] : [];
    });
  });
}

/** The position after the parenthesis that closes the one before `at`. Parentheses in texts are balanced. */
function endOfCall(source: string, at: number): number {
  let depth = 1;
  let end = at;
  for (; depth > 0 && end < source.length; end++) depth += source[end] === "(" ? 1 : source[end] === ")" ? -1 : 0;
  return end;
}

/** Whether the message is translated: on its own, as a reason, or as the error of a field. */
function isTranslated(sentence: string): boolean {
  const forms = [sentence, `Validation failed: ${sentence}`, `Field ${sentence}`, sentence.replace(/^0 /, "Field ")];
  return codes.every(
    (language) => sentence in LANGUAGES[language].fields || forms.some((form) => translate(form, language) !== null),
  );
}

test("every error message of a request is translated", () => {
  const folder = join(import.meta.dir, "../../src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !FOR_OWNERS.some((pattern) => pattern.test(file)))
    .toSorted();
  const found = files.flatMap((file) => {
    const sentences = sentencesOf(readFileSync(join(folder, file), "utf8"));
    return sentences.map((sentence) => ({ file, sentence }));
  });
  expect(found.length).toBeGreaterThan(100);
  const missing = found.filter(({ sentence }) => !EXCEPTIONS.test(sentence) && !isTranslated(sentence));
  expect(missing).toEqual([]);
});
