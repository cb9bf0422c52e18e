import type { Context } from "../context.ts";
import type { Reads, Tx } from "../db/open.ts";

const DAY = 24 * 3600_000;
/** How long a deleted status is remembered. */
const KEPT_FOR = 365 * DAY;
/** Tombstones removed at once. */
const SLICE = 1000;

/** Remembers that the status with this URI was deleted: ours responds with 410, and a remote one can't come back. */
export function addTombstone(ctx: Context, tx: Tx, uri: string): void {
  tx.run("INSERT INTO tombstones (uri, created_at) VALUES ($uri, $now) ON CONFLICT DO NOTHING", {
    uri,
    now: ctx.clock.now(),
  });
}

/** Whether the status with this URI was deleted. */
export function isTombstoned(db: Reads, uri: string): boolean {
  return db.get("SELECT 1 FROM tombstones WHERE uri = +$uri", { uri }) !== null;
}

export function removeOldTombstones(ctx: Context, tx: Tx): void {
  tx.run(
    `DELETE FROM tombstones WHERE uri IN (
       SELECT uri FROM tombstones WHERE created_at < +$before ORDER BY created_at LIMIT ${SLICE})`,
    { before: ctx.clock.now() - KEPT_FOR },
  );
}
