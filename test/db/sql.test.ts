import { describe, expect, test } from "bun:test";
import { parseSql, tokensOf, type Block } from "../support/sql.ts";

describe("SQL", () => {
  test("is read as tokens, without comments and without a look into strings", () => {
    const sql = `SELECT "a ""b""", 'it''s -- no $comment' -- $none\n FROM t /* $none */ WHERE x<>$id`;
    expect(tokensOf(sql).map(({ kind, text }) => [kind, text])).toEqual([
      ["word", "SELECT"],
      ["name", 'a "b"'],
      ["sign", ","],
      ["string", "'it''s -- no $comment'"],
      ["word", "FROM"],
      ["word", "T"],
      ["word", "WHERE"],
      ["word", "X"],
      ["sign", "<>"],
      ["parameter", "$id"],
    ]);
    expect(() => tokensOf("SELECT 'open")).toThrow("'open");
  });

  /** What each alias stands for: a table, or `(…)` for a query. */
  function aliases({ sources }: Block): string[] {
    return sources.map(({ alias, table, block }) => `${alias}=${table ?? `(${aliases(block!).join(" ")})`}`);
  }

  test.each([
    ["SELECT 1", []],
    ["SELECT * FROM posts", ["posts=posts"]],
    ['SELECT * FROM main."posts" AS "p", tags t', ["p=posts", "t=tags"]],
    ["SELECT * FROM a LEFT JOIN b x ON x.id = a.id NATURAL JOIN c USING (id) WHERE a.n", ["a=a", "x=b", "c=c"]],
    ["SELECT * FROM a INDEXED BY i JOIN b y NOT INDEXED CROSS JOIN json_each($ids) j", ["a=a", "y=b", "j=json_each"]],
    ["SELECT * FROM (SELECT * FROM a) x JOIN (b JOIN c d)", ["x=(a=a)", "b=b", "d=c"]],
    ["WITH x (id) AS (SELECT 1 FROM a), y AS NOT MATERIALIZED (SELECT * FROM x) SELECT * FROM y z", ["z=(x=(a=a))"]],
    ["SELECT a IS NOT DISTINCT FROM b FROM c", ["c=c"]],
    ["INSERT INTO a (x, y) SELECT b.x, 1 FROM b WHERE true ON CONFLICT (x) DO UPDATE SET y = 2", ["a=a", "b=b"]],
    ["UPDATE OR IGNORE a SET x = 1 FROM b c WHERE c.id = a.id RETURNING a.id", ["a=a", "c=b"]],
    ["DELETE FROM a AS b WHERE id = 1", ["b=a"]],
  ])("%s reads its tables", (sql, expected) => {
    expect(aliases(parseSql(sql))).toEqual(expected);
  });

  test("has its SELECTs counted as they end, as SQLite does", () => {
    const sql = "SELECT (SELECT 1 FROM a), x IN (SELECT (SELECT 2 FROM b) FROM c) FROM d UNION SELECT 3 FROM e";
    const { ids, inner } = parseSql(sql);
    expect(ids).toEqual([4, 5]);
    expect(inner.map((block) => [block.ids, aliases(block)])).toEqual([
      [[1], ["a=a"]],
      [[3], ["c=c"]],
    ]);
    expect(inner[1]!.inner[0]!.ids).toEqual([2]);
  });

  test.each(["SELECT (1", "SELECT 1)", "SELECT * FROM 'a'"])("%s is an error", (sql) => {
    expect(() => parseSql(sql)).toThrow();
  });
});
