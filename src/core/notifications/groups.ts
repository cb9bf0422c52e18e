import type { Context } from "../../context.ts";
import { Keyset, type Page, type Place } from "../../db/keyset.ts";
import type { Reads } from "../../db/open.ts";
import { parseId } from "../../lib/ids.ts";
import {
  dismissNotification,
  findNotification,
  type NotificationFilter,
  type NotificationRow,
  type NotificationType,
  NOTIFICATION_COLUMNS,
  readUpTo,
  SEEN,
  valuesOf,
  WANTED,
  WANTED_FROM,
} from "./notifications.ts";
import { isSuspended } from "../visibility.ts";

export interface GroupFilter extends NotificationFilter {
  /** Which types are grouped; of all others each notification stands alone. */
  groupedTypes: readonly NotificationType[];
}

/** Notifications that tell the same, or one alone. */
export interface NotificationGroup {
  key: string;
  /** The one that is shown for all. */
  row: NotificationRow;
  count: number;
  newestId: number;
  /** Who it was, the latest first. */
  accountIds: number[];
  /** Null for a group that was asked for by itself. */
  page: { oldestId: number; newestAt: number } | null;
}

/** As many as Mastodon names of those who are in a group. */
const MAX_SAMPLES = 8;

type Side = "newest" | "oldest";

/**
 * A page has one notification of each group: the newest within its bounds or, paging upwards, the oldest. Besides the
 * list's own parameters there is one with the types that are grouped. What is looked through for one that stands before
 * another is the group or, where one sender's are listed, what is by them: the plus keeps SQLite from the larger index.
 */
function places(side: Side, of: "all" | "one"): Keyset<NotificationRow> {
  const [list, groupedTypes] = of === "all" ? [WANTED, "?7"] : [WANTED_FROM, "?8"];
  const nearer = side === "newest" ? "m.id > n.id AND m.id < ?2" : "m.id < n.id AND m.id > ?1";
  const alike =
    of === "all" ? "m.group_key = n.group_key" : "m.from_account_id = n.from_account_id AND +m.group_key = n.group_key";
  return new Keyset<NotificationRow>(
    `${list} AND (n.group_key IS NULL OR n.type NOT IN (SELECT value FROM json_each(${groupedTypes})) OR NOT EXISTS (
      SELECT 1 FROM notifications m
      WHERE m.account_id = n.account_id AND ${alike} AND ${nearer} AND NOT ${isSuspended("m.from_account_id")}))`,
    "n.id",
  );
}

const PLACES = {
  all: { newest: places("newest", "all"), oldest: places("oldest", "all") },
  one: { newest: places("newest", "one"), oldest: places("oldest", "one") },
};

/** What stands for each group on a page. */
function placesOn(db: Reads, accountId: number, filter: GroupFilter, page: Page): NotificationRow[] {
  const of = PLACES[filter.fromAccountId === null ? "all" : "one"];
  const list = page.min_id === null ? of.newest : of.oldest;
  return list.page(db, page, ...valuesOf(accountId, filter), JSON.stringify(filter.groupedTypes));
}

/** One page of what `listNotifications()` lists, with what tells the same put together; two queries. */
export function listGroups(db: Reads, accountId: number, filter: GroupFilter, page: Page): NotificationGroup[] {
  const rows = placesOn(db, accountId, filter, page);
  const bounds = boundsOf(page, rows);
  const isGrouped = (row: NotificationRow) => row.group_key !== null && filter.groupedTypes.includes(row.type);
  const found = factsOf(db, accountId, rows.filter(isGrouped), bounds, filter.fromAccountId);
  return rows.map((row) => {
    const facts = isGrouped(row) ? found.get(row.group_key!)! : aloneFacts(row);
    const key = isGrouped(row) ? row.group_key! : aloneKey(row.id);
    return groupOf(key, row, facts, { oldestId: facts.oldest_id, newestAt: facts.newest_at });
  });
}

/** How many groups are newer than the read marker, counted no further than `limit`. */
export function countUnreadGroups(db: Reads, accountId: number, filter: GroupFilter, limit: number): number {
  const page = { limit, max_id: null, since_id: null, min_id: readUpTo(db, accountId) };
  return placesOn(db, accountId, filter, page).length;
}

/**
 * From the oldest to the newest notification that a page speaks of. What no other page will speak of belongs to the last
 * one.
 */
function boundsOf(page: Page, rows: readonly NotificationRow[]): { lowest: number; highest: number } {
  const bounds = { lowest: rows.at(-1)?.id ?? 0, highest: rows[0]?.id ?? 0 };
  if (rows.length >= page.limit) return bounds;
  if (page.min_id === null) return { ...bounds, lowest: (page.since_id ?? -1) + 1 };
  return { ...bounds, highest: (page.max_id ?? Number.MAX_SAFE_INTEGER) - 1 };
}

/** What a group is made of, as far as a page shows it. */
interface Facts {
  count: number;
  newest_id: number;
  newest_at: number;
  /** Of those that the page speaks of. */
  oldest_id: number;
  /** Account ids as a JSON list. */
  samples: string;
}

const OF_GROUP = `
  FROM notifications m WHERE m.account_id = ?2 AND m.group_key = j.value AND m.id <= ?4
    AND (?5 IS NULL OR m.from_account_id = ?5) AND NOT ${isSuspended("m.from_account_id")}`;

const FACTS = `
  SELECT j.value AS group_key, n.id AS newest_id, n.created_at AS newest_at,
    (SELECT count(*) ${OF_GROUP}) AS count,
    (SELECT min(m.id) ${OF_GROUP} AND m.id >= ?3) AS oldest_id,
    (SELECT json_group_array(from_account_id) FROM (
      SELECT m.from_account_id ${OF_GROUP} ORDER BY m.id DESC LIMIT ${MAX_SAMPLES})) AS samples
  FROM json_each(?1) j JOIN notifications n ON n.id = (SELECT max(m.id) ${OF_GROUP})`;

/** By group key, for the groups that these rows are of. */
function factsOf(
  db: Reads,
  accountId: number,
  rows: readonly NotificationRow[],
  { lowest, highest }: { lowest: number; highest: number },
  fromAccountId: number | null,
): Map<string, Facts> {
  if (rows.length === 0) return new Map();
  const keys = JSON.stringify(rows.map((row) => row.group_key));
  const found = db.all<Facts & { group_key: string }>(FACTS, keys, accountId, lowest, highest, fromAccountId);
  return new Map(found.map((facts) => [facts.group_key, facts]));
}

function aloneFacts({ id, created_at, from_account_id }: NotificationRow): Facts {
  return { count: 1, newest_id: id, newest_at: created_at, oldest_id: id, samples: `[${from_account_id}]` };
}

const ALONE = "ungrouped-";

/** What a notification is called that stands alone. */
export function aloneKey(id: number): string {
  return ALONE + id;
}

function groupOf(key: string, row: NotificationRow, facts: Facts, page: NotificationGroup["page"]): NotificationGroup {
  const accountIds = [...new Set(JSON.parse(facts.samples) as number[])];
  return { key, row, count: facts.count, newestId: facts.newest_id, accountIds, page };
}

/** The id in the name of a notification that stands alone; null for the name of a group. */
function idIn(key: string): number | null {
  return key.startsWith(ALONE) ? (parseId(key.slice(ALONE.length)) ?? 0) : null;
}

const NEWEST_OF = `
  SELECT ${NOTIFICATION_COLUMNS} FROM notifications n
  WHERE n.account_id = ? AND n.group_key = ? AND ${SEEN} ORDER BY n.id DESC LIMIT 1`;

/**
 * A group by its key; null when there is none. A notification that a page showed alone, since its type was not to be
 * grouped there, is shown in its proper group, as single notifications are everywhere.
 */
export function findGroup(db: Reads, accountId: number, key: string): NotificationGroup | null {
  const id = idIn(key);
  const row = id === null ? db.get<NotificationRow>(NEWEST_OF, accountId, key) : findNotification(db, accountId, id);
  if (!row) return null;
  if (row.group_key === null) return groupOf(aloneKey(row.id), row, aloneFacts(row), null);
  const bounds = { lowest: 0, highest: Number.MAX_SAFE_INTEGER };
  return groupOf(row.group_key, row, factsOf(db, accountId, [row], bounds, null).get(row.group_key)!, null);
}

const SENDERS = `SELECT n.from_account_id AS id, n.id AS cursor FROM notifications n WHERE n.account_id = ?4 AND ${SEEN}`;
const SENDERS_OF_GROUP = new Keyset<Place>(`${SENDERS} AND n.group_key = ?5`, "n.id");
const SENDER_OF_ONE = new Keyset<Place>(`${SENDERS} AND n.id = ?5`, "n.id");

/** Everybody in a group, the latest first; the cursor is the notification. */
export function accountsInGroup(db: Reads, accountId: number, key: string, page: Page): Place[] {
  const id = idIn(key);
  return id === null ? SENDERS_OF_GROUP.page(db, page, accountId, key) : SENDER_OF_ONE.page(db, page, accountId, id);
}

/** Removes a group, or a notification that stood alone. There may be none any more. */
export function dismissGroup(ctx: Context, accountId: number, key: string): void {
  const id = idIn(key);
  if (id !== null) dismissNotification(ctx, accountId, id);
  else {
    ctx.db.transaction((tx) =>
      tx.run("DELETE FROM notifications WHERE account_id = ? AND group_key = ?", accountId, key),
    );
  }
}
