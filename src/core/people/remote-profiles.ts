import type { Context } from "../../context.ts";
import { enqueue } from "../../db/queue.ts";
import { fetchLater, writeAfterResponse } from "../fetches.ts";

const DAY = 24 * 3600_000;

const STALE = `
  SELECT a.uri FROM accounts a LEFT JOIN remote_accounts r ON r.account_id = a.id
  WHERE a.id = +$accountId AND a.domain IS NOT NULL AND a.suspended_at IS NULL AND a.gone_at IS NULL
    AND (r.fetched_at IS NULL OR r.fetched_at <= +$before OR a.origin_followers_count IS NULL)`;

/**
 * Has a remote profile fetched again, if that was more than a day ago or without its totals: an account that was first
 * seen in a post has none, and only followers are told about changes. Call it when a user opens the profile.
 */
export function refreshWhenStale(ctx: Context, accountId: number): void {
  const stale = ctx.db.get<{ uri: string }>(STALE, { accountId, before: ctx.clock.now() - DAY });
  if (!stale) return;
  const key = `account.refresh ${accountId}`;
  const options = { key, host: new URL(stale.uri).host };
  writeAfterResponse(ctx, key, (tx) => enqueue(ctx, tx, "account.refresh", { accountId }, options));
}

const PURGED = `
  SELECT a.uri FROM accounts a WHERE a.id = +$accountId AND a.domain IS NOT NULL AND a.suspended_at IS NULL
    AND a.gone_at IS NULL AND NOT EXISTS (SELECT 1 FROM remote_accounts r WHERE r.account_id = a.id)`;

/** Fetches an account of which a purge has left only the row: otherwise a follow would reach no inbox. */
export async function fetchWhenPurged(ctx: Context, accountId: number): Promise<void> {
  const purged = ctx.db.get<{ uri: string }>(PURGED, { accountId });
  if (purged) await ctx.remote.object(purged.uri);
}

const URI = `
  SELECT a.uri FROM remote_accounts r JOIN accounts a ON a.id = r.account_id
  WHERE r.account_id = +$accountId AND a.suspended_at IS NULL AND a.gone_at IS NULL`;
/** How long fetched posts of a profile count as current, in ms. */
const PROFILE_PAUSE = 3600_000;

/** Has the newest posts and the pins of a remote account fetched, if they are not current. */
export function fetchProfileLater(ctx: Context, accountId: number): void {
  fetchLater(ctx, "profile.fetch", accountId, PROFILE_PAUSE, () => {
    const account = ctx.db.get<{ uri: string }>(URI, { accountId });
    return account && { payload: { accountId }, host: new URL(account.uri).host };
  });
}
