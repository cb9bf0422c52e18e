import type { Context } from "../context.ts";
import { rankTrends } from "../core/trends.ts";
import { enqueue } from "../db/queue.ts";
import type { Tx } from "../db/open.ts";

const HOUR = 3600_000;

/** Writes the job that ranks trends every hour, unless it is there already. */
export function scheduleTrends(ctx: Context, tx: Tx, runAt: number): void {
  enqueue(ctx, tx, "trends.rank", {}, { runAt, key: `trends.rank ${runAt}` });
}

export function refreshTrends(ctx: Context): void {
  ctx.db.transaction((tx) => {
    rankTrends(ctx, tx);
    scheduleTrends(ctx, tx, (Math.floor(ctx.clock.now() / HOUR) + 1) * HOUR);
  });
}
