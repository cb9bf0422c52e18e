import { mkdtempSync } from "node:fs";
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
/** The delay, in milliseconds, of jobs that don't begin. */
const LATER = 3600_000;
/** In milliseconds, to measure the event loop without work. */
const IDLE_TIME = 200;

/** Kinds of three lanes. */
type Kind = "poll.close" | "card.fetch" | "delivery.send";

export interface Run {
  name: string;
  /** All but polls have hosts, one for each job. */
  kind: Kind;
  /** Missing for that of the server. */
  batch?: number;
  /** Further jobs. Those that begin don't end; without `areDue`, none begins. */
  waiting?: { kind: Kind; count: number; areDue: boolean };
}

const CARDS = { kind: "card.fetch", count: WAITING, areDue: true } as const;

const RUNS: Run[] = [
  { name: "one at a time", kind: "poll.close", batch: 1 },
  { name: "in batches", kind: "poll.close" },
  { name: "in batches, 10,000 wait in another lane", kind: "poll.close", waiting: CARDS },
  { name: "for 1,000 hosts, one at a time", kind: "card.fetch", batch: 1 },
  { name: "for 1,000 hosts, in batches", kind: "card.fetch" },
];

/** How long the main thread was busy, in ms. */
export interface Blocked {
  total: number;
  longest: number;
}

/**
 * Runs jobs that do nothing, on a database that is synced to disk with each commit. Returns a row for each run: its
 * name, ms in total, ms of the longest stall, and µs per job.
 */
export async function jobCosts(root: string): Promise<string[][]> {
  const costs = await measureRuns(root, RUNS);
  return RUNS.map(({ name }, at) => {
    const { total, longest } = costs[at]!;
    return [name, total.toFixed(0), longest.toFixed(1), microseconds(costs[at]!).toFixed(0)];
  });
}

/** Per job. */
export function microseconds({ total }: Blocked): number {
  return (1000 * total) / JOBS;
}

/** Medians of five turns of all runs. */
export async function measureRuns(root: string, runs: readonly Run[]): Promise<Blocked[]> {
  const folder = mkdtempSync(join(root, "jobs-"));
  const db = openMigrated(join(folder, "linnet.db"), "FULL");
  const ctx = openTestContext(readConfig({ LINNET_DATA: folder }), db, { clock: new TestClock() });
  const found = runs.map((): Blocked[] => []);
  // The first turn warms up.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    for (const [at, run] of runs.entries()) {
      const blocked = await measure(ctx, run);
      if (turn > 0) found[at]!.push(blocked);
    }
  }
  db.close();
  return found.map((turns) => ({
    total: median(turns.map(({ total }) => total)),
    longest: median(turns.map(({ longest }) => longest)),
  }));
}

async function measure(ctx: Context, { kind, batch, waiting }: Run): Promise<Blocked> {
  const idle = new Probe();
  await Bun.sleep(IDLE_TIME);
  const idleTick = idle.stop(0).total / idle.ticks;
  add(ctx, kind, JOBS);
  if (waiting) add(ctx, waiting.kind, waiting.count, JOBS, waiting.areDue ? 0 : LATER);
  const [done, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let left = JOBS;
  const count = () => {
    left -= 1;
    if (left === 0) done.resolve();
  };
  const run = { ...handlers, ...(waiting && { [waiting.kind]: () => released.promise }), [kind]: count };
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

/** Numbers the jobs from `first`. They run `delay` ms from now. */
function add(ctx: Context, kind: Kind, count: number, first = 0, delay = 0): void {
  const runAt = ctx.clock.now() + delay;
  ctx.db.transaction((tx) => {
    for (let id = first; id < first + count; id += 1) {
      const host = `${id}.example`;
      const inbox = `https://${host}/inbox`;
      if (kind === "poll.close") enqueue(ctx, tx, kind, { pollId: id }, { runAt });
      else if (kind === "card.fetch") enqueue(ctx, tx, kind, { linkId: id }, { runAt, host });
      else enqueue(ctx, tx, kind, { inbox }, { runAt, host, key: `delivery.send ${inbox}` });
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
