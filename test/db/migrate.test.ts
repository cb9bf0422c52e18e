import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMigrated } from "../../src/db/migrate.ts";
import type { Migration } from "../../src/db/read-migrations.ts";
import type { Db } from "../../src/db/open.ts";
import { everyTable, fillEveryTable } from "../support/full-database.ts";

let folder: string;
let path: string;
let opened: Db[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-migrate-"));
  path = join(folder, "linnet.db");
  opened = [];
});
afterEach(() => {
  for (const db of opened) db.close();
  rmSync(folder, { recursive: true });
});

function open(migrations?: Migration[]): Db {
  const db = openMigrated(path, "FULL", { migrations });
  opened.push(db);
  return db;
}

/** Creates a database of this version with rows in every table, and closes it. */
function filled(): { version: number; rows: Record<string, unknown[]> } {
  const db = openMigrated(path, "FULL");
  fillEveryTable(db);
  const { user_version: version } = db.get<{ user_version: number }>("PRAGMA user_version")!;
  const rows = rowsOf(db);
  db.close();
  return { version, rows };
}

function rowsOf(db: Db): Record<string, unknown[]> {
  return Object.fromEntries(everyTable(db).map((name) => [name, db.raw.query(`SELECT * FROM ${name}`).values()]));
}

/** SQLite's procedure for changes beyond ALTER TABLE: create a new table, copy the rows, drop, rename. */
function rebuilding(db: Db, table: string): string {
  const statements = db
    .all<{ type: string; sql: string }>(
      "SELECT type, sql FROM sqlite_schema WHERE tbl_name = $table AND type IN ('table', 'index', 'trigger') AND sql IS NOT NULL",
      { table },
    )
    .sort((a) => (a.type === "table" ? -1 : 1));
  const [create, ...others] = statements.map(({ sql }) => sql);
  const renamed = create!.replace(/^CREATE TABLE "?\w+"?/, `CREATE TABLE new_${table}`);
  return [
    renamed,
    `INSERT INTO new_${table} SELECT * FROM ${table}`,
    `DROP TABLE ${table}`,
    `ALTER TABLE new_${table} RENAME TO ${table}`,
    ...others,
  ].join(";\n");
}

describe("A migration", () => {
  test("that rebuilds accounts keeps all rows that refer to them", () => {
    const { version, rows } = filled();
    const before = open();
    const sql = rebuilding(before, "accounts");
    before.close();
    opened = [];
    expect(rowsOf(open([{ version: version + 1, name: "accounts", sql }]))).toEqual(rows);
  });

  test("that rebuilds every table keeps every row", () => {
    const { version, rows } = filled();
    const before = open();
    const steps = everyTable(before).map((name, at) => ({
      version: version + 1 + at,
      name,
      sql: rebuilding(before, name),
    }));
    before.close();
    opened = [];
    const after = open(steps);
    expect(rowsOf(after)).toEqual(rows);
    expect(Object.values(rows).filter((them) => them.length === 0)).toEqual([]);
    expect(after.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
  });

  test("that would leave dangling references is rolled back", () => {
    const { version, rows } = filled();
    const losing = { version: version + 1, name: "losing", sql: "DELETE FROM accounts" };
    expect(() => open([losing])).toThrow(/left rows of \w+ without/);
    expect(rowsOf(open())).toEqual(rows);
  });

  test("that fails in its second step leaves the database and the copy as they were before the first", () => {
    const { version, rows } = filled();
    const steps = [
      { version: version + 1, name: "good", sql: "CREATE TABLE half_done (id INTEGER PRIMARY KEY) STRICT" },
      { version: version + 2, name: "bad", sql: "DROP TABLE never_was" },
    ];
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => open(steps)).toThrow("never_was");
      const copy = new Database(`${path}.before-update`, { readonly: true });
      expect(copy.query("PRAGMA user_version").get()).toEqual({ user_version: version });
      copy.close();
    }
    expect(rowsOf(open())).toEqual(rows);
  });

  test("copies an existing database first, and skips the copy for a new one", () => {
    const { version } = filled();
    expect(existsSync(`${path}.before-update`)).toBe(false);
    open([{ version: version + 1, name: "more", sql: "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT" }]);
    expect(existsSync(`${path}.before-update`)).toBe(true);
    expect(existsSync(`${path}.before-update.new`)).toBe(false);
  });
});
