/*
 * The program of a process that merges the search index of the database at the path in its last argument.
 * search-merging.ts starts it.
 */
import { constants, setPriority } from "node:os";
import { mergeIndex } from "../../core/discovery/search-index.ts";
import { openDatabase } from "../../db/open.ts";
import { endWithParent } from "../../lib/libc.ts";

/** Between two slices, in ms: the server writes meanwhile. */
const PAUSE = 100;

// Terminals and systemd send these signals to all processes of a server. The parent decides when this one ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
endWithParent();
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const db = openDatabase(process.argv.at(-1)!, "FULL");
while (db.transaction(mergeIndex, { isSynced: false })) {
  db.checkpoint();
  await Bun.sleep(PAUSE);
}
db.close();
process.exit(0);
