import type { Context } from "../../context.ts";
import { noteRunning } from "../../core/timelines/catching-up.ts";
import { scheduleNext } from "../recurring.ts";

export function noteRunningAgain(ctx: Context): void {
  ctx.db.transaction((tx) => {
    noteRunning(ctx, tx);
    scheduleNext(ctx, tx, "server.running");
  });
}
