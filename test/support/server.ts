import { test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { createUser, type Role } from "../../src/core/people/users.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { registerApp } from "../../src/oauth/apps.ts";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client } from "./client.ts";
import { startCompiled } from "./compiled.ts";
import { openInMemory, openTestContext, resumeWork, startInstance, TestClock } from "./instance.ts";

/** With TEST_COMPILED=1, servers run in separate processes, from an executable built like the product. */
const compiled = process.env.TEST_COMPILED === "1";

/**
 * A test that needs the server's memory: its event bus, statements or modules. Skipped if that is in another process.
 */
export const inProcess = test.skipIf(compiled);

/** The inside of a server, in this process or another. */
export interface Inside {
  ctx: Context;
  clock: TestClock;
  port: number;
  drain(): Promise<void>;
  listeners(): Promise<number>;
  stop(): Promise<void>;
  /** Ends the server without another write. Returns a function that starts it again. */
  kill?(disk?: Uint8Array): Promise<() => Promise<Inside>>;
  /** Runs the due jobs until another server has answered, and ends the server there, like `kill`. */
  crash?(): Promise<() => Promise<Inside>>;
}

/** A whole server with its own database, folder and clock. */
export class TestServer {
  /** Starts the server again, if it was killed. */
  private restart: (() => Promise<Inside>) | null = null;

  constructor(private inside: Inside) {}

  get origin(): string {
    return `http://127.0.0.1:${this.inside.port}`;
  }

  /** After `revive`, another one. */
  get ctx(): Context {
    return this.inside.ctx;
  }

  get clock(): TestClock {
    return this.inside.clock;
  }

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

  /** Advances the clock, in milliseconds, and runs the hourly clean-up, or that of the cache. */
  async cleanUpAfter(later: number, job: "clean_up" | "cache.evict" = "clean_up"): Promise<void> {
    const { ctx, clock } = this;
    clock.advance(later);
    ctx.db.transaction((tx) => schedule(ctx, tx, job, clock.now()));
    await this.drain();
  }

  get isKilled(): boolean {
    return this.restart !== null;
  }

  /**
   * Ends the server at once, like a crash: nothing more is written, and nothing answers at its port. It starts again with
   * `disk`, in this process only, or with what it has written.
   */
  async kill(disk?: Uint8Array): Promise<void> {
    this.restart = await this.inside.kill!(disk);
  }

  /** Runs the due jobs, and ends the server at once when another one has answered but nothing of it is written. */
  async crashInJob(): Promise<void> {
    this.restart = await this.inside.crash!();
  }

  /** Starts a killed server again with its data, at the same address: it needs a LINNET_PORT. */
  async revive(): Promise<void> {
    this.inside = await this.restart!();
    this.restart = null;
  }

  /** The number of streams that listen to the event bus. */
  listeners(): Promise<number> {
    return this.inside.listeners();
  }

  async stop(): Promise<void> {
    if (!this.isKilled) await this.inside.stop();
    rmSync(this.ctx.config.data, { recursive: true, force: true });
  }
}

/** Starts a server on a free port of the loopback interface. `settings` are LINNET_… variables, as set by an owner. */
export async function startServer(settings: Record<`LINNET_${string}`, string> = {}): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), "linnet-test-"));
  const all = { LINNET_DATA: data, LINNET_PORT: "0", LINNET_RATE_LIMITS: "off", ...settings };
  return new TestServer(compiled ? await startCompiled(all) : await startHere(all));
}

async function startHere(
  settings: Record<string, string>,
  clock = new TestClock(),
  disk?: Uint8Array,
): Promise<Inside> {
  const ctx = openTestContext(readConfig(settings), openInMemory(disk), { clock });
  resumeWork(ctx);
  const instance = await startInstance(ctx, settings.LINNET_URL !== undefined);
  const kill = async (left: Uint8Array) => {
    await instance.stop();
    return () => startHere(settings, clock, left);
  };
  return {
    ...instance,
    clock,
    listeners: async () => ctx.eventBus.size,
    kill: (left = ctx.db.raw.serialize()) => kill(left),
    crash: async () => {
      const { fetchOutside } = ctx;
      let disk: Uint8Array | null = null;
      ctx.fetchOutside = (...request) => {
        disk ??= ctx.db.raw.serialize();
        return fetchOutside(...request);
      };
      await instance.drain();
      if (!disk) throw new Error("There was no request to crash at");
      return kill(disk);
    },
  };
}
