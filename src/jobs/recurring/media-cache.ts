import type { Context } from "../../context.ts";
import { cleanMediaCache } from "../../core/remote-media/cache-space.ts";
import { scheduleNext } from "../recurring.ts";

/** Runs every hour, and when the media of a domain are rejected. */
export async function trimCache(ctx: Context): Promise<void> {
  await cleanMediaCache(ctx);
  ctx.db.transaction((tx) => scheduleNext(ctx, tx, "cache.evict"));
}
