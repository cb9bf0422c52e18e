import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { Refusal, UsageError } from "../errors.ts";
import { renameDurably } from "../lib/files.ts";
import { lockFile, type FileLock } from "./file-lock.ts";
import { openDatabase, type Db, type Synchronous } from "./open.ts";
import type { Migration } from "./read-migrations.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

const migrations = readMigrations();

/** The schema version of databases that this program writes. */
export const NEWEST_VERSION = migrations.at(-1)!.version;

/** How long a process waits while another one migrates, in milliseconds. A large database takes minutes. */
const LONGEST_UPDATE = 15 * 60_000;

/** How long to retry, in milliseconds: a starting server takes its lock a moment before it migrates the database. */
const STARTING_SERVER = 2000;
const POLL_INTERVAL = 50;

export interface OpenOptions {
  /** Takes the server lock; returns null while a server is running, which only knows the older schema. */
  lockServer?: () => FileLock | null;
  migrations?: readonly Migration[];
}

/** Opens the database at `path` (or `:memory:`) and migrates it. Creates it if it is missing. */
export function openMigrated(path: string, synchronous: Synchronous, options: OpenOptions = {}): Db {
  if (path === ":memory:") return openAndMigrate(path, synchronous, options);
  const started = performance.now();
  for (;;) {
    const lock = lockUpdate(dirname(path));
    if (!lock) throw new Refusal("unavailable", `Another program is still updating ${path}. Try again later.`);
    try {
      return openAndMigrate(path, synchronous, options);
    } catch (error) {
      if (!(error instanceof ServerRuns) || performance.now() - started > STARTING_SERVER) throw error;
    } finally {
      lock.release();
    }
    Bun.sleepSync(POLL_INTERVAL);
  }
}

/** Waits for the lock that every program holds while it opens or migrates the database; null after 15 minutes. */
export function lockUpdate(folder: string): FileLock | null {
  return lockFile(folder, "update.lock", LONGEST_UPDATE);
}

class ServerRuns extends Refusal {
  constructor(path: string) {
    super(
      "conflict",
      `The server that is running on ${dirname(path)} is an older version. Restart it with this program first.`,
    );
  }
}

function openAndMigrate(path: string, synchronous: Synchronous, options: OpenOptions): Db {
  const db = openDatabase(path, synchronous);
  try {
    migrate(db, path, options);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Applies all pending migrations or none. Copies an existing database first. Refuses a database of a newer Linnet and
 * leaves it unchanged.
 */
function migrate(db: Db, path: string, options: OpenOptions): void {
  const { user_version: version } = db.get<{ user_version: number }>("PRAGMA user_version")!;
  const known = options.migrations ?? migrations;
  const newest = known.at(-1)!.version;
  if (version > newest) {
    throw new UsageError(
      `The database was written by a newer version of Linnet (schema ${version}, this program supports ${newest}). Use that version, or restore a backup.`,
    );
  }
  if (version === newest) return;
  const pending = known.filter((migration) => migration.version > version);
  if (version === 0) return apply(db, pending);
  const server = options.lockServer?.();
  if (server === null) throw new ServerRuns(path);
  try {
    copyTo(db, `${path}.before-update`);
    apply(db, pending);
  } finally {
    server?.release();
  }
}

/**
 * Runs in one transaction, so that a crash leaves the old database and never a state between two versions. Foreign keys
 * are off: a migration that rebuilds a table drops the old one, which would delete the rows of its child tables. SQLite
 * ignores that PRAGMA inside a transaction (https://www.sqlite.org/lang_altertable.html, section 7). The second PRAGMA
 * lets the new table take the old name although triggers of other tables mention it; RENAME then rewrites nothing.
 */
function apply(db: Db, pending: readonly Migration[]): void {
  db.alone("PRAGMA foreign_keys = OFF");
  db.alone("PRAGMA legacy_alter_table = ON");
  try {
    db.transaction((tx) => {
      for (const { sql } of pending) db.raw.run(sql);
      const [broken] = tx.all<{ table: string; rowid: number | null; parent: string; fkid: number }>(
        "PRAGMA foreign_key_check",
      );
      if (broken) throw new Error(`A migration left rows of ${broken.table} without their row of ${broken.parent}`);
      db.raw.run(`PRAGMA user_version = ${pending.at(-1)!.version}`);
    });
  } finally {
    db.alone("PRAGMA legacy_alter_table = OFF");
    db.alone("PRAGMA foreign_keys = ON");
  }
}

/** Replaces an older copy only once the new one is complete and on disk. */
export function copyTo(db: Db, path: string): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  db.alone("VACUUM INTO $fresh", { fresh });
  renameDurably(fresh, path);
}
