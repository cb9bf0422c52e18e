import { describe, expect, test } from "bun:test";
import { bareParameters, parseSql, tokensOf, type Block } from "../support/sql/parse.ts";

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

  /** The table of each alias, or `(…)` for a query. */
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

describe("A parameter", () => {
  test.each([
    "a = $x",
    "a <> $x",
    "a>=$x",
    "a IS $x",
    "a IS NOT $x",
    "a IS NOT DISTINCT FROM $x",
    "a LIKE $x",
    "a BETWEEN $x AND 2",
    "a BETWEEN 1 AND $x",
    "a BETWEEN (1 AND 2) AND $x",
    "(a AND (b = $x))",
    "true LIMIT $x",
    "a = $x COLLATE NOCASE",
  ])("in %s lacks a plus", (condition) => {
    expect(bareParameters(`SELECT 1 FROM t WHERE ${condition}`)).toEqual([expect.stringContaining("$x")]);
    const withPlus = condition.replace("$x", "+$x");
    expect(bareParameters(`SELECT 1 FROM t WHERE ${withPlus}`)).toEqual([]);
  });

  test.each([
    "$x IS NULL OR a",
    "a = '$x'",
    "a AND $x",
    "a BETWEEN 1 AND 2 AND $x",
    "a < $x || 'z'",
    "f(a, $x)",
    "NOT $x",
  ])("in %s needs none", (condition) => {
    expect(bareParameters(`SELECT $x FROM t WHERE ${condition}`)).toEqual([]);
  });

  test("that is assigned needs no plus, unlike those that are compared in the same UPDATE", () => {
    const assigned = "UPDATE t SET a = $x, b = $y";
    expect(bareParameters(`${assigned} WHERE c = +$z`)).toEqual([]);
    expect(bareParameters(`${assigned} WHERE c = $z`)).toEqual(["WHERE c = $z"]);
    expect(bareParameters("UPDATE t SET a = b = $x")).toEqual(["= b = $x"]);
    expect(bareParameters("UPDATE t SET a = (SELECT 1 FROM u WHERE id = $x)")).toEqual(["WHERE id = $x"]);
    expect(bareParameters("INSERT INTO t VALUES ($x) ON CONFLICT DO UPDATE SET a = $x WHERE b = $y")).toEqual([
      "WHERE b = $y",
    ]);
  });
});
