import type { Context } from "../../context.ts";
import { Keyset, type Page } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notFound } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import { addToConversations } from "./conversations.ts";
import { publishAfterCommit, userTopic } from "../events.ts";
import { mentionsOf } from "../discovery/tags.ts";
import { isHeld, isSuspended, visibleTo } from "../visibility.ts";

/** A sender whose notifications are filtered until the user accepts or dismisses the request. */
export interface RequestRow {
  id: number;
  cursor: number;
  from_account_id: number;
  notifications_count: number;
  /** Null if the recipient can't see it any more. */
  last_status_id: number | null;
  created_at: number;
  updated_at: number;
}

/** Counts end here. */
const MAX_COUNT = 100;

/** The filtered notifications for which a request `r` was made. */
const HELD = `
  FROM notifications n
  WHERE n.account_id = r.account_id AND n.from_account_id = r.from_account_id AND n.filtered AND n.type IN ('mention', 'quote')`;
const COUNT = `(SELECT count(*) FROM (SELECT 1 ${HELD} LIMIT ${MAX_COUNT}))`;

const OWN = `
  SELECT r.id, r.id AS cursor, r.from_account_id, r.created_at, last.created_at AS updated_at, ${COUNT} AS notifications_count,
    (SELECT s.id FROM statuses s WHERE s.id = last.status_id AND ${visibleTo("r.account_id")}) AS last_status_id
  FROM notification_requests r JOIN notifications last ON last.id = (SELECT max(n.id) ${HELD})`;
/** Requests from suspended and held accounts are hidden. */
const WAITS = `NOT ${isSuspended("r.from_account_id")} AND NOT ${isHeld("r.from_account_id")}`;
const LIST = new Keyset<RequestRow>(`${OWN} WHERE r.account_id = +$accountId AND ${WAITS}`, "r.id");

export function listRequests(db: Reads, accountId: number, page: Page): RequestRow[] {
  return LIST.page(db, page, { accountId });
}

/**
 * The account's own request.
 *
 * @throws Refusal as for a request that doesn't exist
 */
export function ownRequest(db: Reads, accountId: number, id: number | null): RequestRow {
  const row = db.get<RequestRow>(`${OWN} WHERE r.id = +$id AND r.account_id = +$accountId AND ${WAITS}`, {
    id,
    accountId,
  });
  if (!row) throw notFound();
  return row;
}

/** The number of pending requests, up to 100, and of filtered notifications, up to 100 per request. */
export function pendingRequests(db: Reads, accountId: number): { requests: number; notifications: number } {
  return db.get<{ requests: number; notifications: number }>(
    `SELECT count(*) AS requests, coalesce(sum(held), 0) AS notifications FROM (
       SELECT ${COUNT} AS held FROM notification_requests r WHERE r.account_id = +$accountId AND ${WAITS} LIMIT ${MAX_COUNT})`,
    { accountId },
  )!;
}

/**
 * Accepts the senders of these requests: a job moves their filtered notifications to the list, and new ones arrive
 * there directly.
 */
export function acceptRequests(ctx: Context, accountId: number, ids: readonly number[]): void {
  ctx.db.transaction((tx) => {
    for (const fromId of takeRequests(tx, accountId, ids)) {
      tx.run(
        "INSERT OR IGNORE INTO notification_permissions (account_id, from_account_id) VALUES ($accountId, $fromId)",
        { accountId, fromId },
      );
      enqueue(ctx, tx, "notifications.merge", { accountId, fromId });
    }
  });
}

/**
 * Dismisses these requests with all notifications that were filtered. A new notification from the sender creates a new
 * request.
 */
export function dismissRequests(ctx: Context, accountId: number, ids: readonly number[]): void {
  ctx.db.transaction((tx) => {
    for (const fromId of takeRequests(tx, accountId, ids)) {
      tx.run("DELETE FROM notifications WHERE account_id = +$accountId AND from_account_id = +$fromId AND filtered", {
        accountId,
        fromId,
      });
    }
  });
}

/** Deletes those of these requests that belong to the account. Returns the ids of their senders. */
function takeRequests(tx: Tx, accountId: number, ids: readonly number[]): number[] {
  return ids.flatMap((id) => {
    const row = tx.get<{ from_account_id: number }>(
      "DELETE FROM notification_requests WHERE id = +$id AND account_id = +$accountId RETURNING from_account_id",
      { id, accountId },
    );
    return row ? [row.from_account_id] : [];
  });
}

/** Whether the notifications of all accepted senders have been moved to the list. */
export function areMerged(db: Reads, accountId: number): boolean {
  const waiting = db.get(
    `SELECT 1 FROM notification_permissions p
     JOIN notifications n ON n.account_id = p.account_id AND n.from_account_id = p.from_account_id AND n.filtered
     WHERE p.account_id = +$accountId LIMIT 1`,
    { accountId },
  );
  return waiting === null;
}

/** Notifications per transaction; other work of the server can run in between. */
const SLICE = 100;

const MERGE = `
  UPDATE notifications SET filtered = 0 WHERE id IN (
    SELECT id FROM notifications
    WHERE account_id = +$accountId AND from_account_id = +$fromId AND filtered
      AND EXISTS (SELECT 1 FROM notification_permissions WHERE account_id = +$accountId AND from_account_id = +$fromId)
    ORDER BY id LIMIT ${SLICE})
  RETURNING type, status_id`;

/**
 * Moves the filtered notifications of an accepted sender to the list, unless the permission has been withdrawn since,
 * and publishes an event once this is done for all senders.
 */
export async function mergeNotifications(ctx: Context, accountId: number, fromId: number): Promise<void> {
  while (mergeSlice(ctx, accountId, fromId) === SLICE) await pause();
}

/** Returns how many notifications it has moved, oldest first. */
function mergeSlice(ctx: Context, accountId: number, fromId: number): number {
  return ctx.db.transaction((tx) => {
    const held = tx.all<{ type: string; status_id: number | null }>(MERGE, { accountId, fromId });
    const mentions = held.flatMap(({ type, status_id }) => (type === "mention" && status_id ? [status_id] : []));
    for (const id of mentions.sort((a, b) => a - b)) addHeldToConversations(ctx, tx, accountId, id);
    const isLast = held.length < SLICE;
    if (isLast && areMerged(tx, accountId)) {
      publishAfterCommit(ctx, tx, [userTopic(accountId)], { event: "notifications_merged" });
    }
    return held.length;
  });
}

/** Adds a direct status that was held back to the recipient's conversations. */
function addHeldToConversations(ctx: Context, tx: Tx, accountId: number, statusId: number): void {
  const status = tx.get<{ id: number; account_id: number; visibility: string; conversation_id: number }>(
    "SELECT id, account_id, visibility, conversation_id FROM statuses WHERE id = +$statusId AND visibility = 'direct'",
    { statusId },
  );
  if (status) addToConversations(ctx, tx, status, mentionsOf(tx, statusId), [accountId]);
}

const MENTIONS_FROM = `
  SELECT account_id, status_id FROM notifications
  WHERE from_account_id = +$fromId AND type = 'mention' AND NOT filtered AND status_id IS NOT NULL AND created_at >= +$since
  ORDER BY status_id`;

/** Adds the direct statuses of an account that was held to the conversations of their recipients. */
export function fileMentionsFrom(ctx: Context, tx: Tx, fromId: number, since: number): void {
  for (const row of tx.all<{ account_id: number; status_id: number | null }>(MENTIONS_FROM, { fromId, since })) {
    addHeldToConversations(ctx, tx, row.account_id, row.status_id!);
  }
}
