import type { Context } from "../../context.ts";
import { mergeIndex } from "../../core/discovery/search-index.ts";
import { pruneAccounts } from "../../core/people/unused-accounts.ts";
import { returnPages } from "../../core/server/database-space.ts";
import { pruneStatuses } from "../../core/statuses/old-statuses.ts";
import type { Tx } from "../../db/open.ts";
import type { PruningPoint } from "../../db/pruning-point.ts";
import { enqueue } from "../../db/queue.ts";
import { pause } from "../../lib/pause.ts";
import { scheduleNext } from "../recurring.ts";
import { isPruningSlow, pruneElsewhere } from "./prune-elsewhere.ts";

/** In milliseconds; leaves a slow disk time for other work. */
const PAUSE = 250;

/** Prunes one slice after the other, with a pause between them, and starts again the next day. */
export async function pruneRemote(ctx: Context, from: PruningPoint): Promise<(tx: Tx) => void> {
  const next = isPruningSlow(ctx.db) ? await pruneElsewhere(ctx).then(() => null) : (await pruneSlice(ctx, from)).next;
  return (tx) => {
    if (next === null) return scheduleNext(ctx, tx, "remote.prune");
    enqueue(ctx, tx, "remote.prune", next, { runAt: ctx.clock.now() + PAUSE, key: "remote.prune next" });
  };
}

/** The result of one slice; `next` is null after the last one. */
interface PrunedSlice {
  statuses: number;
  accounts: number;
  next: PruningPoint | null;
}

/**
 * Removes a slice of what other servers have sent and no local user needs: old statuses, then accounts without any, what is
 * left of the statuses in the search index, and the free space in the database. A slice changes pages all over the database, so
 * their checkpoint is not left to grow.
 */
export async function pruneSlice(ctx: Context, from: PruningPoint): Promise<PrunedSlice> {
  const pruned = await ctx.db.whenWritable(() =>
    ctx.db.transaction((tx) => pruneWithin(ctx, tx, from), { isSynced: false }),
  );
  await pause();
  ctx.db.checkpoint();
  return pruned;
}

function pruneWithin(ctx: Context, tx: Tx, from: PruningPoint): PrunedSlice {
  switch (from.stage) {
    case "statuses": {
      const { removed, before } = pruneStatuses(ctx, tx, from.before);
      const next: PruningPoint = before === null ? { stage: "accounts", after: 0 } : { stage: "statuses", before };
      return { statuses: removed, accounts: 0, next };
    }
    case "accounts": {
      const { removed, after } = pruneAccounts(ctx, tx, from.after);
      const next: PruningPoint = after === null ? { stage: "search" } : { stage: "accounts", after };
      return { statuses: 0, accounts: removed, next };
    }
    case "search":
      return { statuses: 0, accounts: 0, next: mergeIndex(tx) ? from : { stage: "pages" } };
    case "pages":
      return { statuses: 0, accounts: 0, next: returnPages(tx) ? from : null };
  }
}
