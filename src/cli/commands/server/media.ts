import type { Context } from "../../../context.ts";
import { cleanMediaCache } from "../../../core/remote-media/cache-space.ts";
import { allowReturningPages, canReturnPages } from "../../../core/server/database-space.ts";
import { storageUsage } from "../../../core/server/storage-usage.ts";
import { PRUNING_START, type PruningPoint } from "../../../db/pruning-point.ts";
import { pruneSlice } from "../../../jobs/recurring/prune.ts";
import { bytesText, counted, Progress } from "../../backup/progress.ts";
import { command } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { list } from "../../list.ts";
import { lockServer } from "../../server-lock.ts";

export const commands = {
  "media usage": list({
    summary: "Shows the size of the database, of local media, and of the cache by kind and host",
    find: () => withData(storageUsage),
    empty: () => "There are no files.",
    columns: {
      AREA: ({ area }) => area,
      KIND: ({ kind }) => kind ?? "-",
      HOST: ({ host }) => host ?? "-",
      SIZE: ({ bytes }) => bytesText(bytes),
    },
    json: (usage) => usage,
  }),
  "media prune": command({
    summary: "Removes old posts, unused accounts and expired media of other servers now",
    details: `The server does this once a day, see LINNET_REMOTE_POSTS_DAYS and LINNET_CACHE_DAYS. All of it can be fetched again. A
database of an older version only returns the space to the disk after a run while the server is stopped.`,
    run: () => withData(prune),
  }),
};

async function prune(ctx: Context): Promise<void> {
  const before = await totalOf(ctx);
  const progress = new Progress();
  const lock = canReturnPages(ctx.db) ? null : lockServer(ctx.config.data);
  let [posts, accounts] = [0, 0];
  try {
    for (let next: PruningPoint | null = PRUNING_START; next !== null;) {
      const pruned = await pruneSlice(ctx, next);
      [posts, accounts, next] = [posts + pruned.statuses, accounts + pruned.accounts, pruned.next];
      progress.update(() => `Removed ${counted(posts, "post")} and ${counted(accounts, "account")}`);
    }
    progress.stage("Cleaning the cache");
    await cleanMediaCache(ctx);
    if (lock) allowReturningPages(ctx.db);
    ctx.db.checkpoint();
  } finally {
    progress.clear();
    lock?.release();
  }
  progress.say(`Removed ${counted(posts, "post")} and ${counted(accounts, "account")} of other servers.`);
  progress.say(`Freed ${bytesText(Math.max(before - (await totalOf(ctx)), 0))}.`);
  if (canReturnPages(ctx.db)) return;
  progress.say("The database keeps its size. Stop the server and run this again to shrink it.");
}

async function totalOf(ctx: Context): Promise<number> {
  return (await storageUsage(ctx)).reduce((sum, { bytes }) => sum + bytes, 0);
}
