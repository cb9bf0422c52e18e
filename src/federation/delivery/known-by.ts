import type { Context } from "../../context.ts";

/*
 * The remote accounts whose servers know a local account, besides its followers. A server is not recorded for reading a
 * profile or a post: only for what it or the account has sent.
 */

/** By a follow, a mention, or an action on one of their posts; and the account to which it has moved. */
const KNOWING = `
  SELECT n.id FROM accounts a JOIN accounts n ON n.id = a.moved_to_id WHERE a.id = +$accountId
  UNION SELECT f.target_account_id FROM follows f WHERE f.account_id = +$accountId
  UNION SELECT f.target_account_id FROM follow_requests f WHERE f.account_id = +$accountId
  UNION SELECT m.account_id FROM statuses s JOIN mentions m ON m.status_id = s.id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM statuses s JOIN statuses o ON o.id = s.reblog_of_id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM favourites f JOIN statuses o ON o.id = f.status_id WHERE f.account_id = +$accountId`;

const ONCE_KNOWING = `
  SELECT f.account_id AS id FROM follow_requests f WHERE f.target_account_id = +$accountId
  UNION SELECT sent.target_account_id FROM sent_follows sent WHERE sent.account_id = +$accountId
  UNION SELECT b.target_account_id FROM blocks b WHERE b.account_id = +$accountId
  UNION SELECT b.account_id FROM blocks b WHERE b.target_account_id = +$accountId
  UNION SELECT l.alias_account_id FROM account_aliases l WHERE l.account_id = +$accountId
  UNION SELECT a.id FROM accounts a WHERE a.moved_to_id = +$accountId
  UNION SELECT o.account_id FROM mentions m JOIN statuses o ON o.id = m.status_id WHERE m.account_id = +$accountId
  UNION SELECT o.account_id FROM statuses s JOIN statuses o ON o.id = s.in_reply_to_id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM statuses s JOIN statuses o ON o.in_reply_to_id = s.id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM statuses s JOIN statuses o ON o.reblog_of_id = s.id WHERE s.account_id = +$accountId
  UNION SELECT v.account_id FROM statuses s JOIN favourites v ON v.status_id = s.id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM statuses s JOIN quotes q ON q.quoted_status_id = s.id
    JOIN statuses o ON o.id = q.status_id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM statuses s JOIN quotes q ON q.status_id = s.id
    JOIN statuses o ON o.id = q.quoted_status_id WHERE s.account_id = +$accountId
  UNION SELECT vote.account_id FROM statuses s JOIN polls p ON p.status_id = s.id
    JOIN poll_votes vote ON vote.poll_id = p.id WHERE s.account_id = +$accountId
  UNION SELECT o.account_id FROM poll_votes vote JOIN polls p ON p.id = vote.poll_id
    JOIN statuses o ON o.id = p.status_id WHERE vote.account_id = +$accountId`;

/** Accounts whose servers show the account's current profile. */
export function knowing(ctx: Context, accountId: number): number[] {
  return ctx.db.all<{ id: number }>(KNOWING, { accountId }).map(({ id }) => id);
}

/**
 * Accounts that ever got something from the account, or sent something about it: also by their requests, mentions, replies,
 * boosts, favourites, quotes, votes and blocks, and by those of the account.
 */
export function everKnowing(ctx: Context, accountId: number): number[] {
  const others = ctx.db.all<{ id: number }>(ONCE_KNOWING, { accountId }).map(({ id }) => id);
  return [...new Set([...knowing(ctx, accountId), ...others])];
}
