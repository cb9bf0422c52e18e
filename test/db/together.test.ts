import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase, type Db, type Tx } from "../../src/db/open.ts";

let db: Db;
const heard: string[] = [];

beforeEach(() => {
  db = openDatabase(":memory:", "FULL");
  db.raw.run("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT");
  heard.length = 0;
});
afterEach(() => db.close());

const say = (word: string) => (tx: Tx) => {
  tx.run("INSERT INTO words (word) VALUES (?)", word);
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
    const done = Promise.all([db.together(say("one")), db.together(say("two"))]);
    expect([words(), heard]).toEqual([[], []]);
    expect(await done).toEqual(["one", "two"]);
    expect([words(), heard]).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
  });

  test("fail alone, and leave nothing of what they had written", async () => {
    const works = [say("one"), sayAndFail("two"), say("one"), say("three")];
    const settled = await Promise.allSettled(works.map((work) => db.together(work)));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(words()).toEqual(["one", "three"]);
    expect(heard).toEqual(["one", "three"]);
  });

  test("fail alone also when it is the commit that fails", async () => {
    db.raw.run("CREATE TABLE ends (word TEXT REFERENCES words (word) DEFERRABLE INITIALLY DEFERRED) STRICT");
    const dangling = (tx: Tx) => tx.run("INSERT INTO ends (word) VALUES ('nobody said this')");
    const settled = await Promise.allSettled([db.together(say("one")), db.together(dangling)]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect([words(), heard]).toEqual([["one"], ["one"]]);
  });

  const last = (word: string) => (tx: Tx) => tx.beforeCommit(word, () => void say(word)(tx));

  test("end with what was put off, once for each key", async () => {
    await Promise.all([last("z"), last("z"), say("one"), last("y")].map((work) => db.together(work)));
    expect(heard).toEqual(["one", "z", "y"]);
  });

  test("leave nothing of what they had put off when they fail", async () => {
    const works = [say("one"), (tx: Tx) => [last("y")(tx), sayAndFail("two")(tx)], last("z")];
    await Promise.allSettled(works.map((work) => db.together(work)));
    expect(heard).toEqual(["one", "z"]);
  });

  test("take part in what was written before them", async () => {
    const [, seen] = await Promise.all([db.together(say("one")), db.together((tx) => tx.get("SELECT * FROM words"))]);
    expect(seen).toEqual({ word: "one" });
  });
});
