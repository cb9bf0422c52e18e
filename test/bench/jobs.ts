import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { openMigrated } from "../../src/db/migrate.ts";
import { enqueue } from "../../src/db/queue.ts";
import { handlers } from "../../src/jobs/handlers.ts";
import { Worker } from "../../src/jobs/worker.ts";
import { openTestContext, TestClock } from "../support/instance.ts";

const JOBS = 1000;
const WAITING = 10_000;
const TURNS = 5;
/** In milliseconds, to measure the event loop without work. */
const IDLE_TIME = 200;

interface Run {
  name: string;
  kind: "poll.close" | "card.fetch";
  /** Missing for that of the server. */
  batch?: number;
  /** Jobs that wait in the other kind's lane, for a host each. Those of them that begin don't end. */
  waiting?: number;
}

const RUNS: Run[] = [
  { name: "one at a time", kind: "poll.close", batch: 1 },
  { name: "in batches", kind: "poll.close" },
  { name: "in batches, 10,000 wait in another lane", kind: "poll.close", waiting: WAITING },
  { name: "for 1,000 hosts, one at a time", kind: "card.fetch", batch: 1 },
  { name: "for 1,000 hosts, in batches", kind: "card.fetch" },
];

/** How long the main thread was busy, in ms. */
interface Blocked {
  total: number;
  longest: number;
}

/**
 * Runs jobs that do nothing, on a database that is synced to disk with each commit. Returns a row for each run: its
 * name, ms in total, ms of the longest stall, and µs per job. All are medians of five turns.
 */
export async function jobCosts(root: string): Promise<string[][]> {
  const folder = join(root, "jobs");
  mkdirSync(folder);
  const db = openMigrated(join(folder, "linnet.db"), "FULL");
  const ctx = openTestContext(readConfig({ LINNET_DATA: folder }), db, { clock: new TestClock() });
  const found = RUNS.map((): Blocked[] => []);
  // The first turn warms up.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    for (const [at, run] of RUNS.entries()) {
      const blocked = await measure(ctx, run);
      if (turn > 0) found[at]!.push(blocked);
    }
  }
  db.close();
  return RUNS.map(({ name }, at) => {
    const total = median(found[at]!.map((blocked) => blocked.total));
    const longest = median(found[at]!.map((blocked) => blocked.longest));
    return [name, total.toFixed(0), longest.toFixed(1), ((1000 * total) / JOBS).toFixed(0)];
  });
}

async function measure(ctx: Context, { kind, batch, waiting = 0 }: Run): Promise<Blocked> {
  const idle = new Probe();
  await Bun.sleep(IDLE_TIME);
  const idleTick = idle.stop(0).total / idle.ticks;
  add(ctx, kind, JOBS);
  add(ctx, "card.fetch", waiting);
  const [done, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let left = JOBS;
  const count = () => {
    left -= 1;
    if (left === 0) done.resolve();
  };
  const run = { ...handlers, "card.fetch": () => released.promise, [kind]: count };
  const worker = new Worker(ctx, run, batch);
  worker.start();
  const probe = new Probe();
  await done.promise;
  released.resolve();
  await worker.stop();
  const blocked = probe.stop(idleTick);
  ctx.db.transaction((tx) => {
    tx.run("DELETE FROM jobs");
    tx.run("DELETE FROM job_turns");
  });
  return blocked;
}

function add(ctx: Context, kind: Run["kind"], count: number): void {
  ctx.db.transaction((tx) => {
    for (let id = 0; id < count; id += 1) {
      if (kind === "poll.close") enqueue(ctx, tx, kind, { pollId: id });
      else enqueue(ctx, tx, kind, { linkId: id }, { host: `${id}.example` });
    }
  });
}

/** Takes part in each tick of the event loop. */
class Probe {
  ticks = 0;
  private readonly begun = performance.now();
  private last = this.begun;
  private longest = 0;
  private stopped = false;

  constructor() {
    const tick = () => {
      const now = performance.now();
      this.ticks += 1;
      this.longest = Math.max(this.longest, now - this.last);
      this.last = now;
      if (!this.stopped) setImmediate(tick);
    };
    setImmediate(tick);
  }

  /** `idleTick` is how long a tick takes without other work, in ms. */
  stop(idleTick: number): Blocked {
    this.stopped = true;
    return { total: performance.now() - this.begun - this.ticks * idleTick, longest: this.longest };
  }
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1]!;
}
