/* The program of a process that prunes the database of a running server. prune-elsewhere.ts starts it. */
import { join } from "node:path";
import { readConfig } from "../../config.ts";
import { openContext } from "../../context.ts";
import { openDatabase } from "../../db/open.ts";
import { PRUNING_START, type PruningPoint } from "../../db/pruning-point.ts";
import { endWithParent } from "../../lib/process.ts";
import { openLog } from "../../lib/log.ts";
import { pruneSlice } from "./prune.ts";
import type { PruneOrder } from "./prune-elsewhere.ts";

const parent = process.ppid;
// Terminals and systemd send these signals to all processes of a server. The parent decides when this one ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
endWithParent();

const { data, days, pause }: PruneOrder = JSON.parse(process.argv.at(-1)!);
const config = readConfig({ LINNET_DATA: data, LINNET_REMOTE_POSTS_DAYS: String(days) });
const db = openDatabase(join(config.data, "linnet.db"), config.synchronous);
const ctx = openContext(config, db, { log: openLog(config.logLevel, config.logFormat) });
// Without glibc, nothing else ends this process with its parent.
for (let next: PruningPoint | null = PRUNING_START; next !== null && process.ppid === parent;) {
  next = (await pruneSlice(ctx, next)).next;
  await Bun.sleep(pause);
}
db.close();
process.exit(0);
