import { existsSync, rmSync } from "node:fs";
import { UsageError } from "../errors.ts";
import { openDatabase, type Db, type Synchronous } from "./open.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

const migrations = readMigrations();

/** Opens the database at `path` (or `:memory:`), and brings it up to date. */
export function openMigrated(path: string, synchronous: Synchronous): Db {
  const db = openDatabase(path, synchronous);
  migrate(db, path === ":memory:" ? null : `${path}.before-update`);
  return db;
}

/**
 * Each step in one transaction. If it holds anything, a copy is laid beside it first:
 * `backup` is where. A database written by a newer Linnet is refused and left as it is.
 */
function migrate(db: Db, backup: string | null): void {
  const { user_version: version } = db.get<{ user_version: number }>("PRAGMA user_version")!;
  const newest = migrations.at(-1)!.version;
  if (version > newest) {
    throw new UsageError(
      `The database was written by a newer Linnet (its version is ${version}, this program knows ${newest}). Start that one, or put back a copy.`,
    );
  }
  const pending = migrations.filter((migration) => migration.version > version);
  if (pending.length > 0 && version > 0 && backup) copyTo(db, backup);
  for (const { version, sql } of pending) {
    db.transaction(() => {
      db.raw.run(sql);
      db.raw.run(`PRAGMA user_version = ${version}`);
    });
  }
}

function copyTo(db: Db, path: string): void {
  if (existsSync(path)) rmSync(path);
  db.alone("VACUUM INTO ?", path);
}
