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

/** With TEST_COMPILED=1, servers run in separate processes, from an executable built like the product. */
const compiled = process.env.TEST_COMPILED === "1";

/**
 * A test that needs the server's memory: its event bus, statements or modules. Skipped if that is in another process.
 */
export const inProcess = test.skipIf(compiled);

/** A whole server with its own database, folder and clock. */
export class TestServer {
  constructor(
    readonly origin: string,
    readonly ctx: Context,
    readonly clock: TestClock,
    private readonly inside: { drain(): Promise<void>; listeners(): Promise<number>; stop(): Promise<void> },
  ) {}

  /** An anonymous client. */
  stranger(): Client {
    return new Client(this.origin, null);
  }

  /** Creates a user with a token for `scopes`, by default all. */
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

  /** The same user in another app, with a token for `scopes`. */
  otherApp(who: Client, scopes: string): Client {
    const user = this.ctx.db.get<{ id: number }>("SELECT id FROM users WHERE account_id = $whoId", {
      whoId: Number(who.id),
    })!;
    return new Client(this.origin, this.token(user.id, scopes), who.id);
  }

  /** Creates a token of an app called "Test", for a user or (null) for the app alone. */
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

  /** The number of streams that listen to the event bus. */
  listeners(): Promise<number> {
    return this.inside.listeners();
  }

  async stop(): Promise<void> {
    await this.inside.stop();
    rmSync(this.ctx.config.data, { recursive: true, force: true });
  }
}

/** Starts a server on a free port of the loopback interface. `settings` are LINNET_… variables, as set by an owner. */
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
