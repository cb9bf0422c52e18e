/*
 * Runs the slices of the daily job on the data folder of the first argument, without the pauses between them. Prints the CPU
 * time and the longest delay of a timer, in ms.
 */
import { join } from "node:path";
import { readConfig } from "../../../src/config.ts";
import { openContext } from "../../../src/context.ts";
import { openMigrated } from "../../../src/db/migrate.ts";
import { PRUNING_START, type PruningPoint } from "../../../src/db/pruning-point.ts";
import { pruneSlice } from "../../../src/jobs/recurring/prune.ts";
import { openLog } from "../../../src/lib/log.ts";

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
for (let next: PruningPoint | null = PRUNING_START; next !== null;) next = (await pruneSlice(ctx, next)).next;
const { user, system } = process.cpuUsage(begin);
clearInterval(timer);
db.close();
console.log(JSON.stringify({ processor: (user + system) / 1000, stall } satisfies Pruned));
