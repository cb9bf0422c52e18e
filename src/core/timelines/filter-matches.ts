import type { Context } from "../../context.ts";
import { type CacheSpec, ownRow, partRows } from "../../db/row-cache.ts";
import { filterKeywords, filters, filterStatuses } from "../../db/schema/index.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { fold, matchesPattern, patternOf, type Pattern } from "../../lib/text/keywords.ts";
import type { FilterRow } from "./filters.ts";

/** A filter, prepared for matching statuses. */
interface FilterRule {
  filter: FilterRow;
  patterns: Pattern[];
  statusIds: Set<number>;
}

/** A user's active filters. */
export interface FilterSet {
  rules: FilterRule[];
  /** When the first of them expires, in milliseconds since 1970. */
  until: number;
  /** The matches found so far, dropped together with the status they were found in. */
  found: WeakMap<Searchable, readonly FilterMatch[]>;
}

/** The parts of a status that filters read. A changed status is another object. */
export interface Searchable {
  /** See `searchableWords()`. */
  words(): string;
}

export interface FilterMatch {
  filter: FilterRow;
  keywords: string[];
  statusIds: number[];
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

const ofFilter = (row: string) => `SELECT account_id AS key FROM filters WHERE id = ${row}.filter_id`;

/** By the id of their owner's account. */
export const FILTER_SETS: CacheSpec<number, FilterSet> = {
  name: "filters",
  max: 1000,
  dependsOn: [
    // A new filter matches nothing before it has keywords or statuses.
    ownRow(filters, ["account_id", "title", "context", "filter_action", "expires_at"], { key: "account_id" }),
    partRows(filterKeywords, ["filter_id", "keyword", "whole_word"], ofFilter),
    partRows(filterStatuses, ["filter_id", "status_id"], ofFilter),
  ],
};

/** The viewer's active filters, cached until one of them changes or expires. */
export function activeFilters(ctx: Context, viewerId: number): FilterSet {
  const now = ctx.clock.now();
  return ctx.caches.of(FILTER_SETS).get(
    viewerId,
    () => readFilters(ctx, viewerId, now),
    ({ until }) => until > now,
  );
}

function readFilters(ctx: Context, viewerId: number, now: number): FilterSet {
  const rows = ctx.db.all<RuleRow>(RULES, { viewer: viewerId, now });
  return {
    rules: rows.map(ruleOf),
    until: Math.min(Infinity, ...rows.flatMap((row) => row.expires_at ?? [])),
    found: new WeakMap(),
  };
}

function ruleOf({ keywords, statuses, ...filter }: RuleRow): FilterRule {
  const words: [keyword: string, wholeWord: number][] = JSON.parse(keywords);
  return {
    filter,
    patterns: words.map(([keyword, wholeWord]) => patternOf(keyword, wholeWord === 1)),
    statusIds: new Set(JSON.parse(statuses)),
  };
}

/** The folded text in which filters look for keywords, the same as Mastodon's. */
export function searchableWords(
  { spoiler_text, content }: { spoiler_text: string; content: string },
  choices: readonly string[],
  descriptions: readonly string[],
): string {
  return fold([spoiler_text, htmlToText(content), ...choices, ...descriptions].join("\n\n"));
}

const NO_MATCHES: readonly FilterMatch[] = [];

/**
 * The matches of the filters in a status; the same list until the status or the filters change. A reblog (`id`) has the
 * matches of its original (`status`). Covers all contexts, as in Mastodon: each filter has its contexts, and the app
 * chooses, since it reuses a status in several of them.
 */
export function filterMatches(
  set: FilterSet,
  id: number,
  originalId: number,
  status: Searchable,
): readonly FilterMatch[] {
  if (set.rules.length === 0) return NO_MATCHES;
  // A reblog that is in a filter itself: too rare to cache.
  if (id !== originalId && set.rules.some((rule) => rule.statusIds.has(id)))
    return matchAll(set, [id, originalId], status);
  let matches = set.found.get(status);
  if (!matches) set.found.set(status, (matches = matchAll(set, [originalId], status)));
  return matches;
}

function matchAll(set: FilterSet, ids: readonly number[], status: Searchable): readonly FilterMatch[] {
  const words = set.rules.some(({ patterns }) => patterns.length > 0) ? status.words() : "";
  const matches = set.rules.map(({ filter, patterns, statusIds }) => ({
    filter,
    keywords: patterns.filter((pattern) => matchesPattern(words, pattern)).map(({ keyword }) => keyword),
    statusIds: ids.filter((id) => statusIds.has(id)),
  }));
  return matches.filter(({ keywords, statusIds }) => keywords.length > 0 || statusIds.length > 0);
}
