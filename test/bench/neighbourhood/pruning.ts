/*
 * Runs the slices of the daily job on the data folder of the first argument, without the pauses between them. Prints the CPU
 * time, with that of the process that merges the search index, and the longest delay of a timer, in ms.
 */
import { join } from "node:path";
import { readConfig } from "../../../src/config.ts";
import { openContext } from "../../../src/context.ts";
import { openMigrated } from "../../../src/db/migrate.ts";
import { PRUNING_START, type PruningPoint } from "../../../src/db/pruning-point.ts";
import { pruneNext } from "../../../src/jobs/recurring/prune.ts";
import { openLog } from "../../../src/lib/log.ts";
import { pause } from "../../../src/lib/pause.ts";
import { childrenTime } from "../machine.ts";

export interface Pruned {
  processor: number;
  stall: number;
}

const INTERVAL = 2;

const [folder, days] = process.argv.slice(2) as [string, string];
const config = readConfig({ LINNET_DATA: folder, LINNET_REMOTE_POSTS_DAYS: days });
const db = openMigrated(join(folder, "linnet.db"), config.synchronous);
const ctx = openContext(config, db, { log: openLog("error", "text") });
let stall = 0;
let due = performance.now() + INTERVAL;
const timer = setInterval(() => {
  const now = performance.now();
  stall = Math.max(stall, now - due);
  due = now + INTERVAL;
}, INTERVAL);
const begin = process.cpuUsage();
for (let next: PruningPoint | null = PRUNING_START; next !== null;) {
  next = await pruneNext(ctx, next);
  await pause();
}
const { user, system } = process.cpuUsage(begin);
const processor = (user + system) / 1000 + childrenTime(process.pid);
clearInterval(timer);
db.close();
console.log(JSON.stringify({ processor, stall } satisfies Pruned));
