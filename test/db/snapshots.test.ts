import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, openDatabase } from "../../src/db/open.ts";

let folder: string;
let db: Db;
/** Another process, as far as SQLite can tell. */
let other: Db;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-looks-"));
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
const say = (to: Db, word: string) =>
  to.transaction((tx) => tx.run("INSERT INTO words (word) VALUES ($word)", { word }));

describe("What is read without a pause", () => {
  test("is of one moment, whoever writes meanwhile", async () => {
    expect(words()).toEqual([]);
    say(other, "heard");
    expect(words()).toEqual([]);
    await Promise.resolve();
    expect(words()).toEqual(["heard"]);
  });

  test("is what was written just before", () => {
    expect(words()).toEqual([]);
    say(db, "own");
    expect(words()).toEqual(["own"]);
  });

  test("doesn't keep back what can only be done alone", () => {
    say(db, "kept");
    expect(words()).toEqual(["kept"]);
    const copy = join(folder, "copy.db");
    db.alone("VACUUM INTO $copy", { copy });
    expect(existsSync(copy)).toBe(true);
  });

  test("keeps nobody from writing", () => {
    expect(words()).toEqual([]);
    say(other, "theirs");
    // The moment that was looked at is over as soon as something is to be written, or this would be refused.
    say(db, "ours");
    expect(words()).toEqual(["ours", "theirs"]);
  });
});
