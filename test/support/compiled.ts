import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig, withAddress } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { openDatabase } from "../../src/db/open.ts";
import { built } from "./binary.ts";
import { blankDatabase, openShared, openTestContext, SHARED_BYTES } from "./instance.ts";
import { ROOT } from "./program.ts";
import type { Wish } from "./served.ts";
import type { Inside } from "./server.ts";

/** A server in a separate process, from an executable built like the product. See served.ts. */
export async function startCompiled(settings: Record<string, string>): Promise<Inside> {
  const executable = await built("test/support/served.ts", join(ROOT, "dist", "test", "served"));
  const data = settings.LINNET_DATA!;
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "shared"), new Uint8Array(SHARED_BYTES));
  writeFileSync(join(data, "linnet.db"), blankDatabase());
  return serve(executable, settings);
}

/** The `ctx` is the test's own access to the same database, clock and settings. */
async function serve(executable: string, settings: Record<string, string>): Promise<Inside> {
  const data = settings.LINNET_DATA!;
  const answers: ((answer: number) => void)[] = [];
  const answer = () => new Promise<number>((resolve) => answers.push(resolve));
  const started = answer();
  const child = Bun.spawn([executable], {
    cwd: data,
    env: { LINNET_SQLITE_SYNCHRONOUS: "normal", ...settings },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message) => answers.shift()?.(message),
  });
  const ended = child.exited.then((code) => {
    throw new Error(`The compiled server ended with ${code}`);
  });
  ended.catch(() => {});
  const ask = (wish: Wish) => {
    child.send(wish);
    return Promise.race([answer(), ended]);
  };
  const port = await Promise.race([started, ended]);
  const shared = openShared(join(data, "shared"));
  const ctx = openView(settings, port, shared);
  const restart = () => serve(executable, settings);
  return {
    ctx,
    clock: shared.clock,
    port,
    drain: async () => void (await ask("drain")),
    listeners: () => ask("listeners"),
    stop: async () => {
      ctx.db.close();
      await ask("stop");
      child.disconnect();
      await child.exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
      ctx.db.close();
      return restart;
    },
    crash: async () => {
      child.send("crash" satisfies Wish);
      const outcome = await Promise.race([answer(), child.exited]);
      if (child.signalCode !== "SIGKILL") throw new Error(`There was no request to crash at: ${outcome}`);
      ctx.db.close();
      return restart;
    },
  };
}

function openView(settings: Record<string, string>, port: number, shared: ReturnType<typeof openShared>): Context {
  const before = readConfig(settings);
  const origin = settings.LINNET_URL ? before.origin : `http://127.0.0.1:${port}`;
  const config = withAddress(before, { ...before, origin });
  const ctx = openTestContext(config, openDatabase(join(config.data, "linnet.db"), config.synchronous), shared);
  // As for a command in its own process, events published here reach no stream of the server, and its events none here.
  ctx.eventBus.subscribe = () => {
    throw new Error("The event bus of a compiled server is out of reach: this test should be marked `inProcess`");
  };
  return ctx;
}
