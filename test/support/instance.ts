import { catchUpLater } from "../../src/core/timelines/catching-up.ts";
import { Database } from "bun:sqlite";
import { createApp } from "../../src/app.ts";
import { withAddress, type Config } from "../../src/config.ts";
import { openContext, type Context } from "../../src/context.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { ensureKeys } from "../../src/core/people/account-keys.ts";
import { connect, type Db } from "../../src/db/open.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { idAt, Ids } from "../../src/lib/ids.ts";
import { MediaProcesses } from "../../src/lib/media/media-processes.ts";
import { openLog } from "../../src/lib/log.ts";
import KEYS from "../fixtures/keys.json" with { type: "json" };

/** A clock that only tests advance. */
export class TestClock {
  /** The memory may be shared with another process. Zero means that the clock was never set. */
  constructor(private readonly time = new Float64Array(1)) {
    if (this.time[0] === 0) this.time[0] = Date.UTC(2026, 10, 21, 12);
  }

  now(): number {
    return this.time[0]!;
  }

  /** Advances the clock by milliseconds. */
  advance(by: number): void {
    this.time[0]! += by;
  }
}

/** Ids that two processes take from the same row. */
class SharedIds extends Ids {
  constructor(
    private readonly time: TestClock,
    private readonly taken: Float64Array,
  ) {
    super(time);
  }

  override next(): number {
    return (this.taken[0] = Math.max(this.taken[0]! + 1, idAt(this.time.now())));
  }
}

/** The size of the file that a server shares with its test in another process, besides the database. */
export const SHARED_BYTES = 16;

export function openShared(file: string): { clock: TestClock; ids: Ids } {
  const memory = new Float64Array(Bun.mmap(file).buffer);
  const clock = new TestClock(memory.subarray(0, 1));
  return { clock, ids: new SharedIds(clock, memory.subarray(1, 2)) };
}

const log = openLog("error", "text");

/** Cheap password hashes keep the tests fast. */
const passwords = { timeCost: 1, memoryCost: 1024 };

/** Generating a key takes longer than most tests, so these are used in turns. */
let keysTaken = 0;
const generateKeys = () => Promise.resolve(KEYS[keysTaken++ % KEYS.length]!);

/** Shared by all servers of a test run, because each new process has to load the libraries. */
const mediaProcesses = new MediaProcesses();

/** The addresses of names that don't lead to this machine, for servers in this process. */
export const addressesOf = new Map<string, string[]>();

/** Every other name resolves to this machine, so that tests never use the network. */
const lookup = (name: string) => Promise.resolve(addressesOf.get(name) ?? ["127.0.0.1"]);

let blank: Uint8Array | null = null;

/** The bytes of an empty, migrated database. Cached, because creating the tables takes longer than most tests. */
export function blankDatabase(): Uint8Array {
  if (blank) return blank;
  const db = openMigrated(":memory:", "FULL");
  blank = db.raw.serialize();
  db.close();
  return blank;
}

/** Opens a database that is deleted with its server: by default an empty one. */
export function openInMemory(bytes = blankDatabase()): Db {
  return connect(Database.deserialize(bytes, { strict: true }), "FULL");
}

export function openTestContext(config: Config, db: Db, { clock, ids }: { clock: TestClock; ids?: Ids }): Context {
  const ctx = openContext(config, db, { log, clock, passwords, generateKeys, lookup, mediaProcesses });
  if (ids) ctx.ids = ids;
  return ctx;
}

/** Returns the jobs that a crash interrupted to the queue, and enqueues what an outage needs, as a server does when it starts. */
export function resumeWork(ctx: Context): void {
  ctx.db.transaction((tx) => {
    tx.run("UPDATE jobs SET leased = 0 WHERE leased = 1");
    catchUpLater(ctx, tx);
  });
}

/** A server that listens on a free port of the loopback interface. Its jobs wait until they are drained. */
export interface Instance {
  ctx: Context;
  port: number;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Listens on LINNET_PORT, or on a free port if that is 0. With `hasUrl`, the settings contain the address of the server;
 * otherwise links contain the one it listens on.
 */
export async function startInstance(ctx: Context, hasUrl: boolean): Promise<Instance> {
  await ensureKeys(ctx);
  const app = await createApp(ctx);
  // Elysia would share the port, and the system could give it to a server of another process, too.
  app.listen({ hostname: "127.0.0.1", port: ctx.config.port, reusePort: false });
  const port = app.server!.port!;
  // The port, which links contain, is only known now.
  if (!hasUrl) ctx.config = withAddress(ctx.config, { ...ctx.config, origin: `http://127.0.0.1:${port}` });
  const worker = new Worker(ctx);
  return {
    ctx,
    port,
    drain: () => worker.drain(),
    stop: async () => {
      await app.stop(true);
      ctx.db.close();
    },
  };
}
