import type { Context } from "../context.ts";
import { continuePurge, isPurged, purgeAccounts, purgeEmojis, purgeTombstones } from "../core/moderation/purge.ts";
import type { Tx } from "../db/open.ts";
import type { PurgePoint } from "../db/pruning-point.ts";
import { forgetAddresses } from "../federation/peers/forget.ts";
import { pause } from "../lib/pause.ts";

/** In milliseconds; leaves a slow disk time for other work. */
const PAUSE = 250;

/** Removes a slice of what is known of a host. The next slice follows after a pause. */
export async function purgeHost(ctx: Context, from: PurgePoint): Promise<(tx: Tx) => void> {
  const next = await ctx.db.whenWritable(() =>
    ctx.db.transaction((tx) => purgeWithin(ctx, tx, from), { isSynced: false }),
  );
  await pause();
  ctx.db.checkpoint();
  return (tx) => {
    if (next !== null) continuePurge(ctx, tx, next, PAUSE);
  };
}

/** A slice that is interrupted begins again with what is left. Returns where the next one starts; null after the last. */
function purgeWithin(ctx: Context, tx: Tx, from: PurgePoint): PurgePoint | null {
  const { host, isSuspension, before } = from;
  const purged = { host, isSuspension, before };
  switch (from.stage) {
    case "accounts": {
      const after = purgeAccounts(ctx, tx, from);
      return after === null ? { ...purged, stage: "tombstones", after: "" } : { ...purged, stage: "accounts", after };
    }
    case "tombstones": {
      const after = purgeTombstones(tx, from, from.after);
      return after === null ? { ...purged, stage: "rest" } : { ...purged, stage: "tombstones", after };
    }
    case "rest":
      purgeEmojis(ctx, tx, from);
      forgetAddresses(ctx, tx, (each) => isPurged(tx, from, each));
      return null;
  }
}
