import type { PolicyWord } from "../../core/interaction-policies.ts";
import { QUOTE_POLICIES } from "../../core/quotes/policy.ts";
import { isForEveryone, type Visibility } from "../../core/visibility.ts";
import { CONTENT_TYPES, type ContentType } from "../../lib/text/formats.ts";
import { knownLanguages } from "../../lib/text/languages.ts";
import { textsIn } from "../i18n/texts.ts";
import type { Choice } from "./forms.tsx";
import type { PageRequest } from "./page-request.tsx";

const visibilityTexts = textsIn<Record<Visibility, [label: string, help: string]>>(
  {
    public: ["Public", "Everyone can see it, in all timelines"],
    unlisted: ["Quiet public", "Everyone can see it, but it is not in public timelines or under hashtags"],
    private: ["Followers", "Only your followers and mentioned accounts can see it"],
    direct: ["Mentioned accounts", "Only accounts that it mentions can see it"],
  },
  {
    public: ["Öffentlich", "Alle können ihn sehen, in allen Timelines"],
    unlisted: [
      "Öffentlich, aber still",
      "Alle können ihn sehen, aber er steht nicht in öffentlichen Timelines oder unter Hashtags",
    ],
    private: ["Follower", "Nur deine Follower und erwähnte Konten können ihn sehen"],
    direct: ["Erwähnte Konten", "Nur Konten, die er erwähnt, können ihn sehen"],
  },
  {
    public: ["Public", "Tout le monde peut le voir, dans tous les fils"],
    unlisted: [
      "Public discret",
      "Tout le monde peut le voir, mais il n’apparaît ni dans les fils publics ni sous les hashtags",
    ],
    private: ["Abonnés", "Seuls vos abonnés et les comptes mentionnés peuvent le voir"],
    direct: ["Comptes mentionnés", "Seuls les comptes qu’il mentionne peuvent le voir"],
  },
);

/** Choices for the visibility of a post, with what each means. */
export function visibilityChoices(page: PageRequest, offered: readonly Visibility[]): Choice[] {
  const texts = page.texts(visibilityTexts);
  return offered.map((value) => ({ value, label: texts[value][0], help: texts[value][1] }));
}

const policyTexts = textsIn(
  {
    everyone: "Everyone",
    viewers: "Everyone who sees them",
    followers: "Your followers",
    following: "Accounts that you follow",
    mutuals: "Followers that you follow back",
    mentioned: "Only accounts that you mention",
    nobody: "Nobody",
  },
  {
    everyone: "Alle",
    viewers: "Alle, die sie sehen",
    followers: "Deine Follower",
    following: "Konten, denen du folgst",
    mutuals: "Follower, denen du auch folgst",
    mentioned: "Nur Konten, die du erwähnst",
    nobody: "Niemand",
  },
  {
    everyone: "Tout le monde",
    viewers: "Toutes les personnes qui les voient",
    followers: "Vos abonnés",
    following: "Les comptes que vous suivez",
    mutuals: "Les abonnés que vous suivez aussi",
    mentioned: "Seulement les comptes que vous mentionnez",
    nobody: "Personne",
  },
);

/** Choices for who may reply to a post. The values are for `storedPolicy()`. */
export function replyChoices(page: PageRequest, visibility: Visibility): Choice[] {
  const texts = page.texts(policyTexts);
  const [mutuals, author] = [choice("mutuals", texts.mutuals), choice("author", texts.mentioned)];
  if (!isForEveryone(visibility)) return [choice("public", texts.viewers), mutuals, author];
  const [followers, following] = [choice("followers", texts.followers), choice("following", texts.following)];
  return [choice("public", texts.everyone), followers, following, mutuals, author];
}

/** Choices for who may boost a public post. The values are for `storedPolicy()`. */
export function reblogChoices(page: PageRequest): Choice[] {
  const texts = page.texts(policyTexts);
  return [
    choice("public", texts.everyone),
    choice("followers", texts.followers),
    choice("following", texts.following),
    choice("mutuals", texts.mutuals),
    choice("author", texts.nobody),
  ];
}

/** Choices for who may quote a public post. */
export function quoteChoices(page: PageRequest): Choice[] {
  const texts = page.texts(policyTexts);
  const labels = { public: texts.everyone, followers: texts.followers, nobody: texts.nobody };
  return QUOTE_POLICIES.map((policy) => ({ value: policy, label: labels[policy] }));
}

function choice(value: PolicyWord, label: string): Choice {
  return { value, label };
}

const formatTexts = textsIn<Record<ContentType, [label: string, help: string]>>(
  {
    "text/plain": ["Plain text", "It stays as you type it"],
    "text/markdown": ["Markdown", "**bold**, _italic_, lists, quotes, code and [links](https://example.org)"],
    "text/html": ["HTML", "What other servers don’t show is removed"],
  },
  {
    "text/plain": ["Reiner Text", "Er bleibt, wie du ihn eingibst"],
    "text/markdown": ["Markdown", "**fett**, _kursiv_, Listen, Zitate, Code und [Links](https://example.org)"],
    "text/html": ["HTML", "Was andere Server nicht zeigen, wird entfernt"],
  },
  {
    "text/plain": ["Texte brut", "Il reste tel que vous l’écrivez"],
    "text/markdown": ["Markdown", "**gras**, _italique_, listes, citations, code et [liens](https://example.org)"],
    "text/html": ["HTML", "Ce que les autres serveurs n’affichent pas est retiré"],
  },
);

/** Choices for the format of a post, with what each means. */
export function formatChoices(page: PageRequest): Choice[] {
  const texts = page.texts(formatTexts);
  return CONTENT_TYPES.map((value) => ({ value, label: texts[value][0], help: texts[value][1] }));
}

/** Choices for a language, in alphabetical order; the first is no language, the last a present one such as `pt-BR`. */
export function languageChoices(page: PageRequest, none: string, present = ""): Choice[] {
  const { locale } = page.messages;
  const names = new Intl.DisplayNames(locale, { type: "language" });
  const { compare } = new Intl.Collator(locale);
  const languages = knownLanguages().map(({ code }) => ({ value: code, label: names.of(code)! }));
  const isKnown = present === "" || languages.some(({ value }) => value === present);
  return [
    { value: "", label: none },
    ...languages.toSorted((a, b) => compare(a.label, b.label)),
    ...(isKnown ? [] : [{ value: present, label: present }]),
  ];
}

const UNITS = [
  [24 * 3600, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** Choices for a time that something lasts. The values are in seconds. */
export function durationChoices(page: PageRequest, durations: readonly number[]): Choice[] {
  return durations.map((seconds) => {
    const [length, unit] = UNITS.find(([each]) => seconds % each === 0)!;
    const format = new Intl.NumberFormat(page.messages.locale, { style: "unit", unit, unitDisplay: "long" });
    return { value: String(seconds), label: format.format(seconds / length) };
  });
}
