import { test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { createUser, type Role } from "../../src/core/people/users.ts";
import { registerApp } from "../../src/oauth/apps.ts";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client } from "./client.ts";
import { startCompiled } from "./compiled.ts";
import { openBlank, openTestContext, startInstance, TestClock } from "./instance.ts";

/**
 * Whether servers run as processes of their own, from an executable that is built like the product. TEST_COMPILED=1 asks
 * for it; the tests are the same.
 */
const compiled = process.env.TEST_COMPILED === "1";

/** A test that reaches into the server's memory: its event bus, its statements, its modules. Passed over when that is compiled. */
export const inProcess = test.skipIf(compiled);

/** A whole server with a database, a folder and a clock of its own. */
export class TestServer {
  constructor(
    readonly origin: string,
    readonly ctx: Context,
    readonly clock: TestClock,
    private readonly inside: { drain(): Promise<void>; listeners(): Promise<number>; stop(): Promise<void> },
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

  /** The same person in another app, with a token for `scopes`. */
  otherApp(who: Client, scopes: string): Client {
    const user = this.ctx.db.get<{ id: number }>("SELECT id FROM users WHERE account_id = $whoId", {
      whoId: Number(who.id),
    })!;
    return new Client(this.origin, this.token(user.id, scopes), who.id);
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
    return this.inside.drain();
  }

  /** How many streams listen to the event bus. */
  listeners(): Promise<number> {
    return this.inside.listeners();
  }

  async stop(): Promise<void> {
    await this.inside.stop();
    rmSync(this.ctx.config.data, { recursive: true, force: true });
  }
}

/** Starts a server on a free port of the loopback interface. `settings` are LINNET_… as an owner would set them. */
export async function startServer(settings: Record<`LINNET_${string}`, string> = {}): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), "linnet-test-"));
  const all = { LINNET_DATA: data, LINNET_PORT: "0", LINNET_RATE_LIMITS: "off", ...settings };
  const { ctx, clock, port, ...inside } = compiled ? await startCompiled(all) : await startHere(all);
  return new TestServer(`http://127.0.0.1:${port}`, ctx, clock, inside);
}

async function startHere(settings: Record<string, string>) {
  const clock = new TestClock();
  const ctx = openTestContext(readConfig(settings), openBlank(), { clock });
  const instance = await startInstance(ctx, settings.LINNET_URL !== undefined);
  return { ...instance, clock, listeners: async () => ctx.eventBus.size };
}
