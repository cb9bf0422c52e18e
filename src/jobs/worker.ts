import type { Context } from "../context.ts";
import { Locked } from "../db/lock.ts";
import type { Tx } from "../db/open.ts";
import type { JobKind, JobPayloads, LaneName } from "../db/queue.ts";
import { collectAfter } from "../lib/process.ts";
import { pause } from "../lib/pause.ts";
import { handlers, type Handlers, type JobResult } from "./handlers.ts";
import { Lane, type JobRow, type Limits } from "./lane.ts";
import { failed, Outcomes, succeeded, type Outcome } from "./outcomes.ts";

/** How many jobs are leased, and how many outcomes are written, in one transaction. */
const BATCH = 16;
/** How long the loop sleeps at most, in ms. */
const MAX_SLEEP = 60_000;
/** How often it checks whether another process has written to the database, in ms: a command may enqueue a job. */
const POLL_INTERVAL = 1000;
/** In milliseconds, while another process locks the database. */
const LOCK_INTERVAL = 20;

const VERSION = "SELECT data_version AS version FROM pragma_data_version";
const RETURN_LEASED = "UPDATE jobs SET leased = 0 WHERE leased = 1";

const LANES: Record<LaneName, Omit<Limits, "batch"> & { batch?: number }> = {
  // These must not wait: a user who has just followed someone looks at their home timeline.
  home: { atOnce: 1, isAwaited: true },
  main: { atOnce: 4 },
  // These wait for other servers most of the time.
  push: { atOnce: 8 },
  mail: { atOnce: 2 },
  links: { atOnce: 8, perHost: 1 },
  delivery: { atOnce: 1 },
  deliveries: { atOnce: 16, perHost: 4 },
  // One job processes everything that other servers have sent, in order.
  incoming: { atOnce: 1 },
  fetches: { atOnce: 8, perHost: 2 },
  relays: { atOnce: 2, perHost: 1 },
  // One video at a time is enough for a small machine. Leasing more of them early would save nothing.
  media: { atOnce: 1, batch: 1 },
  // An archive may take hours.
  archives: { atOnce: 1, batch: 1 },
};

/**
 * Runs due jobs, a few at a time, until it is stopped. A process has one worker; every job is a row.
 *
 * One transaction writes the outcomes of jobs that have ended and leases the next ones of all lanes. A job's place is
 * free when its handler ends, so no job waits for the outcome of another.
 */
export class Worker {
  private readonly lanes: readonly Lane[];
  private readonly outcomes: Outcomes;
  private timer: Timer | null = null;
  private woken = false;
  private poller: Timer | null = null;
  private version = 0;
  private stopping = false;

  /** Without batches, each lease and each outcome is a transaction: `bun run bench jobs` compares the two. */
  constructor(
    private readonly ctx: Context,
    private readonly run: Handlers = handlers,
    batch = BATCH,
  ) {
    this.lanes = (Object.keys(LANES) as LaneName[]).map((name) => new Lane(name, { batch, ...LANES[name] }));
    this.outcomes = new Outcomes(ctx, batch);
  }

  /** Returns the jobs that a crash interrupted to the queue, and starts the loop. */
  start(): void {
    if (this.ctx.isStopping) this.ctx.stopping = new AbortController();
    this.ctx.db.transaction((tx) => tx.run(RETURN_LEASED));
    this.ctx.wake = () => this.wake();
    this.version = this.versionOfOthers();
    this.poller = setInterval(() => this.poll(), POLL_INTERVAL).unref();
    this.wake();
  }

  /** Looks for work before the next request is read, so that a client that asks at once sees the result. */
  private wake(): void {
    if (this.woken) return;
    this.woken = true;
    setImmediate(() => {
      this.woken = false;
      this.turn();
    });
  }

  /**
   * Begins no more jobs, interrupts conversions and requests to other servers, which can take long, and waits for the
   * other jobs. The next start returns those that were leased but didn't end.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    this.ctx.wake = () => {};
    if (this.timer) clearTimeout(this.timer);
    if (this.poller) clearInterval(this.poller);
    this.ctx.stopping.abort();
    this.ctx.media.stop();
    await Promise.all(this.work);
    if (this.outcomes.isEmpty) return;
    try {
      await this.ctx.db.whenWritable(() => this.exchange());
    } catch (error) {
      this.ctx.log.warn("some jobs that have ended will run again: {error}", { error: String(error) });
    }
  }

  /** Runs all jobs that are due now, and those that they enqueue: for tests, which have no loop. */
  async drain(): Promise<void> {
    // Some writes follow the response of the request that caused them.
    await pause();
    for (;;) {
      const delay = this.attempt(() => this.step(!this.outcomes.isEmpty));
      if (this.work.length > 0) {
        await Promise.race(this.work);
        // Others end in the same tick.
        await pause();
      } else if (this.outcomes.isEmpty && !this.isDue()) return;
      else await Bun.sleep(delay);
    }
  }

  private poll(): void {
    const version = this.versionOfOthers();
    if (version !== this.version) this.wake();
    this.version = version;
  }

  /** A number that changes with each commit of another process. Reading it touches no table. */
  private versionOfOthers(): number {
    return this.ctx.db.get<{ version: number }>(VERSION)!.version;
  }

  private turn(): void {
    if (this.timer) clearTimeout(this.timer);
    if (this.stopping) return;
    const delay = this.attempt(() => this.step(this.shouldWrite));
    this.timer = setTimeout(() => this.turn(), delay);
  }

  /** Returns the result of `work`, or the time until the next attempt in ms if it throws. */
  private attempt(work: () => number | void): number {
    try {
      return work() ?? 0;
    } catch (error) {
      if (error instanceof Locked) return LOCK_INTERVAL;
      // A full disk is temporary, and must not end the server.
      if (this.outcomes.isEmpty) this.ctx.log.error("no job can be begun: {error}", { error: String(error) });
      else this.outcomes.writeEach();
      return POLL_INTERVAL;
    }
  }

  /** Writes outcomes, leases jobs and begins them. Returns the time until more can be done, in ms. */
  private step(shouldWrite: boolean): number {
    const ended = () => this.jobEnded();
    let next = shouldWrite ? 0 : this.next();
    const isDue = next <= this.ctx.clock.now();
    if (isDue) this.exchange();
    for (const lane of this.lanes) lane.begin((job) => this.perform(job, lane), ended);
    if (isDue) next = this.next();
    return Math.min(Math.max(next - this.ctx.clock.now(), 0), this.outcomes.patience, MAX_SLEEP);
  }

  /** Writes the outcomes of ended jobs, and leases further ones. */
  private exchange(): void {
    const now = this.ctx.clock.now();
    const work = (tx: Tx) => {
      this.outcomes.write(tx);
      return this.stopping ? [] : this.lanes.map((lane) => ({ lane, jobs: lane.lease(tx, now) }));
    };
    // Each of these rows may return to what it was: then the job runs again.
    const leased = this.ctx.db.transaction(work, { isSynced: false });
    this.outcomes.clear();
    for (const { lane, jobs } of leased) lane.add(jobs);
  }

  private async perform(job: JobRow, lane: Lane): Promise<void> {
    let outcome: Outcome;
    try {
      // A lock held by another process is not a failure of the job: handlers are idempotent, so it can start again.
      const work = () => handle(this.run, this.ctx, job.kind, JSON.parse(job.payload));
      outcome = succeeded(job, await this.ctx.db.whenWritable(work));
    } catch (error) {
      // The next start returns interrupted jobs to the queue.
      if (this.stopping) return;
      outcome = failed(this.ctx, job, error);
    }
    this.outcomes.add(outcome, lane.limits.isAwaited);
  }

  private jobEnded(): void {
    if (this.shouldWrite) this.attempt(() => this.exchange());
    // Without a loop, drain() does this.
    if (!this.poller) return;
    collectAfter(1);
    this.wake();
  }

  /** With many outcomes, after a while, or when no other job will end soon. */
  private get shouldWrite(): boolean {
    return this.outcomes.isDue || (!this.outcomes.isEmpty && this.lanes.every((lane) => lane.isIdle));
  }

  private isDue(): boolean {
    return this.next() <= this.ctx.clock.now();
  }

  /** When the next job is due that could begin at once; Infinity when there is none. Checked again when any job ends. */
  private next(): number {
    if (this.stopping) return Infinity;
    return Math.min(...this.lanes.map((lane) => lane.next(this.ctx.db) ?? Infinity));
  }

  /** The jobs that run now. */
  private get work(): Promise<void>[] {
    return this.lanes.flatMap((lane) => lane.work);
  }
}

function handle<Kind extends JobKind>(
  run: Handlers,
  ctx: Context,
  kind: Kind,
  payload: JobPayloads[Kind],
): JobResult | Promise<JobResult> {
  return run[kind](ctx, payload);
}
