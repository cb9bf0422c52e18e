/*
 * The program of a process that merges the search index of the database at the path in its last argument.
 * search-merging.ts starts it.
 */
import { mergeIndex } from "../../core/discovery/search-index.ts";
import { openDatabase } from "../../db/open.ts";
import { endWithParent } from "../../lib/libc.ts";

/** Pages of the index in one transaction: meanwhile, the server's writes wait. */
const PAGES = 64;
/** Between two transactions, in ms. Each empties the server's caches, since these don't learn of changes by others. */
const PAUSE = 500;

const parent = process.ppid;
// Terminals and systemd send these signals to all processes of a server. The parent decides when this one ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
endWithParent();

const db = openDatabase(process.argv.at(-1)!, "FULL");
// Without glibc, nothing else ends this process with its parent.
while (process.ppid === parent && db.transaction((tx) => mergeIndex(tx, PAGES), { isSynced: false })) {
  db.checkpoint();
  await Bun.sleep(PAUSE);
}
db.close();
process.exit(0);
