import type { Context } from "../context.ts";
import { enqueue, type JobKind, type JobPayloads } from "../db/queue.ts";
import type { Tx } from "../db/open.ts";

const HOUR = 3600_000;

/** Jobs that come back, with the time between two runs in milliseconds and the payload of each. */
const RECURRING = {
  clean_up: { every: HOUR, payload: {} },
  "trends.rank": { every: HOUR, payload: {} },
  "media.sweep": { every: 24 * HOUR, payload: { after: null } },
} satisfies { [Kind in JobKind]?: { every: number; payload: JobPayloads[Kind] } };

type RecurringKind = keyof typeof RECURRING;

export function isRecurring(kind: JobKind): kind is RecurringKind {
  return kind in RECURRING;
}

/** Writes the next run, unless it is there already. Hours and days begin as they do in UTC. */
export function scheduleNext(ctx: Context, tx: Tx, kind: RecurringKind): void {
  const { every } = RECURRING[kind];
  schedule(ctx, tx, kind, (Math.floor(ctx.clock.now() / every) + 1) * every);
}

/** For the start of the server: what may have waited while it was off runs now. */
export function scheduleAll(ctx: Context, tx: Tx): void {
  const now = ctx.clock.now();
  schedule(ctx, tx, "clean_up", now);
  schedule(ctx, tx, "trends.rank", now);
  scheduleNext(ctx, tx, "media.sweep");
}

export function schedule(ctx: Context, tx: Tx, kind: RecurringKind, runAt: number): void {
  enqueue(ctx, tx, kind, RECURRING[kind].payload, { runAt, key: `${kind} ${runAt}` });
}
