import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";

const MINUTE = 60_000;
const DAY = 24 * 3600_000;
/** A host that is down is probed after a minute, then after times that double up to six hours. In ms. */
const LONGEST_PAUSE = 6 * 3600_000;
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
    "UPDATE hosts SET down_since = NULL, failures = 0, next_attempt_at = NULL WHERE domain = +$host AND down_since IS NOT NULL",
    { host },
  );
  if (changes > 0) tx.run(WAKE, { ...jobKeys(host), now });
  tx.run(
    `INSERT INTO hosts (domain, last_used_at) VALUES ($host, $now)
     ON CONFLICT (domain) DO UPDATE SET last_used_at = excluded.last_used_at
     WHERE coalesce(last_used_at, 0) <= +$before`,
    { host, now, before: now - DAY },
  );
}

/** Notes that a host did not respond, or asked to wait. Returns when it is probed. `notBefore` is what it asked for. */
export function unreachable(ctx: Context, tx: Tx, host: string, notBefore: number | null): number {
  const now = ctx.clock.now();
  const { failures } = tx.get<{ failures: number }>(
    `INSERT INTO hosts (domain, down_since, failures, last_used_at) VALUES ($host, $now, 1, $now)
     ON CONFLICT (domain) DO UPDATE SET down_since = coalesce(down_since, excluded.down_since), failures = failures + 1,
       last_used_at = excluded.last_used_at
     RETURNING failures`,
    { host, now },
  )!;
  const pause = Math.min(MINUTE * 2 ** (failures - 1), LONGEST_PAUSE) * (0.75 + Math.random() / 2);
  const at = Math.max(Math.round(now + pause), Math.min(notBefore ?? 0, now + DAY));
  tx.run("UPDATE hosts SET next_attempt_at = $at WHERE domain = +$host", { host, at });
  return at;
}

/** How long a host is remembered. */
const REMEMBERED = 90 * DAY;
/** Rows removed at once. */
const SLICE = 1000;

/** Forgets hosts to which nothing was sent for months, and inboxes that were given up as long ago. */
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
