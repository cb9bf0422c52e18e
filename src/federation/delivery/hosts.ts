import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A host that is down is probed after a minute, then after times that double up to six hours. In ms. */
export const LONGEST_PAUSE = 6 * HOUR;
/** While one delivery probes a host, the others wait this long: longer than the probe can take. In ms. */
const PROBE = MINUTE;

interface HostRow {
  down_since: number | null;
  failures: number;
  next_attempt_at: number | null;
}

/**
 * When deliveries to a host may be tried; null if now. Of those that wait for a host that is down, the first to ask when
 * it is due gets null: its delivery is the probe.
 */
export function pausedUntil(ctx: Context, host: string): number | null {
  const now = ctx.clock.now();
  const row = ctx.db.get<HostRow>("SELECT down_since, failures, next_attempt_at FROM hosts WHERE domain = +$host", {
    host,
  });
  if (!row?.down_since || row.next_attempt_at === null) return null;
  if (row.next_attempt_at > now) return row.next_attempt_at;
  ctx.db.transaction((tx) =>
    tx.run("UPDATE hosts SET next_attempt_at = $at WHERE domain = +$host", { host, at: now + PROBE }),
  );
  return null;
}

/** The keys of the jobs that send to a host, each with its inbox, are between these two. */
export function jobKeys(host: string): { from: string; to: string } {
  return { from: `delivery.send ${host} `, to: `delivery.send ${host}!` };
}

const WAKE = `
  UPDATE jobs SET run_at = $now WHERE key > +$from AND key < +$to AND leased = 0 AND run_at IS NOT NULL`;

/** Notes that a host responded, and wakes what waits for it. Writes nothing if that is known. */
export function reached(ctx: Context, tx: Tx, host: string): void {
  const now = ctx.clock.now();
  const { changes } = tx.run(
    `UPDATE hosts SET down_since = NULL, failures = 0, failed_at = NULL, next_attempt_at = NULL, problem = NULL
     WHERE domain = +$host AND down_since IS NOT NULL`,
    { host },
  );
  if (changes > 0) tx.run(WAKE, { ...jobKeys(host), now });
  tx.run(
    `INSERT INTO hosts (domain, last_used_at, last_reached_at) VALUES ($host, $now, $now)
     ON CONFLICT (domain) DO UPDATE SET last_used_at = excluded.last_used_at, last_reached_at = excluded.last_reached_at
     WHERE coalesce(last_reached_at, 0) <= +$before`,
    { host, now, before: changes > 0 ? now : now - HOUR },
  );
}

/** Notes that a host sent an activity, at most once a minute. Call it before the commit, once for each host. */
export function heardFrom(ctx: Context, tx: Tx, host: string): void {
  const now = ctx.clock.now();
  tx.run(
    `INSERT INTO hosts (domain, last_used_at, last_received_at) VALUES ($host, $now, $now)
     ON CONFLICT (domain) DO UPDATE SET last_used_at = excluded.last_used_at, last_received_at = excluded.last_received_at
     WHERE coalesce(last_received_at, 0) <= +$before`,
    { host, now, before: now - MINUTE },
  );
}

const DUE = "UPDATE hosts SET next_attempt_at = $now WHERE domain = +$host AND next_attempt_at IS NOT NULL";
const RETRY = `
  UPDATE jobs SET run_at = $now, attempts = 0 WHERE key > +$from AND key < +$to AND leased = 0`;

/** Makes everything that waits for a host due now. If the host is down, one delivery probes it. */
export function retryHost(ctx: Context, tx: Tx, host: string): void {
  const now = ctx.clock.now();
  tx.run(DUE, { host, now });
  tx.run(RETRY, { ...jobKeys(host), now });
}

interface Failure {
  /** When the failed attempt began. */
  begun: number;
  /** The time before which the host doesn't want to be asked again, if it said so. */
  notBefore: number | null;
  problem: string;
}

const FAIL = `
  INSERT INTO hosts (domain, down_since, failures, failed_at, last_used_at, problem)
  VALUES ($host, $now, 1, $now, $now, $problem)
  ON CONFLICT (domain) DO UPDATE SET down_since = coalesce(down_since, excluded.down_since), failures = failures + 1,
    failed_at = excluded.failed_at, last_used_at = excluded.last_used_at, problem = excluded.problem
  WHERE coalesce(failed_at, 0) < +$begun
  RETURNING failures`;
const POSTPONE = `
  UPDATE hosts SET next_attempt_at = max(coalesce(next_attempt_at, 0), $at) WHERE domain = +$host RETURNING next_attempt_at AS at`;

/**
 * Notes that a host did not respond, or asked to wait. Returns when it is probed. Of attempts that failed at the same
 * time, one counts: those that began before the last failure say nothing new.
 */
export function unreachable(ctx: Context, tx: Tx, host: string, { begun, notBefore, problem }: Failure): number {
  const now = ctx.clock.now();
  const counted = tx.get<{ failures: number }>(FAIL, { host, now, begun, problem });
  const pause = counted ? Math.min(MINUTE * 2 ** (counted.failures - 1), LONGEST_PAUSE) : 0;
  const varied = Math.round(now + pause * (0.75 + Math.random() / 2));
  const at = Math.max(varied, Math.min(notBefore ?? 0, now + DAY));
  return tx.get<{ at: number | null }>(POSTPONE, { host, at })?.at ?? at;
}

/** How long a host is remembered. */
const REMEMBERED = 90 * DAY;
/** Rows removed at once. */
const SLICE = 1000;

/** Forgets hosts with which nothing was exchanged for months, and inboxes that were given up as long ago. */
export function removeOldHosts(ctx: Context, tx: Tx): void {
  const before = ctx.clock.now() - REMEMBERED;
  tx.run(
    `DELETE FROM hosts WHERE domain IN (
       SELECT domain FROM hosts WHERE last_used_at < +$before LIMIT ${SLICE})`,
    { before },
  );
  tx.run(
    `DELETE FROM missing_inboxes WHERE url IN (
       SELECT url FROM missing_inboxes WHERE since < +$before LIMIT ${SLICE})`,
    { before },
  );
}
