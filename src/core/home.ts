import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { userTopic } from "./events.ts";
import { wantedBy } from "./visibility.ts";

/** A reblog of what stood in the timeline this recently is left out, as Mastodon does. */
const REBLOG_DISTANCE = 40;

/** No languages that the follower `f` doesn't want, and no replies to people whom they don't follow. */
const SUITS = `
  (f.languages IS NULL OR coalesce(o.language, s.language) IS NULL
    OR coalesce(o.language, s.language) IN (SELECT value FROM json_each(f.languages)))
  AND (s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id IN (s.account_id, f.account_id)
    OR EXISTS (SELECT 1 FROM follows WHERE account_id = f.account_id AND target_account_id = s.in_reply_to_account_id))`;

/**
 * Writes a status into the home timelines of local followers whom it suits, without reblogs that aren't wanted, and
 * without whom the follower blocks or mutes.
 */
const TO_FOLLOWERS = `
  INSERT OR IGNORE INTO home_timeline (account_id, status_id)
  SELECT u.account_id, s.id
  FROM statuses s
  JOIN follows f ON f.target_account_id = s.account_id
  JOIN users u ON u.account_id = f.account_id
  LEFT JOIN statuses o ON o.id = s.reblog_of_id
  WHERE s.id = ?1
    AND (s.reblog_of_id IS NULL OR f.show_reblogs)
    AND (s.visibility <> 'direct'
      OR EXISTS (SELECT 1 FROM mentions WHERE status_id = s.id AND account_id = u.account_id))
    AND ${SUITS}
    AND ${wantedBy("u.account_id", "?2")}
    AND (s.reblog_of_id IS NULL OR NOT EXISTS (
      SELECT 1
      FROM (SELECT status_id FROM home_timeline WHERE account_id = u.account_id ORDER BY status_id DESC LIMIT ${REBLOG_DISTANCE}) h
      JOIN statuses recent ON recent.id = h.status_id
      WHERE recent.id = s.reblog_of_id OR recent.reblog_of_id = s.reblog_of_id))
  RETURNING account_id`;

const TO_AUTHOR = `
  INSERT OR IGNORE INTO home_timeline (account_id, status_id)
  SELECT account_id, ?2 FROM users WHERE account_id = ?1
  RETURNING account_id`;

/** Brings a new status to those who follow its author, and to the author. Returns the topics of those who got it. */
export function fanOut(ctx: Context, tx: Tx, status: { id: number; account_id: number }): string[] {
  const author = tx.all<{ account_id: number }>(TO_AUTHOR, status.account_id, status.id);
  const followers = tx.all<{ account_id: number }>(TO_FOLLOWERS, status.id, ctx.clock.now());
  return [...author, ...followers].map(({ account_id }) => userTopic(account_id));
}

/** How much of a new acquaintance's past shows up at once. */
const BACKFILL = 20;

/** After following someone: their recent statuses stand where they would have stood. */
export function fillHome(tx: Tx, accountId: number, followedId: number): void {
  tx.run(
    `INSERT OR IGNORE INTO home_timeline (account_id, status_id)
     SELECT f.account_id, s.id
     FROM follows f JOIN statuses s ON s.account_id = f.target_account_id LEFT JOIN statuses o ON o.id = s.reblog_of_id
     WHERE f.account_id = ?1 AND f.target_account_id = ?2 AND s.visibility <> 'direct' AND s.reblog_of_id IS NULL
       AND ${SUITS}
     ORDER BY s.id DESC LIMIT ${BACKFILL}`,
    accountId,
    followedId,
  );
}

/** After unfollowing someone. What others have reblogged of theirs stays. */
export function clearFromHome(tx: Tx, accountId: number, otherId: number): void {
  tx.run(
    `DELETE FROM home_timeline WHERE account_id = ?1 AND status_id IN (
       SELECT h.status_id FROM home_timeline h JOIN statuses s ON s.id = h.status_id
       WHERE h.account_id = ?1 AND s.account_id = ?2)`,
    accountId,
    otherId,
  );
}
