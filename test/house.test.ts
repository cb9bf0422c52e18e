import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../src/db/schema/index.ts";
import { startServer, type TestServer } from "./support/server.ts";

/* The structural rules of docs/design.md. */

const ROOT = join(import.meta.dir, "..");

/** A file may import from its own folder and from the lines above. Single files in src/ are listed by name. */
const LAYERS = [
  ["lib", "errors.ts", "config.ts", "version.ts"],
  ["db"],
  ["context.ts"],
  ["core"],
  ["entities", "oauth", "federation"],
  ["api", "web", "jobs"],
  ["app.ts"],
  ["main.ts", "cli"],
];
/** Tooling that installs and compiles the program, and is not part of it. */
const OUTSIDE = new Set(["build"]);
const MAX_LINES = 500;
/** Folders grouped by noun. */
const GROUPED = ["core", "api", "lib"];
/** Folders with folders small enough to keep in mind. */
const SMALL = [...GROUPED, "db", "entities", "jobs", "web"];
const MAX_FILES = 16;

interface Import {
  from: string;
  to: string;
}

const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .filter((file) => !OUTSIDE.has(file.split("/")[0]!));
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, "src", file), "utf8")]));

const IMPORT = /^\s*(?:import|export)\s+(?:type\s+)?(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

const imports: Import[] = [...texts].flatMap(([from, text]) =>
  [...text.matchAll(IMPORT)].map((found) => ({
    from,
    to: relative("/", join("/", dirname(from), found[1] ?? found[2]!)),
  })),
);

const isCode = (file: string) => texts.has(file);

const isFolder = (file: string) => file.includes("/");

function layerOf(file: string): number {
  const layer = LAYERS.findIndex((names) => names.includes(file.split("/")[0]!));
  if (layer === -1) throw new Error(`src/${file} is in no layer`);
  return layer;
}

describe("The layers", () => {
  test("contain every file, and every import leads to a file", () => {
    for (const file of files) layerOf(file);
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(files.length);
    const lost = imports.filter(({ to }) => /\.tsx?$/.test(to) && !isCode(to));
    expect(lost).toEqual([]);
  });

  test("import only from layers above, and never from another folder of their own layer", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (!isCode(to) || from.split("/")[0] === to.split("/")[0]) return false;
      const [own, other] = [layerOf(from), layerOf(to)];
      // A single file and a folder in the same layer, such as main.ts and cli, may import each other.
      return other > own || (other === own && isFolder(from) && isFolder(to));
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test("have no cycle of imports between files, types included", () => {
    const edges = Map.groupBy(
      imports.filter(({ to }) => isCode(to)),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const cycleFrom = (file: string, path: string[]): string[] | null => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return null;
      for (const { to } of edges.get(file) ?? []) {
        const cycle = cycleFrom(to, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return null;
    };
    for (const file of files) expect(cycleFrom(file, [])).toBeNull();
  });
});

describe("A folder", () => {
  const folders = [...Map.groupBy(files, (file) => dirname(file))];
  const foldersIn = (areas: string[]) => folders.filter(([folder]) => areas.includes(folder.split("/")[0]!));

  test(`of ${SMALL.join(", ")} has at most ${MAX_FILES} files`, () => {
    expect(foldersIn(SMALL).length).toBeGreaterThan(SMALL.length);
    expect(foldersIn(SMALL).filter(([, inside]) => inside.length > MAX_FILES)).toEqual([]);
  });

  test(`in a folder of ${GROUPED.join(", ")} has no folders`, () => {
    const names = foldersIn(GROUPED).map(([folder]) => folder);
    expect(names.length).toBeGreaterThan(GROUPED.length);
    expect(names.filter((folder) => folder.split("/").length > 2)).toEqual([]);
  });

  test("of core imports from no folder that imports from it", () => {
    const needs = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      const [own, other] = [dirname(from), dirname(to)];
      if (!own.startsWith("core") || !other.startsWith("core") || own === other) continue;
      needs.set(own, (needs.get(own) ?? new Set()).add(other));
    }
    expect(needs.size).toBeGreaterThan(1);
    const allNeeds = (folder: string, found = new Set<string>()): Set<string> => {
      for (const other of needs.get(folder) ?? []) if (!found.has(other)) allNeeds(other, found.add(other));
      return found;
    };
    expect([...needs.keys()].filter((folder) => allNeeds(folder).has(folder))).toEqual([]);
  });
});

test("Each file of an upload's path imports only earlier ones, as docs/design.md lists them", () => {
  const section = readFileSync(join(ROOT, "docs/design.md"), "utf8")
    .split("\n## ")
    .find((each) => each.startsWith("An upload\n"))!;
  const steps = [...section.matchAll(/^\d\. `([\w-]+\.ts)`/gm)].map(([, name]) => `core/media/${name}`);
  expect(steps.length).toBeGreaterThan(5);
  const wrong = imports.filter(({ from, to }) => {
    const isInside = steps.includes(from) && dirname(to) === "core/media";
    return isInside && !steps.slice(0, steps.indexOf(from)).includes(to);
  });
  expect(wrong).toEqual([]);
});

describe("A file", () => {
  test(`has at most ${MAX_LINES} lines`, () => {
    const long = [...texts].filter(([, text]) => text.trimEnd().split("\n").length > MAX_LINES);
    expect(long.map(([file]) => file)).toEqual([]);
  });

  test.each<[string, RegExp, (file: string) => boolean]>([
    [
      "reads the environment only to read the settings or in a command",
      /\bprocess\.env\b|\bBun\.env\b/,
      (file) => isReader(file),
    ],
    ["gets the time from the context", /\bnew Date\(\)|\bDate\.now\(\)/, (file) => !file.startsWith("core/")],
    [
      "uses neither `any` nor comments that disable the compiler",
      /\bas any\b|: any\b|<any>|@ts-(?:ignore|nocheck)/,
      () => false,
    ],
    ["contains no TODO", /\b(?:TODO|FIXME|XXX)\b/, () => false],
    ["awaits nothing inside a transaction", /\.transaction\(\s*async\b/, () => false],
  ])("%s", (_, pattern, isAllowed) => {
    const found = [...texts].filter(([file, text]) => pattern.test(text) && !isAllowed(file));
    expect(found.map(([file]) => file)).toEqual([]);
  });
});

function isReader(file: string): boolean {
  return file === "config.ts" || file === "main.ts" || file.startsWith("cli/");
}

describe("The database", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test("has every table of the schema, column by column, and no other", () => {
    const described = Object.values(schema)
      .filter((table) => is(table, SQLiteTable))
      .map((table) => {
        const { name, columns, primaryKeys } = getTableConfig(table as SQLiteTable);
        const key = new Set(primaryKeys.flatMap((primary) => primary.columns.map((column) => column.name)));
        return [
          name,
          columns.map((column) => ({
            name: column.name,
            type: column.getSQLType().toUpperCase(),
            notNull: column.notNull,
            primary: column.primary || key.has(column.name),
          })),
        ];
      });
    const migrated = server.ctx.db
      .all<{ name: string }>(
        // The schema can't describe full-text tables.
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .map(({ name }) => [name, columnsOf(name)]);
    expect(Object.fromEntries(migrated)).toEqual(Object.fromEntries(described));
  });

  function columnsOf(table: string) {
    return server.ctx.db
      .all<{ name: string; type: string; notnull: number; pk: number }>(
        'SELECT name, type, "notnull", pk FROM pragma_table_info($table) ORDER BY cid',
        { table },
      )
      .map(({ name, type, notnull, pk }) => ({ name, type, notNull: notnull === 1 || pk > 0, primary: pk > 0 }));
  }

  test("has an index for every foreign key, so that deleting a row scans no table", () => {
    const { db } = server.ctx;
    const references = db.all<{ name: string; field: string }>(`
      SELECT m.name, f."from" AS field FROM main.sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
      WHERE m.type = 'table'`);
    expect(references.length).toBeGreaterThan(30);
    const indexed = db.all<{ name: string; field: string }>(`
      SELECT m.name, c.name AS field
      FROM main.sqlite_schema m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
      WHERE m.type = 'table' AND c.seqno = 0
      UNION ALL SELECT m.name, t.name FROM main.sqlite_schema m JOIN pragma_table_info(m.name) t
      WHERE m.type = 'table' AND t.pk = 1`);
    const found = new Set(indexed.map(({ name, field }) => `${name}.${field}`));
    const missing = references.map(({ name, field }) => `${name}.${field}`).filter((field) => !found.has(field));
    expect(missing.filter((field) => !WITHOUT_INDEX.has(field))).toEqual([]);
  });
});

/** References without an index, because apps are never deleted and codes live only for minutes. */
const WITHOUT_INDEX = new Set(["statuses.app_id", "oauth_codes.app_id", "oauth_codes.user_id", "oauth_codes.token_id"]);
