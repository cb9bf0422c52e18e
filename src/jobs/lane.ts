import { idList } from "../db/json.ts";
import type { Reads, Tx } from "../db/open.ts";
import type { JobKind, LaneName } from "../db/queue.ts";

export interface JobRow {
  id: number;
  kind: JobKind;
  payload: string;
  run_at: number;
  /** The number of failed attempts. */
  attempts: number;
  host: string;
}

export interface Limits {
  /** How many jobs run at the same time. */
  atOnce: number;
  /** How many of them for the same host, which may be a whole site. */
  perHost?: number;
  /** How many are leased in one transaction. Those without a place wait in memory. */
  batch: number;
  /** Whether a user waits for the end of these jobs. */
  isAwaited?: boolean;
}

const NEXT = `
  SELECT at FROM job_turns
  WHERE lane = +$name AND host NOT IN (SELECT value FROM json_each($busyHosts)) ORDER BY at LIMIT 1`;

const HOSTS = `
  SELECT host FROM job_turns
  WHERE lane = +$name AND at <= +$now AND host NOT IN (SELECT value FROM json_each($busyHosts)) ORDER BY at LIMIT +$batch`;

const JOBS = `
  SELECT id, kind, payload, run_at, attempts, host FROM jobs
  WHERE lane = +$name AND host = +$host AND run_at IS NOT NULL AND leased = 0 ORDER BY run_at, id LIMIT +$limit`;

const LEASE = "UPDATE jobs SET leased = 1 WHERE id IN (SELECT value FROM json_each($ids))";

/** One lane of a worker: leases a batch of jobs, and begins them one after the other within the lane's limits. */
export class Lane {
  private readonly ahead: JobRow[] = [];
  private readonly running = new Map<Promise<void>, string>();
  private readonly perHost: number;

  constructor(
    private readonly name: LaneName,
    readonly limits: Limits,
  ) {
    this.perHost = limits.perHost ?? Infinity;
  }

  get isIdle(): boolean {
    return this.running.size === 0 && this.ahead.length === 0;
  }

  /** The jobs that run now. */
  get work(): Promise<void>[] {
    return [...this.running.keys()];
  }

  /** When the next job is due that could begin at once; null when there is none. */
  next(db: Reads): number | null {
    if (!this.needsJobs) return null;
    return db.get<{ at: number }>(NEXT, { name: this.name, busyHosts: this.busyHosts() })?.at ?? null;
  }

  /**
   * Leases due jobs, from one host after the other. The host that was served least recently comes first. The caller
   * passes them to `add()` after the commit.
   */
  lease(tx: Tx, now: number): JobRow[] {
    if (!this.needsJobs) return [];
    const { batch } = this.limits;
    const hosts = tx.all<{ host: string }>(HOSTS, { name: this.name, now, busyHosts: this.busyHosts(), batch });
    const share = Math.floor(batch / hosts.length);
    const jobs = hosts.flatMap(({ host }) => this.dueOf(host, tx, now, share));
    if (jobs.length > 0) tx.run(LEASE, { ids: idList(jobs.map(({ id }) => id)) });
    return jobs;
  }

  add(jobs: readonly JobRow[]): void {
    this.ahead.push(...jobs);
  }

  /** Begins as many leased jobs as there is room for. `ended` is called once the place of a job is free again. */
  begin(run: (job: JobRow) => Promise<void>, ended: () => void): void {
    while (this.ahead.length > 0 && this.running.size < this.limits.atOnce) {
      const job = this.ahead.shift()!;
      const work = run(job);
      this.running.set(work, job.host);
      void work.finally(() => {
        this.running.delete(work);
        ended();
      });
    }
  }

  /** At most `share` due jobs of a host. Sets the host's next turn. */
  private dueOf(host: string, tx: Tx, now: number, share: number): JobRow[] {
    const room = Math.min(share, this.perHost - this.runningFor(host));
    const waiting = tx.all<JobRow>(JOBS, { name: this.name, host, limit: room + 1 });
    const due = waiting.slice(0, room).filter(({ run_at }) => run_at <= now);
    const next = waiting[due.length];
    if (next) {
      const at = Math.max(next.run_at, now);
      tx.run("UPDATE job_turns SET at = $at WHERE lane = +$name AND host = +$host", { at, name: this.name, host });
    } else tx.run("DELETE FROM job_turns WHERE lane = +$name AND host = +$host", { name: this.name, host });
    return due;
  }

  /** Jobs are leased only for a free place, so a lane of slow jobs leaves the others to a later choice. */
  private get needsJobs(): boolean {
    return this.ahead.length === 0 && this.running.size < this.limits.atOnce;
  }

  private runningFor(host: string): number {
    return [...this.running.values()].filter((each) => each === host).length;
  }

  /** The hosts for which no further job may begin, as a JSON list. */
  private busyHosts(): string {
    const hosts = new Set(this.running.values());
    return JSON.stringify([...hosts].filter((host) => this.runningFor(host) >= this.perHost));
  }
}
