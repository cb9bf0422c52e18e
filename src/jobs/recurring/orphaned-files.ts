import type { Context } from "../../context.ts";
import { removeOrphans } from "../../core/media/orphaned-files.ts";
import { enqueue } from "../../db/queue.ts";
import { scheduleNext } from "../recurring.ts";

/** In milliseconds; leaves a slow disk time for other work. */
const PAUSE = 10_000;

/** Checks one part of the files after the other, with a pause between them, and starts again the next day. */
export async function sweepMedia(ctx: Context, after: string | null): Promise<void> {
  const last = await removeOrphans(ctx, after);
  const runAt = ctx.clock.now() + PAUSE;
  ctx.db.transaction((tx) => {
    if (last === null) scheduleNext(ctx, tx, "media.sweep");
    else enqueue(ctx, tx, "media.sweep", { after: last }, { runAt, key: `media.sweep after ${last}` });
  });
}
