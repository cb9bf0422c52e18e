import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import {
  addFilterStatus,
  createFilter,
  FILTER_ACTIONS,
  filtersOf,
  filterStatusesOf,
  keywordsOf,
  type FilterRow,
  type FilterSettings,
  type KeywordChange,
  ownFilter,
  updateFilter,
} from "../timelines/filters.ts";
import { visibleAmong } from "../visibility.ts";
import type { ImportMode } from "./imports.ts";

/** More than a filter can have in the API. */
const MAX_PARTS = 500;

interface ReadFilter extends FilterSettings {
  keywords: { keyword: string; wholeWord: boolean }[];
  statuses: string[];
}

/** Reads a filter of Mastodon's file, in which anything may be missing or have another type. */
function readFilter(json: string): ReadFilter {
  const given = JSON.parse(json) as Partial<Record<string, unknown>>;
  // Mastodon writes the time under one name and reads it under another.
  const time = Date.parse(String(given.expires_at ?? given.expire_at ?? ""));
  const keywords = listOf(given.keywords_attributes).map((each) => ({
    keyword: textOf(each.keyword),
    wholeWord: each.whole_word !== false,
  }));
  return {
    title: textOf(given.title),
    context: Array.isArray(given.context) ? given.context.map(textOf) : [],
    action: FILTER_ACTIONS.find((action) => action === given.action) ?? "warn",
    expiresAt: Number.isNaN(time) ? null : time,
    keywords: keywords.filter(({ keyword }) => /\S/.test(keyword)),
    statuses: (Array.isArray(given.statuses) ? given.statuses : []).slice(0, MAX_PARTS).map(textOf),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): Record<string, unknown>[] {
  const parts = (Array.isArray(value) ? value : []).filter((each) => typeof each === "object" && each !== null);
  if (parts.length > MAX_PARTS) throw new Refusal("invalid", `A filter can have at most ${MAX_PARTS} keywords.`);
  return parts as Record<string, unknown>[];
}

/** The filter of an account with the same title and contexts, as in Mastodon. */
export function filterLike(db: Reads, accountId: number, json: string): FilterRow | null {
  const { title, context } = readFilter(json);
  const words = context.toSorted().join();
  const isSame = (row: FilterRow) =>
    row.title === title && (JSON.parse(row.context) as string[]).toSorted().join() === words;
  return filtersOf(db, accountId).find(isSame) ?? null;
}

/**
 * Adds a filter, or changes the one with the same title and contexts. Its keywords are added to those of that filter, or
 * replace them. @throws Refusal
 */
export function saveFilter(ctx: Context, accountId: number, mode: ImportMode, json: string): void {
  const filter = readFilter(json);
  const known = filterLike(ctx.db, accountId, json);
  if (known) updateFilter(ctx, accountId, known, filter, keywordChanges(ctx.db, accountId, known.id, mode, filter));
  const id = known?.id ?? createFilter(ctx, accountId, filter, filter.keywords);
  addStatuses(ctx, accountId, id, filter.statuses);
}

function keywordChanges(
  db: Reads,
  accountId: number,
  filterId: number,
  mode: ImportMode,
  { keywords }: ReadFilter,
): KeywordChange[] {
  const known = keywordsOf(db, accountId, filterId);
  const isNamed = (word: string) => keywords.some(({ keyword }) => keyword === word);
  const removed = mode === "merge" ? [] : known.filter(({ keyword }) => !isNamed(keyword));
  const kept = ({ keyword, wholeWord }: ReadFilter["keywords"][number]) =>
    known.some((row) => row.keyword === keyword && (row.whole_word === 1) === wholeWord);
  return [
    ...removed.map(({ id }) => ({ id, destroy: true })),
    ...keywords
      .filter((each) => !kept(each))
      .map((each) => {
        const row = known.find(({ keyword }) => keyword === each.keyword);
        return row ? { id: row.id, ...each } : each;
      }),
  ];
}

const STATUS_AT = "SELECT id FROM statuses WHERE uri = +$uri";

/** Posts that are unknown here are left out: a filter doesn't need them until they arrive. */
function addStatuses(ctx: Context, accountId: number, filterId: number, uris: readonly string[]): void {
  const found = uris.flatMap((uri) => ctx.db.get<{ id: number }>(STATUS_AT, { uri })?.id ?? []);
  const there = new Set(filterStatusesOf(ctx.db, accountId, filterId).map(({ status_id }) => status_id));
  const filter = ownFilter(ctx.db, accountId, filterId);
  for (const id of visibleAmong(ctx, accountId, found)) if (!there.has(id)) addFilterStatus(ctx, accountId, filter, id);
}
