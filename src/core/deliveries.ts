import type { Context } from "../context.ts";
import type { DeliveryEvent } from "../db/delivery-events.ts";
import type { Reads, Tx } from "../db/open.ts";
import { enqueue } from "../db/queue.ts";
import { groupsOf } from "./groups.ts";

/** Events that share a job: it prepares them without a pause. */
const GROUP = 16;

/**
 * Tells other servers about a change by a local account, after the commit. Call it in the transaction of the change, so
 * that neither can happen without the other. A job works out who gets it, and what it looks like; events of the same
 * transaction share it. `runAt` delays it; with a `key`, an event whose key is waiting already is not added.
 */
export function deliver(
  ctx: Context,
  tx: Tx,
  event: DeliveryEvent,
  later: { runAt?: number; key?: string } = {},
): void {
  if (later.runAt === undefined && later.key === undefined)
    tx.collect("delivery.prepare", event, (events) => prepareLater(ctx, tx, events));
  else enqueue(ctx, tx, "delivery.prepare", { event }, later);
}

/** Enqueues the jobs of these events, in order. */
export function prepareLater(ctx: Context, tx: Tx, events: readonly DeliveryEvent[]): void {
  for (let at = 0; at < events.length; at += GROUP) {
    const [event, ...others] = events.slice(at, at + GROUP);
    enqueue(ctx, tx, "delivery.prepare", { event: event!, ...(others.length > 0 && { others }) });
  }
}

/** Whether an account is on another server. */
function isRemote(account: string): string {
  return `EXISTS (SELECT 1 FROM accounts WHERE id = ${account} AND domain IS NOT NULL)`;
}

/** SQLite keeps the order of a CROSS JOIN, so this ends with the first remote follower. */
function isFollowedFromElsewhere(account: string): string {
  return `EXISTS (
    SELECT 1 FROM follows f CROSS JOIN accounts a ON a.id = f.account_id
    WHERE f.target_account_id = ${account} AND a.domain IS NOT NULL)`;
}

/** Public statuses are offered to relays; reblogs are not. */
const GOES_TO_RELAYS = `
  s.visibility = 'public' AND s.reblog_of_id IS NULL AND EXISTS (SELECT 1 FROM relays WHERE state = 'accepted')`;

const CONCERNS_OTHERS = `
  SELECT 1 FROM statuses s LEFT JOIN statuses o ON o.id = s.reblog_of_id WHERE s.id = +$statusId AND s.local_only = 0 AND (
    (${GOES_TO_RELAYS})
    OR (s.visibility <> 'direct' AND ${isFollowedFromElsewhere("s.account_id")})
    OR ${isRemote("s.in_reply_to_account_id")}
    OR ${isRemote("o.account_id")}
    OR EXISTS (
      SELECT 1 FROM mentions m CROSS JOIN accounts a ON a.id = m.account_id
      WHERE m.status_id = s.id AND a.domain IS NOT NULL))`;

/**
 * Whether other servers get a new local status or reblog: it isn't local-only, and a relay or group does, or a remote account follows its author,
 * is mentioned, or wrote what it replies to or reblogs. Without this check, each post of a server without remote followers
 * would cost a job.
 */
export function concernsOthers(db: Reads, statusId: number): boolean {
  return db.get(CONCERNS_OTHERS, { statusId }) !== null || groupsOf(db, statusId).length > 0;
}

const REMOTE_HOLDERS = `
  SELECT known.id FROM (
    SELECT account_id AS id FROM mentions WHERE status_id = +$statusId
    UNION SELECT in_reply_to_account_id FROM statuses WHERE id = +$statusId
    UNION SELECT account_id FROM statuses WHERE in_reply_to_id = +$statusId
    UNION SELECT account_id FROM statuses WHERE reblog_of_id = +$statusId
    UNION SELECT account_id FROM favourites WHERE status_id = +$statusId
    UNION SELECT s.account_id FROM quotes q JOIN statuses s ON s.id = q.status_id WHERE q.quoted_status_id = +$statusId
    UNION SELECT v.account_id FROM polls p JOIN poll_votes v ON v.poll_id = p.id WHERE p.status_id = +$statusId
  ) known
  WHERE ${isRemote("known.id")} AND EXISTS (SELECT 1 FROM statuses WHERE id = +$statusId AND local_only = 0)`;

/**
 * The remote accounts, besides the author's followers, whose servers may have a local status: those that are mentioned
 * in it, wrote its parent, or replied to it, reblogged, favourited or quoted it or voted in its poll, and its groups.
 */
export function remoteHoldersOf(db: Reads, statusId: number): number[] {
  const holders = db.all<{ id: number }>(REMOTE_HOLDERS, { statusId });
  return [...new Set([...holders, ...groupsOf(db, statusId)].map(({ id }) => id))];
}

/** Tells other servers about a new version of a local status, or new results of its poll. */
export function deliverUpdate(
  ctx: Context,
  tx: Tx,
  statusId: number,
  later: { runAt?: number; key?: string } = {},
): void {
  if (concernsOthers(tx, statusId) || remoteHoldersOf(tx, statusId).length > 0) {
    deliver(ctx, tx, { type: "status.updated", statusId }, later);
  }
}
