import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { openContext, type Context } from "../../src/context.ts";
import { createUser, type Role } from "../../src/core/users.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { openLog } from "../../src/lib/log.ts";
import { registerApp } from "../../src/oauth/apps.ts";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client } from "./client.ts";

export class TestClock {
  private time = Date.UTC(2026, 10, 21, 12);

  now(): number {
    return this.time;
  }

  /** Moves the time forward, in milliseconds. */
  advance(by: number): void {
    this.time += by;
  }
}

/** A whole server with a database in memory, a folder and a clock of its own. */
export class TestServer {
  constructor(
    readonly origin: string,
    readonly ctx: Context,
    readonly clock: TestClock,
    private readonly worker: Worker,
    private readonly close: () => Promise<void>,
  ) {}

  /** Someone who isn't signed in. */
  stranger(): Client {
    return new Client(this.origin, null);
  }

  /** A new person with a token for everything (or for `scopes`). */
  async person(username: string, options: { role?: Role; scopes?: string; password?: string } = {}): Promise<Client> {
    const { ctx } = this;
    const user = await createUser(ctx, {
      username,
      password: options.password ?? "correct horse",
      role: options.role ?? "owner",
    });
    const token = this.token(user.userId, options.scopes ?? "read write follow push");
    return new Client(this.origin, token, String(user.accountId));
  }

  /** A token of an app called "Test", for a user or (null) for the app alone. */
  token(userId: number | null, scopes: string): string {
    return this.ctx.db.transaction((tx) => {
      const { app } = registerApp(this.ctx, tx, {
        name: "Test",
        website: null,
        redirectUris: ["urn:ietf:wg:oauth:2.0:oob"],
        scopes,
      });
      return issueToken(this.ctx, tx, { appId: app.id, userId, scopes }).secret;
    });
  }

  /** Runs every job that is due. */
  drain(): Promise<void> {
    return this.worker.drain();
  }

  async stop(): Promise<void> {
    await this.close();
  }
}

const log = openLog("error", "text");

/** Starts a server on a free port of the loopback interface. `settings` are LINNET_… as an owner would set them. */
export async function startServer(settings: Record<`LINNET_${string}`, string> = {}): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), "linnet-test-"));
  const clock = new TestClock();
  const config = readConfig({ LINNET_DATA: data, LINNET_PORT: "0", LINNET_RATE_LIMITS: "off", ...settings });
  const passwords = { timeCost: 1, memoryCost: 1024 };
  const ctx = openContext(config, { path: ":memory:", log, clock, passwords });
  const app = createApp(ctx);
  app.listen({ hostname: "127.0.0.1", port: 0 });
  // Only now is the port known that links must name.
  if (!settings.LINNET_URL) config.origin = `http://127.0.0.1:${app.server!.port}`;
  const origin = `http://127.0.0.1:${app.server!.port}`;
  return new TestServer(origin, ctx, clock, new Worker(ctx), async () => {
    await app.stop(true);
    ctx.db.close();
    rmSync(data, { recursive: true, force: true });
  });
}
