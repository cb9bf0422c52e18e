import { sql } from "drizzle-orm";
import type { Context } from "../../context.ts";
import { condition, ShapedKeyset } from "../../db/builder.ts";
import { Keyset, type ListItem, type Page, type Side } from "../../db/keyset.ts";
import type { Reads } from "../../db/open.ts";
import { parseId } from "../../lib/ids.ts";
import {
  dismissNotification,
  findNotification,
  listQuery,
  type ListedType,
  type ListShape,
  type NotificationFilter,
  type NotificationRow,
  NOTIFICATION_COLUMNS,
  paramsOf,
  readUpTo,
  SEEN,
  shapeOf,
} from "./notifications.ts";
import { isSuspended } from "../visibility.ts";

export interface GroupFilter extends NotificationFilter {
  /** The types to group. Notifications of other types aren't grouped. */
  groupedTypes: readonly ListedType[];
}

/** A group of similar notifications, or a single one. */
export interface NotificationGroup {
  key: string;
  /** The notification that represents the group. */
  row: NotificationRow;
  count: number;
  newestId: number;
  /** The senders, latest first; a sample. */
  accountIds: number[];
  /** Null for a group requested by its key. */
  page: { oldestId: number; newestAt: number } | null;
}

/** The number of sample accounts, as in Mastodon. */
const MAX_SAMPLES = 8;

/**
 * A page has one notification of each group: the newest within the page's bounds or, when paging upwards, the oldest.
 * The subquery looks for a newer (or older) notification of the same group through the index on groups or, in a list of
 * one sender, the one on senders: the plus keeps SQLite from using the larger index.
 */
const PLACES = new ShapedKeyset((shape: ListShape & { side: Side }) => {
  const list = listQuery(shape);
  const nearer = shape.side === "newest" ? sql`m.id > n.id AND m.id < +$highest` : sql`m.id < n.id AND m.id > +$lowest`;
  const alike = shape.ofOne
    ? sql`m.from_account_id = n.from_account_id AND +m.group_key = n.group_key`
    : sql`m.group_key = n.group_key`;
  const isPlace = sql`(
    n.group_key IS NULL OR n.type NOT IN (SELECT value FROM json_each($groupedTypes)) OR NOT EXISTS (
      SELECT 1 FROM notifications m
      WHERE m.account_id = n.account_id AND ${alike} AND ${nearer}
        AND NOT ${condition(isSuspended("m.from_account_id"))}))`;
  return { ...list, where: [...list.where, isPlace] };
});

/** The notification that represents each group on a page. */
function placesOn(db: Reads, accountId: number, filter: GroupFilter, page: Page): NotificationRow[] {
  const groupedTypes = JSON.stringify(filter.groupedTypes);
  return PLACES.page(db, page, shapeOf(filter), { ...paramsOf(accountId, filter), groupedTypes });
}

/** One page of the notifications that `listNotifications()` lists, grouped, with two queries. */
export function listGroups(db: Reads, accountId: number, filter: GroupFilter, page: Page): NotificationGroup[] {
  const rows = placesOn(db, accountId, filter, page);
  const bounds = boundsOf(page, rows);
  const isGrouped = (row: NotificationRow) => row.group_key !== null && filter.groupedTypes.includes(row.type);
  const found = summariesOf(db, accountId, rows.filter(isGrouped), bounds, filter.fromAccountId);
  return rows.map((row) => {
    const summary = isGrouped(row) ? found.get(row.group_key!)! : singleSummary(row);
    const key = isGrouped(row) ? row.group_key! : singleKey(row.id);
    return groupOf(key, row, summary, { oldestId: summary.oldest_id, newestAt: summary.newest_at });
  });
}

/** The number of groups newer than the read marker, counted up to `limit`. */
export function countUnreadGroups(db: Reads, accountId: number, filter: GroupFilter, limit: number): number {
  const page = { limit, max_id: null, since_id: null, min_id: readUpTo(db, accountId) };
  return placesOn(db, accountId, filter, page).length;
}

/** The range of notification ids that a page covers. The last page also covers the rest, which no other page would. */
function boundsOf(page: Page, rows: readonly NotificationRow[]): { lowest: number; highest: number } {
  const bounds = { lowest: rows.at(-1)?.id ?? 0, highest: rows[0]?.id ?? 0 };
  if (rows.length >= page.limit) return bounds;
  if (page.min_id === null) return { ...bounds, lowest: (page.since_id ?? -1) + 1 };
  return { ...bounds, highest: (page.max_id ?? Number.MAX_SAFE_INTEGER) - 1 };
}

/** The columns of a group that a page shows. */
interface GroupSummary {
  count: number;
  newest_id: number;
  newest_at: number;
  /** The oldest notification among those that the page covers. */
  oldest_id: number;
  /** Account ids as a JSON array. */
  samples: string;
}

const OF_GROUP = `
  FROM notifications m WHERE m.account_id = +$accountId AND m.group_key = j.value AND m.id <= +$highest
    AND ($fromAccountId IS NULL OR m.from_account_id = +$fromAccountId) AND NOT ${isSuspended("m.from_account_id")}`;

const SUMMARIES = `
  SELECT j.value AS group_key, n.id AS newest_id, n.created_at AS newest_at,
    (SELECT count(*) ${OF_GROUP}) AS count,
    (SELECT min(m.id) ${OF_GROUP} AND m.id >= +$lowest) AS oldest_id,
    (SELECT json_group_array(from_account_id) FROM (
      SELECT m.from_account_id ${OF_GROUP} ORDER BY m.id DESC LIMIT ${MAX_SAMPLES})) AS samples
  FROM json_each($keys) j JOIN notifications n ON n.id = (SELECT max(m.id) ${OF_GROUP})`;

/** The summaries by group key, for the groups of these rows. */
function summariesOf(
  db: Reads,
  accountId: number,
  rows: readonly NotificationRow[],
  { lowest, highest }: { lowest: number; highest: number },
  fromAccountId: number | null,
): Map<string, GroupSummary> {
  if (rows.length === 0) return new Map();
  const keys = JSON.stringify(rows.map((row) => row.group_key));
  const found = db.all<GroupSummary & { group_key: string }>(SUMMARIES, {
    keys,
    accountId,
    lowest,
    highest,
    fromAccountId,
  });
  return new Map(found.map((summary) => [summary.group_key, summary]));
}

function singleSummary({ id, created_at, from_account_id }: NotificationRow): GroupSummary {
  return { count: 1, newest_id: id, newest_at: created_at, oldest_id: id, samples: `[${from_account_id}]` };
}

const SINGLE = "ungrouped-";

/** The key of a notification that isn't grouped. */
export function singleKey(id: number): string {
  return SINGLE + id;
}

function groupOf(
  key: string,
  row: NotificationRow,
  summary: GroupSummary,
  page: NotificationGroup["page"],
): NotificationGroup {
  const accountIds = [...new Set(JSON.parse(summary.samples) as number[])];
  return { key, row, count: summary.count, newestId: summary.newest_id, accountIds, page };
}

/** The id in the key of a single notification; null for the key of a group. */
function idIn(key: string): number | null {
  return key.startsWith(SINGLE) ? (parseId(key.slice(SINGLE.length)) ?? 0) : null;
}

const NEWEST_OF = `
  SELECT ${NOTIFICATION_COLUMNS} FROM notifications n
  WHERE n.account_id = +$accountId AND n.group_key = +$key AND ${SEEN} ORDER BY n.id DESC LIMIT 1`;

/**
 * A group by its key; null if there is none. The key of a single notification leads to its real group, even if a page
 * showed it alone because that request didn't group its type. Single notifications are shown like this everywhere.
 */
export function findGroup(db: Reads, accountId: number, key: string): NotificationGroup | null {
  const id = idIn(key);
  const row =
    id === null ? db.get<NotificationRow>(NEWEST_OF, { accountId, key }) : findNotification(db, accountId, id);
  if (!row) return null;
  if (row.group_key === null) return groupOf(singleKey(row.id), row, singleSummary(row), null);
  const bounds = { lowest: 0, highest: Number.MAX_SAFE_INTEGER };
  return groupOf(row.group_key, row, summariesOf(db, accountId, [row], bounds, null).get(row.group_key)!, null);
}

const SENDERS = `SELECT n.from_account_id AS id, n.id AS cursor FROM notifications n WHERE n.account_id = +$accountId AND ${SEEN}`;
const SENDERS_OF_GROUP = new Keyset<ListItem>(`${SENDERS} AND n.group_key = +$key`, "n.id");
const SENDER_OF_ONE = new Keyset<ListItem>(`${SENDERS} AND n.id = +$id`, "n.id");

/** The senders in a group, latest first; the cursor is the notification's id. */
export function accountsInGroup(db: Reads, accountId: number, key: string, page: Page): ListItem[] {
  const id = idIn(key);
  return id === null
    ? SENDERS_OF_GROUP.page(db, page, { accountId, key })
    : SENDER_OF_ONE.page(db, page, { accountId, id });
}

/** Dismisses a group or a single notification, if it exists. */
export function dismissGroup(ctx: Context, accountId: number, key: string): void {
  const id = idIn(key);
  if (id !== null) dismissNotification(ctx, accountId, id);
  else {
    ctx.db.transaction((tx) =>
      tx.run("DELETE FROM notifications WHERE account_id = +$accountId AND group_key = +$key", { accountId, key }),
    );
  }
}
