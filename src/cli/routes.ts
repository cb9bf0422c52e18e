import { readConfig } from "../config.ts";
import { command } from "./command.ts";

export const commands = {
  routes: command({
    summary: "Lists every route of the server",
    run: async () => console.log((await routes()).join("\n")),
  }),
};

/** Every route of the assembled app, whatever the settings and the data are. */
async function routes(): Promise<string[]> {
  // Loading the app takes longer than everything else that `linnet --help` loads.
  const [{ createApp }, { openContext }, { openMigrated }, { openLog }] = await Promise.all([
    import("../app.ts"),
    import("../context.ts"),
    import("../db/migrate.ts"),
    import("../lib/log.ts"),
  ]);
  const config = readConfig({});
  const db = openMigrated(":memory:", config.synchronous);
  const app = createApp(openContext(config, db, { log: openLog(config.logLevel, config.logFormat) }));
  db.close();
  return [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))].sort();
}
