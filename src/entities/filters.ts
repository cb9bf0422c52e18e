import type { Context } from "../context.ts";
import type { FilterRow } from "../core/timelines/filters.ts";
import type { FilterRule, FilterSet, StatusText } from "../db/rendered.ts";
import { holds, patternOf } from "../lib/text/keywords.ts";
import { timestamp } from "./json.ts";

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
export interface FilterResultJson {
  filter: ReturnType<typeof filterJson>;
  keyword_matches: string[] | null;
  status_matches: string[] | null;
}

interface RuleRow extends FilterRow {
  keywords: string;
  statuses: string;
}

const RULES = `
  SELECT f.id, f.title, f.context, f.filter_action, f.expires_at,
    (SELECT json_group_array(json_array(keyword, whole_word)) FROM filter_keywords WHERE filter_id = f.id) AS keywords,
    (SELECT json_group_array(status_id) FROM filter_statuses WHERE filter_id = f.id) AS statuses
  FROM filters f
  WHERE f.account_id = +$viewer AND (f.expires_at IS NULL OR f.expires_at > +$now)
  ORDER BY f.id`;

/** The viewer's active filters, cached until one of them changes or expires. */
export function filtersFor(ctx: Context, viewerId: number): FilterSet {
  const { rendered } = ctx;
  const now = ctx.clock.now();
  const known = rendered.filters.get(viewerId);
  if (known && known.until > now) return known;
  const rows = ctx.db.all<RuleRow>(RULES, { viewer: viewerId, now });
  const set: FilterSet = {
    rules: rows.map(ruleOf),
    until: Math.min(Infinity, ...rows.flatMap((row) => row.expires_at ?? [])),
    found: new WeakMap(),
  };
  rendered.keepFilters(viewerId, set);
  return set;
}

function ruleOf(row: RuleRow): FilterRule {
  const keywords: [string, number][] = JSON.parse(row.keywords);
  return {
    filter: JSON.stringify(filterJson(row)),
    patterns: keywords.map(([keyword, wholeWord]) => patternOf(keyword, wholeWord === 1)),
    statusIds: new Set(JSON.parse(row.statuses)),
  };
}

/**
 * The matches of the filters in a status, as the JSON text of a list of FilterResult. Covers all contexts, as in Mastodon:
 * each result names the contexts of its filter, and the app chooses, since it reuses a status in several of them.
 */
export function filteredText(set: FilterSet, id: number, originalId: number, original: StatusText): string {
  if (set.rules.length === 0) return "[]";
  // A reblog that is in a filter itself: too rare to cache.
  if (id !== originalId && set.rules.some((rule) => rule.statusIds.has(id)))
    return apply(set, [id, originalId], original);
  let text = set.found.get(original);
  if (text === undefined) set.found.set(original, (text = apply(set, [originalId], original)));
  return text;
}

function apply(set: FilterSet, ids: readonly number[], status: StatusText): string {
  const words = set.rules.some(({ patterns }) => patterns.length > 0) ? status.words() : "";
  const results = set.rules.flatMap(({ filter, patterns, statusIds }) => {
    const keywords = patterns.filter((pattern) => holds(words, pattern)).map(({ keyword }) => keyword);
    const statuses = ids.filter((id) => statusIds.has(id)).map(String);
    if (keywords.length === 0 && statuses.length === 0) return [];
    return `{"filter":${filter},"keyword_matches":${listOrNull(keywords)},"status_matches":${listOrNull(statuses)}}`;
  });
  return `[${results.join(",")}]`;
}

function listOrNull(texts: readonly string[]): string {
  return texts.length === 0 ? "null" : JSON.stringify(texts);
}
