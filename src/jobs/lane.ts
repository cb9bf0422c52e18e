import { idList } from "../db/json.ts";
import type { Reads, Tx } from "../db/open.ts";
import type { JobKind, LaneName } from "../db/queue.ts";

export interface JobRow {
  id: number;
  kind: JobKind;
  payload: string;
  /** The number of earlier attempts. */
  attempts: number;
  host: string;
}

const NEXT = `
  SELECT at FROM job_turns
  WHERE lane = +$name AND host NOT IN (SELECT value FROM json_each($busyHosts)) ORDER BY at LIMIT 1`;

const HOSTS = `
  SELECT host FROM job_turns
  WHERE lane = +$name AND at <= +$now AND host NOT IN (SELECT value FROM json_each($busyHosts)) ORDER BY at LIMIT +$room`;

const JOBS = `
  SELECT id, kind, payload, attempts, host FROM jobs
  WHERE lane = +$name AND host = +$host AND run_at <= +$now AND leased = 0 ORDER BY run_at, id LIMIT +$room`;

const LEASE = `
  UPDATE jobs SET leased = 1, attempts = attempts + 1 WHERE id IN (SELECT value FROM json_each($ids))`;

const NEXT_OF_HOST = `
  SELECT run_at FROM jobs
  WHERE lane = +$name AND host = +$host AND run_at IS NOT NULL AND leased = 0 ORDER BY run_at LIMIT 1`;

/** One lane of a worker: leases jobs within its limits and keeps track of those that run. */
export class Lane {
  private readonly running = new Map<Promise<void>, string>();

  /** `atOnce` is how many jobs run at the same time, `perHost` how many of them for the same host. */
  constructor(
    private readonly name: LaneName,
    private readonly atOnce: number,
    private readonly perHost = atOnce,
  ) {}

  /** When the next job is due for which there is room; null when there is none. */
  next(db: Reads): number | null {
    if (this.room === 0) return null;
    return db.get<{ at: number }>(NEXT, { name: this.name, busyHosts: this.busyHosts() })?.at ?? null;
  }

  /** Leases due jobs, from one host after the other. The host that was served least recently comes first. */
  lease(tx: Tx, now: number): JobRow[] {
    const jobs: JobRow[] = [];
    if (this.room === 0) return jobs;
    const params = { name: this.name, now, busyHosts: this.busyHosts(), room: this.room };
    for (const { host } of tx.all<{ host: string }>(HOSTS, params)) {
      const room = Math.min(this.room - jobs.length, this.perHost - this.runningFor(host));
      if (room > 0) jobs.push(...this.leaseFrom(host, tx, now, room));
    }
    return jobs;
  }

  track(host: string, work: Promise<void>): void {
    this.running.set(work, host);
    void work.finally(() => this.running.delete(work));
  }

  async settled(): Promise<void> {
    await Promise.all(this.running.keys());
  }

  private leaseFrom(host: string, tx: Tx, now: number, room: number): JobRow[] {
    const jobs = tx.all<JobRow>(JOBS, { name: this.name, host, now, room });
    if (jobs.length > 0) tx.run(LEASE, { ids: idList(jobs.map(({ id }) => id)) });
    const next = tx.get<{ run_at: number }>(NEXT_OF_HOST, { name: this.name, host });
    if (next) {
      const at = Math.max(next.run_at, now);
      tx.run("UPDATE job_turns SET at = $at WHERE lane = +$name AND host = +$host", { at, name: this.name, host });
    } else tx.run("DELETE FROM job_turns WHERE lane = +$name AND host = +$host", { name: this.name, host });
    return jobs;
  }

  private get room(): number {
    return this.atOnce - this.running.size;
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
