import type { Context } from "../../context.ts";
import { accountOfUri, isPurged } from "../../core/people/remote-accounts.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { Refusal } from "../../errors.ts";
import { collectAfter } from "../../lib/process.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { StoppedError } from "../../lib/http/outbound.ts";
import { stackOf } from "../../lib/log.ts";
import { pause } from "../../lib/pause.ts";
import { heardFrom } from "../delivery/hosts.ts";
import type { Apply, Sender } from "../activities/handler.ts";
import { handlerOf } from "../activities/index.ts";
import { contextFor, TooManyFetches } from "../fetching/activity-fetches.ts";
import { refreshAccount } from "../fetching/actors.ts";
import { FetchError } from "../fetching/fetch.ts";
import { parseDocument } from "../read/json.ts";
import { type Activity, readActivity } from "../read/activity.ts";
import { postpone, waitsForEarlier } from "./postponed.ts";

/*
 * The queue of verified activities. Each sender's are processed in the order of arrival, except for those that wait for
 * another attempt (postponed.ts), hosts take turns, and up to 32 activities share a commit: a commit costs more than all
 * else that an activity needs.
 */

const BATCH = 32;
/** Senders that wait for other servers at once: in total, and of one site, which could otherwise keep all others waiting. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_SITE = 4;
/** How long the job lets activities gather after several that did not fill a batch, in ms. */
const GATHERING = 20;
/** How often the job looks for new activities while senders wait for other servers, in ms. */
const POLL_INTERVAL = 50;
const MAX_PER_HOST = { activities: 2000, bytes: 64 * 1024 * 1024 };
const MAX_IN_TOTAL = { activities: 10_000, bytes: 256 * 1024 * 1024 };
/** Attempts at an activity that needs something that is unavailable: the last one is after about a day. */
const MAX_ATTEMPTS = 9;
const FIRST_DELAY = 5 * 60_000;

interface Total {
  activities: number;
  bytes: number;
}

const TOTAL = "SELECT activities, bytes FROM incoming_totals WHERE host = +$host";

/** Whether an activity of this many bytes must wait until others have been processed. */
export function isQueueFull(db: Reads, host: string, size: number): boolean {
  const exceeds = (of: string, most: Total) => {
    const total = db.get<Total>(TOTAL, { host: of });
    return total !== null && (total.activities >= most.activities || total.bytes + size > most.bytes);
  };
  return exceeds(host, MAX_PER_HOST) || exceeds("", MAX_IN_TOTAL);
}

export function isQueued(db: Reads, uri: string): boolean {
  return db.get("SELECT 1 FROM incoming_activities WHERE uri = +$uri", { uri }) !== null;
}

const ADD = `
  INSERT INTO incoming_activities (host, sender, uri, body, run_at)
  VALUES ($host, $sender, $uri, $body, $now) ON CONFLICT (uri) DO NOTHING`;

/** Resolves when the activity is on disk. */
export function queueActivity(ctx: Context, { host, uri: sender }: Sender, uri: string, body: string): Promise<void> {
  return ctx.db.groupCommit((tx) => {
    tx.run(ADD, { host, sender, uri, body, now: ctx.clock.now() });
    // Once for all that share the commit.
    tx.beforeCommit(`heard from ${host}`, () => heardFrom(ctx, tx, host));
    tx.beforeCommit("incoming.process", () => processLater(ctx, tx, ctx.clock.now()));
  });
}

const EARLIER = `
  UPDATE jobs SET run_at = $runAt WHERE key = 'incoming.process' AND leased = 0 AND run_at > +$runAt`;

/** One job processes the whole queue. It may be waiting for the next attempt at another activity. */
function processLater(ctx: Context, tx: Tx, runAt: number): void {
  enqueue(ctx, tx, "incoming.process", {}, { key: "incoming.process", runAt });
  const { changes } = tx.run(EARLIER, { runAt });
  if (changes > 0) tx.afterCommit(() => ctx.wake());
}

interface QueuedRow {
  id: number;
  host: string;
  sender: string;
  body: string;
  attempts: number;
}

/** The senders that wait for other servers. Their promises never reject. */
interface Waiting {
  senders: Map<string, Promise<void>>;
  /** An error that ends the job, such as a full disk. */
  problem: { error: unknown } | null;
}

/** Processes activities until none is due. Returns what to do when the job ends: it runs again when the next is due. */
export async function processIncoming(ctx: Context): Promise<(tx: Tx) => void> {
  const waiting: Waiting = { senders: new Map(), problem: null };
  try {
    await processDue(ctx, waiting);
  } finally {
    ctx.hasBacklog = false;
    // The job may begin again at once, and must not meet work of its own.
    await Promise.all(waiting.senders.values());
  }
  if (waiting.problem) throw waiting.problem.error;
  return (tx) => {
    const next = tx.get<{ at: number | null }>("SELECT min(run_at) AS at FROM incoming_activities");
    if (next?.at != null) processLater(ctx, tx, next.at);
  };
}

async function processDue(ctx: Context, waiting: Waiting): Promise<void> {
  let lastHost = "";
  while (!waiting.problem && !ctx.isStopping) {
    const rows = nextRows(ctx, lastHost, waiting);
    // A wave lasts until no others gather, however few each commit of the senders brings.
    if (rows.length >= BATCH / 2) ctx.hasBacklog = true;
    else if (rows.length < 2) ctx.hasBacklog = false;
    if (rows.length === 0) {
      if (waiting.senders.size === 0) return;
      await Promise.race([...waiting.senders.values(), Bun.sleep(POLL_INTERVAL)]);
      continue;
    }
    lastHost = rows.at(-1)!.host;
    processRows(ctx, rows, waiting);
    collectAfter(rows.length);
    // Lets the server answer requests between batches. While many arrive, the next ones share a commit.
    if (rows.length > 1 && rows.length < BATCH) await Bun.sleep(GATHERING);
    else await pause();
  }
}

/**
 * Processes the rows in order, in one transaction. A sender whose activity needs another server waits for it, with all
 * activities that follow; the other senders don't.
 */
function processRows(ctx: Context, rows: readonly QueuedRow[], waiting: Waiting): void {
  const fetching = new Map<QueuedRow, Promise<Apply | null>>();
  try {
    write(ctx, (tx) => {
      const senders = new Set<string>();
      for (const row of rows) {
        if (senders.has(row.sender) || !hasRoom(row.host, [...waiting.senders.keys(), ...senders])) continue;
        const activity = activityIn(ctx, row);
        if (activity && waitsForEarlier(tx, row, activity)) continue;
        const result = activity && decide(ctx, row, activity);
        if (result instanceof Promise) {
          fetching.set(row, result);
          senders.add(row.sender);
        } else finish(tx, row, result);
      }
    });
  } catch (error) {
    // Nothing was written. Each row runs again on its own, so that one failure doesn't undo the others.
    for (const promise of fetching.values()) promise.catch(() => {});
    if (rows.length === 1) failed(ctx, rows[0]!, error);
    else for (const row of rows) processRows(ctx, [row], waiting);
    return;
  }
  for (const [row, promise] of fetching) waiting.senders.set(row.sender, fetched(ctx, row, promise, waiting));
}

async function fetched(ctx: Context, row: QueuedRow, promise: Promise<Apply | null>, waiting: Waiting): Promise<void> {
  try {
    await ctx.db.whenWritable(() => finishFetched(ctx, row, promise));
  } catch (error) {
    waiting.problem = { error };
  } finally {
    waiting.senders.delete(row.sender);
  }
}

async function finishFetched(ctx: Context, row: QueuedRow, promise: Promise<Apply | null>): Promise<void> {
  try {
    const apply = await promise;
    write(ctx, (tx) => finish(tx, row, apply));
  } catch (error) {
    // It is processed after the next start.
    if (!(error instanceof StoppedError)) failed(ctx, row, error);
  }
}

/** After a power failure, the activity may be in the queue again: then its effects are undone, too. */
function write(ctx: Context, work: (tx: Tx) => void): void {
  ctx.db.transaction(work, { isSynced: false });
}

function activityIn(ctx: Context, row: QueuedRow): Activity | null {
  const document = parseDocument(row.body);
  return document && readActivity(document, ctx.clock.now());
}

function decide(ctx: Context, row: QueuedRow, activity: Activity): Apply | null | Promise<Apply | null> {
  const sender = accountOfUri(ctx.db, row.sender);
  if (!sender || sender.suspended_at !== null || sender.gone_at !== null) return null;
  const limited = contextFor(ctx, row.sender);
  const handle = () =>
    handlerOf(activity.type)?.(limited, { id: sender.id, uri: row.sender, host: row.host }, activity) ?? null;
  return isPurged(sender) ? refreshAccount(limited, row.sender).then(handle) : handle();
}

/** An activity that is refused is done: its sender is not told, and another attempt would end the same way. */
function finish(tx: Tx, row: QueuedRow, apply: Apply | null): void {
  try {
    apply?.(tx);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  tx.run("DELETE FROM incoming_activities WHERE id = +$id", { id: row.id });
}

/** Tries an activity again later if something was unavailable, or failed unexpectedly. */
function failed(ctx: Context, row: QueuedRow, error: unknown): void {
  const isOver = error instanceof FetchError ? error.problem !== "unavailable" : error instanceof Refusal;
  if (!(error instanceof FetchError) && !isOver) {
    ctx.log.error("an activity of {sender} failed: {error}", { sender: row.sender, error: stackOf(error) });
  }
  const wasTried = !(error instanceof TooManyFetches && error.isFirst);
  const activity = isOver || (wasTried && row.attempts + 1 >= MAX_ATTEMPTS) ? null : activityIn(ctx, row);
  const runAt = wasTried ? ctx.clock.now() + FIRST_DELAY * 2 ** row.attempts : error.until;
  write(ctx, (tx) => {
    if (activity) postpone(tx, row, activity, runAt, wasTried ? 1 : 0);
    else finish(tx, row, null);
  });
}

/** Whether another sender on a host may wait for other servers, besides those that do. */
function hasRoom(host: string, senders: readonly string[]): boolean {
  if (senders.length === 0) return true;
  const site = siteOf(`http://${host}`);
  return senders.filter((sender) => siteOf(sender) === site).length < MAX_WAITING_PER_SITE;
}

const HOSTS = `
  WITH RECURSIVE waiting (host, n) AS (
    SELECT ${hostAfter("+$after")}, 1
    UNION ALL
    SELECT ${hostAfter("waiting.host")}, n + 1 FROM waiting WHERE waiting.host IS NOT NULL AND n < ${BATCH})
  SELECT host FROM waiting WHERE host IS NOT NULL`;

function hostAfter(host: string): string {
  return `(SELECT host FROM incoming_activities WHERE host > ${host} AND run_at <= +$now ORDER BY host LIMIT 1)`;
}

const ROWS = `
  SELECT id, host, sender, body, attempts FROM incoming_activities
  WHERE host = +$host AND run_at <= +$now AND sender NOT IN (SELECT value FROM json_each($senders))
  ORDER BY id LIMIT +$limit`;

/** The next rows that are due: the same number from each of the next hosts after the last one. */
function nextRows(ctx: Context, lastHost: string, { senders }: Waiting): QueuedRow[] {
  if (senders.size >= MAX_WAITING) return [];
  const busy = JSON.stringify([...senders.keys()]);
  const rowsAfter = (after: string): QueuedRow[] => {
    const now = ctx.clock.now();
    const due = ctx.db.all<{ host: string }>(HOSTS, { after, now }).map(({ host }) => host);
    const hosts = due.filter((host) => hasRoom(host, [...senders.keys()]));
    const params = { now, senders: busy, limit: Math.ceil(BATCH / hosts.length) };
    const rows = hosts.flatMap((host) => ctx.db.all<QueuedRow>(ROWS, { ...params, host })).slice(0, BATCH);
    return rows.length > 0 || due.length < BATCH ? rows : rowsAfter(due.at(-1)!);
  };
  const rows = rowsAfter(lastHost);
  return rows.length > 0 || lastHost === "" ? rows : rowsAfter("");
}
