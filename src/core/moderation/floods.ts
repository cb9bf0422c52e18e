import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import { idAt } from "../../lib/ids.ts";
import { FLOOD, storeReport } from "./reports.ts";

/*
 * A flood of mentions: an account is held if its posts mention many strangers within an hour. It is limited, and none of
 * its notifications reaches anyone until a moderator decides about the report that this server makes then. That report is
 * the hold: it is by no account, open, and as old as the limit.
 */

const DAY = 24 * 3600_000;
/** More strangers than a conversation joins by chance; a server has few accounts, so a flood soon has mentioned them all. */
const MAX_STRANGERS = 20;
/** How long a moderator's decision about an account is not asked for again. */
const TRUSTED = 30 * DAY;
/** Posts by an author and mentions of it that are looked at, so that a check costs the same however many there are. */
const NEWEST = 200;
/** Notifications of one user by the author that are looked at. */
const NEWEST_TO_USER = 20;
/** Posts that the report names. */
const NAMED = 20;

/**
 * Users mentioned within an hour: as posts are dated, or as they arrived, since a post may be backdated. It goes through
 * the few users, so that a long history of the author costs nothing.
 */
const USERS = `
  SELECT u.account_id AS id FROM users u
  WHERE u.account_id IN (SELECT value FROM json_each($mentions))
    OR u.account_id IN (
      SELECT m.account_id FROM (
        SELECT id FROM statuses WHERE account_id = +$authorId AND id > +$since ORDER BY id DESC LIMIT ${NEWEST}) s
      JOIN mentions m ON m.status_id = s.id AND NOT m.silent)
    OR EXISTS (
      SELECT 1 FROM (
        SELECT type, created_at FROM notifications WHERE from_account_id = +$authorId AND account_id = u.account_id
        ORDER BY id DESC LIMIT ${NEWEST_TO_USER})
      WHERE type = 'mention' AND created_at > +$now - ${FLOOD})`;

/**
 * Users without a follow in either direction who have neither mentioned the author nor reacted to one of its posts lately.
 * Follows by the author count after a day: a flooder can send them first.
 */
const STRANGERS = `
  WITH posts AS MATERIALIZED (
    SELECT id FROM statuses WHERE account_id = +$authorId ORDER BY id DESC LIMIT ${NEWEST})
  SELECT count(*) AS count FROM json_each($ids) j WHERE NOT EXISTS (
    SELECT 1 FROM follows WHERE account_id = j.value AND target_account_id = +$authorId)
  AND NOT EXISTS (
    SELECT 1 FROM follows
    WHERE account_id = +$authorId AND target_account_id = j.value AND created_at <= +$now - ${DAY})
  AND NOT EXISTS (SELECT 1 FROM follow_requests WHERE account_id = j.value AND target_account_id = +$authorId)
  AND j.value NOT IN (
    SELECT s.account_id FROM (
      SELECT status_id FROM mentions WHERE account_id = +$authorId ORDER BY status_id DESC LIMIT ${NEWEST}) m
    JOIN statuses s ON s.id = m.status_id)
  AND NOT EXISTS (
    SELECT 1 FROM posts p WHERE EXISTS (SELECT 1 FROM favourites f WHERE f.account_id = j.value AND f.status_id = p.id)
      OR EXISTS (SELECT 1 FROM statuses r WHERE r.reblog_of_id = p.id AND r.account_id = j.value))`;

/** Only if a local user is mentioned. Most posts that arrive mention none. */
const UNDECIDED = `
  SELECT 1 FROM accounts a WHERE EXISTS (SELECT 1 FROM json_each($mentions) j JOIN users u ON u.account_id = j.value)
    AND a.id = +$authorId AND a.domain IS NOT NULL AND a.silenced_at IS NULL
    AND a.suspended_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM reports r
      WHERE r.target_account_id = a.id AND r.account_id IS NULL AND r.created_at > +$now - ${TRUSTED})`;

const RECENT = `
  SELECT s.id FROM statuses s WHERE s.account_id = +$authorId AND s.id > +$since ORDER BY s.id DESC LIMIT ${NAMED}`;

/**
 * Holds the author of a remote status that is about to be stored, if its mentions (account ids) make it a flood: then
 * this status notifies no one either.
 */
export function holdFlood(ctx: Context, tx: Tx, authorId: number, mentions: readonly number[]): void {
  if (!ctx.config.holdMentionFloods || mentions.length === 0) return;
  const now = ctx.clock.now();
  const since = idAt(now - FLOOD);
  const mentioned = { authorId, now, mentions: idList(mentions) };
  if (!tx.get(UNDECIDED, mentioned)) return;
  const users = tx.all<{ id: number }>(USERS, { ...mentioned, since });
  if (users.length <= MAX_STRANGERS) return;
  const ids = idList(users.map(({ id }) => id));
  const { count } = tx.get<{ count: number }>(STRANGERS, { ids, authorId, now })!;
  if (count <= MAX_STRANGERS) return;
  tx.run("UPDATE accounts SET silenced_at = $now WHERE id = +$authorId", { authorId, now });
  storeReport(ctx, tx, {
    reporterId: null,
    targetId: authorId,
    category: "spam",
    comment: `Within an hour, posts of this account mentioned ${count} local accounts that have nothing to do with it. It is limited, and its notifications are held back until this report is resolved, or the account is limited, suspended or unlimited.`,
    statusIds: tx.all<{ id: number }>(RECENT, { authorId, since }).map(({ id }) => id),
    ruleIds: null,
    isForwarded: false,
    uri: null,
  });
}
