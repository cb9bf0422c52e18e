import { createApp } from "../app.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { newSetupToken } from "../core/setup.ts";
import { hasUsers } from "../core/users.ts";
import { vapidKeys } from "../core/vapid.ts";
import { Refusal } from "../errors.ts";
import { scheduleCleanUp } from "../jobs/clean-up.ts";
import { Worker } from "../jobs/worker.ts";
import { VERSION } from "../version.ts";
import { readArguments } from "./arguments.ts";
import { lockFolder } from "./lock.ts";
import { configOfProcess, openData } from "./open.ts";

type App = ReturnType<typeof createApp>;

/** Seconds after which Bun closes a connection on which nothing moves: phones on the way stall for a while. */
const IDLE_TIMEOUT = 60;
/** What Bun takes in at most; each route has a bound of its own below it. */
const MAX_BODY = 64 * 1024 * 1024;
/** How long what is being answered may take when the server stops. Streams never end by themselves. */
const PATIENCE = 3000;

/** Serves until it is told to stop. */
export async function serve(args: string[]): Promise<void> {
  readArguments(args, {});
  const config = configOfProcess();
  const ctx = openData(config);
  const lock = lockFolder(config.data);
  vapidKeys(ctx);
  const app = createApp(ctx);
  listen(app, config);
  console.log(greeting(ctx, app.server!.port!));

  const worker = new Worker(ctx);
  ctx.db.transaction((tx) => scheduleCleanUp(ctx, tx, ctx.clock.now()));
  worker.start();
  await stopSignal();
  await stop(ctx, app, worker);
  lock.release();
  console.log("Linnet has stopped.");
  // Whatever is still open in the libraries must not keep a stopped server alive.
  process.exit(0);
}
