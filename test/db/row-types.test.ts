import { afterAll, beforeAll, describe, expect } from "bun:test";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { type CallSite, callSitesOf, type Row } from "../support/sql/call-sites.ts";
import { problemsOf } from "../support/sql/check.ts";
import { Schema } from "../support/sql/schema.ts";
import { withSource } from "../support/sql/source.ts";

/*
 * `db.get<Row>(sql, params)` is an unchecked cast. These tests read the SQL, the parameters and the row type of every
 * call in src/ with the TypeScript compiler, and compare them with what SQLite says about the statement.
 */

/** Columns that can be null in their table, but not in a result of this function, and why. */
const NEVER_NULL = {
  "core/media/file-references.ts referencedMedia: file": "the conditions exclude it",
  "core/statuses/threads.ts contextOf: parent": "the condition compares it with a status",
  "core/statuses/translations.ts partsOf: description": "the condition excludes empty descriptions",
  "entities/histories.ts histories: subject_id": "the condition compares it with a list of ids",
  "entities/notifications/reactions.ts reactionMembers: emoji": "the condition says IS NOT NULL",
  "jobs/lane.ts Lane: run_at": "the condition says IS NOT NULL",
};

const { server } = serverForAllTests();
let schema: Schema;
let sites: CallSite[];

beforeAll(async () => {
  schema = new Schema(server.ctx.db);
  sites = await withSource(callSitesOf);
}, 60_000);

afterAll(() => schema.close());

describe("The calls that run SQL", () => {
  inProcess("have statements that the test knows", () => {
    const unknown = sites.filter((site) => site.unknown !== null);
    expect(unknown.map(({ place, unknown: why }) => [place, why])).toEqual([]);
    expect(sites.filter(({ statements }) => statements.length > 0).length).toBeGreaterThan(400);
    expect(sites.filter(({ row }) => row !== null).length).toBeGreaterThan(200);
  });

  inProcess("pass the parameters of the SQL, and expect the rows that it returns", () => {
    const found = sites.flatMap((site) => problemsOf(site, schema).map((problem) => ({ ...site, ...problem })));
    const isKnown = ({ within, about, text }: (typeof found)[number]) =>
      `${within}: ${about}` in NEVER_NULL && text.endsWith("can be null");
    expect(found.filter((problem) => !isKnown(problem)).map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
    const known = found.filter(isKnown).map(({ within, about }) => `${within}: ${about}`);
    expect(new Set(known)).toEqual(new Set(Object.keys(NEVER_NULL)));
  });
});

/** The problems of a call that expects this row. */
function problemsWith(sql: string, expected: Record<string, string[]> | null, params: string[] = []): string[] {
  const row: Row | null = expected && new Map(Object.entries(expected).map(([name, kinds]) => [name, new Set(kinds)]));
  return problemsOf({ row, statements: [{ sql, params }] }, schema).map(({ text }) => text);
}

describe("A problem is", () => {
  inProcess("a parameter that only the call or only the SQL has", () => {
    const sql = "SELECT 1 FROM accounts WHERE id = +$id AND username <> '$x'";
    expect(problemsWith(sql, null, ["id"])).toEqual([]);
    expect(problemsWith(sql, null, [])).toEqual(["$id is not passed"]);
    expect(problemsWith(sql, null, ["id", "now"])).toEqual(["$now is passed, but not in the SQL"]);
  });

  inProcess("a column that only the row type or only the SQL has", () => {
    const sql = "SELECT a.id, count(*) AS count FROM accounts a";
    expect(problemsWith(sql, { id: ["number"], count: ["number"] })).toEqual([]);
    expect(problemsWith(sql, { id: ["number"] })).toEqual(["count is selected, but not in the row type"]);
    expect(problemsWith(sql, { id: ["number"], count: ["number"], uri: ["string"] })).toEqual(["uri is not selected"]);
  });

  inProcess("a type that the column doesn't have", () => {
    const sql = "SELECT uri, domain, locked = 1 AS is_locked FROM accounts";
    expect(problemsWith(sql, { uri: ["string"], domain: ["string", "null"], is_locked: ["number"] })).toEqual([]);
    expect(problemsWith(sql, { uri: ["number"], domain: ["string"], is_locked: ["boolean"] })).toEqual([
      "uri is string, not number",
      "domain can be null",
      "is_locked is never boolean",
    ]);
    expect(problemsWith("SELECT uri FROM accounts", { uri: ["string", "null"] })).toEqual(["uri is never null"]);
  });

  inProcess("a column of a LEFT JOIN that the row type expects to be filled", () => {
    const sql = "SELECT a.id, u.role, u.id AS user_id FROM accounts a LEFT JOIN users u ON u.account_id = a.id";
    expect(problemsWith(sql, { id: ["number"], role: ["string"], user_id: ["number", "null"] })).toEqual([
      "role can be null",
    ]);
  });
});
