/** The texts in the language of a locale, such as `de-AT`; in English if there is no translation. */
export function inLocale<T>(texts: { en: T } & Record<string, T>, locale: string): T {
  return texts[translatedLocale(texts, locale)[0]]!;
}

/** A time as a sentence of these texts has it, with its zone. */
export function timeInLocale(texts: object, time: number, { locale, timeZone }: { locale: string; timeZone: string }) {
  const [, region] = translatedLocale(texts, locale);
  const format = new Intl.DateTimeFormat(region, { dateStyle: "long", timeStyle: "short", timeZone });
  return `${format.format(time)} (${timeZone})`;
}

/** The language that the texts have for a locale, and its region, such as that of `de-AT`. */
function translatedLocale(texts: object, locale: string): [language: string, locale: string] {
  const language = locale.toLowerCase().split(/[-_]/, 1)[0]!;
  if (!Object.hasOwn(texts, language)) return ["en", "en"];
  return [language, /^[a-z]+-[a-z]{2}$/i.test(locale) ? locale : language];
}
