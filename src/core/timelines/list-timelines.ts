import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import type { Tx } from "../../db/open.ts";
import { IN_WANTED_LANGUAGE, mentionsBlockedOrMuted, visibleTo, wantedBy } from "../visibility.ts";

export function listTopic(listId: number): string {
  return `list:${listId}`;
}

/** Mastodon's limit for home timelines and lists. Older statuses can be found on profiles. */
export const TIMELINE_LENGTH = 800;

/** A reblog is left out if the status is among this many entries before or after it, like in Mastodon. */
const REBLOG_DISTANCE = 40;

type Timeline = "home_timeline" | "list_timeline";

/**
 * Whether a status `s` isn't a reblog of something that is near it in a timeline: above there is something only if it
 * arrives late. `owner` is the condition on the timeline's owner.
 */
export function isNotReblogNearby(timeline: Timeline, owner: string): string {
  return `(s.reblog_of_id IS NULL OR NOT EXISTS (
    SELECT 1
    FROM (
      SELECT status_id FROM (
        SELECT status_id FROM ${timeline} WHERE ${owner} AND status_id < s.id ORDER BY status_id DESC LIMIT ${REBLOG_DISTANCE})
      UNION ALL SELECT status_id FROM (
        SELECT status_id FROM ${timeline} WHERE ${owner} AND status_id > s.id ORDER BY status_id LIMIT ${REBLOG_DISTANCE})) t
    JOIN statuses near ON near.id = t.status_id
    WHERE near.id = s.reblog_of_id OR near.reblog_of_id = s.reblog_of_id))`;
}

/** Whether a status `s` is new enough for a timeline: not older than all of its entries if it is full. */
export function hasRoom(timeline: Timeline, owner: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${timeline} WHERE ${owner} AND status_id > s.id LIMIT 1 OFFSET ${TIMELINE_LENGTH} - 1)`;
}

/**
 * Whether a membership `m` adds a status to a list `l`: a status that its follow `f` includes, or the owner's own.
 * Statuses that mention accounts that the owner blocks or mutes are left out.
 */
const INCLUDED_BY_MEMBERSHIP = `
  s.visibility <> 'direct' AND (f.id IS NOT NULL OR s.account_id = l.account_id)
  AND (s.reblog_of_id IS NULL OR coalesce(f.show_reblogs, 1)) AND ${IN_WANTED_LANGUAGE}
  AND (s.account_id = l.account_id OR NOT ${mentionsBlockedOrMuted("l.account_id")})`;

const MEMBERSHIPS = `
  JOIN list_accounts m ON m.account_id = s.account_id
  JOIN lists l ON l.id = m.list_id
  LEFT JOIN follows f ON f.id = m.follow_id
  LEFT JOIN statuses o ON o.id = s.reblog_of_id`;

const TO_LISTS = `
  INSERT OR IGNORE INTO list_timeline (list_id, status_id)
  SELECT l.id, s.id FROM statuses s ${MEMBERSHIPS}
  WHERE s.id = +$statusId AND ${INCLUDED_BY_MEMBERSHIP} AND ${wantedBy("l.account_id")}
    AND ${hasRoom("list_timeline", "list_id = l.id")} AND ${isNotReblogNearby("list_timeline", "list_id = l.id")}`;

/**
 * Whether a list `l` shows one of its entries: only statuses of current members, and replies to others according to its
 * policy. Self-replies and replies to the list's owner are always shown, like in Mastodon.
 */
const SHOWN = `
  EXISTS (SELECT 1 FROM list_accounts WHERE list_id = l.id AND account_id = s.account_id)
  AND (s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id IN (s.account_id, l.account_id)
    OR CASE l.replies_policy
      WHEN 'followed' THEN
        EXISTS (SELECT 1 FROM follows WHERE account_id = l.account_id AND target_account_id = s.in_reply_to_account_id)
      WHEN 'list' THEN
        EXISTS (SELECT 1 FROM list_accounts WHERE list_id = l.id AND account_id = s.in_reply_to_account_id)
      ELSE 0 END)`;

const WITH = `
  SELECT l.id FROM list_timeline t JOIN lists l ON l.id = t.list_id JOIN statuses s ON s.id = t.status_id
  WHERE t.status_id = +$statusId AND ${SHOWN}`;

/** Adds a new status to the lists that contain its author. Returns the topics of the lists that show it. */
export function fanOutToLists(ctx: Context, tx: Tx, statusId: number): string[] {
  const { changes } = tx.run(TO_LISTS, { statusId, now: ctx.clock.now() });
  return changes === 0 ? [] : listsWith(tx, statusId);
}

/** The topics of the lists that show a status. */
export function listsWith(tx: Tx, statusId: number): string[] {
  return tx.all<{ id: number }>(WITH, { statusId }).map(({ id }) => listTopic(id));
}

/** The number of a new member's latest statuses to consider. */
const BACKFILL = 100;

/** Leaves out reblogs of statuses that are in the list already, also as reblogs. */
const FILL = `
  INSERT OR IGNORE INTO list_timeline (list_id, status_id)
  SELECT l.id, s.id
  FROM (SELECT id FROM statuses WHERE account_id = +$memberId ORDER BY id DESC LIMIT ${BACKFILL}) newest
  JOIN statuses s USING (id) ${MEMBERSHIPS}
  WHERE l.id = +$listId AND ${INCLUDED_BY_MEMBERSHIP}
    AND (s.reblog_of_id IS NULL
      OR NOT EXISTS (SELECT 1 FROM list_timeline WHERE list_id = l.id AND status_id = s.reblog_of_id)
        AND NOT EXISTS (
          SELECT 1 FROM statuses r JOIN list_timeline t ON t.list_id = l.id AND t.status_id = r.id
          WHERE r.reblog_of_id = s.reblog_of_id))`;

/** Removes entries from an earlier membership, which may have had other options. */
const CLEAR = `
  DELETE FROM list_timeline WHERE list_id = +$listId AND status_id IN (
    SELECT t.status_id FROM list_timeline t JOIN statuses s ON s.id = t.status_id
    WHERE t.list_id = +$listId AND s.account_id = +$memberId)`;

/** After adding a member: adds their recent statuses, in order. */
export function fillList(ctx: Context, tx: Tx, listId: number, memberId: number): void {
  tx.run(CLEAR, { listId, memberId });
  tx.run(FILL, { listId, memberId, now: ctx.clock.now() });
}

/** After blocking or muting an account: removes statuses that mention it from all lists of the owner. */
export function clearMentionsFromLists(tx: Tx, ownerId: number, otherId: number): void {
  tx.run(
    `DELETE FROM list_timeline WHERE (list_id, status_id) IN (
       SELECT t.list_id, t.status_id
       FROM lists l
       JOIN list_timeline t ON t.list_id = l.id
       JOIN statuses s ON s.id = t.status_id
       JOIN mentions m ON m.account_id = +$otherId AND m.status_id IN (s.id, s.reblog_of_id)
       WHERE l.account_id = +$ownerId)`,
    { ownerId, otherId },
  );
}

const LIST = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor
   FROM list_timeline t JOIN lists l ON l.id = t.list_id JOIN statuses s ON s.id = t.status_id
   WHERE t.list_id = +$listId AND ${SHOWN} AND ${visibleTo()} AND ${wantedBy()}`,
  "t.status_id",
);

/** Only for the list's owner. */
export function listTimeline(ctx: Context, ownerId: number, listId: number, page: Page): ListItem[] {
  return LIST.page(ctx.db, page, { viewer: ownerId, now: ctx.clock.now(), listId });
}
