import type { Context } from "../context.ts";
import { Locked } from "../db/lock.ts";
import type { Tx } from "../db/open.ts";
import { TryLater, type JobKind, type JobPayloads, type LaneName } from "../db/queue.ts";
import { handlers, type Handlers } from "./handlers.ts";
import { Lane, type JobRow } from "./lane.ts";
import { isRecurring, scheduleNext } from "./recurring.ts";

const MAX_ATTEMPTS = 12;
/** Characters of an error message. */
const MAX_ERROR = 1000;
/** How long the loop sleeps at most, in ms. */
const MAX_SLEEP = 60_000;
/** How often it checks whether another process has written to the database, in ms: a command may enqueue a job. */
const POLL_INTERVAL = 1000;

const VERSION = "SELECT data_version AS version FROM pragma_data_version";

const LANES: Record<LaneName, { atOnce: number; perHost?: number }> = {
  main: { atOnce: 4 },
  // One video at a time is enough for a small machine.
  media: { atOnce: 1 },
  // These must not wait: a user who has just followed someone looks at their home timeline.
  home: { atOnce: 1 },
  // These wait for other servers most of the time.
  push: { atOnce: 8 },
  links: { atOnce: 8, perHost: 1 },
  delivery: { atOnce: 1 },
  deliveries: { atOnce: 16, perHost: 4 },
};

/** Writes the result of a job that has ended. */
type Outcome = (tx: Tx) => void;

/** Runs due jobs, a few at a time, until it is stopped. A process has one worker; every job is a row. */
export class Worker {
  private readonly lanes = (Object.keys(LANES) as LaneName[]).map(
    (name) => new Lane(name, LANES[name].atOnce, LANES[name].perHost),
  );
  private timer: Timer | null = null;
  private woken = false;
  private poller: Timer | null = null;
  private version = 0;
  private stopping = false;
  private batch: { outcomes: Outcome[]; written: Promise<void> } | null = null;

  constructor(
    private readonly ctx: Context,
    private readonly run: Handlers = handlers,
  ) {}

  /** Returns the jobs that a crash interrupted to the queue, and starts the loop. */
  start(): void {
    this.ctx.db.transaction((tx) => tx.run("UPDATE jobs SET leased = 0 WHERE leased = 1"));
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
      if (!this.stopping) this.turn();
    });
  }

  /** Starts no more jobs, interrupts conversions, which can take minutes, and waits for the other jobs. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.ctx.wake = () => {};
    if (this.timer) clearTimeout(this.timer);
    if (this.poller) clearInterval(this.poller);
    this.ctx.media.stop();
    await this.settled();
  }

  /** Runs all jobs that are due now, and those that they enqueue: for tests, which have no loop. */
  async drain(): Promise<void> {
    while (this.lease()) await this.settled();
  }

  private async settled(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.settled()));
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

  private schedule(delay: number): void {
    if (this.stopping) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.turn(), delay);
  }

  private turn(): void {
    let pause = POLL_INTERVAL;
    try {
      this.lease();
      const next = this.next() ?? Infinity;
      pause = Math.min(Math.max(next - this.ctx.clock.now(), 0), MAX_SLEEP);
    } catch (error) {
      // A full disk or a locked database is temporary, and must not end the server.
      const level = error instanceof Locked ? "debug" : "error";
      this.ctx.log[level]("no job can be begun: {error}", { error: String(error) });
    }
    this.schedule(pause);
  }

  /** When the next job is due for which there is room; null when there is none. Checked again when any job ends. */
  private next(): number | null {
    const times = this.lanes.map((lane) => lane.next(this.ctx.db)).filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Starts as many due jobs as there is room for; false, without a write transaction, when none is due. */
  private lease(): boolean {
    const now = this.ctx.clock.now();
    const next = this.next();
    if (next === null || next > now) return false;
    const leased = this.ctx.db.transaction((tx) => this.lanes.map((lane) => ({ lane, jobs: lane.lease(tx, now) })));
    for (const { lane, jobs } of leased) for (const job of jobs) this.startJob(job, lane);
    return true;
  }

  private startJob(job: JobRow, lane: Lane): void {
    const work = this.perform(job);
    lane.track(job.host, work);
    // Without a loop, the next drain() does this.
    if (this.poller) void work.finally(() => this.schedule(0));
  }

  private async perform(job: JobRow): Promise<void> {
    let outcome: Outcome = (tx) => finish(tx, job);
    try {
      // A lock held by another process is not a failure of the job: handlers are idempotent, so it can start again.
      await this.ctx.db.whenWritable(() => handle(this.run, this.ctx, job.kind, JSON.parse(job.payload)));
    } catch (error) {
      // The next start returns interrupted jobs to the queue.
      if (this.stopping) return;
      outcome = this.failed(job, error);
    }
    await this.conclude(job, outcome);
  }

  /** Writes the outcome of a job as soon as the database can be written. */
  private async conclude(job: JobRow, outcome: Outcome): Promise<void> {
    for (;;) {
      try {
        return await this.write(outcome);
      } catch (error) {
        if (this.stopping) return;
        this.ctx.log.error("the result of job {id} could not be saved: {error}", { id: job.id, error: String(error) });
        await Bun.sleep(POLL_INTERVAL);
      }
    }
  }

  /** Jobs that end in the same event-loop tick share a transaction. */
  private write(outcome: Outcome): Promise<void> {
    if (!this.batch) {
      const outcomes: Outcome[] = [];
      this.batch = { outcomes, written: this.writeAll(outcomes) };
    }
    this.batch.outcomes.push(outcome);
    return this.batch.written;
  }

  private async writeAll(outcomes: readonly Outcome[]): Promise<void> {
    // Runs after all promises that settle in this tick, and before the next request is read.
    await new Promise<void>((resolve) => void process.nextTick(resolve));
    this.batch = null;
    await this.ctx.db.whenWritable(() => this.ctx.db.transaction((tx) => outcomes.forEach((outcome) => outcome(tx))));
  }

  /**
   * Retries a failed job with a delay that doubles each time. After the last attempt the row stays, with the error, for
   * the owner to see, and without its key, so that the same job can be enqueued again.
   */
  private failed(job: JobRow, error: unknown): Outcome {
    const { id, kind } = job;
    const attempts = job.attempts + 1;
    const problem = error instanceof Error ? error.message : String(error);
    this.ctx.log.warn("job {id} ({kind}) failed, attempt {attempts}: {error}", { id, kind, attempts, error: problem });
    const delay = Math.min(2 ** attempts * 5000, 6 * 3600_000) * (0.75 + Math.random() / 2);
    const next = Math.round(this.ctx.clock.now() + delay);
    if (!(error instanceof TryLater)) {
      return attempts < MAX_ATTEMPTS ? (tx) => postpone(tx, job, problem, next) : (tx) => this.giveUp(tx, job, problem);
    }
    const runAt = Math.max(next, error.notBefore);
    return runAt <= error.until ? (tx) => postpone(tx, job, problem, runAt) : (tx) => finish(tx, job);
  }

  private giveUp(tx: Tx, job: JobRow, problem: string): void {
    // One failed row is enough for a recurring job.
    if (isRecurring(job.kind)) tx.run("DELETE FROM jobs WHERE kind = +$kind AND run_at IS NULL", { kind: job.kind });
    tx.run("UPDATE jobs SET leased = 0, error = $error, run_at = NULL, key = NULL WHERE id = +$jobId", {
      error: problem.slice(0, MAX_ERROR),
      jobId: job.id,
    });
    if (isRecurring(job.kind)) scheduleNext(this.ctx, tx, job.kind);
  }
}

function postpone(tx: Tx, job: JobRow, problem: string, runAt: number): void {
  tx.run("UPDATE jobs SET leased = 0, error = $error, run_at = $runAt WHERE id = +$jobId", {
    error: problem.slice(0, MAX_ERROR),
    runAt,
    jobId: job.id,
  });
}

function finish(tx: Tx, job: JobRow): void {
  tx.run("DELETE FROM jobs WHERE id = +$jobId", { jobId: job.id });
}

function handle<Kind extends JobKind>(run: Handlers, ctx: Context, kind: Kind, payload: JobPayloads[Kind]): unknown {
  return run[kind](ctx, payload);
}
