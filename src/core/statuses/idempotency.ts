import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";

/** The result of the first request with a key: a status or a scheduled status. */
export type PublishResult = { statusId: number } | { scheduledId: number };

/** How long a key stays valid (Mastodon's documentation, methods/statuses). */
const WINDOW = 3600_000;

/** The status that the account created or scheduled with this key within the last hour; null if there is none. */
export function resultOfKey(ctx: Context, accountId: number, key: string): PublishResult | null {
  const row = ctx.db.get<{ status_id: number | null; scheduled_status_id: number | null }>(
    `SELECT status_id, scheduled_status_id FROM idempotency_keys
     WHERE account_id = +$accountId AND key = +$key AND created_at > +$createdAt`,
    { accountId, key, createdAt: ctx.clock.now() - WINDOW },
  );
  if (!row) return null;
  return row.status_id === null ? { scheduledId: row.scheduled_status_id! } : { statusId: row.status_id };
}

export function rememberKey(ctx: Context, tx: Tx, accountId: number, key: string, made: PublishResult): void {
  tx.run(
    `INSERT OR REPLACE INTO idempotency_keys (account_id, key, status_id, scheduled_status_id, created_at)
     VALUES ($accountId, $key, $statusId, $scheduledStatusId, $now)`,
    {
      accountId,
      key,
      statusId: "statusId" in made ? made.statusId : null,
      scheduledStatusId: "scheduledId" in made ? made.scheduledId : null,
      now: ctx.clock.now(),
    },
  );
}

/**
 * When a scheduled status is published, its key refers to the status, so that repeating the request doesn't schedule it
 * again.
 */
export function moveKey(tx: Tx, scheduledId: number, statusId: number): void {
  tx.run(
    "UPDATE idempotency_keys SET status_id = $statusId, scheduled_status_id = NULL WHERE scheduled_status_id = +$scheduledId",
    { statusId, scheduledId },
  );
}
