import { getTableColumns, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Context } from "../../context.ts";
import { build, condition, type ListQuery, ShapedKeyset } from "../../db/builder.ts";
import type { Page } from "../../db/keyset.ts";
import type { Params, Reads, Tx } from "../../db/open.ts";
import { notifications } from "../../db/schema/index.ts";
import { publishAfterCommit, userTopic } from "../events.ts";
import { markersOf } from "../timelines/markers.ts";
import { fromStaff, policyDecision, type NotifyColumns } from "./policy.ts";
import { queuePushes } from "./push.ts";
import { isHeld, rejectsNotifications, isSuspended, visibleTo } from "../visibility.ts";

/** The types of notifications: Mastodon's, in the order of its documentation, and `SIGN_IN`. */
export const NOTIFICATION_TYPES = notifications.type.enumValues;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/**
 * A sign-in from a new browser. Mastodon has no such type, so it is listed only for apps that name it, or that say which
 * types they know (`supported_types`): those show the text in `fallback`.
 */
export const SIGN_IN = "linnet.sign_in";

/**
 * The type of emoji reactions for apps that ask for it, as Pleroma's own app does. They are stored as favourites, which all
 * apps know.
 */
export const EMOJI_REACTION = "pleroma:emoji_reaction";
export const LISTED_TYPES = [...NOTIFICATION_TYPES, EMOJI_REACTION] as const;
export type ListedType = (typeof LISTED_TYPES)[number];

export interface NotificationRow {
  cursor: number;
  id: number;
  type: NotificationType;
  from_account_id: number;
  status_id: number | null;
  /**
   * The id of its other subject, depending on the type: a report, a severance event, a moderation warning, or the
   * favourite if that is a reaction.
   */
  about_id: number | null;
  group_key: string | null;
  filtered: number;
  created_at: number;
}

/** A notification to be created. */
export interface NewNotification {
  type: NotificationType;
  /** The account that caused it; the recipient for types without one, such as warnings. */
  from: number;
  statusId: number | null;
  aboutId?: number | null;
}

const PARAMETERS: NotifyColumns = { type: "$type", from: "+$from", status: "+$statusId" };

/**
 * Creates no notification for the recipient's own actions, from accounts they block or mute, in conversations they
 * muted, or for mentions where another mentioned account or the author replied to is blocked or muted. The recipient's
 * notification policy decides about the rest.
 */
const NOTIFY = `
  WITH told AS MATERIALIZED (
    SELECT u.account_id, ${policyDecision(PARAMETERS)} AS verdict FROM users u
    WHERE u.account_id = +$to
      AND (u.account_id <> +$from OR $type IN ('poll', 'severed_relationships', 'moderation_warning', 'admin.report', '${SIGN_IN}'))
      AND (NOT (
        ${rejectsNotifications("+$to", "+$from")}
        OR EXISTS (
          SELECT 1 FROM conversation_mutes m JOIN statuses s ON s.conversation_id = m.conversation_id
          WHERE m.account_id = +$to AND s.id = +$statusId)
        OR ($type = 'mention' AND EXISTS (
          SELECT 1 FROM (
            SELECT account_id FROM mentions WHERE status_id = +$statusId
            UNION ALL SELECT in_reply_to_account_id FROM statuses WHERE id = +$statusId) others
          WHERE ${rejectsNotifications("+$to", "others.account_id")}))) OR ${fromStaff(PARAMETERS)}))
  INSERT INTO notifications (account_id, type, from_account_id, status_id, about_id, created_at, filtered, group_key)
  SELECT account_id, $type, $from, $statusId, $aboutId, $now, verdict, iif(verdict = 0, coalesce(
    (SELECT max(group_key) FROM notifications WHERE account_id = +$to AND group_key BETWEEN +$lowest AND +$highest), $highest), NULL)
  FROM told WHERE verdict < 2
  RETURNING id, filtered, ${isHeld("+$from")} AS is_held`;

/** Types with many similar notifications. Reactions are never grouped, since each has its own emoji. */
export const GROUPABLE_TYPES = ["favourite", "reblog", "follow", "admin.sign_up"] as const satisfies NotificationType[];

const HOUR = 3600_000;
/** A group accepts new notifications for this long, counted from the hour in which it began. */
const GROUP_HOURS = 12;

/**
 * The lowest and highest key of a group that a new notification may join; the highest is that of a new group. Nulls for
 * types that are never grouped.
 */
function groupRange(type: NotificationType, statusId: number | null, now: number): [string, string] | [null, null] {
  if (!(GROUPABLE_TYPES as readonly string[]).includes(type)) return [null, null];
  const target = statusId === null ? type : `${type}-${statusId}`;
  const hour = Math.floor(now / HOUR);
  return [`${target}-${hour - GROUP_HOURS + 1}`, `${target}-${hour}`];
}

/** Notifies a local account; does nothing for remote accounts. */
export function notify(
  ctx: Context,
  tx: Tx,
  to: number,
  { type, from, statusId, aboutId = null }: NewNotification,
): void {
  const now = ctx.clock.now();
  const [lowest, highest] = aboutId === null ? groupRange(type, statusId, now) : [null, null];
  const row = tx.get<{ id: number; filtered: number; is_held: number }>(NOTIFY, {
    to,
    type,
    from,
    statusId,
    aboutId,
    now,
    lowest,
    highest,
  });
  // Streams and push messages can't ask an app whether it knows this type.
  if (type === SIGN_IN) return;
  if (row?.filtered === 0 && row.is_held === 0) deliver(ctx, tx, to, row.id);
  else if (row?.filtered === 1 && REQUESTING.has(type)) createRequest(tx, to, from, now);
}

/**
 * Types that create a notification request if they are filtered, because they address the recipient. Other filtered
 * notifications create none.
 */
const REQUESTING: ReadonlySet<NotificationType> = new Set(["mention", "quote"]);

function createRequest(tx: Tx, accountId: number, fromId: number, now: number): void {
  tx.run(
    "INSERT INTO notification_requests (account_id, from_account_id, created_at) VALUES ($accountId, $fromId, $now) ON CONFLICT DO NOTHING",
    { accountId, fromId, now },
  );
}

/** Delivers a new notification that isn't filtered: to streams and as push. */
function deliver(ctx: Context, tx: Tx, to: number, notificationId: number): void {
  publishAfterCommit(ctx, tx, [userTopic(to)], { event: "notification", notificationId });
  queuePushes(ctx, tx, notificationId);
}

/** Deletes the notifications of an action that was undone. */
export function withdrawNotification(tx: Tx, what: { type: NotificationType; from: number; statusId: number }): void {
  tx.run("DELETE FROM notifications WHERE type = +$type AND from_account_id = +$from AND status_id = +$statusId", {
    type: what.type,
    from: what.from,
    statusId: what.statusId,
  });
}

/** Deletes the account's notifications from another account. */
export function deleteNotificationsFrom(tx: Tx, accountId: number, fromId: number): void {
  tx.run("DELETE FROM notifications WHERE account_id = +$accountId AND from_account_id = +$fromId", {
    accountId,
    fromId,
  });
}

/** The notifications to list. `types` are the types that remain after exclusions; reactions are a type of their own. */
export interface NotificationFilter {
  types: readonly ListedType[];
  fromAccountId: number | null;
  /**
   * Whether to include notifications that the policy filtered. With `fromAccountId` they are always included, like in
   * Mastodon.
   */
  includeFiltered: boolean;
}

/** The columns of a NotificationRow, from `notifications n`. */
export const NOTIFICATION_COLUMNS = `
  n.id AS cursor, n.id, n.type, n.from_account_id, n.status_id, n.about_id, n.group_key, n.filtered, n.created_at`;

/**
 * Leaves out notifications whose status was deleted or isn't visible to the recipient any more, and those from
 * accounts that are suspended or held.
 */
export const SEEN = `NOT ${isSuspended("n.from_account_id")} AND NOT ${isHeld("n.from_account_id")} AND (n.status_id IS NULL OR EXISTS (
  SELECT 1 FROM statuses s WHERE s.id = n.status_id AND ${visibleTo("n.account_id")}))`;

/** Whether a notification is about an emoji reaction. */
export function isReaction({ type, about_id }: Pick<NotificationRow, "type" | "about_id">): boolean {
  return type === "favourite" && about_id !== null;
}

const LISTED_TYPE = `iif(n.type = 'favourite' AND n.about_id IS NOT NULL, '${EMOJI_REACTION}', n.type)`;

const n = alias(notifications, "n");
const { account_id: recipient, ...columns } = getTableColumns(n);
/** The columns of a NotificationRow. */
const ROW = { ...columns, cursor: sql<number>`${n.id}`.as("cursor") };

/** How the query of a list depends on its filter. */
export interface ListShape {
  ofOne: boolean;
  includeFiltered: boolean;
}

export function shapeOf({ fromAccountId, includeFiltered }: NotificationFilter): ListShape {
  const ofOne = fromAccountId !== null;
  return { ofOne, includeFiltered: includeFiltered || ofOne };
}

/** The notifications of a list; `paramsOf()` has the values of its parameters. */
export function listQuery({ ofOne, includeFiltered }: ListShape): ListQuery<NotificationRow> {
  return {
    select: build.select(ROW).from(n),
    where: [
      // Without the hint, SQLite would scan all notifications of the recipient for those of one sender.
      ofOne
        ? sql`likely(${recipient} = +$accountId) AND ${n.from_account_id} = +$fromAccountId`
        : sql`${recipient} = +$accountId`,
      condition(`${LISTED_TYPE} IN (SELECT value FROM json_each($types))`),
      includeFiltered ? undefined : sql`NOT ${n.filtered}`,
      condition(SEEN),
    ],
    cursor: n.id,
  };
}

export function paramsOf(accountId: number, { types, fromAccountId }: NotificationFilter): Params {
  return { accountId, types: JSON.stringify(types), fromAccountId };
}

const LIST = new ShapedKeyset(listQuery);

export function listNotifications(
  db: Reads,
  accountId: number,
  filter: NotificationFilter,
  page: Page,
): NotificationRow[] {
  return LIST.page(db, page, shapeOf(filter), paramsOf(accountId, filter));
}

export function findNotification(db: Reads, accountId: number, id: number): NotificationRow | null {
  return db.get<NotificationRow>(
    `SELECT ${NOTIFICATION_COLUMNS} FROM notifications n WHERE n.id = +$id AND n.account_id = +$accountId AND ${SEEN}`,
    { id, accountId },
  );
}

/** The number of notifications newer than the read marker, counted up to `limit`. */
export function countUnread(db: Reads, accountId: number, filter: NotificationFilter, limit: number): number {
  const page = { limit, max_id: null, since_id: readUpTo(db, accountId), min_id: null };
  return listNotifications(db, accountId, filter, page).length;
}

const UNREAD = `
  SELECT count(*) AS count FROM (
    SELECT 1 FROM notifications n
    WHERE n.account_id = +$accountId AND NOT n.filtered AND ${SEEN} AND n.id > coalesce((
      SELECT last_read_id FROM markers WHERE account_id = +$accountId AND timeline = 'notifications'), 0)
    LIMIT +$limit)`;

/** The number of unread notifications of all types, counted up to `limit`; one query, for the bar of every page. */
export function countUnreadUpTo(db: Reads, accountId: number, limit: number): number {
  return db.get<{ count: number }>(UNREAD, { accountId, limit })!.count;
}

/** The id of the last read notification; 0 without a marker. */
export function readUpTo(db: Reads, accountId: number): number {
  return markersOf(db, accountId, ["notifications"])[0]?.last_read_id ?? 0;
}

export function clearNotifications(ctx: Context, accountId: number): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM notifications WHERE account_id = +$accountId", { accountId }));
}

/** False if there is no such notification. */
export function dismissNotification(ctx: Context, accountId: number, id: number): boolean {
  return ctx.db.transaction(
    (tx) =>
      tx.run("DELETE FROM notifications WHERE id = +$id AND account_id = +$accountId", { id, accountId }).changes > 0,
  );
}
