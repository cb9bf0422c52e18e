/*
 * Runs the daily job on the data folder of the first argument, without the pauses between its slices, in a process of its own, as
 * in every large database. Prints the CPU time of that process, and the longest delay of a timer in this one, which
 * reads meanwhile, in ms.
 */
import { join } from "node:path";
import { readConfig } from "../../../src/config.ts";
import { openContext } from "../../../src/context.ts";
import { openMigrated } from "../../../src/db/migrate.ts";
import { pruneElsewhere } from "../../../src/jobs/recurring/prune-elsewhere.ts";
import { openLog } from "../../../src/lib/log.ts";
import { childrenTime } from "../machine.ts";

export interface Pruned {
  processor: number;
  stall: number;
}

const INTERVAL = 2;
const NEWEST = "SELECT * FROM statuses ORDER BY id DESC LIMIT 40";

const [folder, days] = process.argv.slice(2) as [string, string];
const config = readConfig({ LINNET_DATA: folder, LINNET_REMOTE_POSTS_DAYS: days });
const db = openMigrated(join(folder, "linnet.db"), config.synchronous);
const ctx = openContext(config, db, { log: openLog("error", "text") });
let stall = 0;
let due = performance.now() + INTERVAL;
const timer = setInterval(() => {
  db.all(NEWEST);
  const now = performance.now();
  stall = Math.max(stall, now - due);
  due = now + INTERVAL;
}, INTERVAL);
await pruneElsewhere(ctx, 0);
const processor = childrenTime(process.pid);
clearInterval(timer);
db.close();
console.log(JSON.stringify({ processor, stall } satisfies Pruned));
