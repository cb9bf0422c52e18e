import type { FilterMatch } from "../../core/timelines/filter-matches.ts";
import type { FilterRow } from "../../core/timelines/filters.ts";
import { timestamp } from "../json.ts";

/** Mastodon's Filter (entities/Filter), without its keywords and statuses. */
export function filterJson(row: FilterRow) {
  return {
    id: String(row.id),
    title: row.title,
    context: JSON.parse(row.context) as string[],
    expires_at: timestamp(row.expires_at),
    filter_action: row.filter_action,
  };
}

/** Mastodon's FilterResult (entities/FilterResult). */
export type FilterResultJson = ReturnType<typeof filterResult>;

function filterResult({ filter, keywords, statusIds }: FilterMatch) {
  return {
    filter: filterJson(filter),
    keyword_matches: keywords.length === 0 ? null : keywords,
    status_matches: statusIds.length === 0 ? null : statusIds.map(String),
  };
}

const texts = new WeakMap<readonly FilterMatch[], string>();

/** A list of FilterResult as JSON text. The list of matches stays the same from one request to the next. */
export function filterResultsText(matches: readonly FilterMatch[]): string {
  if (matches.length === 0) return "[]";
  let text = texts.get(matches);
  if (text === undefined) texts.set(matches, (text = JSON.stringify(matches.map(filterResult))));
  return text;
}
