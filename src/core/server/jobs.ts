import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";

export interface Job {
  id: number;
  kind: string;
  /** "running" includes those that run next. */
  state: "running" | "pending" | "failed";
  /** The host that it sends requests to; empty for none. */
  host: string;
  /** The attempts that failed. */
  attempts: number;
  created_at: number;
  /** When it runs next; null if it has failed for good. */
  run_at: number | null;
  /** Why the last attempt failed. */
  error: string | null;
}

const JOBS = `
  SELECT id, kind, host, attempts, created_at, run_at, error,
    CASE WHEN run_at IS NULL THEN 'failed' WHEN leased = 1 THEN 'running' ELSE 'pending' END AS state
  FROM jobs`;

/** Background jobs: running ones, pending ones in the order of execution, and failed ones. */
export function listJobs(db: Reads, onlyFailed: boolean): Job[] {
  return db.all<Job>(
    `${JOBS} WHERE NOT $onlyFailed OR run_at IS NULL ORDER BY run_at IS NULL, leased DESC, run_at, id`,
    { onlyFailed: onlyFailed ? 1 : 0 },
  );
}

/**
 * Schedules a job whose last attempt failed to run now, with all attempts available again. Refuses other jobs: they
 * have a scheduled time, and would find nothing to do before it.
 */
export function retryJob(ctx: Context, id: number): void {
  ctx.db.transaction((tx) => {
    const job = tx.get<Job>(`${JOBS} WHERE id = +$id`, { id });
    if (!job) throw new Refusal("not_found", `There is no job ${id}.`);
    if (job.state === "running") throw new Refusal("conflict", `Job ${id} is running.`);
    if (job.error === null) throw new Refusal("conflict", `Job ${id} has not failed. It is scheduled to run later.`);
    tx.run("UPDATE jobs SET run_at = $now, attempts = 0 WHERE id = +$id", { now: ctx.clock.now(), id });
  });
}

/** The same for all jobs whose last attempt failed. Returns how many there are. */
export function retryAllJobs(ctx: Context): number {
  return ctx.db.transaction(
    (tx) =>
      tx.all("UPDATE jobs SET run_at = $now, attempts = 0 WHERE error IS NOT NULL AND leased = 0 RETURNING id", {
        now: ctx.clock.now(),
      }).length,
  );
}
