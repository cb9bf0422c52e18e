import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import type { remoteFiles } from "../../db/schema/index.ts";
import { removeFiles } from "../media/stored-files.ts";

const DAY = 24 * 3600_000;
/** A full cache is emptied to this part of its limit, so that not every new file evicts another one. */
const FILLED = 0.95;
/** The part of the disk that stays free. */
const FREE_PART = 0.05;
/** Rows per transaction: requests wait for some milliseconds at most. */
const SLICE = 200;

/**
 * Counts the bytes of a new file. If the cache exceeds its limit or the disk is nearly full, evicts the files that were
 * shown least recently.
 */
export async function reserveSpace(ctx: Context, bytes: number): Promise<void> {
  const cache = ctx.mediaCache;
  cache.bytes = (cache.bytes ?? countBytes(ctx)) + bytes;
  for (;;) {
    const excess = await excessBytes(ctx);
    // A simultaneous call may have computed its own excess before.
    if (excess <= 0 || (await evictOnce(ctx, excess)) === 0) return;
  }
}

/** Evicts files that were not shown for LINNET_CACHE_DAYS or whose source is gone, and then as many as the limits need. */
export async function cleanMediaCache(ctx: Context): Promise<void> {
  ctx.mediaCache.bytes = countBytes(ctx);
  await evictOnce(ctx, await excessBytes(ctx));
}

function evictOnce(ctx: Context, bytes: number): Promise<number> {
  return ctx.flights.run("evict media", () => evict(ctx, bytes));
}

function countBytes(ctx: Context): number {
  return ctx.db.get<{ bytes: number }>("SELECT coalesce(sum(bytes), 0) AS bytes FROM remote_files")!.bytes;
}

/** The bytes to remove; at most 0 if there is enough space. */
async function excessBytes(ctx: Context): Promise<number> {
  const { free, total } = await ctx.diskSpace();
  const { cacheSize } = ctx.config;
  const { bytes } = ctx.mediaCache;
  return Math.max(bytes! > cacheSize ? bytes! - FILLED * cacheSize : 0, FREE_PART * total - free);
}

/** Evicts expired files, and others until this many bytes are removed. Returns how many bytes were. */
async function evict(ctx: Context, bytes: number): Promise<number> {
  await writeShown(ctx);
  let removed = 0;
  for (;;) {
    const rows = await inTransaction(ctx, (tx) => evictSlice(ctx, tx, bytes - removed));
    if (rows.length === 0) break;
    const freed = rows.reduce((sum, row) => sum + row.bytes, 0);
    removed += freed;
    ctx.mediaCache.bytes! -= freed;
    const files = rows.flatMap(({ file, still }) => [file, still]);
    await removeFiles(
      ctx,
      files.filter((file) => file !== null),
    );
  }
  if (removed > 0) ctx.log.debug("removed {bytes} bytes from the media cache", { bytes: removed });
  return removed;
}

type Row = Pick<typeof remoteFiles.$inferSelect, "id" | "file" | "still" | "bytes" | "used_at">;

function evictSlice(ctx: Context, tx: Tx, bytes: number): Row[] {
  const rows = tx.all<Row>("SELECT id, file, still, bytes, used_at FROM remote_files ORDER BY used_at LIMIT +$limit", {
    limit: SLICE,
  });
  const expired = ctx.clock.now() - ctx.config.cacheDays * DAY;
  let left = bytes;
  const end = rows.findIndex((row) => {
    if (row.used_at > expired && left <= 0) return true;
    left -= row.bytes;
    return false;
  });
  const evicted = end === -1 ? rows : rows.slice(0, end);
  tx.run("DELETE FROM remote_files WHERE id IN (SELECT value FROM json_each($ids))", {
    ids: idList(evicted.map(({ id }) => id)),
  });
  return evicted;
}

/** A file whose source is gone has 0. */
const WRITE_SHOWN = `
  UPDATE remote_files SET used_at = s.at
  FROM (SELECT value ->> 0 AS id, value ->> 1 AS at FROM json_each($shown)) s
  WHERE remote_files.id = s.id AND remote_files.used_at > 0`;

/** Writes when files were last shown, which is only noted in memory until then: a view must not write to the disk. */
async function writeShown(ctx: Context): Promise<void> {
  const entries = [...ctx.mediaCache.shown];
  ctx.mediaCache.shown.clear();
  for (let at = 0; at < entries.length; at += SLICE) {
    const shown = JSON.stringify(entries.slice(at, at + SLICE));
    await inTransaction(ctx, (tx) => tx.run(WRITE_SHOWN, { shown }));
  }
}

function inTransaction<Result>(ctx: Context, work: (tx: Tx) => Result): Promise<Result> {
  return ctx.db.whenWritable(() => ctx.db.transaction(work));
}
