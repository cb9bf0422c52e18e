import type { Context } from "../context.ts";
import { Locked } from "../db/lock.ts";
import type { Reads, Tx } from "../db/open.ts";
import { enqueue, type JobPayloads } from "../db/queue.ts";
import { OutboundError, type OutboundRequest, type OutboundResponse } from "../lib/http/outbound.ts";
import { retryTime } from "../lib/dates.ts";

/*
 * Fetches that nobody waits for: the posts of a profile, the rest of a thread, a list of followers. Each is a job, and what
 * it fetches is stored silently. All share one queue, and each has a budget, so that a server of any size or malice costs a bounded
 * amount.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The jobs that fetch. */
export type FetchKind = "profile.fetch" | "thread.fetch" | "status.recheck" | "followers.compare";

interface Wish<Kind extends FetchKind> {
  payload: JobPayloads[Kind];
  /** The host that is asked first. */
  host: string;
}

const DUE_AT = "SELECT due_at FROM fetches WHERE subject = +$subject";
const WISH = `
  INSERT INTO fetches (subject, due_at) VALUES ($subject, $dueAt)
  ON CONFLICT (subject) DO UPDATE SET due_at = excluded.due_at`;

/**
 * Has something fetched by a job, unless it was within the last `pause` ms: then it costs one look-up. `wish` returns what
 * the job needs; null if there is nothing to fetch.
 */
export function fetchLater<Kind extends FetchKind>(
  ctx: Context,
  kind: Kind,
  id: number,
  pause: number,
  wish: () => Wish<Kind> | null,
): void {
  const now = ctx.clock.now();
  const subject = subjectOf(kind, id);
  const last = ctx.db.get<{ due_at: number }>(DUE_AT, { subject });
  if (last && last.due_at > now) return;
  const wished = wish();
  if (!wished) return;
  writeAfterResponse(ctx, subject, (tx) => {
    tx.run(WISH, { subject, dueAt: now + pause });
    enqueue(ctx, tx, kind, wished.payload, { key: subject, host: wished.host });
  });
}

/**
 * Writes that something is wanted of other servers, once the response that caused it is sent: reading waits neither for the
 * disk nor for a command that writes. If the write fails or is lost, the next request repeats it.
 */
export function writeAfterResponse(ctx: Context, subject: string, write: (tx: Tx) => void): void {
  const { unwritten } = ctx.background;
  if (unwritten.has(subject)) return;
  unwritten.add(subject);
  setImmediate(() => {
    unwritten.delete(subject);
    if (ctx.isStopping) return;
    try {
      ctx.db.transaction(write, { isSynced: false });
    } catch (error) {
      if (!(error instanceof Locked)) ctx.log.warn("nothing can be fetched: {error}", { error: String(error) });
    }
  });
}

/** Has something fetched by a job within a transaction: now, or once `pause` ms have passed since the last time. */
export function fetchSoon<Kind extends FetchKind>(
  ctx: Context,
  tx: Tx,
  kind: Kind,
  id: number,
  pause: number,
  { payload, host }: Wish<Kind>,
): void {
  const subject = subjectOf(kind, id);
  if (isQueued(tx, subject)) return;
  const last = tx.get<{ due_at: number }>(DUE_AT, { subject });
  const runAt = Math.max(ctx.clock.now(), last?.due_at ?? 0);
  tx.run(WISH, { subject, dueAt: runAt + pause });
  enqueue(ctx, tx, kind, payload, { key: subject, host, runAt });
}

const WAITING = "SELECT 1 FROM jobs WHERE key = +$subject AND run_at IS NOT NULL";

/** Whether a job will still fetch this. */
export function isFetching({ background, db }: Context, kind: FetchKind, id: number): boolean {
  const subject = subjectOf(kind, id);
  return background.unwritten.has(subject) || isQueued(db, subject);
}

function isQueued(db: Reads, subject: string): boolean {
  return db.get(WAITING, { subject }) !== null;
}

function subjectOf(kind: FetchKind, id: number): string {
  return `${kind} ${id}`;
}

/** Forgets when something was fetched: its row is removed, and may come back. */
export function forgetFetches(tx: Tx, kind: FetchKind, id: number): void {
  tx.run("DELETE FROM fetches WHERE subject = +$subject", { subject: subjectOf(kind, id) });
}

/** Removed at once. */
const SLICE = 1000;

/** Forgets what may be fetched again anyway. */
export function removeOldFetches(ctx: Context, tx: Tx): void {
  tx.run(
    `DELETE FROM fetches WHERE subject IN (
       SELECT subject FROM fetches WHERE due_at < +$now ORDER BY due_at LIMIT ${SLICE})`,
    { now: ctx.clock.now() },
  );
}

/** The requests and bytes that one job may still use. */
export interface Budget {
  requests: number;
  bytes: number;
}

const REFUSED = (message: string) => new OutboundError("refused", message);
/** A host that failed gets no further request for this time, in ms. */
const PAUSE = MINUTE;
const MAX_PAUSE = HOUR;
const MAX_REMEMBERED = 5000;

const IS_DOWN = "SELECT 1 FROM hosts WHERE domain = +$host AND down_since IS NOT NULL AND next_attempt_at > +$now";

/**
 * A context whose requests wait for their turn with those of all such jobs, and use up the budget. A redirect is
 * a request of its own. A host that is down, has just failed or asked to wait gets none: then they fail as refused.
 */
export function contextWithin(ctx: Context, budget: Budget, queue = ctx.background.queue): Context {
  const limited: Context = Object.create(ctx);
  limited.fetchOutside = (url, request) => {
    const target = new URL(url);
    return queue.take(target.host, () => fetchWithin(ctx, budget, target, request));
  };
  return limited;
}

async function fetchWithin(
  ctx: Context,
  budget: Budget,
  url: URL,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  let asked = url;
  const check = (hop: URL) => {
    request.check?.(hop);
    asked = hop;
    if (budget.requests <= 0 || budget.bytes <= 0) throw REFUSED("the budget of this fetch is used up");
    if (mustWait(ctx, hop)) throw REFUSED(`${hop.host} is down, or asked to wait`);
    budget.requests -= 1;
  };
  try {
    const maxBytes = Math.min(request.maxBytes, budget.bytes);
    const response = await ctx.fetchOutside(url.href, { ...request, maxBytes, check });
    budget.bytes -= response.body.length;
    return response;
  } catch (error) {
    if (error instanceof OutboundError) noteFailure(ctx, asked, error);
    throw error;
  }
}

/** Whether a host is down, has just failed or asked to wait. */
export function mustWait(ctx: Context, { origin, host }: URL): boolean {
  const now = ctx.clock.now();
  if ((ctx.background.pausedUntil.get(origin) ?? 0) > now) return true;
  return ctx.db.get(IS_DOWN, { host, now }) !== null;
}

function noteFailure(ctx: Context, { origin }: URL, { kind, status, retryAfter }: OutboundError): void {
  const isOfHost = kind === "unreachable" || kind === "timeout" || status === 429 || (status ?? 0) >= 500;
  if (!isOfHost) return;
  const now = ctx.clock.now();
  const until = Math.min(Math.max(retryTime(retryAfter, now) ?? 0, now + PAUSE), now + MAX_PAUSE);
  const { pausedUntil } = ctx.background;
  pausedUntil.delete(origin);
  pausedUntil.set(origin, until);
  if (pausedUntil.size > MAX_REMEMBERED) pausedUntil.delete(pausedUntil.keys().next().value!);
}
