import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { queryPlan, stepOf, stepsOf } from "../support/query-plan.ts";

const db = new Database(":memory:");
db.run("PRAGMA foreign_keys = ON");
db.run(`
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT, domain TEXT);
  CREATE TABLE posts (
    id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts (id) ON DELETE CASCADE, text TEXT, age INTEGER);
  CREATE INDEX posts_of_account ON posts (account_id, age);
  CREATE TABLE tags (post_id INTEGER, name TEXT, PRIMARY KEY (post_id, name)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5 (text);
  CREATE TEMP TABLE changed (id INTEGER);`);
afterAll(() => db.close());

/** Each step of a plan in short, with its depth: `SCAN name=table (index: constraints)`. */
function outline(sql: string): string[] {
  const lines = (steps: ReturnType<typeof queryPlan>, depth: string): string[] =>
    steps.flatMap(({ operation, name, table, index, constraints, children }) => {
      const by = index === null ? "" : ` (${[index, ...constraints].join(" ")})`;
      const of = table === null ? "" : `=${table}`;
      return [`${depth}${operation} ${name}${of}${by}`, ...lines(children, `${depth}  `)];
    });
  return lines(queryPlan(db, sql), "");
}

describe("A query plan", () => {
  test.each<[string, string, string[]]>([
    ["a scan", "SELECT * FROM posts", ["SCAN posts=posts"]],
    ["a scan of an alias", "SELECT * FROM posts AS p", ["SCAN p=posts"]],
    ["a row id", "SELECT * FROM main.posts p WHERE p.id = 1", ["SEARCH p=posts (rowid rowid=?)"]],
    [
      "an index",
      "SELECT * FROM posts p WHERE account_id = 1 AND age > 2",
      ["SEARCH p=posts (posts_of_account account_id=? age>?)"],
    ],
    ["a primary key", "SELECT * FROM tags WHERE post_id = 1", ["SEARCH tags=tags (PRIMARY KEY post_id=?)"]],
    ["a temporary table", "SELECT * FROM temp.changed", ["SCAN changed=changed"]],
    ["a sort", "SELECT * FROM posts ORDER BY text", ["SCAN posts=posts", "TEMP B-TREE ORDER BY"]],
    ["a function", "SELECT value FROM json_each($ids) j", ["SCAN j (1:)"]],
    ["a full-text index", "SELECT rowid FROM words w WHERE words MATCH 'a'", ["SCAN w=words (0:M1)"]],
    ["no table", "SELECT 1", ["SCAN CONSTANT ROW"]],
    [
      "a join",
      "SELECT * FROM tags t LEFT JOIN posts p ON p.id = t.post_id, accounts",
      ["SCAN t=tags", "SEARCH p=posts (rowid rowid=?)", "SCAN accounts=accounts"],
    ],
    [
      "a table that only a foreign key names",
      "DELETE FROM accounts WHERE id = 1",
      ["SEARCH accounts=accounts (rowid rowid=?)", "SEARCH posts=posts (posts_of_account account_id=?)"],
    ],
  ])("says the table and the index of %s", (_, sql, lines) => {
    expect(outline(sql)).toEqual(lines);
  });

  test("has the steps of a subquery below it, where an alias may be another table", () => {
    const sql = `
      SELECT (SELECT count(*) FROM tags x WHERE x.post_id = a.id), (SELECT max(x.text) FROM posts x WHERE x.id = a.id)
      FROM accounts a WHERE a.id NOT IN (SELECT x.id FROM accounts x WHERE x.domain = 'here')`;
    expect(outline(sql)).toEqual([
      "SCAN a=accounts",
      "SUBQUERY 3",
      "  SCAN x=accounts",
      "  BLOOM FILTER CREATE BLOOM FILTER",
      "SUBQUERY 1",
      "  SEARCH x=tags (PRIMARY KEY post_id=?)",
      "SUBQUERY 2",
      "  SEARCH x=posts (rowid rowid=?)",
    ]);
  });

  test("says the tables of a subquery that became part of the query around it", () => {
    const sql =
      "SELECT * FROM (SELECT p.id AS id FROM posts p WHERE p.age > 1) found JOIN tags t ON t.post_id = found.id";
    expect(outline(sql)).toEqual(["SCAN t=tags", "SEARCH p=posts (rowid rowid=?)"]);
  });

  test("has no table for a result that was put together before, even under a table's name", () => {
    const sql = `
      WITH posts AS MATERIALIZED (SELECT id FROM main.posts WHERE account_id = 1 ORDER BY text LIMIT 5)
      SELECT * FROM posts`;
    expect(outline(sql)).toEqual([
      "MATERIALIZE posts",
      "  SEARCH posts=posts (posts_of_account account_id=?)",
      "  TEMP B-TREE ORDER BY",
      "SCAN posts",
    ]);
  });

  test("follows a recursive query, whose alias is no table", () => {
    const sql = `
      WITH RECURSIVE up (id) AS (
        SELECT 1 UNION ALL SELECT p.account_id FROM up u JOIN posts p ON p.id = u.id)
      SELECT id FROM up`;
    const plan = stepsOf(queryPlan(db, sql));
    expect(plan.flatMap(({ table }) => table ?? [])).toEqual(["posts"]);
    expect(plan.filter(({ operation }) => operation === "SCAN").map(({ table }) => table)).toEqual([null, null, null]);
  });

  test("says which index is made for one query only", () => {
    const sql =
      "SELECT * FROM accounts a JOIN posts p ON p.text = a.name CROSS JOIN accounts b WHERE b.domain = p.text";
    const indexes = stepsOf(queryPlan(db, sql)).map(({ table, index }) => `${table} ${index}`);
    expect(indexes).toContain("posts AUTOMATIC");
  });

  test("that reads two tables under one alias is an error, not a guess", () => {
    const sql = "SELECT id FROM posts x UNION ALL SELECT post_id FROM tags x";
    expect(() => queryPlan(db, sql)).toThrow('"x" is one of [posts, tags]');
  });

  test("is an error if a detail has an unknown form", () => {
    expect(() => stepOf("TELEPORT posts")).toThrow("TELEPORT posts");
    expect(() => stepOf("SCAN posts BACKWARDS")).toThrow("BACKWARDS");
  });
});
