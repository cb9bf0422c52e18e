import { DatabaseSync } from "node:sqlite";
import type { Db } from "../../../src/db/open.ts";
import { readMigrations } from "../../../src/db/read-migrations.ts";

/** The properties of a result column, as far as SQLite knows them. */
export interface Column {
  name: string;
  /** As in `Row`; null for an expression. */
  kind: string | null;
  /** Null if SQLite doesn't say. */
  isNullable: boolean | null;
}

/** The tables are STRICT, so a column contains nothing but its declared type. */
const KINDS: Record<string, string> = { INTEGER: "number", REAL: "number", TEXT: "string", BLOB: "Uint8Array" };

/** A migrated database that says what a statement returns; unlike bun:sqlite, with the tables it comes from. */
export class Schema {
  private readonly db = new DatabaseSync(":memory:");
  /** Whether each column can be null, by `table.column`. */
  private readonly nullable = new Map<string, boolean>();

  /** `origin` has the temporary tables, too. */
  constructor(origin: Db) {
    for (const { sql } of readMigrations()) this.db.exec(sql);
    const temporary = origin.all<{ sql: string }>("SELECT sql FROM temp.sqlite_schema WHERE type = 'table'");
    for (const { sql } of temporary) this.db.exec(sql.replace(/^CREATE TABLE/, "CREATE TEMP TABLE"));
    const columns = this.db.prepare(
      `SELECT t.name || '.' || c.name AS name, c."notnull" OR c.pk AS is_filled
       FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
    );
    for (const { name, is_filled } of columns.all()) this.nullable.set(String(name), is_filled === 0);
  }

  columns(sql: string): Column[] {
    const joined = new LeftJoins(sql);
    return this.db
      .prepare(sql)
      .columns()
      .map(({ name, table, column, type }) => {
        const isNullable = this.nullable.get(`${table}.${column}`) ?? null;
        return {
          name,
          kind: (type && KINDS[type]) ?? null,
          // A LEFT JOIN can leave out a column that its table requires.
          isNullable: isNullable === false ? joined.include(name) : isNullable,
        };
      });
  }

  close(): void {
    this.db.close();
  }
}

/** The names of a statement's parameters, without `$`. */
export function parametersOf(sql: string): Set<string> {
  return new Set([...withoutStrings(sql).matchAll(/\$(\w+)/g)].map(([, name]) => name!));
}

/** SQLite knows which column of which table a result contains, but not whether a LEFT JOIN can leave it empty. */
class LeftJoins {
  private readonly outline: string;
  private readonly aliases: Set<string>;

  constructor(sql: string) {
    let outline = withoutStrings(sql);
    for (let before = ""; before !== outline;) [before, outline] = [outline, outline.replaceAll(/\([^()]*\)/g, "[]")];
    this.outline = outline.replaceAll(/\s+/g, " ");
    const joins = this.outline.matchAll(/LEFT JOIN (\S+)(?: (?!ON\b|USING\b)(\w+))?/g);
    this.aliases = new Set([...joins].map(([, table, alias]) => alias ?? table!));
  }

  /** Null if it is not clear where the result comes from. */
  include(name: string): boolean | null {
    if (this.outline.includes(" UNION ") || this.outline.includes(`[] AS ${name}`)) return null;
    if (this.aliases.size === 0) return false;
    const [, list = ""] = /SELECT (?:DISTINCT )?(.*?) FROM /.exec(this.outline) ?? [];
    const items = [...list.matchAll(/(?:^|,) ?(\w+)\.(\w+|\*)(?: AS (\w+))?/g)];
    const named = (wanted: string) => items.filter(([, , column, as = column]) => as === wanted);
    const [item, other] = named(name).length > 0 ? named(name) : named("*");
    return item && !other ? this.aliases.has(item[1]!) : null;
  }
}

function withoutStrings(sql: string): string {
  return sql.replaceAll(/'[^']*'/g, "''");
}
