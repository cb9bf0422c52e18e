/*
 * The baseline for pruning: deletes from the database of the first argument, with one statement, the statuses that are not
 * in that of the second one. Prints the CPU time in ms.
 */
import { Database } from "bun:sqlite";

const [file, pruned] = process.argv.slice(2) as [string, string];
const db = new Database(file, { strict: true });
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA synchronous = FULL");
db.run("PRAGMA foreign_keys = ON");
db.query("ATTACH $pruned AS pruned").run({ pruned });
db.run("CREATE TEMP TABLE old AS SELECT id FROM main.statuses EXCEPT SELECT id FROM pruned.statuses");
db.run("DETACH pruned");
const used = process.cpuUsage();
db.run("DELETE FROM statuses WHERE id IN (SELECT id FROM old)");
const { user, system } = process.cpuUsage(used);
console.log((user + system) / 1000);
