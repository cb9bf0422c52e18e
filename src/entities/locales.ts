/** The texts in the language of a locale, such as `de-AT`; in English if there is no translation. */
export function inLocale<T>(texts: { en: T } & Record<string, T>, locale: string): T {
  const language = locale.toLowerCase().split(/[-_]/, 1)[0]!;
  return Object.hasOwn(texts, language) ? texts[language]! : texts.en;
}
