import type { Context } from "../context.ts";
import type { Reads, Tx } from "../db/open.ts";
import { TryLater, type JobKind, type JobPayloads } from "../db/queue.ts";
import { handlers } from "./handlers.ts";

interface JobRow {
  id: number;
  kind: JobKind;
  payload: string;
  attempts: number;
}

const MAX_ATTEMPTS = 12;
/** How long the loop sleeps when nothing says that there is work. */
const LONGEST_SLEEP = 60_000;
/** How often it looks whether another process has written anything: the command line may have left a job. */
const GLANCE = 1000;

const VERSION = "SELECT data_version AS version FROM pragma_data_version";

/** What has a lane of its own. */
const APART = [
  // A film at a time is enough for a small machine.
  { kinds: "'media.process'", atOnce: 1 },
  // Somebody has just followed someone, and looks at their home timeline.
  { kinds: "'home.fill', 'home.rebuild'", atOnce: 1 },
  // They wait for others' servers, mostly.
  { kinds: "'push.deliver'", atOnce: 8 },
];

/**
 * Jobs that wait for one another and for no others: neither what takes minutes nor a push service that doesn't answer
 * must keep the rest from being done.
 */
class Lane {
  readonly running = new Set<Promise<void>>();

  /** `which` is a condition in SQL. */
  constructor(
    private readonly which: string,
    private readonly atOnce: number,
  ) {}

  get room(): number {
    return this.atOnce - this.running.size;
  }

  due(tx: Tx, now: number): JobRow[] {
    return tx.all<JobRow>(
      `SELECT id, kind, payload, attempts FROM jobs
       WHERE run_at <= ? AND leased = 0 AND ${this.which} ORDER BY run_at, id LIMIT ?`,
      now,
      this.room,
    );
  }

  /** When the next one is due; null when none waits. */
  next(db: Reads): number | null {
    const row = db.get<{ at: number | null }>(`SELECT min(run_at) AS at FROM jobs WHERE leased = 0 AND ${this.which}`);
    return row!.at;
  }
}

/** Runs what is due, a few at a time, until it is stopped. One loop a process; every job is a row. */
export class Worker {
  private readonly lanes = [
    new Lane(`kind NOT IN (${APART.map(({ kinds }) => kinds).join()})`, 4),
    ...APART.map(({ kinds, atOnce }) => new Lane(`kind IN (${kinds})`, atOnce)),
  ];
  private timer: Timer | null = null;
  private woken = false;
  private glances: Timer | null = null;
  private version = 0;
  private stopping = false;

  constructor(private readonly ctx: Context) {}

  /** Takes back the jobs that a crash left half done, and begins. */
  start(): void {
    this.ctx.db.transaction((tx) => tx.run("UPDATE jobs SET leased = 0 WHERE leased = 1"));
    this.ctx.wake = () => this.wake();
    this.version = this.versionOfOthers();
    this.glances = setInterval(() => this.glance(), GLANCE).unref();
    this.wake();
  }

  /** Looks for work before the next request is read, so that whoever asks at once sees what came of it. */
  private wake(): void {
    if (this.woken) return;
    this.woken = true;
    setImmediate(() => {
      this.woken = false;
      if (!this.stopping) this.turn();
    });
  }

  /** Begins nothing new, breaks off what takes minutes, and waits for the rest. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.ctx.wake = () => {};
    if (this.timer) clearTimeout(this.timer);
    if (this.glances) clearInterval(this.glances);
    this.ctx.processing.stop();
    await this.settled();
  }

  /** Runs everything that is due now, and what that causes: for tests, which have no loop. */
  async drain(): Promise<void> {
    while (this.lease()) await this.settled();
  }

  private async settled(): Promise<void> {
    await Promise.all(this.lanes.flatMap(({ running }) => [...running]));
  }

  private glance(): void {
    const version = this.versionOfOthers();
    if (version !== this.version) this.wake();
    this.version = version;
  }

  /** Another number after each commit that isn't ours; costs no look into any table. */
  private versionOfOthers(): number {
    return this.ctx.db.get<{ version: number }>(VERSION)!.version;
  }

  private schedule(delay: number): void {
    if (this.stopping) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.turn(), delay);
  }

  private turn(): void {
    let pause: number | null = GLANCE;
    try {
      this.lease();
      pause = this.pause();
    } catch (error) {
      // A full disk, or another process that holds the database: what passes must not end the server.
      this.ctx.log.error("no job can be begun: {error}", { error: String(error) });
    }
    if (pause !== null) this.schedule(pause);
  }

  /** Until the next job is due for which there is room; null while there is none at all: whichever ends looks again. */
  private pause(): number | null {
    const free = this.lanes.filter(({ room }) => room > 0);
    if (free.length === 0) return null;
    const times = free.map((lane) => lane.next(this.ctx.db)).filter((time) => time !== null);
    const delay = times.length === 0 ? LONGEST_SLEEP : Math.min(...times) - this.ctx.clock.now();
    return Math.min(Math.max(delay, 0), LONGEST_SLEEP);
  }

  /** Begins as many jobs as there is room for; false when there was room and none was due. */
  private lease(): boolean {
    let busy = false;
    for (const lane of this.lanes) {
      busy ||= lane.room === 0;
      for (const job of lane.room > 0 ? this.leaseFrom(lane) : []) {
        this.begin(job, lane);
        busy = true;
      }
    }
    return busy;
  }

  private leaseFrom(lane: Lane): JobRow[] {
    return this.ctx.db.transaction((tx) => {
      const due = lane.due(tx, this.ctx.clock.now());
      for (const job of due) tx.run("UPDATE jobs SET leased = 1, attempts = attempts + 1 WHERE id = ?", job.id);
      return due;
    });
  }

  private begin(job: JobRow, lane: Lane): void {
    const done = this.run(job).finally(() => {
      lane.running.delete(done);
      // Where there is a loop.
      if (this.glances) this.schedule(0);
    });
    lane.running.add(done);
  }

  private async run(job: JobRow): Promise<void> {
    let conclude = () => this.finish(job);
    try {
      await handle(this.ctx, job.kind, JSON.parse(job.payload));
    } catch (error) {
      // What was broken off is taken back at the next start.
      if (this.stopping) return;
      conclude = this.failed(job, error);
    }
    await this.conclude(job, conclude);
  }

  /** Writes down what became of a job, as soon as anything can be written. */
  private async conclude(job: JobRow, write: () => void): Promise<void> {
    for (;;) {
      try {
        return write();
      } catch (error) {
        if (this.stopping) return;
        this.ctx.log.error("the end of job {id} could not be written: {error}", { id: job.id, error: String(error) });
        await Bun.sleep(GLANCE);
      }
    }
  }

  /**
   * Has it tried again later, each time about twice as late. What gives up stays, with its error, for the owner to see,
   * and without its key, so that another may try; what comes too late goes. Returns what writes that down.
   */
  private failed(job: JobRow, error: unknown): () => void {
    const attempts = job.attempts + 1;
    const problem = error instanceof Error ? error.message : String(error);
    const delay = Math.min(2 ** attempts * 5000, 6 * 3600_000) * (0.75 + Math.random() / 2);
    const next = Math.round(this.ctx.clock.now() + delay);
    this.ctx.log.warn("job {id} ({kind}) failed, attempt {attempts}: {error}", {
      ...job,
      payload: null,
      attempts,
      error: problem,
    });
    if (!(error instanceof TryLater)) return () => this.postpone(job, problem, attempts < MAX_ATTEMPTS ? next : null);
    const runAt = Math.max(next, error.notBefore);
    return () => (runAt <= error.until ? this.postpone(job, problem, runAt) : this.finish(job));
  }

  private postpone(job: JobRow, problem: string, runAt: number | null): void {
    this.ctx.db.transaction((tx) =>
      tx.run(
        "UPDATE jobs SET leased = 0, error = ?1, run_at = ?2, key = CASE WHEN ?2 IS NULL THEN NULL ELSE key END WHERE id = ?3",
        problem.slice(0, 1000),
        runAt,
        job.id,
      ),
    );
  }

  private finish(job: JobRow): void {
    this.ctx.db.transaction((tx) => tx.run("DELETE FROM jobs WHERE id = ?", job.id));
  }
}

function handle<Kind extends JobKind>(ctx: Context, kind: Kind, payload: JobPayloads[Kind]): unknown {
  return handlers[kind](ctx, payload);
}
