import type { Context } from "../context.ts";
import { removeOrphans } from "../core/orphans.ts";
import { enqueue } from "../db/queue.ts";
import type { Tx } from "../db/open.ts";

const DAY = 24 * 3600_000;
/** In milliseconds, so that a slow disk has time for others. */
const PAUSE = 10_000;

/** Writes the job that looks for orphaned files once a day, unless it is there already. */
export function scheduleSweep(ctx: Context, tx: Tx, runAt = nextDay(ctx)): void {
  enqueue(ctx, tx, "media.sweep", { after: null }, { runAt, key: `media.sweep ${runAt}` });
}

/** Looks through a part of the files, and goes on after a pause or tomorrow. */
export async function sweepMedia(ctx: Context, after: string | null): Promise<void> {
  const last = await removeOrphans(ctx, after);
  const now = ctx.clock.now();
  ctx.db.transaction((tx) => {
    if (last === null) scheduleSweep(ctx, tx);
    else enqueue(ctx, tx, "media.sweep", { after: last }, { runAt: now + PAUSE, key: `media.sweep after ${last}` });
  });
}

function nextDay(ctx: Context): number {
  return (Math.floor(ctx.clock.now() / DAY) + 1) * DAY;
}
