import type { Context } from "../context.ts";
import { PRUNING_START } from "../db/pruning-point.ts";
import { enqueue, type JobKind, type JobPayloads } from "../db/queue.ts";
import type { Tx } from "../db/open.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Recurring jobs, each with its interval in milliseconds and its payload. */
const RECURRING = {
  clean_up: { every: HOUR, payload: {} },
  "cache.evict": { every: HOUR, payload: {} },
  "server.running": { every: 10 * MINUTE, payload: {} },
  "trends.rank": { every: HOUR, payload: {} },
  "software.refresh": { every: HOUR, payload: {} },
  "posts.delete_old": { every: HOUR, payload: { accountId: null, after: 0 } },
  "links.verify_daily": { every: 24 * HOUR, payload: {} },
  "media.sweep": { every: 24 * HOUR, payload: { after: null } },
  "remote.prune": { every: 24 * HOUR, payload: PRUNING_START },
} satisfies { [Kind in JobKind]?: { every: number; payload: JobPayloads[Kind] } };

type RecurringKind = keyof typeof RECURRING;

export function isRecurring(kind: JobKind): kind is RecurringKind {
  return kind in RECURRING;
}

/** Enqueues the next run unless it is there already. Runs start at full hours or days in UTC, or at tens of minutes. */
export function scheduleNext(ctx: Context, tx: Tx, kind: RecurringKind): void {
  const { every } = RECURRING[kind];
  schedule(ctx, tx, kind, (Math.floor(ctx.clock.now() / every) + 1) * every);
}

/** For the start of the server: jobs that may be overdue run at once. */
export function scheduleAll(ctx: Context, tx: Tx): void {
  const now = ctx.clock.now();
  schedule(ctx, tx, "clean_up", now);
  schedule(ctx, tx, "cache.evict", now);
  schedule(ctx, tx, "trends.rank", now);
  scheduleNext(ctx, tx, "posts.delete_old");
  scheduleNext(ctx, tx, "links.verify_daily");
  scheduleNext(ctx, tx, "media.sweep");
  scheduleNext(ctx, tx, "server.running");
  scheduleNext(ctx, tx, "software.refresh");
  scheduleNext(ctx, tx, "remote.prune");
}

export function schedule(ctx: Context, tx: Tx, kind: RecurringKind, runAt: number): void {
  enqueue(ctx, tx, kind, RECURRING[kind].payload, { runAt, key: `${kind} ${runAt}` });
}
