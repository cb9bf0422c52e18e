import type { Context } from "../context.ts";
import { removeOrphans } from "../core/media/orphans.ts";
import { enqueue } from "../db/queue.ts";
import { scheduleNext } from "./recurring.ts";

/** In milliseconds, so that a slow disk has time for others. */
const PAUSE = 10_000;

/** Looks through a part of the files, and goes on after a pause or tomorrow. */
export async function sweepMedia(ctx: Context, after: string | null): Promise<void> {
  const last = await removeOrphans(ctx, after);
  const runAt = ctx.clock.now() + PAUSE;
  ctx.db.transaction((tx) => {
    if (last === null) scheduleNext(ctx, tx, "media.sweep");
    else enqueue(ctx, tx, "media.sweep", { after: last }, { runAt, key: `media.sweep after ${last}` });
  });
}
