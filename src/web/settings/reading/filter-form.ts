import {
  FILTER_ACTIONS,
  FILTER_CONTEXTS,
  settingsOf,
  type FilterKeywordRow,
  type FilterRow,
  type FilterSettings,
  type KeywordChange,
} from "../../../core/timelines/filters.ts";
import { parseId } from "../../../lib/ids.ts";
import type { UserPage } from "../../page/page-request.tsx";

/** The values that the form of a filter shows: the stored filter, or what was typed. */
export interface FilterForm extends Pick<FilterSettings, "title" | "action"> {
  context: string[];
  /** In seconds from now, "" for never, and "keep" for the present one. */
  expiry: string;
  keywords: KeywordField[];
}

/** The name is the id of a keyword, or `new` with a number. */
interface KeywordField {
  name: string;
  keyword: string;
  wholeWord: boolean;
}

/** Empty rows for new keywords. */
const NEW_ROWS = 3;

export function asForm(page: UserPage, filter: FilterRow | null, keywords: readonly FilterKeywordRow[]): FilterForm {
  if (page.request.method === "POST") return typed(page);
  const settings = filter && settingsOf(filter);
  return {
    title: settings?.title ?? "",
    action: settings?.action ?? "warn",
    context: settings?.context ?? [...FILTER_CONTEXTS],
    expiry: settings?.expiresAt ? "keep" : "",
    keywords: keywords.map(({ id, keyword, whole_word }) => ({
      name: String(id),
      keyword,
      wholeWord: whole_word === 1,
    })),
  };
}

function typed(page: UserPage): FilterForm {
  return {
    title: page.text("title"),
    action: FILTER_ACTIONS.find((action) => action === page.text("action")) ?? "warn",
    context: FILTER_CONTEXTS.filter((context) => page.isChecked(`context_${context}`)),
    expiry: page.text("expiry"),
    keywords: typedKeywords(page),
  };
}

function typedKeywords(page: UserPage): KeywordField[] {
  return Object.keys(page.params).flatMap((param) => {
    const name = /^keyword_(\d{1,16}|new\d)$/.exec(param)?.[1];
    return name ? [{ name, keyword: page.text(param).trim(), wholeWord: page.isChecked(`whole_${name}`) }] : [];
  });
}

/** The rows of the form: those of the keywords, and empty ones for new ones. */
export function keywordFields({ keywords }: FilterForm): KeywordField[] {
  const added = Array.from({ length: NEW_ROWS }, (_, at) => `new${at}`).filter((name) =>
    keywords.every((keyword) => keyword.name !== name),
  );
  return [...keywords, ...added.map((name) => ({ name, keyword: "", wholeWord: true }))];
}

/** An emptied row removes its keyword. One that an app has removed since the form was shown is added again. */
export function keywordChanges(page: UserPage, stored: readonly FilterKeywordRow[]): KeywordChange[] {
  const isStored = (name: string) => stored.some(({ id }) => String(id) === name);
  return typedKeywords(page)
    .filter(({ name, keyword }) => keyword !== "" || isStored(name))
    .map(({ name, keyword, wholeWord }) =>
      isStored(name) ? { id: parseId(name), keyword, wholeWord, destroy: keyword === "" } : { keyword, wholeWord },
    );
}
