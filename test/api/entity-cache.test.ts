import { Database, SQLiteError } from "bun:sqlite";
import { beforeAll, describe, expect } from "bun:test";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { EMOJIS } from "../../src/core/media/emojis.ts";
import { REJECTED_MEDIA } from "../../src/core/remote-media/rejected-media.ts";
import { FILTER_SETS } from "../../src/core/timelines/filter-matches.ts";
import { connect, type Db, type Value } from "../../src/db/open.ts";
import { RowCaches } from "../../src/db/row-cache.ts";
import * as schema from "../../src/db/schema/index.ts";
import { ACCOUNT_TEXTS, STATUS_TEXTS } from "../../src/entities/cache.ts";
import { everyEntity } from "../support/every-entity.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests, serverForEachTest } from "../support/setup.ts";

/*
 * Changes every row of every table while the caches are full. The response must then be the same as with empty caches:
 * otherwise a cache depends on more than it declares. Every declared dependency must show in some response: otherwise a
 * cache declares too much.
 */

type Row = Record<string, Value>;

const DECLARED = [STATUS_TEXTS, ACCOUNT_TEXTS, FILTER_SETS, EMOJIS, REJECTED_MEDIA].flatMap(
  ({ dependsOn }) => dependsOn,
);

const TABLES = Object.values(schema)
  .filter((table) => is(table, SQLiteTable))
  .map((table) => getTableConfig(table as SQLiteTable))
  .map(({ name, columns, primaryKeys }) => ({
    table: name,
    columns: columns.map((column) => ({ name: column.name, words: column.enumValues ?? [] })),
    key: columns.some(({ primary }) => primary)
      ? columns.filter(({ primary }) => primary).map((column) => column.name)
      : primaryKeys.flatMap((primary) => primary.columns.map((column) => column.name)),
  }));
type Table = (typeof TABLES)[number];

const { server, author, viewer } = serverForAllTests(["author", "viewer"]);
/** The database before the changes; each test changes copies. */
let original: Uint8Array;
let paths: string[];

beforeAll(async () => {
  await everyEntity(server, author, viewer);
  const { db } = server.ctx;
  original = db.raw.serialize();
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => `id[]=${id}`).join("&");
  paths = [
    `/api/v1/statuses?${ids(db.all("SELECT id FROM statuses"))}`,
    `/api/v1/accounts?${ids(db.all("SELECT id FROM accounts"))}`,
    "/api/v1/custom_emojis",
  ];
});

/** Runs `work` while the server uses a copy of the database. */
async function withCopy(work: (db: Db) => Promise<void>): Promise<void> {
  const { db, caches } = server.ctx;
  const copy = connect(Database.deserialize(original, { strict: true }), "FULL");
  Object.assign(server.ctx, { db: copy, caches: new RowCaches(copy) });
  try {
    await work(copy);
  } finally {
    Object.assign(server.ctx, { db, caches });
    copy.close();
  }
}

/** All statuses, accounts and emoji as the API sends them to the viewer. */
async function read(): Promise<string> {
  const headers = { authorization: `Bearer ${viewer.token}` };
  const texts = paths.map(async (path) => (await fetch(server.origin + path, { headers })).text());
  return (await Promise.all(texts)).join("\n");
}

/** The responses after a change: from the caches as they are, then from empty ones, which are full afterwards. */
async function readAgain(): Promise<{ text: string; isOutdated: boolean }> {
  const cached = await read();
  server.ctx.caches.clear();
  const text = await read();
  return { text, isOutdated: cached !== text };
}

const same = (names: readonly string[]) => names.map((name) => `${name} IS $${name}`).join(" AND ");
const pick = (row: Row, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, row[name]!]));
const rowsOf = (db: Db, { table }: Table) => db.all<Row>(`SELECT * FROM ${table}`);

/** Whether the statement could run; false if a constraint or the type of a column forbids it. */
function tryToRun(db: Db, sql: string, params: Row): boolean {
  try {
    db.transaction((tx) => tx.run(sql, params));
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && /^SQLITE_(CONSTRAINT|MISMATCH)/.test(error.code ?? "")) return false;
    throw error;
  }
}

function setColumn(db: Db, { table, key }: Table, row: Row, name: string, value: Value): boolean {
  const where = key.map((column) => `${column} IS $key_${column}`).join(" AND ");
  const keys = Object.fromEntries(key.map((column) => [`key_${column}`, row[column]!]));
  return tryToRun(db, `UPDATE ${table} SET ${name} = $value WHERE ${where}`, { ...keys, value });
}

/** Values to which a column may be changed: of other rows, of rows that it may refer to, of its type. */
function otherValues(db: Db, { table, columns }: Table, name: string, before: Value): Set<Value> {
  const others = db.all<{ value: Value }>(
    `SELECT DISTINCT ${name} AS value FROM ${table} WHERE ${name} IS NOT $before LIMIT 2`,
    { before },
  );
  const target = db.get<{ table: string }>('SELECT "table" FROM pragma_foreign_key_list($table) WHERE "from" = $name', {
    table,
    name,
  });
  const ids = target ? db.all<{ value: Value }>(`SELECT id AS value FROM ${target.table} LIMIT 3`) : [];
  const words = columns.find((column) => column.name === name)!.words;
  const values = new Set([...[...others, ...ids].map(({ value }) => value), ...words, ...variations(before), null]);
  values.delete(before);
  return values;
}

/** Numbers that differ by a day, too, for dates; addresses with another host. */
function variations(value: Value): Value[] {
  if (value === null) return [1, "x"];
  if (typeof value === "number") return [value + 1, value + 86_400_000];
  return /^[[{]/.test(value) ? ["[]"] : [`${value}x`, value.replace(/(?<=:\/\/)[^/]+/, "elsewhere.example")];
}

/** The changes of all kinds that showed in a response, and those that left something outdated in a cache. */
class Findings {
  readonly shown = new Set<string>();
  readonly outdated = new Set<string>();

  /** Returns whether the change shows. */
  async look(change: string, before: string): Promise<boolean> {
    const { text, isOutdated } = await readAgain();
    if (text !== before) this.shown.add(change);
    if (isOutdated) this.outdated.add(change);
    return text !== before;
  }
}

async function updateEach(db: Db, table: Table, findings: Findings): Promise<void> {
  const before = await read();
  for (const row of rowsOf(db, table)) {
    for (const { name } of table.columns.filter((column) => column.name !== "id")) {
      for (const value of otherValues(db, table, name, row[name]!)) {
        if (!setColumn(db, table, row, name, value)) continue;
        const isShown = await findings.look(`UPDATE ${table.table}.${name}`, before);
        setColumn(db, table, { ...row, [name]: value }, name, row[name]!);
        server.ctx.caches.clear();
        expect(await read()).toBe(before);
        if (isShown) break;
      }
    }
  }
}

/** Deletes the row, with everything that refers to it, and inserts it again alone. */
async function replace(db: Db, table: Table, row: Row, findings: Findings): Promise<void> {
  const before = await read();
  if (!tryToRun(db, `DELETE FROM ${table.table} WHERE ${same(table.key)}`, pick(row, table.key))) return;
  await findings.look(`DELETE ${table.table}`, before);
  const without = await read();
  const names = table.columns.map(({ name }) => name);
  const values = names.map((name) => `$${name}`);
  tryToRun(db, `INSERT INTO ${table.table} (${names.join(", ")}) VALUES (${values.join(", ")})`, row);
  await findings.look(`INSERT ${table.table}`, without);
}

describe("Cached texts", () => {
  inProcess(
    "change with every declared column, and with no other column",
    async () => {
      const findings = new Findings();
      for (const table of TABLES) await withCopy((db) => updateEach(db, table, findings));
      expect([...findings.outdated]).toEqual([]);
      const declared = DECLARED.flatMap(({ table, columns }) => columns.map((name) => `UPDATE ${table}.${name}`));
      expect(declared.filter((change) => !findings.shown.has(change))).toEqual([]);
    },
    60_000,
  );

  inProcess(
    "change when a row is inserted into or deleted from a declared table, and from no other",
    async () => {
      const findings = new Findings();
      for (const table of TABLES) {
        for (const row of rowsOf(server.ctx.db, table)) await withCopy((db) => replace(db, table, row, findings));
      }
      expect([...findings.outdated]).toEqual([]);
      const declared = DECLARED.flatMap(({ table, verbs }) =>
        verbs.filter((verb) => verb !== "UPDATE").map((verb) => `${verb} ${table}`),
      );
      expect(declared.filter((change) => !findings.shown.has(change))).toEqual([]);
    },
    60_000,
  );
});

describe("New statuses", () => {
  const { server } = serverForEachTest();

  inProcess("are rendered together", async () => {
    const account = remoteAccount(server, "remote", "far.example");
    const cost = async (id: string) => {
      const before = server.ctx.db.statements;
      expect((await server.stranger().get(`/api/v1/statuses/${id}`)).status).toBe(200);
      return server.ctx.db.statements - before;
    };
    await cost(remoteStatus(server, account, "already there"));
    const [first, second] = [remoteStatus(server, account, "one"), remoteStatus(server, account, "two")];
    await cost(first);
    expect(await cost(second)).toBe(await cost(first));
  });
});
