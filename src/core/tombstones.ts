import type { Context } from "../context.ts";
import type { Reads, Tx } from "../db/open.ts";
import { type LocalName, statusUri } from "./addresses.ts";

const DAY = 24 * 3600_000;
/** How long a deleted status is remembered. */
const KEPT_FOR = 365 * DAY;
/** Tombstones removed at once. */
const SLICE = 1000;

/** `deleted_by` of a status that was stored here, so that its author is known to have deleted it. */
const AUTHOR = 0;

/** Remembers that the status with this URI was deleted: ours responds with 410, and a remote one can't come back. */
export function addTombstone(ctx: Context, tx: Tx, uri: string): void {
  addRow(ctx, tx, uri, AUTHOR);
}

/**
 * Remembers that an account deleted a status that is unknown here, and perhaps not its own: only a status of this account
 * can't arrive any more.
 */
export function addClaimedTombstone(ctx: Context, tx: Tx, uri: string, accountId: number): void {
  addRow(ctx, tx, uri, accountId);
}

const ADD = `
  INSERT INTO tombstones (uri, deleted_by, created_at) VALUES ($uri, $deletedBy, $now) ON CONFLICT DO NOTHING`;

function addRow(ctx: Context, tx: Tx, uri: string, deletedBy: number): void {
  tx.run(ADD, { uri, deletedBy, now: ctx.clock.now() });
}

/** Whether the status with this URI was deleted. With an author, also if only that account claims it. */
export function isTombstoned(db: Reads, uri: string, authorId: number = AUTHOR): boolean {
  const sql = "SELECT 1 FROM tombstones WHERE uri = +$uri AND (deleted_by = 0 OR deleted_by = +$authorId)";
  return db.get(sql, { uri, authorId }) !== null;
}

const OWNER = "SELECT username, deleted_at FROM accounts WHERE lower(username) = lower($username) AND domain IS NULL";

/** Whether a local account, or a status of one, was deleted: then its addresses respond with 410. */
export function isDeleted(ctx: Context, { username, statusId }: LocalName): boolean {
  const owner = ctx.db.get<{ username: string; deleted_at: number | null }>(OWNER, { username });
  if (!owner) return false;
  if (owner.deleted_at !== null) return true;
  return statusId !== null && isTombstoned(ctx.db, statusUri(ctx, owner.username, statusId));
}

export function removeOldTombstones(ctx: Context, tx: Tx): void {
  tx.run(
    `DELETE FROM tombstones WHERE (uri, deleted_by) IN (
       SELECT uri, deleted_by FROM tombstones WHERE created_at < +$before ORDER BY created_at LIMIT ${SLICE})`,
    { before: ctx.clock.now() - KEPT_FOR },
  );
}
