import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { setState, stateOf } from "../server/server-state.ts";

/*
 * Other servers try to deliver for some days, or only for hours. After a long outage, the posts of followed accounts are
 * read from their servers.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A shorter outage is made up for by the deliveries of other servers. */
const LONG = HOUR;
/** The jobs are spread over this time, so that neither this server nor a large one has all of them at once. */
const SPREAD = 15 * MINUTE;

const RUNNING = "running_at";

/** Notes that the server is running. A recurring job calls it, so that the next start knows how long the outage was. */
export function noteRunning(ctx: Context, tx: Tx): void {
  setState(tx, RUNNING, String(ctx.clock.now()));
}

/** Accounts of all hosts in turn: the first of each, then the second of each. */
const FOLLOWED = `
  SELECT id, uri FROM (
    SELECT a.id, a.uri, row_number() OVER (PARTITION BY a.domain ORDER BY a.id) AS turn
    FROM (SELECT DISTINCT f.target_account_id AS id FROM users u CROSS JOIN follows f ON f.account_id = u.account_id) followed
    JOIN accounts a ON a.id = followed.id
    WHERE a.domain IS NOT NULL AND a.suspended_at IS NULL AND a.gone_at IS NULL)
  ORDER BY turn, id`;

/** Has the missed posts of all followed accounts fetched if the server was not running for long. Call it at the start. */
export function catchUpLater(ctx: Context, tx: Tx): void {
  const now = ctx.clock.now();
  const since = Number(stateOf(tx, RUNNING) ?? now);
  noteRunning(ctx, tx);
  if (now - since <= LONG) return;
  const accounts = tx.all<{ id: number; uri: string }>(FOLLOWED);
  for (const [at, { id, uri }] of accounts.entries()) {
    const runAt = now + Math.floor((SPREAD * at) / accounts.length);
    const options = { key: `profile.catch_up ${id}`, host: new URL(uri).host, runAt };
    enqueue(ctx, tx, "profile.catch_up", { accountId: id, since }, options);
  }
}
