import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { asc, eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { build, condition, executeReturning, Shaped, ShapedKeyset, updateGiven } from "../../src/db/builder.ts";
import type { Page } from "../../src/db/keyset.ts";
import { openDatabase, type Db } from "../../src/db/open.ts";

const words = sqliteTable("words", {
  id: integer().primaryKey(),
  word: text().notNull(),
  language: text(),
});

let db: Db;
/** Every statement that was prepared. */
let prepared: string[];

beforeEach(() => {
  db = openDatabase(":memory:", "FULL");
  db.raw.run("CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL, language TEXT) STRICT");
  const rows = ["one", "eins", "two", "zwei", "three", "drei"].map((word, at) => ({
    word,
    language: at % 2 ? "de" : "en",
  }));
  db.transaction((tx) => executeReturning(tx, build.insert(words).values(rows).returning({ id: words.id })));
  prepared = [];
  const prepare = db.raw.prepare.bind(db.raw);
  db.raw.prepare = ((statement: string) => {
    prepared.push(statement);
    return prepare(statement);
  }) as typeof db.raw.prepare;
});
afterEach(() => db.close());

describe("A built query", () => {
  test("takes the values it was built with and those it is run with, all by name and with a plus", () => {
    const query = new Shaped(() =>
      build
        .select({ word: words.word })
        .from(words)
        .where(
          sql`${eq(words.language, "de")} AND ${condition("words.id > +$above OR words.id = 2")} AND ${words.word} <> ${"drei"}`,
        )
        .orderBy(asc(words.id))
        .limit(sql.placeholder("limit")),
    );
    expect(query.all(db, {}, { above: 3, limit: 9 })).toEqual([{ word: "eins" }, { word: "zwei" }]);
    expect(query.all(db, {}, { above: 3, limit: 1 })).toEqual([{ word: "eins" }]);
    expect(prepared).toHaveLength(1);
    expect(prepared[0]!.match(/.\$\w+/g)).toEqual(["+$value0", "+$above", "+$value1", "+$limit"]);
    expect(prepared[0]).not.toContain("?");
  });

  test("is built once for each shape", () => {
    let built = 0;
    const query = new Shaped(({ german }: { german: boolean }) => {
      built += 1;
      const all = build.select({ word: words.word }).from(words);
      return all.where(german ? eq(words.language, "de") : undefined).orderBy(asc(words.id));
    });
    for (const german of [true, false, true, false]) {
      expect(query.all(db, { german }, {})).toHaveLength(german ? 3 : 6);
    }
    expect([built, prepared.length]).toEqual([2, 2]);
  });

  test("shares the snapshot of other reads, and is counted with them", () => {
    const query = new Shaped(() => build.select({ id: words.id }).from(words));
    const before = db.statements;
    query.all(db, {}, {});
    expect(db.raw.inTransaction).toBe(true);
    expect(db.statements).toBe(before + 1);
  });
});

test("A list with shapes has the pages of any other list", () => {
  const list = new ShapedKeyset(({ german }: { german: boolean }) => ({
    select: build.select({ id: words.id, cursor: sql<number>`${words.id}`.as("cursor") }).from(words),
    where: [german ? eq(words.language, "de") : undefined],
    cursor: words.id,
  }));
  const ids = (german: boolean, page: Partial<Page>) =>
    list
      .page(db, { limit: 2, max_id: null, since_id: null, min_id: null, ...page }, { german }, {})
      .map(({ id }) => id);
  expect(ids(true, {})).toEqual([6, 4]);
  expect(ids(true, { max_id: 4 })).toEqual([2]);
  expect(ids(true, { min_id: 1 })).toEqual([4, 2]);
  expect(ids(true, { since_id: 2 })).toEqual([6, 4]);
  expect(ids(false, { min_id: 3, max_id: 5 })).toEqual([4]);
});

describe("An update of given columns", () => {
  const rowOf = (id: number) => db.get("SELECT * FROM words WHERE id = $id", { id });

  test("keeps the others, and null is a value", () => {
    db.transaction((tx) => updateGiven(tx, words, { word: undefined, language: null }, eq(words.id, 1)));
    expect(rowOf(1)).toEqual({ id: 1, word: "one", language: null });
    expect(rowOf(3)).toEqual({ id: 3, word: "two", language: "en" });
  });

  test("without any column changes nothing", () => {
    db.transaction((tx) => updateGiven(tx, words, { word: undefined }, eq(words.id, 1)));
    expect(prepared).toEqual([]);
  });
});

test("Statements of countless shapes don't fill the memory, and those that gave way are prepared again", () => {
  const first = "SELECT 1 AS one";
  const finalized: string[] = [];
  const prepare = db.raw.prepare.bind(db.raw);
  db.raw.prepare = ((statement: string) => {
    const it = prepare(statement);
    const finalize = it.finalize.bind(it);
    it.finalize = () => (finalized.push(statement), finalize());
    return it;
  }) as typeof db.raw.prepare;
  expect(db.get<{ one: number }>(first)).toEqual({ one: 1 });
  for (let at = 0; at < 3000; at++) db.get(`SELECT ${at} AS at`);
  expect(prepared.length - finalized.length).toBeLessThanOrEqual(2000);
  expect(finalized).toContain(first);
  expect(db.get<{ one: number }>(first)).toEqual({ one: 1 });
});
