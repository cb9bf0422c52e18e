import type { Context } from "../../context.ts";
import { verifyLinksOfDay } from "../../core/discovery/verified-links.ts";
import { scheduleNext } from "../recurring.ts";

/** Runs every day. */
export function verifyLinksAgain(ctx: Context): void {
  ctx.db.transaction((tx) => {
    verifyLinksOfDay(ctx, tx);
    scheduleNext(ctx, tx, "links.verify_daily");
  });
}
