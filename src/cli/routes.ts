import { createApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { openContext } from "../context.ts";
import { openMigrated } from "../db/migrate.ts";
import { openLog } from "../lib/log.ts";
import { readArguments } from "./arguments.ts";

/** Prints every route of the assembled app, whatever the settings and the data are. */
export function listRoutes(args: string[]): void {
  readArguments(args, {});
  const config = readConfig({});
  const db = openMigrated(":memory:", config.synchronous);
  const { routes } = createApp(openContext(config, db, { log: openLog(config.logLevel, config.logFormat) }));
  const lines = routes.map(({ method, path }) => `${method} ${path}`);
  console.log([...new Set(lines)].sort().join("\n"));
  db.close();
}
