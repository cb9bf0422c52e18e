import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { filters, type filterKeywords, type filterStatuses } from "../../db/schema/index.ts";
import { notFound, refuseWhere, tooLong, validationFailed } from "../../errors.ts";
import { publishAfterCommit, userTopic } from "../events.ts";
import { visibleStatus } from "../visibility.ts";

export const FILTER_CONTEXTS = ["home", "notifications", "public", "thread", "account"] as const;
export const FILTER_ACTIONS = filters.filter_action.enumValues;

export type FilterRow = Pick<typeof filters.$inferSelect, "id" | "title" | "context" | "filter_action" | "expires_at">;
export type FilterKeywordRow = typeof filterKeywords.$inferSelect;
export type FilterStatusRow = typeof filterStatuses.$inferSelect;

export interface FilterSettings {
  title: string;
  context: string[];
  action: FilterRow["filter_action"];
  /** Milliseconds since 1970, null for never. */
  expiresAt: number | null;
}

/** A change to a filter's keywords: with an id it changes or removes a keyword, without one it adds one. */
export interface KeywordChange {
  id?: number | null;
  keyword?: string;
  wholeWord?: boolean;
  destroy?: boolean;
}

/** In characters, like in Mastodon. */
export const MAX_TITLE = 256;
export const MAX_KEYWORD = 512;

const FILTER = "SELECT f.id, f.title, f.context, f.filter_action, f.expires_at FROM filters f";

export function filtersOf(db: Reads, accountId: number): FilterRow[] {
  return db.all<FilterRow>(`${FILTER} WHERE f.account_id = +$accountId ORDER BY f.id`, { accountId });
}

export function ownFilter(db: Reads, accountId: number, id: number | null): FilterRow {
  const filter = db.get<FilterRow>(`${FILTER} WHERE f.id = +$id AND f.account_id = +$accountId`, { id, accountId });
  if (!filter) throw notFound();
  return filter;
}

/** The keywords of one filter, or of all filters of the account. */
export function keywordsOf(db: Reads, accountId: number, filterId: number | null): FilterKeywordRow[] {
  return db.all<FilterKeywordRow>(
    `SELECT k.* FROM filters f JOIN filter_keywords k ON k.filter_id = f.id
     WHERE f.account_id = +$accountId AND ($filterId IS NULL OR f.id = +$filterId) ORDER BY k.id`,
    { accountId, filterId },
  );
}

/** The statuses in one filter, or in all filters of the account. */
export function filterStatusesOf(db: Reads, accountId: number, filterId: number | null): FilterStatusRow[] {
  return db.all<FilterStatusRow>(
    `SELECT s.* FROM filters f JOIN filter_statuses s ON s.filter_id = f.id
     WHERE f.account_id = +$accountId AND ($filterId IS NULL OR f.id = +$filterId) ORDER BY s.id`,
    { accountId, filterId },
  );
}

export function ownKeyword(db: Reads, accountId: number, id: number | null): FilterKeywordRow {
  const row = db.get<FilterKeywordRow>(ownPart("filter_keywords"), { id, accountId });
  if (!row) throw notFound();
  return row;
}

export function ownFilterStatus(db: Reads, accountId: number, id: number | null): FilterStatusRow {
  const row = db.get<FilterStatusRow>(ownPart("filter_statuses"), { id, accountId });
  if (!row) throw notFound();
  return row;
}

function ownPart(table: "filter_keywords" | "filter_statuses"): string {
  return `SELECT p.* FROM ${table} p JOIN filters f ON f.id = p.filter_id WHERE p.id = +$id AND f.account_id = +$accountId`;
}

/** Changes the account's filters in one transaction, and publishes this to the account's streams. */
function changeFilters<T>(ctx: Context, accountId: number, work: (tx: Tx) => T): T {
  return ctx.db.transaction((tx) => {
    const result = work(tx);
    publishAfterCommit(ctx, tx, [userTopic(accountId)], { event: "filters_changed" });
    return result;
  });
}

export function createFilter(
  ctx: Context,
  accountId: number,
  settings: FilterSettings,
  keywords: readonly KeywordChange[],
): number {
  check(settings);
  return changeFilters(ctx, accountId, (tx) => {
    const { lastInsertRowid: id } = tx.run(
      `INSERT INTO filters (account_id, title, context, filter_action, expires_at, created_at)
       VALUES ($accountId, $title, $context, $action, $expiresAt, $now)`,
      {
        accountId,
        title: settings.title,
        context: JSON.stringify(settings.context),
        action: settings.action,
        expiresAt: settings.expiresAt,
        now: ctx.clock.now(),
      },
    );
    changeKeywords(tx, id, keywords);
    return id;
  });
}

/** Changes the given properties; all changes or none. */
export function updateFilter(
  ctx: Context,
  accountId: number,
  filter: FilterRow,
  changes: Partial<FilterSettings>,
  keywords: readonly KeywordChange[],
): void {
  const settings = { ...settingsOf(filter), ...withoutUndefined(changes) };
  check(settings);
  changeFilters(ctx, accountId, (tx) => {
    tx.run(
      "UPDATE filters SET title = $title, context = $context, filter_action = $action, expires_at = $expiresAt WHERE id = +$filterId",
      {
        title: settings.title,
        context: JSON.stringify(settings.context),
        action: settings.action,
        expiresAt: settings.expiresAt,
        filterId: filter.id,
      },
    );
    changeKeywords(tx, filter.id, keywords);
  });
}

export function removeFilter(ctx: Context, accountId: number, filter: FilterRow): void {
  changeFilters(ctx, accountId, (tx) => tx.run("DELETE FROM filters WHERE id = +$filterId", { filterId: filter.id }));
}

export function settingsOf({ title, context, filter_action, expires_at }: FilterRow): FilterSettings {
  return { title, context: JSON.parse(context), action: filter_action, expiresAt: expires_at };
}

function withoutUndefined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function check({ title, context }: FilterSettings): void {
  const known: readonly string[] = FILTER_CONTEXTS;
  const isKnown = context.length > 0 && context.every((word) => known.includes(word));
  refuseWhere([
    [!/\S/.test(title), "Title can't be blank"],
    tooLong("Title", title, MAX_TITLE),
    [context.length === 0, "Context can't be blank"],
    [!isKnown, "Context None or invalid context supplied"],
  ]);
}

function changeKeywords(tx: Tx, filterId: number, changes: readonly KeywordChange[]): void {
  for (const { id, keyword, wholeWord, destroy } of changes) {
    if (id !== undefined) changeKeyword(tx, filterId, { id, keyword, wholeWord, destroy });
    // Rails ignores an empty row of a form.
    else if (!destroy && (wholeWord || /\S/.test(keyword ?? ""))) {
      insertKeyword(tx, filterId, checkedKeyword(keyword ?? "", "Keywords keyword"), wholeWord);
    }
  }
}

function changeKeyword(tx: Tx, filterId: number, { id, keyword, wholeWord, destroy }: KeywordChange): void {
  const row = tx.get<FilterKeywordRow>("SELECT * FROM filter_keywords WHERE id = +$id AND filter_id = +$filterId", {
    id: id ?? null,
    filterId,
  });
  if (!row) throw notFound();
  if (destroy) tx.run("DELETE FROM filter_keywords WHERE id = +$id", { id: row.id });
  else saveKeyword(tx, row, keyword === undefined ? undefined : checkedKeyword(keyword, "Keywords keyword"), wholeWord);
}

/** Matches whole words by default, like in Mastodon. */
function insertKeyword(tx: Tx, filterId: number, keyword: string, wholeWord = true): number {
  return tx.run(
    "INSERT INTO filter_keywords (filter_id, keyword, whole_word) VALUES ($filterId, $keyword, $wholeWord)",
    { filterId, keyword, wholeWord: wholeWord ? 1 : 0 },
  ).lastInsertRowid;
}

function saveKeyword(tx: Tx, row: FilterKeywordRow, keyword = row.keyword, wholeWord = row.whole_word === 1): void {
  tx.run("UPDATE filter_keywords SET keyword = $keyword, whole_word = $wholeWord WHERE id = +$id", {
    keyword,
    wholeWord: wholeWord ? 1 : 0,
    id: row.id,
  });
}

function checkedKeyword(keyword: string, called: string): string {
  if (!/\S/.test(keyword)) throw validationFailed(`${called} can't be blank`);
  refuseWhere([tooLong(called, keyword, MAX_KEYWORD)]);
  return keyword;
}

export function addKeyword(
  ctx: Context,
  accountId: number,
  filter: FilterRow,
  { keyword, wholeWord }: { keyword: string; wholeWord?: boolean },
): number {
  const checked = checkedKeyword(keyword, "Keyword");
  return changeFilters(ctx, accountId, (tx) => insertKeyword(tx, filter.id, checked, wholeWord));
}

export function updateKeyword(
  ctx: Context,
  accountId: number,
  row: FilterKeywordRow,
  { keyword, wholeWord }: { keyword: string; wholeWord?: boolean },
): void {
  const checked = checkedKeyword(keyword, "Keyword");
  changeFilters(ctx, accountId, (tx) => saveKeyword(tx, row, checked, wholeWord));
}

export function removeKeyword(ctx: Context, accountId: number, row: FilterKeywordRow): void {
  changeFilters(ctx, accountId, (tx) => tx.run("DELETE FROM filter_keywords WHERE id = +$id", { id: row.id }));
}

/** Adds a status to a filter, whatever its text. */
export function addFilterStatus(ctx: Context, accountId: number, filter: FilterRow, statusId: number | null): number {
  const status = visibleStatus(ctx, accountId, statusId);
  return changeFilters(ctx, accountId, (tx) => {
    const { changes, lastInsertRowid } = tx.run(
      "INSERT INTO filter_statuses (filter_id, status_id) VALUES ($filterId, $statusId) ON CONFLICT DO NOTHING",
      { filterId: filter.id, statusId: status.id },
    );
    if (changes === 0) throw validationFailed("Status has already been taken");
    return lastInsertRowid;
  });
}

export function removeFilterStatus(ctx: Context, accountId: number, row: FilterStatusRow): void {
  changeFilters(ctx, accountId, (tx) => tx.run("DELETE FROM filter_statuses WHERE id = +$id", { id: row.id }));
}
