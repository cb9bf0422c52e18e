import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Db, type Tx } from "../../src/db/open.ts";
import { DatabaseLockedRefusal } from "../../src/errors.ts";

let folder: string;
/** The server's connection. */
let db: Db;
/** Stands for another process: SQLite treats a second connection alike. */
let other: Db;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-locks-"));
  db = openDatabase(join(folder, "words.db"), "FULL");
  db.alone("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT");
  db.neverBlock();
  other = openDatabase(join(folder, "words.db"), "FULL");
});
afterEach(() => {
  db.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const insert = (word: string) => (tx: Tx) => tx.run("INSERT INTO words (word) VALUES ($word)", { word });
const words = () => db.all<{ word: string }>("SELECT word FROM words ORDER BY rowid").map(({ word }) => word);

describe("While another process holds the write lock", () => {
  test("the database can be read", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    const writing = db.whenWritable(() => db.transaction(insert("late")));
    await Promise.resolve();
    expect(words()).toEqual([]);
    other.raw.run("COMMIT");
    await writing;
    expect(words()).toEqual(["late"]);
  });

  test("a write waits without blocking the event loop, and happens once", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    let tries = 0;
    const writing = db.whenWritable(() => {
      tries += 1;
      db.transaction(insert("one"));
      return db.transaction(insert("two"));
    });
    // This would never resolve if the write blocked the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    other.raw.run("COMMIT");
    await writing;
    expect([words(), tries]).toEqual([["one", "two"], 2]);
  });

  test("a write that waits too long is refused and rolled back", async () => {
    db.neverBlock(50);
    other.raw.run("BEGIN IMMEDIATE");
    const writing = db.whenWritable(() => db.transaction(insert("never")));
    await expect(writing).rejects.toThrow(DatabaseLockedRefusal);
    other.raw.run("COMMIT");
    expect(words()).toEqual([]);
  });

  test("a transaction after long work still waits", async () => {
    db.neverBlock(50);
    const started = performance.now();
    let runs = 0;
    const writing = db.whenWritable(async () => {
      runs += 1;
      // As long as an image may take to decode.
      while (performance.now() - started < 60) await new Promise((resolve) => setImmediate(resolve));
      if (runs === 1) {
        other.raw.run("BEGIN IMMEDIATE");
        setImmediate(() => other.raw.run("COMMIT"));
      }
      db.transaction(insert("late"));
    });
    await writing;
    expect([words(), runs]).toEqual([["late"], 2]);
  });

  test("a disk error is not mistaken for a lock", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    const writing = db.whenWritable(() => db.transaction(insert("late")));
    const run = db.raw.run.bind(db.raw);
    db.raw.run = ((sql: string) => {
      if (sql === "BEGIN IMMEDIATE") throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      return run(sql);
    }) as typeof db.raw.run;
    other.raw.run("COMMIT");
    await writing;
    expect(words()).toEqual(["late"]);
  });

  test("posts that share a commit also wait", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    const writing = ["one", "two"].map((word) => db.whenWritable(() => db.groupCommit(insert(word))));
    await new Promise((resolve) => setImmediate(resolve));
    other.raw.run("COMMIT");
    await Promise.all(writing);
    expect(words()).toEqual(["one", "two"]);
  });

  test("other errors are not retried", async () => {
    let tries = 0;
    const failing = db.whenWritable(() => {
      tries += 1;
      throw new Error("not wanted");
    });
    await expect(failing).rejects.toThrow("not wanted");
    expect(tries).toBe(1);
  });
});
