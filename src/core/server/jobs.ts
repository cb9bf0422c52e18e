import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";

export interface Job {
  id: number;
  kind: string;
  state: "running" | "pending" | "failed";
  /** The server that it talks to; empty when it talks to none. */
  host: string;
  /** Including the one that runs. */
  attempts: number;
  created_at: number;
  /** When it runs next; null when it has failed for good. */
  run_at: number | null;
  /** Why the last attempt failed. */
  error: string | null;
}

const JOBS = `
  SELECT id, kind, host, attempts, created_at, run_at, error,
    CASE WHEN run_at IS NULL THEN 'failed' WHEN leased = 1 THEN 'running' ELSE 'pending' END AS state
  FROM jobs`;

/** Background jobs: those that run, those that wait in the order in which they will run, those that have failed. */
export function listJobs(db: Reads, onlyFailed: boolean): Job[] {
  const condition = onlyFailed ? "WHERE run_at IS NULL" : "";
  return db.all<Job>(`${JOBS} ${condition} ORDER BY run_at IS NULL, leased DESC, run_at, id`);
}

/**
 * Makes a job whose last attempt failed run at once, with all its attempts before it. Others have a time to run, and
 * would find nothing to do before it.
 */
export function retryJob(ctx: Context, id: number): void {
  ctx.db.transaction((tx) => {
    const job = tx.get<Job>(`${JOBS} WHERE id = ?`, id);
    if (!job) throw new Refusal("not_found", `There is no job ${id}.`);
    if (job.state === "running") throw new Refusal("conflict", `Job ${id} is running.`);
    if (job.error === null) throw new Refusal("conflict", `Job ${id} has not failed. It waits for its time.`);
    tx.run("UPDATE jobs SET run_at = ?, attempts = 0 WHERE id = ?", ctx.clock.now(), id);
  });
}

/** The same for every job whose last attempt failed. Returns how many there are. */
export function retryAllJobs(ctx: Context): number {
  return ctx.db.transaction(
    (tx) =>
      tx.all(
        "UPDATE jobs SET run_at = ?, attempts = 0 WHERE error IS NOT NULL AND leased = 0 RETURNING id",
        ctx.clock.now(),
      ).length,
  );
}
