import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, openDatabase, type Db, type Tx } from "../../src/db/open.ts";
import { WalFile } from "../../src/db/wal-file.ts";
import { pause } from "../../src/lib/pause.ts";

let db: Db;
const effects: string[] = [];

beforeEach(() => {
  db = openDatabase(":memory:", "FULL");
  db.raw.run("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT");
  effects.length = 0;
});
afterEach(() => db.close());

const insert = (word: string) => (tx: Tx) => {
  tx.run("INSERT INTO words (word) VALUES ($word)", { word });
  tx.afterCommit(() => effects.push(word));
  return word;
};
const insertAndFail = (word: string) => (tx: Tx) => {
  insert(word)(tx);
  throw new Error(`${word} was not wanted`);
};
const words = () => db.all<{ word: string }>("SELECT word FROM words ORDER BY word").map(({ word }) => word);

describe("Callbacks that share a commit", () => {
  test("are all committed, and their effects have run, when their promises resolve", async () => {
    const done = Promise.all([db.groupCommit(insert("one")), db.groupCommit(insert("two"))]);
    expect([words(), effects]).toEqual([[], []]);
    expect(await done).toEqual(["one", "two"]);
    expect([words(), effects]).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
  });

  test("fail independently, and a failure rolls back only its own writes", async () => {
    const callbacks = [insert("one"), insertAndFail("two"), insert("one"), insert("three")];
    const settled = await Promise.allSettled(callbacks.map((callback) => db.groupCommit(callback)));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(words()).toEqual(["one", "three"]);
    expect(effects).toEqual(["one", "three"]);
  });

  test("fail independently even if the commit itself fails", async () => {
    db.raw.run("CREATE TABLE ends (word TEXT REFERENCES words (word) DEFERRABLE INITIALLY DEFERRED) STRICT");
    const dangling = (tx: Tx) => tx.run("INSERT INTO ends (word) VALUES ('not in words')");
    const settled = await Promise.allSettled([db.groupCommit(insert("one")), db.groupCommit(dangling)]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect([words(), effects]).toEqual([["one"], ["one"]]);
  });

  test("wait for the write lock once, not once each", async () => {
    const folder = mkdtempSync(join(tmpdir(), "linnet-group-commit-"));
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
      const settled = await Promise.allSettled([shared.groupCommit(insert("one")), shared.groupCommit(insert("two"))]);
      expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect([begun, effects]).toEqual([1, []]);
    } finally {
      shared.close();
      other.close();
      rmSync(folder, { recursive: true });
    }
  });

  test("all run their effects, even if one effect fails", async () => {
    const problems: unknown[] = [];
    db.onEffectError = (problem) => problems.push(problem);
    const failing = (tx: Tx) => {
      tx.afterCommit(() => {
        throw new Error("broken effect");
      });
      return insert("two")(tx);
    };
    expect(await Promise.all([insert("one"), failing, insert("three")].map((work) => db.groupCommit(work)))).toEqual([
      "one",
      "two",
      "three",
    ]);
    expect([effects, problems]).toEqual([["one", "two", "three"], [expect.any(Error)]]);
  });

  test("stay committed if an effect fails, as in a separate transaction", () => {
    db.onEffectError = () => effects.push("a failure");
    db.transaction((tx) => {
      tx.afterCommit(() => {
        throw new Error("broken effect");
      });
      insert("one")(tx);
    });
    expect([words(), effects]).toEqual([["one"], ["a failure", "one"]]);
  });

  const last = (word: string) => (tx: Tx) => tx.beforeCommit(word, () => void insert(word)(tx));

  test("run deferred work once per key before the commit", async () => {
    await Promise.all([last("z"), last("z"), insert("one"), last("y")].map((work) => db.groupCommit(work)));
    expect(effects).toEqual(["one", "z", "y"]);
  });

  test("discard deferred work when they fail", async () => {
    const callbacks = [insert("one"), (tx: Tx) => [last("y")(tx), insertAndFail("two")(tx)], last("z")];
    await Promise.allSettled(callbacks.map((callback) => db.groupCommit(callback)));
    expect(effects).toEqual(["one", "z"]);
  });

  const collected = (...items: string[]) => {
    return (tx: Tx) => items.forEach((item) => tx.collect("all", item, (all) => void insert(all.join(" "))(tx)));
  };

  test("hand in what they collect together, in order, and once", async () => {
    await Promise.all([collected("a", "b"), insert("one"), collected("c")].map((work) => db.groupCommit(work)));
    db.transaction(collected("d"));
    expect(effects).toEqual(["one", "a b c", "d"]);
  });

  test("collect nothing when they fail", async () => {
    const failing = (tx: Tx) => [collected("a")(tx), insertAndFail("two")(tx)];
    await Promise.allSettled([failing, collected("b")].map((callback) => db.groupCommit(callback)));
    expect(effects).toEqual(["b"]);
  });

  test("see the writes of earlier callbacks", async () => {
    const [, seen] = await Promise.all([
      db.groupCommit(insert("one")),
      db.groupCommit((tx) => tx.get("SELECT * FROM words")),
    ]);
    expect(seen).toEqual({ word: "one" });
  });
});

describe("The sync of a commit to disk", () => {
  let folder: string;
  const syncs: PromiseWithResolvers<void>[] = [];
  let sync: ReturnType<typeof spyOn<WalFile, "sync">>;

  beforeEach(async () => {
    db.close();
    folder = mkdtempSync(join(tmpdir(), "linnet-group-commit-"));
    db = openDatabase(join(folder, "words.db"), "FULL");
    db.raw.run("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT");
    // SQLite syncs the first one.
    await db.groupCommit(() => {});
    sync = spyOn(WalFile.prototype, "sync").mockImplementation(() => {
      syncs.push(Promise.withResolvers());
      return syncs.at(-1)!.promise;
    });
  });
  afterEach(() => {
    sync.mockRestore();
    syncs.length = 0;
    rmSync(folder, { recursive: true });
  });

  test("blocks no reading, and comes before promises resolve and effects run", async () => {
    const done = db.groupCommit(insert("one"));
    await pause();
    expect([words(), effects, syncs.length]).toEqual([["one"], [], 1]);
    syncs[0]!.resolve();
    expect(await done).toBe("one");
    expect(effects).toEqual(["one"]);
  });

  test("lets further callbacks share the next commit", async () => {
    const first = db.groupCommit(insert("one"));
    await pause();
    const others = Promise.all([db.groupCommit(insert("two")), db.groupCommit(insert("three"))]);
    await pause();
    expect([words(), syncs.length]).toEqual([["one"], 1]);
    syncs[0]!.resolve();
    await first;
    await pause();
    await pause();
    expect([words(), effects, syncs.length]).toEqual([["one", "three", "two"], ["one"], 2]);
    syncs[1]!.resolve();
    expect(await others).toEqual(["two", "three"]);
  });

  test("rejects the promises if it fails, and later commits are not affected", async () => {
    const failing = db.groupCommit(insert("one"));
    await pause();
    syncs[0]!.reject(new Error("the disk failed"));
    expect(failing).rejects.toThrow("the disk failed");
    await pause();
    const next = db.groupCommit(insert("two"));
    await pause();
    syncs[1]!.resolve();
    expect(await next).toBe("two");
  });

  test("is left to SQLite when the database is closed", async () => {
    const done = db.groupCommit(insert("one"));
    db.close();
    expect(await done).toBe("one");
    expect(syncs).toEqual([]);
    db = openDatabase(join(folder, "words.db"), "FULL");
    expect(words()).toEqual(["one"]);
  });

  test("happens once for each commit", async () => {
    sync.mockRestore();
    const real = spyOn(WalFile.prototype, "sync");
    expect(await Promise.all([db.groupCommit(insert("one")), db.groupCommit(insert("two"))])).toEqual(["one", "two"]);
    expect(real).toHaveBeenCalledTimes(1);
    real.mockRestore();
  });
});

test("An unsynced transaction is committed, has its effects, and leaves later ones synced", () => {
  const level = () => db.raw.query("PRAGMA synchronous").get();
  let inside: unknown;
  db.transaction(
    (tx) => {
      insert("one")(tx);
      inside = level();
    },
    { isSynced: false },
  );
  expect(() => db.transaction(insertAndFail("two"), { isSynced: false })).toThrow("not wanted");
  expect([words(), effects]).toEqual([["one"], ["one"]]);
  expect([inside, level()]).toEqual([{ synchronous: 1 }, { synchronous: 2 }]);
});
