import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import type { sentFollows } from "../../db/schema/index.ts";
import { deliver } from "../deliveries.ts";

const DAY = 24 * 3600_000;
/** How often a follow is delivered if there is no answer. */
const MAX_DELIVERIES = 3;
/** How long an answer, or that a follow was withdrawn, is remembered. */
const REMEMBERED = 30 * DAY;
/** Rows removed at once. */
const SLICE = 1000;

interface Pair {
  accountId: number;
  targetId: number;
}

const ADD = `
  INSERT OR REPLACE INTO sent_follows (account_id, target_account_id, uri, created_at)
  VALUES ($accountId, $targetId, $uri, $now)`;

/** Sends a local account's follow of a remote one to its server. Replaces what is known of an earlier one. */
export function sendFollow(ctx: Context, tx: Tx, follow: Pair & { uri: string }): void {
  tx.run(ADD, { ...follow, now: ctx.clock.now() });
  deliver(ctx, tx, { type: "follow.created", ...follow });
}

const DELIVERED = `
  UPDATE sent_follows SET deliveries = deliveries + 1, delivered_at = $now, problem = NULL WHERE uri = +$uri
  RETURNING deliveries`;

/** Notes that a follow was delivered, or (with a problem) that it was not. Without an answer it is sent again in a day. */
export function noteFollowDelivery(ctx: Context, uri: string, problem: string | null): void {
  const now = ctx.clock.now();
  const write = (tx: Tx) => {
    if (problem !== null)
      return void tx.run("UPDATE sent_follows SET problem = $problem WHERE uri = +$uri", { uri, problem });
    const follow = tx.get<{ deliveries: number }>(DELIVERED, { uri, now });
    if (!follow || follow.deliveries >= MAX_DELIVERIES) return;
    enqueue(ctx, tx, "follow.resend", { uri }, { runAt: now + DAY, key: `follow.resend ${uri}` });
  };
  ctx.db.transaction(write, { isSynced: false });
}

const WAITING = `
  SELECT s.account_id, s.target_account_id FROM sent_follows s JOIN follow_requests r ON r.uri = s.uri WHERE s.uri = +$uri`;

/** Sends a follow again, unless it was answered or withdrawn. Returns what to write when the job ends. */
export function resendFollow(ctx: Context, uri: string): (tx: Tx) => void {
  return (tx) => {
    const pair = tx.get<{ account_id: number; target_account_id: number }>(WAITING, { uri });
    if (!pair) return;
    const { account_id: accountId, target_account_id: targetId } = pair;
    deliver(ctx, tx, { type: "follow.created", accountId, targetId, uri });
  };
}

/** Notes the answer of the other server. */
export function noteFollowAnswer(ctx: Context, tx: Tx, pair: Pair, answer: "accepted" | "rejected"): void {
  tx.run(
    `UPDATE sent_follows SET answer = $answer, answered_at = $now
     WHERE account_id = +$accountId AND target_account_id = +$targetId`,
    { ...pair, answer, now: ctx.clock.now() },
  );
}

/** Forgets old follows, except for those that still wait for an answer. */
export function removeOldSentFollows(ctx: Context, tx: Tx): void {
  tx.run(
    `DELETE FROM sent_follows WHERE uri IN (
       SELECT s.uri FROM sent_follows s
       WHERE s.created_at < +$before AND NOT EXISTS (SELECT 1 FROM follow_requests r WHERE r.uri = s.uri) LIMIT ${SLICE})`,
    { before: ctx.clock.now() - REMEMBERED },
  );
}

export type SentFollow = Pick<
  typeof sentFollows.$inferSelect,
  "created_at" | "deliveries" | "delivered_at" | "problem" | "answer" | "answered_at"
> & { username: string; target: string };

const LIST = `
  SELECT a.username, t.username || '@' || coalesce(t.domain, '') AS target, s.created_at, s.deliveries, s.delivered_at,
    s.problem, s.answer, s.answered_at
  FROM sent_follows s JOIN accounts a ON a.id = s.account_id JOIN accounts t ON t.id = s.target_account_id
  WHERE s.answer IS NOT NULL OR EXISTS (SELECT 1 FROM follow_requests r WHERE r.uri = s.uri)
  ORDER BY s.answer IS NOT NULL, s.created_at DESC`;

/** Follows that wait for an answer, then those that were answered lately; the newest first. */
export function listSentFollows(db: Reads): SentFollow[] {
  return db.all<SentFollow>(LIST);
}
