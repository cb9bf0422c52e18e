/*
 * A test server in a separate process. It is compiled like the product, so that the API tests also cover bundled,
 * transformed code and bytecode, which break frameworks that read the source of their handlers. The settings come from
 * the environment. The database, the clock and the ids are in the data folder, where the test can reach them. The test
 * sends a message for everything that needs the memory of this process.
 */
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { PRUNE_PROCESS } from "../../src/jobs/recurring/prune-elsewhere.ts";
import { MEDIA_PROCESS } from "../../src/lib/media/media-processes.ts";
import { openShared, openTestContext, resumeWork, startInstance } from "./instance.ts";

/** A message from the test. */
export type Wish = "drain" | "crash" | "listeners" | "stop";

if (process.argv[2] === MEDIA_PROCESS) await import("../../src/lib/media/media-program.ts");
else if (process.argv[2] === PRUNE_PROCESS) await import("../../src/jobs/recurring/prune-program.ts");
else await serve();

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const db = openMigrated(join(config.data, "linnet.db"), config.synchronous);
  const ctx = openTestContext(config, db, openShared(join(config.data, "shared")));
  resumeWork(ctx);
  const instance = await startInstance(ctx, process.env.LINNET_URL !== undefined);
  process.on("message", async (wish: Wish) => {
    if (wish === "crash") {
      const { fetchOutside } = ctx;
      ctx.fetchOutside = async (...request) => {
        await fetchOutside(...request);
        process.kill(process.pid, "SIGKILL");
        return Promise.withResolvers<never>().promise;
      };
    }
    if (wish === "drain" || wish === "crash") await instance.drain();
    if (wish === "stop") await instance.stop();
    process.send!(ctx.eventBus.size);
  });
  // The test has ended.
  process.on("disconnect", () => process.exit(0));
  process.send!(instance.port);
}
