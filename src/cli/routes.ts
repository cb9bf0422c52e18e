import { createApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { openContext } from "../context.ts";
import { openLog } from "../lib/log.ts";
import { readArguments } from "./arguments.ts";

/** Prints every route of the assembled app, whatever the settings and the data are. */
export function listRoutes(args: string[]): void {
  readArguments(args, {});
  const config = readConfig({});
  const ctx = openContext(config, { path: ":memory:", log: openLog(config.logLevel, config.logFormat) });
  const { routes } = createApp(ctx);
  const lines = routes.map(({ method, path }) => `${method} ${path}`);
  console.log([...new Set(lines)].sort().join("\n"));
  ctx.db.close();
}
