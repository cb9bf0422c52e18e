import type { Db } from "../../src/db/open.ts";

interface Column {
  name: string;
  type: string;
}

/** The names of all ordinary tables, without full-text tables and their shadow tables. */
export function everyTable(db: Db): string[] {
  return db
    .all<{ name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .map(({ name }) => name);
}

/**
 * Inserts one row into every table. All numbers are 1 and all texts "1", so that every reference finds its row. Columns
 * with a fixed set of values have the first of them. Triggers may have inserted the row already.
 */
export function fillEveryTable(db: Db): void {
  db.alone("PRAGMA foreign_keys = OFF");
  for (const table of everyTable(db)) {
    const columns = db.all<Column>("SELECT name, type FROM pragma_table_info($table)", { table });
    const { sql } = db.get<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = $table", {
      table,
    })!;
    const values = columns.map(({ name, type }) => [name, valueFor(sql, name, type)]);
    const names = columns.map(({ name }) => `"${name}"`).join();
    db.transaction((tx) =>
      tx.run(
        `INSERT OR IGNORE INTO ${table} (${names}) VALUES (${columns.map(({ name }) => `$${name}`).join()})`,
        Object.fromEntries(values),
      ),
    );
  }
  db.alone("PRAGMA foreign_keys = ON");
  const [broken] = db.all("PRAGMA foreign_key_check");
  if (broken) throw new Error(`A row refers to none: ${JSON.stringify(broken)}`);
}

function valueFor(table: string, column: string, type: string): string | number | null {
  const excluded = /\(\w+ IS NULL\) <> \((\w+) IS NULL\)/.exec(table)?.[1];
  if (column === excluded) return null;
  const allowed = new RegExp(`\\b${column} IN \\(('[^']*'|\\d+)`).exec(table)?.[1];
  if (allowed !== undefined) return allowed.startsWith("'") ? allowed.slice(1, -1) : Number(allowed);
  return type === "TEXT" ? "1" : 1;
}
