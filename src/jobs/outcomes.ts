import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { Postpone, TryLater } from "../db/queue.ts";
import type { AfterJob } from "./handlers.ts";
import type { JobRow } from "./lane.ts";
import { isRecurring, scheduleNext } from "./recurring.ts";

const HOUR = 3600_000;
const MAX_ATTEMPTS = 12;
/** Characters of an error message. */
const MAX_ERROR = 1000;
/** How long an outcome may wait for others, in ms. */
const MAX_WAIT = 20;

/** The result of a job that has ended. */
export interface Outcome {
  job: JobRow;
  /** Deletes or changes the job's row. */
  write(tx: Tx): void;
  after?: AfterJob;
}

/**
 * The outcomes that are not written yet. They are written together, since the commit of a short job costs more than the
 * job. After a crash these jobs run again.
 */
export class Outcomes {
  private waiting: Outcome[] = [];
  private writeBy = Infinity;

  constructor(
    private readonly ctx: Context,
    private readonly batch: number,
  ) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** In milliseconds, until they should be written even if there are few. */
  get patience(): number {
    return Math.max(this.writeBy - performance.now(), 0);
  }

  get isDue(): boolean {
    return this.waiting.length >= this.batch || this.patience === 0;
  }

  add(outcome: Outcome, isAwaited = false): void {
    this.waiting.push(outcome);
    this.writeBy = isAwaited ? 0 : Math.min(this.writeBy, performance.now() + MAX_WAIT);
  }

  /** Call `clear()` after the commit. */
  write(tx: Tx): void {
    for (const { write, after } of this.waiting) {
      write(tx);
      after?.(tx);
    }
  }

  clear(): void {
    this.waiting = [];
    this.writeBy = Infinity;
  }

  /** Writes each in a transaction of its own, after they could not be written together. */
  writeEach(): void {
    this.waiting = this.waiting.filter((outcome) => !this.isWritten(outcome));
    if (this.isEmpty) this.clear();
  }

  private isWritten({ job, write, after }: Outcome): boolean {
    let isMistake = false;
    try {
      this.ctx.db.transaction((tx) => {
        write(tx);
        isMistake = true;
        after?.(tx);
        isMistake = false;
      });
      return true;
    } catch (error) {
      if (isMistake) return this.isWritten(failed(this.ctx, job, error));
      this.ctx.log.error("the result of job {id} could not be saved: {error}", { id: job.id, error: String(error) });
      return false;
    }
  }
}

export function succeeded(job: JobRow, after: AfterJob | void): Outcome {
  const write = (tx: Tx) => void tx.run("DELETE FROM jobs WHERE id = +$jobId", { jobId: job.id });
  return after ? { job, write, after } : { job, write };
}

/**
 * Retries a failed job with a delay that doubles each time. After the last attempt the row stays, with the error, for
 * the owner to see, and without its key, so that the same job can be enqueued again.
 */
export function failed(ctx: Context, job: JobRow, error: unknown): Outcome {
  if (error instanceof Postpone) return { job, write: (tx) => postpone(tx, job, error.runAt) };
  const { id, kind } = job;
  const attempts = job.attempts + 1;
  const problem = error instanceof Error ? error.message : String(error);
  ctx.log.warn("job {id} ({kind}) failed, attempt {attempts}: {error}", { id, kind, attempts, error: problem });
  const runAt = nextAttempt(ctx.clock.now(), attempts, error);
  if (error instanceof TryLater) {
    if (runAt > error.until) return succeeded(job);
  } else if (attempts >= MAX_ATTEMPTS) return { job, write: (tx) => giveUp(ctx, tx, job, problem) };
  return { job, write: (tx) => retry(tx, job, problem, runAt) };
}

/** Delays vary, so that jobs that failed together don't all return together. */
function nextAttempt(now: number, attempts: number, error: unknown): number {
  const backoff = now + Math.min(2 ** attempts * 5000, 6 * HOUR) * (0.75 + Math.random() / 2);
  if (!(error instanceof TryLater)) return Math.round(backoff);
  const { notBefore } = error;
  if (error.backoff) return Math.round(Math.max(backoff, notBefore));
  return Math.round(notBefore + (Math.max(notBefore - now, 0) * Math.random()) / 4);
}

function retry(tx: Tx, job: JobRow, problem: string, runAt: number): void {
  tx.run("UPDATE jobs SET leased = 0, attempts = $attempts, error = $error, run_at = $runAt WHERE id = +$jobId", {
    attempts: job.attempts + 1,
    error: problem.slice(0, MAX_ERROR),
    runAt,
    jobId: job.id,
  });
}

function postpone(tx: Tx, job: JobRow, runAt: number): void {
  tx.run("UPDATE jobs SET leased = 0, run_at = $runAt WHERE id = +$jobId", { runAt, jobId: job.id });
}

function giveUp(ctx: Context, tx: Tx, job: JobRow, problem: string): void {
  // One failed row is enough for a recurring job.
  if (isRecurring(job.kind)) tx.run("DELETE FROM jobs WHERE kind = +$kind AND run_at IS NULL", { kind: job.kind });
  tx.run(
    "UPDATE jobs SET leased = 0, attempts = $attempts, error = $error, run_at = NULL, key = NULL WHERE id = +$jobId",
    { attempts: job.attempts + 1, error: problem.slice(0, MAX_ERROR), jobId: job.id },
  );
  if (isRecurring(job.kind)) scheduleNext(ctx, tx, job.kind);
}
