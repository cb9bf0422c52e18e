import type { Context } from "../../context.ts";
import { enqueue } from "../../db/queue.ts";
import { outdatedSoftware } from "../../federation/peers/software.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { scheduleNext } from "../recurring.ts";

/** Runs every hour. Each host is asked in a job of its own. */
export function refreshAllSoftware(ctx: Context): void {
  ctx.db.transaction((tx) => {
    for (const host of outdatedSoftware(ctx, tx)) {
      enqueue(ctx, tx, "software.fetch", { host }, { key: `software.fetch ${host}`, host: siteOf(`http://${host}`) });
    }
    scheduleNext(ctx, tx, "software.refresh");
  });
}
