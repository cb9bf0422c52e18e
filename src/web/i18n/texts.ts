/** The languages of the pages. */
export type Language = "en" | "de" | "fr";

/** The texts of one area of the pages. */
export type Texts<T> = Readonly<Record<Language, T>>;

/**
 * The texts of the pages in one folder, in each language: the file `texts.ts` beside them. German and French have every
 * text that English has. `PageRequest.texts()` picks the visitor's language. Texts that several folders need are in
 * `Messages`.
 */
export function textsIn<T>(en: T, de: NoInfer<T>, fr: NoInfer<T>): Texts<T> {
  return { en, de, fr };
}
