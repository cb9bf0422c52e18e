import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";

const DAY = 24 * 3600_000;
/** Accounts examined in one transaction. */
const SLICE = 100;

const ACCOUNTS = "SELECT a.id FROM accounts a WHERE a.id > +$after ORDER BY a.id LIMIT +$limit";

/** The columns that refer to accounts of other servers, except those of their profiles and keys. */
const REFERENCES = [
  ["statuses", "account_id"],
  ["follows", "account_id"],
  ["follows", "target_account_id"],
  ["follow_requests", "account_id"],
  ["follow_requests", "target_account_id"],
  ["account_notes", "target_account_id"],
  ["blocks", "account_id"],
  ["blocks", "target_account_id"],
  ["mutes", "target_account_id"],
  ["mentions", "account_id"],
  ["favourites", "account_id"],
  ["poll_votes", "account_id"],
  ["endorsements", "target_account_id"],
  ["suggestion_dismissals", "target_account_id"],
  ["list_accounts", "account_id"],
  ["notifications", "from_account_id"],
  ["notification_requests", "from_account_id"],
  ["notification_permissions", "from_account_id"],
  ["reports", "account_id"],
  ["reports", "target_account_id"],
  ["account_warnings", "target_account_id"],
  ["preview_cards", "creator_account_id"],
  ["account_aliases", "alias_account_id"],
  ["accounts", "moved_to_id"],
];

/**
 * Accounts that are gone keep their row, and so do those that moderators restricted. The restrictions of a domain block
 * are applied again when the account comes back. The profile of an account that was fetched a moment ago is in use.
 */
const REMOVE = `
  DELETE FROM accounts AS a
  WHERE a.id = +$id AND a.domain IS NOT NULL AND a.gone_at IS NULL AND a.sensitized_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM relays y WHERE y.account_uri = a.uri)
    AND NOT EXISTS (SELECT 1 FROM remote_accounts r WHERE r.account_id = a.id AND r.fetched_at > +$fetchedBefore)
    AND (a.suspended_at IS NULL OR a.suspended_at IN (SELECT created_at FROM domain_blocks))
    AND (a.silenced_at IS NULL OR a.silenced_at IN (SELECT created_at FROM domain_blocks))
    ${REFERENCES.map(([table, column]) => `AND NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.${column} = a.id)`).join("\n    ")}`;

export interface PrunedAccounts {
  removed: number;
  /** The id after which the next slice starts; null if there is none. */
  after: number | null;
}

/** Deletes the remote accounts of one slice to which nothing refers. They may be fetched again. */
export function pruneAccounts(ctx: Context, tx: Tx, after: number): PrunedAccounts {
  if (ctx.config.remotePostsDays === 0) return { removed: 0, after: null };
  const accounts = tx.all<{ id: number }>(ACCOUNTS, { after, limit: SLICE });
  const fetchedBefore = ctx.clock.now() - DAY;
  const removed = accounts.filter(({ id }) => tx.run(REMOVE, { id, fetchedBefore }).changes > 0).length;
  return { removed, after: accounts.length < SLICE ? null : accounts.at(-1)!.id };
}
