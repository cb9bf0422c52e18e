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
/** Posts that the report names. */
const NAMED = 20;

/** Users mentioned within an hour: as posts are dated, or as they arrived, since a post may be backdated. */
const MENTIONED = `
  SELECT m.account_id AS id FROM statuses s JOIN mentions m ON m.status_id = s.id AND NOT m.silent
  WHERE s.account_id = +$authorId AND s.id > +$since
  UNION SELECT n.account_id FROM notifications n
  WHERE n.from_account_id = +$authorId AND n.type = 'mention' AND n.created_at > +$now - ${FLOOD}
  UNION SELECT value FROM json_each($mentions)`;
const USERS = `SELECT u.account_id AS id FROM (${MENTIONED}) m JOIN users u ON u.account_id = m.id`;

/** Users without a follow in either direction who have neither mentioned the author nor reacted to one of its posts. */
const STRANGERS = `
  SELECT count(*) AS count FROM json_each($ids) j WHERE NOT EXISTS (
    SELECT 1 FROM follows WHERE account_id = j.value AND target_account_id = +$authorId)
  AND NOT EXISTS (SELECT 1 FROM follows WHERE account_id = +$authorId AND target_account_id = j.value)
  AND NOT EXISTS (SELECT 1 FROM follow_requests WHERE account_id = j.value AND target_account_id = +$authorId)
  AND NOT EXISTS (
    SELECT 1 FROM mentions m JOIN statuses s ON s.id = m.status_id
    WHERE m.account_id = +$authorId AND s.account_id = j.value)
  AND NOT EXISTS (
    SELECT 1 FROM statuses s WHERE s.account_id = +$authorId AND (
      EXISTS (SELECT 1 FROM favourites f WHERE f.account_id = j.value AND f.status_id = s.id)
      OR EXISTS (SELECT 1 FROM statuses r WHERE r.reblog_of_id = s.id AND r.account_id = j.value)))`;

const UNDECIDED = `
  SELECT 1 FROM accounts a WHERE a.id = +$authorId AND a.domain IS NOT NULL AND a.silenced_at IS NULL
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
  const users = tx.all<{ id: number }>(USERS, { authorId, since, now, mentions: idList(mentions) });
  if (users.length <= MAX_STRANGERS || !tx.get(UNDECIDED, { authorId, now })) return;
  const ids = idList(users.map(({ id }) => id));
  const { count } = tx.get<{ count: number }>(STRANGERS, { ids, authorId })!;
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
