/*
 * A server for tests in a process of its own. Compiled just like the product, it lets the tests that speak HTTP ask the
 * code as people get it: bundled, with rewritten syntax and as bytecode, which is where frameworks that read the source
 * of their handlers go wrong. The settings come from the environment; the database, the time and the ids from the data
 * folder, where the test finds them too; only what needs this process's memory is asked for by message.
 */
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { MEDIA_PROCESS } from "../../src/lib/media/media-processes.ts";
import { openShared, openTestContext, startInstance } from "./instance.ts";

/** What a test can ask for. */
export type Wish = "drain" | "listeners" | "stop";

if (process.argv[2] === MEDIA_PROCESS) await import("../../src/lib/media/media-program.ts");
else await serve();

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const db = openMigrated(join(config.data, "linnet.db"), config.synchronous);
  const ctx = openTestContext(config, db, openShared(join(config.data, "shared")));
  const instance = await startInstance(ctx, process.env.LINNET_URL !== undefined);
  process.on("message", async (wish: Wish) => {
    if (wish === "drain") await instance.drain();
    if (wish === "stop") await instance.stop();
    process.send!(ctx.eventBus.size);
  });
  // The test has ended.
  process.on("disconnect", () => process.exit(0));
  process.send!(instance.port);
}
