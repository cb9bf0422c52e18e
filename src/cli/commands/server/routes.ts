import { readConfig } from "../../../config.ts";
import { list } from "../../list.ts";

export const commands = {
  routes: list({
    summary: "Lists all routes of the server",
    find: routes,
    empty: () => "There are no routes.",
    columns: { METHOD: ({ method }) => method, PATH: ({ path }) => path },
    json: (route) => route,
  }),
};

/** Every route of the app, independent of settings and data. */
async function routes(): Promise<{ method: string; path: string }[]> {
  // Imported here because `linnet --help` loads this file, and the app is slow to load.
  const [{ createApp }, { openContext }, { openMigrated }, { openLog }] = await Promise.all([
    import("../../../app.ts"),
    import("../../../context.ts"),
    import("../../../db/migrate.ts"),
    import("../../../lib/log.ts"),
  ]);
  const config = readConfig({});
  const db = openMigrated(":memory:", config.synchronous);
  const app = await createApp(openContext(config, db, { log: openLog(config.logLevel, config.logFormat) }));
  db.close();
  const byName = new Map(app.routes.map(({ method, path }) => [`${path} ${method}`, { method, path }]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
}
