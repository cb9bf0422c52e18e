import type { createApp } from "../../../app.ts";
import { UPLOADED_ARCHIVE_BYTES } from "../../../core/transfer/archive-imports.ts";
import { withAddress, type Config } from "../../../config.ts";
import type { Context } from "../../../context.ts";
import { SERVER_TOPIC } from "../../../core/events.ts";
import { clearIncoming } from "../../../core/media/receive.ts";
import { clearIncomingCopies } from "../../../core/remote-media/fetch-copy.ts";
import { catchUpLater } from "../../../core/timelines/catching-up.ts";
import { followsPort, storeAddress, refuseOtherPort } from "../../../core/server/server-address.ts";
import { refuseLockingOut } from "../../../core/sign-in/identities.ts";
import { ensureKeys } from "../../../core/people/account-keys.ts";
import { newSetupToken } from "../../../core/people/setup.ts";
import { hasUsers } from "../../../core/people/users.ts";
import { vapidKeys } from "../../../core/notifications/vapid.ts";
import { Refusal } from "../../../errors.ts";
import { scheduleAll } from "../../../jobs/recurring.ts";
import type { Worker } from "../../../jobs/worker.ts";
import { jsonLine } from "../../../lib/log.ts";
import { VERSION } from "../../../version.ts";
import { command } from "../../command.ts";
import { lockFolder } from "../../server-lock.ts";
import { whenNpxEnds } from "../../npx.ts";
import { configOfProcess, makeFolder, openData } from "../../data-folder.ts";

type App = Awaited<ReturnType<typeof createApp>>;

/** Seconds after which Bun closes an idle connection. Mobile connections can stall for a while. */
const IDLE_TIMEOUT = 60;
/** The limit for request bodies in Bun. Each route has its own, lower limit, and says more about it. */
const MAX_BODY = 2 * UPLOADED_ARCHIVE_BYTES;
/** Milliseconds that running requests may take when the server stops. */
const SHUTDOWN_TIMEOUT = 3000;
/** Milliseconds between attempts to start the job loop. */
const RETRY_START = 10_000;

export const commands = {
  serve: command({
    summary: "Starts the server (default)",
    details: `Settings come from the environment and from .env; docs/settings.md lists them. While the server has no owner, each start
prints a setup link. Ctrl+C or SIGTERM stops the server after it has finished running requests and jobs.`,
    run: serve,
  }),
};

/** Serves until the process is asked to stop. */
async function serve(): Promise<void> {
  const config = configOfProcess();
  makeFolder(config);
  // Before opening the database, which may migrate it.
  const lock = lockFolder(config.data);
  const ctx = openData(config, true);
  refuseOtherPort(ctx.config);
  refuseLockingOut(ctx);
  vapidKeys(ctx);
  clearIncoming(ctx);
  clearIncomingCopies(ctx);
  // Imported here because `linnet --help` loads this file, and these are slow to load.
  const [{ createApp }, { Worker }] = await Promise.all([import("../../../app.ts"), import("../../../jobs/worker.ts")]);
  const app = await createApp(ctx);
  listen(app, config);
  applyPort(ctx, app.server!.port!);
  // Before the greeting: its reader may stop the server immediately.
  const stopped = stopSignal();
  const { text, facts } = greeting(ctx, app.server!.port!);
  ctx.db.neverBlock();
  const worker = new Worker(ctx);
  // Keeps the address, before the line below invites commands.
  void startJobs(ctx, worker, stopped);
  print(config, text, facts);
  await stopped;
  await stop(ctx, app, worker);
  lock.release();
  print(config, "Linnet has stopped.");
  // Open handles in libraries must not keep a stopped server alive.
  process.exit(0);
}

/** Starts the job loop once the database is writable. With a full disk the server is read-only until then. */
async function startJobs(ctx: Context, worker: Worker, stopped: Promise<void>): Promise<void> {
  for (;;) {
    try {
      await ctx.db.whenWritable(() => {
        storeAddress(ctx);
        ctx.db.transaction((tx) => {
          scheduleAll(ctx, tx);
          catchUpLater(ctx, tx);
        });
        worker.start();
      });
      return await prepareKeys(ctx);
    } catch (error) {
      ctx.log.error("Background jobs can't start because {data} is not writable: {error}. Retrying.", {
        data: ctx.config.data,
        error: String(error),
      });
    }
    if (await Promise.race([stopped.then(() => true), Bun.sleep(RETRY_START)])) return;
  }
}

/** Generates missing keys now. A request that needs one before waits for it, and one that fails here is tried again then. */
async function prepareKeys(ctx: Context): Promise<void> {
  try {
    await ensureKeys(ctx);
  } catch (error) {
    ctx.log.debug("a key can't be generated: {error}", { error: String(error) });
  }
}

/**
 * By default, Elysia would share a port that another process already uses, and half of the requests would go there. In
 * development mode, Bun would show parts of our source in responses to uncaught errors.
 */
const SERVING = {
  reusePort: false,
  development: false,
  idleTimeout: IDLE_TIMEOUT,
  maxRequestBodySize: MAX_BODY,
} as const;

function listen(app: App, config: Config): void {
  const { host: hostname, port } = config;
  try {
    app.listen({ hostname, port, ...SERVING });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") {
      throw new Refusal(
        "conflict",
        `Port ${port} of ${hostname} is already in use. Stop the program that uses it, or set LINNET_PORT.`,
      );
    }
    throw new Refusal(
      "unavailable",
      `Can't listen on port ${port} of ${hostname} (${code ?? (error as Error).message}). LINNET_HOST must be an address of this machine, and LINNET_PORT a port that this user may open.`,
    );
  }
}

/** With LINNET_PORT=0 and no public address, the address is only known once the server listens. */
function applyPort(ctx: Context, port: number): void {
  const { config } = ctx;
  if (!followsPort(config)) return;
  const isHost = config.handleDomain === new URL(config.origin).host;
  const handleDomain = isHost ? `localhost:${port}` : config.handleDomain;
  ctx.config = withAddress(config, { origin: `http://localhost:${port}`, handleDomain });
}

/** Prints a text for people; with LINNET_LOG_FORMAT=json, its first line as JSON with the facts as fields. */
function print({ logFormat }: Config, text: string, facts: Record<string, unknown> = {}): void {
  console.log(logFormat === "json" ? jsonLine("info", text.split("\n", 1)[0]!, facts) : text);
}

/** The next steps for the person at the terminal, and the same facts for programs. */
function greeting(ctx: Context, port: number): { text: string; facts: Record<string, unknown> } {
  const { origin, host, data, ffmpeg } = ctx.config;
  const listening = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const start = `Linnet ${VERSION} is running at ${origin} (listening on ${listening}).`;
  const clips = ffmpeg
    ? `Video and audio are converted with ${ffmpeg}.`
    : "Video and audio are not converted: there is no ffmpeg in PATH, or LINNET_FFMPEG is off.";
  const setup = hasUsers(ctx) ? null : `${origin}/setup?token=${newSetupToken(ctx)}`;
  const warning = unsafeAddress(origin);
  const next =
    setup === null
      ? `To sign in, enter ${new URL(origin).host} in your app.`
      : `There is no owner account yet. To create it, open\n\n  ${setup}\n`;
  return {
    text: `${start}\nAll data is in ${data}.\n${clips}\n${warning}${next}\nPress Ctrl+C to stop.`,
    facts: {
      version: VERSION,
      listening,
      origin,
      data,
      ffmpeg,
      ...(setup && { setup }),
      ...(warning && { warning: warning.trimEnd() }),
    },
  };
}

/** A warning about plain HTTP, which most apps only accept for localhost. */
function unsafeAddress(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  if (protocol === "https:" || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return "";
  return `Warning: most apps refuse addresses that begin with http://. LINNET_URL should begin with https://.\n`;
}

/** Resolves at the first signal to stop. The second one ends the process immediately. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve();
      });
    }
    whenNpxEnds(resolve);
  });
}

/** Refuses new requests, finishes running requests and jobs, and merges the -wal file into the database. */
async function stop(ctx: Context, app: App, worker: Worker): Promise<void> {
  const server = app.server!;
  const done = server.stop(false);
  // Streams would not end otherwise.
  ctx.eventBus.publish(SERVER_TOPIC, { event: "server.stopping" });
  await Promise.race([done, Bun.sleep(SHUTDOWN_TIMEOUT)]);
  await server.stop(true);
  // The last requests are logged after their responses, in the next turn of the event loop.
  await new Promise<void>((resolve) => void setImmediate(resolve));
  await worker.stop();
  try {
    ctx.db.alone("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // The disk may be full. The next start merges it; nothing is lost.
    ctx.log.warn("The -wal file could not be merged into the database: {error}", { error: String(error) });
  }
  ctx.db.close();
}
