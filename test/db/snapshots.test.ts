import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, openDatabase } from "../../src/db/open.ts";

let folder: string;
let db: Db;
/** Stands for another process: SQLite treats a second connection alike. */
let other: Db;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-snapshots-"));
  db = openDatabase(join(folder, "words.db"), "FULL");
  db.alone("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT");
  other = openDatabase(join(folder, "words.db"), "FULL");
});
afterEach(() => {
  db.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const words = () => db.all<{ word: string }>("SELECT word FROM words ORDER BY word").map(({ word }) => word);
const insert = (to: Db, word: string) =>
  to.transaction((tx) => tx.run("INSERT INTO words (word) VALUES ($word)", { word }));

describe("All reads up to the next await", () => {
  test("share one snapshot, whatever other processes write", async () => {
    expect(words()).toEqual([]);
    insert(other, "one");
    expect(words()).toEqual([]);
    await Promise.resolve();
    expect(words()).toEqual(["one"]);
  });

  test("see the writes of this process", () => {
    expect(words()).toEqual([]);
    insert(db, "own");
    expect(words()).toEqual(["own"]);
  });

  test("don't block statements that run outside a transaction", () => {
    insert(db, "kept");
    expect(words()).toEqual(["kept"]);
    const copy = join(folder, "copy.db");
    db.alone("VACUUM INTO $copy", { copy });
    expect(existsSync(copy)).toBe(true);
  });

  test("don't block writes", () => {
    expect(words()).toEqual([]);
    insert(other, "theirs");
    // A write ends the snapshot; otherwise SQLite would refuse it.
    insert(db, "ours");
    expect(words()).toEqual(["ours", "theirs"]);
  });
});
