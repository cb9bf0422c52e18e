import type { Context } from "../../context.ts";
import { rankTrends } from "../../core/discovery/trends.ts";
import { scheduleNext } from "../recurring.ts";

export function refreshTrends(ctx: Context): void {
  ctx.db.transaction((tx) => {
    rankTrends(ctx, tx);
    scheduleNext(ctx, tx, "trends.rank");
  });
}
