import type { Context } from "../context.ts";
import type { JobKind, JobPayloads } from "../db/queue.ts";
import { handlers } from "./handlers.ts";

interface JobRow {
  id: number;
  kind: JobKind;
  payload: string;
  attempts: number;
}

const DUE = `
  SELECT id, kind, payload, attempts FROM jobs
  WHERE run_at <= ? AND leased = 0 ORDER BY run_at, id LIMIT ?`;
const AT_ONCE = 4;
const MAX_ATTEMPTS = 12;
/** How long the loop sleeps when nothing says that there is work. */
const LONGEST_SLEEP = 60_000;

/** Runs what is due, a few at a time, until it is stopped. One loop a process; every job is a row. */
export class Worker {
  private readonly running = new Set<Promise<void>>();
  private timer: Timer | null = null;
  private stopping = false;

  constructor(private readonly ctx: Context) {}

  /** Takes back the jobs that a crash left half done, and begins. */
  start(): void {
    this.ctx.db.transaction((tx) => tx.run("UPDATE jobs SET leased = 0 WHERE leased = 1"));
    this.ctx.wake = () => this.schedule(0);
    this.schedule(0);
  }

  /** Begins nothing new, and waits for what is running. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.ctx.wake = () => {};
    if (this.timer) clearTimeout(this.timer);
    await Promise.all(this.running);
  }

  /** Runs everything that is due now, and what that causes: for tests, which have no loop. */
  async drain(): Promise<void> {
    while (this.lease()) await Promise.all(this.running);
  }

  private schedule(delay: number): void {
    if (this.stopping) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.turn(), delay);
  }

  private turn(): void {
    this.lease();
    if (this.running.size >= AT_ONCE) return;
    const next = this.ctx.db.get<{ at: number | null }>("SELECT min(run_at) AS at FROM jobs WHERE leased = 0");
    const delay = next?.at == null ? LONGEST_SLEEP : next.at - this.ctx.clock.now();
    this.schedule(Math.min(Math.max(delay, 0), LONGEST_SLEEP));
  }

  /** Begins as many jobs as there is room for; false when none was due. */
  private lease(): boolean {
    const room = AT_ONCE - this.running.size;
    if (room <= 0) return true;
    const jobs = this.ctx.db.transaction((tx) => {
      const due = tx.all<JobRow>(DUE, this.ctx.clock.now(), room);
      for (const job of due) tx.run("UPDATE jobs SET leased = 1, attempts = attempts + 1 WHERE id = ?", job.id);
      return due;
    });
    for (const job of jobs) {
      const done = this.run(job).finally(() => {
        this.running.delete(done);
        if (this.timer) this.schedule(0);
      });
      this.running.add(done);
    }
    return jobs.length > 0;
  }

  private async run(job: JobRow): Promise<void> {
    try {
      await handle(this.ctx, job.kind, JSON.parse(job.payload));
      this.ctx.db.transaction((tx) => tx.run("DELETE FROM jobs WHERE id = ?", job.id));
    } catch (error) {
      this.fail(job, error instanceof Error ? error.message : String(error));
    }
  }

  /** Tries again later, each time about twice as late; what gives up stays, with its error, for the owner to see. */
  private fail(job: JobRow, error: string): void {
    const attempts = job.attempts + 1;
    const gaveUp = attempts >= MAX_ATTEMPTS;
    const delay = Math.min(2 ** attempts * 5000, 6 * 3600_000) * (0.75 + Math.random() / 2);
    this.ctx.log.warn("job {id} ({kind}) failed, attempt {attempts}: {error}", {
      ...job,
      payload: null,
      attempts,
      error,
    });
    this.ctx.db.transaction((tx) =>
      tx.run(
        "UPDATE jobs SET leased = 0, error = ?, run_at = ? WHERE id = ?",
        error.slice(0, 1000),
        gaveUp ? null : Math.round(this.ctx.clock.now() + delay),
        job.id,
      ),
    );
  }
}

function handle<Kind extends JobKind>(ctx: Context, kind: Kind, payload: JobPayloads[Kind]): unknown {
  return handlers[kind](ctx, payload);
}
