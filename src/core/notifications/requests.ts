import type { Context } from "../../context.ts";
import { Keyset, type Page } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notFound } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import { fileConversation } from "./conversations.ts";
import { announce, userTopic } from "../events.ts";
import { mentionsOf } from "../discovery/tags.ts";
import { isSuspended, visibleTo } from "../visibility.ts";

/** Somebody who waits for being heard. */
export interface RequestRow {
  id: number;
  cursor: number;
  from_account_id: number;
  notifications_count: number;
  /** Null where its reader may not see it any more. */
  last_status_id: number | null;
  created_at: number;
  updated_at: number;
}

/** No further than this is counted what waits: more is many. */
const MAX_COUNT = 100;

/** What is held back of what somebody said to the person: the words that a request `r` stands for. */
const HELD = `
  FROM notifications n
  WHERE n.account_id = r.account_id AND n.from_account_id = r.from_account_id AND n.filtered AND n.type IN ('mention', 'quote')`;
const COUNT = `(SELECT count(*) FROM (SELECT 1 ${HELD} LIMIT ${MAX_COUNT}))`;

const OWN = `
  SELECT r.id, r.id AS cursor, r.from_account_id, r.created_at, last.created_at AS updated_at, ${COUNT} AS notifications_count,
    (SELECT s.id FROM statuses s WHERE s.id = last.status_id AND ${visibleTo("r.account_id")}) AS last_status_id
  FROM notification_requests r JOIN notifications last ON last.id = (SELECT max(n.id) ${HELD})`;
/** Whoever is suspended doesn't wait. */
const WAITS = `NOT ${isSuspended("r.from_account_id")}`;
const LIST = new Keyset<RequestRow>(`${OWN} WHERE r.account_id = ?4 AND ${WAITS}`, "r.id");

export function listRequests(db: Reads, accountId: number, page: Page): RequestRow[] {
  return LIST.page(db, page, accountId);
}

/** One's own request; refuses as if it did not exist otherwise. */
export function ownRequest(db: Reads, accountId: number, id: number | null): RequestRow {
  const row = db.get<RequestRow>(`${OWN} WHERE r.id = ? AND r.account_id = ? AND ${WAITS}`, id, accountId);
  if (!row) throw notFound();
  return row;
}

/** How many wait, and how much they have said: a hundred of each at most. */
export function pendingRequests(db: Reads, accountId: number): { requests: number; notifications: number } {
  return db.get<{ requests: number; notifications: number }>(
    `SELECT count(*) AS requests, coalesce(sum(held), 0) AS notifications FROM (
       SELECT ${COUNT} AS held FROM notification_requests r WHERE r.account_id = ? AND ${WAITS} LIMIT ${MAX_COUNT})`,
    accountId,
  )!;
}

/**
 * Lets in everybody who made one of these requests: what they said is brought in by a job, what they will say comes at
 * once.
 */
export function acceptRequests(ctx: Context, accountId: number, ids: readonly number[]): void {
  ctx.db.transaction((tx) => {
    for (const fromId of takeRequests(tx, accountId, ids)) {
      tx.run(
        "INSERT OR IGNORE INTO notification_permissions (account_id, from_account_id) VALUES (?, ?)",
        accountId,
        fromId,
      );
      enqueue(ctx, tx, "notifications.merge", { accountId, fromId });
    }
  });
}

/** Forgets these requests with all that was held back. Whoever speaks again makes a new one. */
export function dismissRequests(ctx: Context, accountId: number, ids: readonly number[]): void {
  ctx.db.transaction((tx) => {
    for (const fromId of takeRequests(tx, accountId, ids)) {
      tx.run("DELETE FROM notifications WHERE account_id = ? AND from_account_id = ? AND filtered", accountId, fromId);
    }
  });
}

/** Removes those of these requests that are the person's own; the ids of who made them. */
function takeRequests(tx: Tx, accountId: number, ids: readonly number[]): number[] {
  return ids.flatMap((id) => {
    const row = tx.get<{ from_account_id: number }>(
      "DELETE FROM notification_requests WHERE id = ? AND account_id = ? RETURNING from_account_id",
      id,
      accountId,
    );
    return row ? [row.from_account_id] : [];
  });
}

/** Whether everything has been brought in of those who were let in. */
export function areMerged(db: Reads, accountId: number): boolean {
  const waiting = db.get(
    `SELECT 1 FROM notification_permissions p
     JOIN notifications n ON n.account_id = p.account_id AND n.from_account_id = p.from_account_id AND n.filtered
     WHERE p.account_id = ? LIMIT 1`,
    accountId,
  );
  return waiting === null;
}

/** So many are brought in at once, before whatever else the server has to do comes in between. */
const SLICE = 100;

const MERGE = `
  UPDATE notifications SET filtered = 0 WHERE id IN (
    SELECT id FROM notifications
    WHERE account_id = ?1 AND from_account_id = ?2 AND filtered
      AND EXISTS (SELECT 1 FROM notification_permissions WHERE account_id = ?1 AND from_account_id = ?2)
    ORDER BY id LIMIT ${SLICE})
  RETURNING type, status_id`;

/**
 * Brings in what was held back of somebody who has been let in, unless they were put out again since, and says so once
 * that is done of everybody.
 */
export async function mergeNotifications(ctx: Context, accountId: number, fromId: number): Promise<void> {
  while (mergeSlice(ctx, accountId, fromId) === SLICE) await pause();
}

/** How many it has brought in, the oldest first. */
function mergeSlice(ctx: Context, accountId: number, fromId: number): number {
  return ctx.db.transaction((tx) => {
    const held = tx.all<{ type: string; status_id: number | null }>(MERGE, accountId, fromId);
    const mentions = held.flatMap(({ type, status_id }) => (type === "mention" && status_id ? [status_id] : []));
    for (const id of mentions.sort((a, b) => a - b)) fileLate(ctx, tx, accountId, id);
    const isLast = held.length < SLICE;
    if (isLast && areMerged(tx, accountId)) {
      announce(ctx, tx, [userTopic(accountId)], { event: "notifications_merged" });
    }
    return held.length;
  });
}

/** Files a direct status that was held back into the conversations of whom it was sent to. */
function fileLate(ctx: Context, tx: Tx, accountId: number, statusId: number): void {
  const status = tx.get<{ id: number; account_id: number; visibility: string; conversation_id: number }>(
    "SELECT id, account_id, visibility, conversation_id FROM statuses WHERE id = ? AND visibility = 'direct'",
    statusId,
  );
  if (status) fileConversation(ctx, tx, status, mentionsOf(tx, statusId), [accountId]);
}
