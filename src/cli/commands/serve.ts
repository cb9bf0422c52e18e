import type { createApp } from "../../app.ts";
import { withAddress, type Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import { SERVER_TOPIC } from "../../core/events.ts";
import { clearIncoming } from "../../core/media/media-files.ts";
import { followsPort, keepAddress, refuseOtherPort } from "../../core/server/server-address.ts";
import { newSetupToken } from "../../core/people/setup.ts";
import { hasUsers } from "../../core/people/users.ts";
import { vapidKeys } from "../../core/notifications/vapid.ts";
import { Refusal } from "../../errors.ts";
import { scheduleAll } from "../../jobs/recurring.ts";
import type { Worker } from "../../jobs/worker.ts";
import { jsonLine } from "../../lib/log.ts";
import { VERSION } from "../../version.ts";
import { command } from "../command.ts";
import { lockFolder } from "../lock.ts";
import { whenNpxEnds } from "../npx.ts";
import { configOfProcess, makeFolder, openData } from "../open.ts";

type App = Awaited<ReturnType<typeof createApp>>;

/** Seconds after which Bun closes a connection on which nothing moves: phones on the way stall for a while. */
const IDLE_TIMEOUT = 60;
/** What Bun takes in at most; each route has a bound of its own below it. */
const MAX_BODY = 128 * 1024 * 1024;
/** How long what is being answered may take when the server stops. */
const PATIENCE = 3000;
/** Milliseconds between attempts to start the job loop. */
const RETRY_START = 10_000;

export const commands = {
  serve: command({
    summary: "Starts the server; so does linnet without a command",
    details: `Settings come from the environment and from .env; docs/settings.md lists them. While the server has no owner, each start
prints a link for setting it up. Ctrl+C or SIGTERM stops it, after the requests and jobs that are running.`,
    run: serve,
  }),
};

/** Serves until the process is asked to stop. */
async function serve(): Promise<void> {
  const config = configOfProcess();
  makeFolder(config);
  // Before the database is opened, which may bring it up to date.
  const lock = lockFolder(config.data);
  const ctx = openData(config, true);
  refuseOtherPort(ctx.config);
  vapidKeys(ctx);
  clearIncoming(ctx);
  // Loading these takes longer than everything else that `linnet --help` loads.
  const [{ createApp }, { Worker }] = await Promise.all([import("../../app.ts"), import("../../jobs/worker.ts")]);
  const app = await createApp(ctx);
  listen(app, config);
  nameThePort(ctx, app.server!.port!);
  // Whoever reads that it runs may stop it at once.
  const stopped = stopSignal();
  const { text, facts } = greeting(ctx, app.server!.port!);
  print(config, text, facts);

  ctx.db.neverBlock();
  const worker = new Worker(ctx);
  void startJobs(ctx, worker, stopped);
  await stopped;
  await stop(ctx, app, worker);
  lock.release();
  print(config, "Linnet has stopped.");
  // Whatever is still open in the libraries must not keep a stopped server alive.
  process.exit(0);
}

/** Starts the job loop as soon as the database can be written. With a full disk the server can be read until then. */
async function startJobs(ctx: Context, worker: Worker, stopped: Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await ctx.db.whenWritable(() => {
        keepAddress(ctx);
        ctx.db.transaction((tx) => scheduleAll(ctx, tx));
        worker.start();
      });
    } catch (error) {
      ctx.log.error("Background jobs can't start, since nothing can be written in {data}: {error}. Trying again.", {
        data: ctx.config.data,
        error: String(error),
      });
    }
    const isStopping = await Promise.race([stopped.then(() => true), Bun.sleep(RETRY_START)]);
    if (isStopping) return;
  }
}

/**
 * Elysia would share the port with whoever has it already, and half of the calls would go there; Bun would show pieces of
 * our source to whoever finds an error that nobody catches.
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
      throw new Refusal("conflict", `Port ${port} of ${hostname} is in use. Stop what uses it, or set LINNET_PORT.`);
    }
    throw new Refusal(
      "unavailable",
      `Can't listen on port ${port} of ${hostname} (${code ?? (error as Error).message}). LINNET_HOST must be an address of this machine, and LINNET_PORT one that its user may open.`,
    );
  }
}

/** With a free port and no public address, the address is only known when the server listens. */
function nameThePort(ctx: Context, port: number): void {
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
  const start = `Linnet ${VERSION} listens on ${listening} and is called ${origin}.`;
  const clips = ffmpeg
    ? `Video and sound are converted by ${ffmpeg}.`
    : "Video and sound stay as they are uploaded: there is no ffmpeg in PATH, or LINNET_FFMPEG is off.";
  const setup = hasUsers(ctx) ? null : `${origin}/setup?token=${newSetupToken(ctx)}`;
  const warning = unsafeAddress(origin);
  const next =
    setup === null
      ? `In your app, enter ${new URL(origin).host}`
      : `Nobody owns this server yet. To make your account, open\n\n  ${setup}\n`;
  return {
    text: `${start}\nEverything is kept in ${data}.\n${clips}\n${warning}${next}\nStop it with Ctrl+C.`,
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

/** A warning about plain http, which apps accept on their own machine only. */
function unsafeAddress(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  if (protocol === "https:" || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return "";
  return `Careful: most apps refuse an address that begins with http://. LINNET_URL should begin with https://.\n`;
}

/** Resolves when the process is asked to stop. Asked twice, it stops at once. */
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

/** Takes nothing new, lets what is running come to its end, and leaves one file behind instead of three. */
async function stop(ctx: Context, app: App, worker: Worker): Promise<void> {
  const server = app.server!;
  const done = server.stop(false);
  // Streams never end by themselves.
  ctx.hub.publish(SERVER_TOPIC, { event: "server.stopping" });
  await Promise.race([done, Bun.sleep(PATIENCE)]);
  await server.stop(true);
  // The last requests are logged after their responses, in the next turn of the event loop.
  await new Promise<void>((resolve) => void setImmediate(resolve));
  await worker.stop();
  try {
    ctx.db.alone("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // On a full disk the next start does it; nothing is lost.
    ctx.log.warn("the database keeps its -wal file: {error}", { error: String(error) });
  }
  ctx.db.close();
}
