import type { TestServer } from "./server.ts";

/** Runs the purges that were asked for, slice by slice. */
export async function purgeAll(server: TestServer): Promise<void> {
  const { ctx, clock } = server;
  await server.drain();
  while (ctx.db.get("SELECT 1 FROM jobs WHERE kind = 'host.purge' AND error IS NULL")) {
    clock.advance(1000);
    await server.drain();
  }
  const failed = ctx.db.all<{ error: string }>("SELECT kind, error FROM jobs WHERE error IS NOT NULL");
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
}

/** Tables whose rows say when something runs. */
const WORK = new Set(["jobs", "job_turns"]);

const TABLES = `
  SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'status\\_search%' ESCAPE '\\'
  ORDER BY name`;

/** All rows of all tables, as JSON. */
export function allRows({ ctx }: TestServer): Record<string, string[]> {
  const names = ctx.db.all<{ name: string }>(TABLES).map(({ name }) => name);
  const rows = (name: string) => ctx.db.all<object>(`SELECT * FROM ${name}`).map((row) => JSON.stringify(row));
  return Object.fromEntries(names.filter((name) => !WORK.has(name)).map((name) => [name, rows(name).toSorted()]));
}
