import type { Context } from "../context.ts";
import { Keyset, type Page } from "../db/keyset.ts";
import type { Reads, Tx } from "../db/open.ts";
import { announce, userTopic } from "./events.ts";
import { ignores, visibleTo } from "./visibility.ts";

/** What a person can be told of. */
export const NOTIFICATION_TYPES = [
  "mention",
  "status",
  "reblog",
  "favourite",
  "follow",
  "follow_request",
  "update",
  "poll",
  "quote",
  "quoted_update",
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export interface NotificationRow {
  cursor: number;
  id: number;
  type: NotificationType;
  from_account_id: number;
  status_id: number | null;
  created_at: number;
}

/**
 * Nobody is told of themselves (save that their poll is over), nor of whom they block or mute, nor of a conversation they don't follow any more; nor
 * of a mention among such people, or in answer to one.
 */
const NOTIFY = `
  INSERT INTO notifications (account_id, type, from_account_id, status_id, created_at)
  SELECT u.account_id, ?2, ?3, ?4, ?5 FROM users u
  WHERE u.account_id = ?1 AND (u.account_id <> ?3 OR ?2 = 'poll')
    AND NOT ${ignores("?1", "?3", "?5")}
    AND NOT EXISTS (
      SELECT 1 FROM conversation_mutes m JOIN statuses s ON s.conversation_id = m.conversation_id
      WHERE m.account_id = ?1 AND s.id = ?4)
    AND (?2 <> 'mention' OR NOT EXISTS (
      SELECT 1 FROM (
        SELECT account_id FROM mentions WHERE status_id = ?4
        UNION ALL SELECT in_reply_to_account_id FROM statuses WHERE id = ?4) others
      WHERE ${ignores("?1", "others.account_id", "?5")}))
  RETURNING id`;

/** Tells a local person of something; does nothing for people elsewhere. */
export function notify(
  ctx: Context,
  tx: Tx,
  to: number,
  what: { type: NotificationType; from: number; statusId: number | null },
): void {
  const row = tx.get<{ id: number }>(NOTIFY, to, what.type, what.from, what.statusId, ctx.clock.now());
  if (row) announce(ctx, tx, [userTopic(to)], { event: "notification", notificationId: row.id });
}

/** Takes back what somebody did and then undid. */
export function withdraw(tx: Tx, what: { type: NotificationType; from: number; statusId: number }): void {
  tx.run(
    "DELETE FROM notifications WHERE type = ? AND from_account_id = ? AND status_id = ?",
    what.type,
    what.from,
    what.statusId,
  );
}

/** Removes what somebody was told of another. */
export function forgetNotificationsFrom(tx: Tx, accountId: number, fromId: number): void {
  tx.run("DELETE FROM notifications WHERE account_id = ? AND from_account_id = ?", accountId, fromId);
}

/** Which notifications are wanted; `types` is what is left after exclusions. */
export interface NotificationFilter {
  types: readonly NotificationType[];
  fromAccountId: number | null;
}

const COLUMNS = "n.id AS cursor, n.id, n.type, n.from_account_id, n.status_id, n.created_at";
const SEEN = `(n.status_id IS NULL OR EXISTS (
  SELECT 1 FROM statuses s WHERE s.id = n.status_id AND ${visibleTo("n.account_id")}))`;
const WANTED = `
  ${SEEN} AND n.account_id = ?4 AND n.type IN (SELECT value FROM json_each(?5)) AND (?6 IS NULL OR n.from_account_id = ?6)`;
const LIST = new Keyset<NotificationRow>(`SELECT ${COLUMNS} FROM notifications n WHERE ${WANTED}`, "n.id");

export function listNotifications(
  db: Reads,
  accountId: number,
  filter: NotificationFilter,
  page: Page,
): NotificationRow[] {
  return LIST.page(db, page, accountId, JSON.stringify(filter.types), filter.fromAccountId);
}

export function findNotification(db: Reads, accountId: number, id: number): NotificationRow | null {
  return db.get<NotificationRow>(
    `SELECT ${COLUMNS} FROM notifications n WHERE n.id = ? AND n.account_id = ? AND ${SEEN}`,
    id,
    accountId,
  );
}

/** How many are newer than the read marker, counted no further than `limit`. */
export function countUnread(db: Reads, accountId: number, filter: NotificationFilter, limit: number): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM notifications n
       WHERE ${SEEN} AND n.account_id = ?1 AND n.type IN (SELECT value FROM json_each(?2)) AND (?3 IS NULL OR n.from_account_id = ?3)
         AND n.id > coalesce(
           (SELECT last_read_id FROM markers WHERE account_id = ?1 AND timeline = 'notifications'), 0)
       LIMIT ?4)`,
    accountId,
    JSON.stringify(filter.types),
    filter.fromAccountId,
    limit,
  );
  return row!.count;
}

export function clearNotifications(ctx: Context, accountId: number): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM notifications WHERE account_id = ?", accountId));
}

/** False when there is no such notification. */
export function dismissNotification(ctx: Context, accountId: number, id: number): boolean {
  return ctx.db.transaction(
    (tx) => tx.run("DELETE FROM notifications WHERE id = ? AND account_id = ?", id, accountId).changes > 0,
  );
}
