import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { publishAfterCommit, type StreamedStatus, publicTopics, tagNamesOf, userTopic } from "../events.ts";
import { clearMentionsFromLists, fanOutToLists, hasRoom, isNotReblogNearby, listsWith } from "./list-timelines.ts";
import { IN_WANTED_LANGUAGE, mentionsBlockedOrMuted, visibleTo, wantedBy } from "../visibility.ts";

/**
 * How long after its publication a status counts as new, in milliseconds. It is Mastodon's limit: statuses that arrive
 * later are not streamed.
 */
export const REAL_TIME = 6 * 3600_000;

/**
 * Whether an account is in an exclusive list of the owner: its statuses then appear there, not in the home timeline.
 */
function isInExclusiveList(owner: string, account: string): string {
  return `EXISTS (
    SELECT 1 FROM list_accounts m JOIN lists l ON l.id = m.list_id
    WHERE m.account_id = ${account} AND l.account_id = ${owner} AND l.exclusive)`;
}

/**
 * Leaves out languages that the follow `f` doesn't include, replies to accounts that the follower doesn't follow, and
 * statuses that mention accounts they block or mute.
 */
const MATCHES_FOLLOW = `
  ${IN_WANTED_LANGUAGE}
  AND (s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id IN (s.account_id, f.account_id)
    OR EXISTS (SELECT 1 FROM follows WHERE account_id = f.account_id AND target_account_id = s.in_reply_to_account_id))
  AND NOT ${mentionsBlockedOrMuted("f.account_id")}`;

/** Whether a follow `f` adds a status `s` of its target to the home timeline. `o` is the original of a reblog. */
export const INCLUDED_BY_FOLLOW = `
  (s.reblog_of_id IS NULL OR f.show_reblogs)
  AND ${MATCHES_FOLLOW}
  AND NOT ${isInExclusiveList("f.account_id", "s.account_id")}`;

/**
 * The follows `f` of a status's author by local users. SQLite keeps the order of a CROSS JOIN, so this loops over the
 * few local users and not over all followers.
 */
const FOLLOWS_HERE = `
  FROM statuses s CROSS JOIN users u
  CROSS JOIN follows f ON f.account_id = u.account_id AND f.target_account_id = s.account_id
  LEFT JOIN statuses o ON o.id = s.reblog_of_id
  WHERE s.id = +$statusId`;

/** Adds a status to the home timelines of local followers, unless they block or mute its author. */
const TO_FOLLOWERS = `
  INSERT OR IGNORE INTO home_timeline (account_id, status_id)
  SELECT f.account_id, s.id ${FOLLOWS_HERE}
    AND (s.visibility <> 'direct'
      OR EXISTS (SELECT 1 FROM mentions WHERE status_id = s.id AND account_id = f.account_id))
    AND ${INCLUDED_BY_FOLLOW}
    AND ${wantedBy("f.account_id")}
    AND ${hasRoom("home_timeline", "account_id = f.account_id")}
    AND ${isNotReblogNearby("home_timeline", "account_id = f.account_id")}
  RETURNING account_id`;

const TO_AUTHOR = `
  INSERT OR IGNORE INTO home_timeline (account_id, status_id)
  SELECT account_id, $statusId FROM users WHERE account_id = +$accountId`;

/**
 * Whether a followed hashtag adds a status to the viewer's home timeline. Replies, and accounts they don't follow, are
 * included, but nothing that a relay brought.
 */
export function includedByTag(viewer: string): string {
  return `s.visibility = 'public' AND s.reblog_of_id IS NULL AND NOT s.relayed AND s.account_id <> ${viewer}
    AND ${visibleTo(viewer)} AND ${wantedBy(viewer)} AND NOT ${mentionsBlockedOrMuted(viewer)}
    AND NOT ${isInExclusiveList(viewer, "s.account_id")}`;
}

const TO_TAG_FOLLOWERS = `
  INSERT OR IGNORE INTO home_timeline (account_id, status_id)
  SELECT t.account_id, s.id
  FROM statuses s JOIN status_tags st ON st.status_id = s.id JOIN tag_follows t ON t.tag_id = st.tag_id
  WHERE s.id = +$statusId AND ${includedByTag("t.account_id")}
    AND ${hasRoom("home_timeline", "account_id = t.account_id")}
  RETURNING account_id`;

/**
 * Adds a new status to the home timelines of its author and followers, and to lists. Returns the topics of these
 * timelines.
 */
export function fanOut(ctx: Context, tx: Tx, status: { id: number; account_id: number; local: number }): string[] {
  const isHere =
    status.local === 1 && tx.run(TO_AUTHOR, { accountId: status.account_id, statusId: status.id }).changes > 0;
  const followers = tx.all<{ account_id: number }>(TO_FOLLOWERS, { statusId: status.id, now: ctx.clock.now() });
  const homes = followers.map(({ account_id }) => userTopic(account_id));
  if (isHere) homes.push(userTopic(status.account_id));
  return [...homes, ...fanOutToLists(ctx, tx, status.id)];
}

/**
 * Adds a status to the home timelines of followers of its hashtags. Returns the topics of those that didn't have it
 * yet.
 */
export function fanOutToTagFollowers(ctx: Context, tx: Tx, statusId: number): string[] {
  const followers = tx.all<{ account_id: number }>(TO_TAG_FOLLOWERS, { statusId, now: ctx.clock.now() });
  return followers.map(({ account_id }) => userTopic(account_id));
}

/** The topics of all home timelines and lists that contain a status. */
export function timelinesWith(tx: Tx, statusId: number): string[] {
  const homes = tx.all<{ account_id: number }>("SELECT account_id FROM home_timeline WHERE status_id = +$statusId", {
    statusId,
  });
  return [...homes.map(({ account_id }) => userTopic(account_id)), ...listsWith(tx, statusId)];
}

/** Publishes a change of a status that isn't an edit, so that apps update it. */
export function announceChange(ctx: Context, tx: Tx, status: StreamedStatus): void {
  const topics = [...timelinesWith(tx, status.id), ...publicTopics(tx, status, tagNamesOf(tx, status.id))];
  publishAfterCommit(ctx, tx, topics, { event: "status.update", statusId: status.id });
}

const SUBSCRIBERS = `
  SELECT f.account_id ${FOLLOWS_HERE} AND f.notify AND ${MATCHES_FOLLOW} AND ${wantedBy("f.account_id")}`;

/** Accounts that subscribed to the author's statuses and want this one. */
export function subscribersTo(ctx: Context, tx: Tx, statusId: number): number[] {
  return tx
    .all<{ account_id: number }>(SUBSCRIBERS, { statusId, now: ctx.clock.now() })
    .map(({ account_id }) => account_id);
}

/**
 * After unfollowing an account, or moving it to an exclusive list: removes its statuses. Boosts of them by others stay.
 */
export function clearFromHome(tx: Tx, accountId: number, otherId: number): void {
  tx.run(
    `DELETE FROM home_timeline WHERE account_id = +$accountId AND status_id IN (
       SELECT h.status_id FROM home_timeline h JOIN statuses s ON s.id = h.status_id
       WHERE h.account_id = +$accountId AND s.account_id = +$otherId)`,
    { accountId, otherId },
  );
}

/**
 * After unfollowing a hashtag: removes its statuses, except those with another followed hashtag or by followed
 * accounts.
 */
export function clearTagFromHome(tx: Tx, accountId: number, tagId: number): void {
  tx.run(
    `DELETE FROM home_timeline WHERE account_id = +$accountId AND status_id IN (
       SELECT h.status_id
       FROM home_timeline h
       JOIN statuses s ON s.id = h.status_id
       JOIN status_tags st ON st.status_id = h.status_id AND st.tag_id = +$tagId
       WHERE h.account_id = +$accountId AND s.account_id <> +$accountId
         AND NOT EXISTS (SELECT 1 FROM follows WHERE account_id = +$accountId AND target_account_id = s.account_id)
         AND NOT EXISTS (
           SELECT 1 FROM status_tags other JOIN tag_follows t ON t.tag_id = other.tag_id
           WHERE other.status_id = s.id AND t.account_id = +$accountId))`,
    { accountId, tagId },
  );
}

/**
 * After muting an account: removes statuses that mention it. The query of the timeline excludes the account's own
 * statuses for as long as the mute lasts.
 */
export function clearMentions(tx: Tx, accountId: number, otherId: number): void {
  clearMentionsFromLists(tx, accountId, otherId);
  tx.run(
    `DELETE FROM home_timeline WHERE account_id = +$accountId AND status_id IN (
       SELECT h.status_id FROM home_timeline h JOIN statuses s ON s.id = h.status_id
       JOIN mentions m ON m.account_id = +$otherId AND m.status_id IN (s.id, s.reblog_of_id)
       WHERE h.account_id = +$accountId AND s.account_id <> +$accountId)`,
    { accountId, otherId },
  );
}

/** After blocking an account: removes its statuses, also as boosts by others, and statuses that mention it. */
export function removeAccountFromHome(tx: Tx, accountId: number, otherId: number): void {
  clearFromHome(tx, accountId, otherId);
  clearMentions(tx, accountId, otherId);
  tx.run(
    `DELETE FROM home_timeline WHERE account_id = +$accountId AND status_id IN (
       SELECT h.status_id FROM home_timeline h JOIN statuses s ON s.id = h.status_id JOIN statuses o ON o.id = s.reblog_of_id
       WHERE h.account_id = +$accountId AND o.account_id = +$otherId)`,
    { accountId, otherId },
  );
}
