import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, openDatabase, type Db, type Tx } from "../../src/db/open.ts";

let db: Db;
const heard: string[] = [];

beforeEach(() => {
  db = openDatabase(":memory:", "FULL");
  db.raw.run("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT");
  heard.length = 0;
});
afterEach(() => db.close());

const say = (word: string) => (tx: Tx) => {
  tx.run("INSERT INTO words (word) VALUES ($word)", { word });
  tx.afterCommit(() => heard.push(word));
  return word;
};
const sayAndFail = (word: string) => (tx: Tx) => {
  say(word)(tx);
  throw new Error(`${word} was not wanted`);
};
const words = () => db.all<{ word: string }>("SELECT word FROM words ORDER BY word").map(({ word }) => word);

describe("Works that are handed in together", () => {
  test("are all done when they are answered, and are heard of once they are", async () => {
    const done = Promise.all([db.groupCommit(say("one")), db.groupCommit(say("two"))]);
    expect([words(), heard]).toEqual([[], []]);
    expect(await done).toEqual(["one", "two"]);
    expect([words(), heard]).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
  });

  test("fail alone, and leave nothing of what they had written", async () => {
    const works = [say("one"), sayAndFail("two"), say("one"), say("three")];
    const settled = await Promise.allSettled(works.map((work) => db.groupCommit(work)));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(words()).toEqual(["one", "three"]);
    expect(heard).toEqual(["one", "three"]);
  });

  test("fail alone also when it is the commit that fails", async () => {
    db.raw.run("CREATE TABLE ends (word TEXT REFERENCES words (word) DEFERRABLE INITIALLY DEFERRED) STRICT");
    const dangling = (tx: Tx) => tx.run("INSERT INTO ends (word) VALUES ('nobody said this')");
    const settled = await Promise.allSettled([db.groupCommit(say("one")), db.groupCommit(dangling)]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect([words(), heard]).toEqual([["one"], ["one"]]);
  });

  test("wait once for whoever else is writing, and not each of them again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "linnet-together-"));
    const raw = new Database(join(folder, "words.db"), { strict: true });
    const prepare = raw.prepare.bind(raw);
    let begun = 0;
    raw.prepare = ((sql: string) => {
      const statement = prepare(sql);
      const run = statement.run.bind(statement);
      if (sql === "BEGIN IMMEDIATE") statement.run = () => ((begun += 1), run());
      return statement;
    }) as typeof raw.prepare;
    const shared = connect(raw, "FULL");
    const other = openDatabase(join(folder, "words.db"), "FULL");
    try {
      shared.alone("PRAGMA busy_timeout = 1");
      other.raw.run("BEGIN IMMEDIATE");
      const settled = await Promise.allSettled([shared.groupCommit(say("one")), shared.groupCommit(say("two"))]);
      expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect([begun, heard]).toEqual([1, []]);
    } finally {
      shared.close();
      other.close();
      rmSync(folder, { recursive: true });
    }
  });

  test("are all heard of, even if one of their effects fails", async () => {
    const problems: unknown[] = [];
    db.onEffectError = (problem) => problems.push(problem);
    const failing = (tx: Tx) => {
      tx.afterCommit(() => {
        throw new Error("nobody listens");
      });
      return say("two")(tx);
    };
    expect(await Promise.all([say("one"), failing, say("three")].map((work) => db.groupCommit(work)))).toEqual([
      "one",
      "two",
      "three",
    ]);
    expect([heard, problems]).toEqual([["one", "two", "three"], [expect.any(Error)]]);
  });

  test("are written although an effect fails, as in a transaction of its own", () => {
    db.onEffectError = () => heard.push("a failure");
    db.transaction((tx) => {
      tx.afterCommit(() => {
        throw new Error("nobody listens");
      });
      say("one")(tx);
    });
    expect([words(), heard]).toEqual([["one"], ["a failure", "one"]]);
  });

  const last = (word: string) => (tx: Tx) => tx.beforeCommit(word, () => void say(word)(tx));

  test("end with what was put off, once for each key", async () => {
    await Promise.all([last("z"), last("z"), say("one"), last("y")].map((work) => db.groupCommit(work)));
    expect(heard).toEqual(["one", "z", "y"]);
  });

  test("leave nothing of what they had put off when they fail", async () => {
    const works = [say("one"), (tx: Tx) => [last("y")(tx), sayAndFail("two")(tx)], last("z")];
    await Promise.allSettled(works.map((work) => db.groupCommit(work)));
    expect(heard).toEqual(["one", "z"]);
  });

  test("take part in what was written before them", async () => {
    const [, seen] = await Promise.all([
      db.groupCommit(say("one")),
      db.groupCommit((tx) => tx.get("SELECT * FROM words")),
    ]);
    expect(seen).toEqual({ word: "one" });
  });
});
