import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Db, type Tx } from "../../src/db/open.ts";
import { DatabaseLockedRefusal } from "../../src/errors.ts";

let folder: string;
/** The server's connection. */
let db: Db;
/** Another process, as far as SQLite can tell. */
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

const say = (word: string) => (tx: Tx) => tx.run("INSERT INTO words (word) VALUES ($word)", { word });
const words = () => db.all<{ word: string }>("SELECT word FROM words ORDER BY rowid").map(({ word }) => word);

describe("While another process holds the write lock", () => {
  test("everything can be read", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    const writing = db.whenWritable(() => db.transaction(say("late")));
    await Promise.resolve();
    expect(words()).toEqual([]);
    other.raw.run("COMMIT");
    await writing;
    expect(words()).toEqual(["late"]);
  });

  test("writes wait for it without blocking, and happen once", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    let tries = 0;
    const writing = db.whenWritable(() => {
      tries += 1;
      db.transaction(say("one"));
      return db.transaction(say("two"));
    });
    // The event loop goes on: this would never resolve if the write blocked it.
    await new Promise((resolve) => setImmediate(resolve));
    other.raw.run("COMMIT");
    await writing;
    expect([words(), tries]).toEqual([["one", "two"], 2]);
  });

  test("a write that waits too long is refused, and nothing of it is written", async () => {
    db.neverBlock(50);
    other.raw.run("BEGIN IMMEDIATE");
    const writing = db.whenWritable(() => db.transaction(say("never")));
    await expect(writing).rejects.toThrow(DatabaseLockedRefusal);
    other.raw.run("COMMIT");
    expect(words()).toEqual([]);
  });

  test("work that took long before its first write still waits", async () => {
    db.neverBlock(50);
    const started = performance.now();
    let runs = 0;
    const writing = db.whenWritable(async () => {
      runs += 1;
      // As long as a picture may take to decode.
      while (performance.now() - started < 60) await new Promise((resolve) => setImmediate(resolve));
      if (runs === 1) {
        other.raw.run("BEGIN IMMEDIATE");
        setImmediate(() => other.raw.run("COMMIT"));
      }
      db.transaction(say("late"));
    });
    await writing;
    expect([words(), runs]).toEqual([["late"], 2]);
  });

  test("an error of the disk is not taken for a lock", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    const writing = db.whenWritable(() => db.transaction(say("late")));
    const run = db.raw.run.bind(db.raw);
    db.raw.run = ((sql: string) => {
      if (sql === "BEGIN IMMEDIATE") throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      return run(sql);
    }) as typeof db.raw.run;
    other.raw.run("COMMIT");
    await writing;
    expect(words()).toEqual(["late"]);
  });

  test("posts that share a commit wait for it, too", async () => {
    other.raw.run("BEGIN IMMEDIATE");
    const writing = ["one", "two"].map((word) => db.whenWritable(() => db.groupCommit(say(word))));
    await new Promise((resolve) => setImmediate(resolve));
    other.raw.run("COMMIT");
    await Promise.all(writing);
    expect(words()).toEqual(["one", "two"]);
  });

  test("an error of another kind is not tried again", async () => {
    let tries = 0;
    const failing = db.whenWritable(() => {
      tries += 1;
      throw new Error("not wanted");
    });
    await expect(failing).rejects.toThrow("not wanted");
    expect(tries).toBe(1);
  });
});
