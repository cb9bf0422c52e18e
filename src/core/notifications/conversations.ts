import type { Context } from "../../context.ts";
import { Keyset, type Page } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { notFound } from "../../errors.ts";
import { publishAfterCommit } from "../events.ts";
import { policyDecision } from "./policy.ts";
import { isHeld, rejectsNotifications, visibleTo } from "../visibility.ts";

/** One account's view of a thread of direct statuses with the same participants. */
export interface ConversationRow {
  id: number;
  /** Its position in the list: the latest status, so each new status moves it to the top. */
  cursor: number;
  last_status_id: number;
  /** Account ids as a JSON array, without the owner's own. */
  participants: string;
  unread: number;
}

export function conversationTopic(accountId: number): string {
  return `direct:${accountId}`;
}

/**
 * Leaves out accounts that the owner blocks or mutes, held ones, and mentions that their notification policy holds back. The
 * owner's own statuses count as read.
 */
const FILE = `
  INSERT INTO conversations (account_id, thread_id, participants, last_status_id, unread)
  SELECT u.account_id, $threadId, $participants, $statusId, u.account_id <> +$authorId FROM users u
  WHERE u.account_id = +$accountId
    AND NOT ${rejectsNotifications("+$accountId", "+$authorId")}
    AND NOT ${isHeld("+$authorId")}
    AND (u.account_id = +$authorId OR ${policyDecision({ type: "'mention'", from: "+$authorId", status: "+$statusId" })} = 0)
  ON CONFLICT (account_id, thread_id, participants)
  DO UPDATE SET last_status_id = max(last_status_id, excluded.last_status_id), unread = excluded.unread
  RETURNING id`;

/**
 * Adds a direct status to the conversations of its local participants. `mentions` are all mentioned accounts; `among`
 * limits whose conversations get it.
 */
export function addToConversations(
  ctx: Context,
  tx: Tx,
  status: { id: number; account_id: number; visibility: string; conversation_id: number },
  mentions: readonly number[],
  among?: readonly number[],
): void {
  if (status.visibility !== "direct") return;
  const people = [...new Set([status.account_id, ...mentions])].sort((a, b) => a - b);
  for (const accountId of among ?? people) {
    const row = tx.get<{ id: number }>(FILE, {
      accountId,
      threadId: status.conversation_id,
      participants: JSON.stringify(people.filter((id) => id !== accountId)),
      statusId: status.id,
      authorId: status.account_id,
      now: ctx.clock.now(),
    });
    if (!row) continue;
    tx.run("INSERT OR IGNORE INTO conversation_statuses (conversation_id, status_id) VALUES ($id, $statusId)", {
      id: row.id,
      statusId: status.id,
    });
    announceConversation(ctx, tx, accountId, row.id);
  }
}

function announceConversation(ctx: Context, tx: Tx, accountId: number, conversationId: number): void {
  publishAfterCommit(ctx, tx, [conversationTopic(accountId)], { event: "conversation", conversationId });
}

/**
 * Call it before a status is deleted. Its conversations then end with the previous status, or are deleted if there is
 * none.
 */
export function removeFromConversations(ctx: Context, tx: Tx, statusId: number): void {
  const held = tx.all<{ conversation_id: number }>(
    "DELETE FROM conversation_statuses WHERE status_id = +$statusId RETURNING conversation_id",
    { statusId },
  );
  for (const { conversation_id: id } of held) {
    const { last } = tx.get<{ last: number | null }>(
      "SELECT max(status_id) AS last FROM conversation_statuses WHERE conversation_id = +$id",
      { id },
    )!;
    if (last === null) {
      tx.run("DELETE FROM conversations WHERE id = +$id", { id });
      continue;
    }
    const { account_id } = tx.get<{ account_id: number }>(
      "UPDATE conversations SET last_status_id = $last WHERE id = +$id RETURNING account_id",
      { last, id },
    )!;
    announceConversation(ctx, tx, account_id, id);
  }
}

interface Moved {
  id: number;
  account_id: number;
  participants: string;
  last_status_id: number;
  unread: number;
}

/**
 * Moves the conversations of a thread to another thread, which it turned out to be a part of. Conversations with the same
 * participants become one.
 */
export function mergeConversations(ctx: Context, tx: Tx, from: number, to: number): void {
  const moved = tx.all<Moved>(
    `SELECT c.id, c.account_id, c.participants, c.last_status_id, c.unread
     FROM users u CROSS JOIN conversations c ON c.account_id = u.account_id AND c.thread_id = +$from`,
    { from },
  );
  for (const { id, account_id: accountId, participants, last_status_id: lastStatusId, unread } of moved) {
    const other = tx.get<{ id: number }>(
      "SELECT id FROM conversations WHERE account_id = +$accountId AND thread_id = +$to AND participants = +$participants",
      { accountId, to, participants },
    );
    if (!other) {
      tx.run("UPDATE conversations SET thread_id = $to WHERE id = +$id", { to, id });
      continue;
    }
    tx.run("UPDATE conversation_statuses SET conversation_id = $otherId WHERE conversation_id = +$id", {
      otherId: other.id,
      id,
    });
    tx.run(
      `UPDATE conversations SET last_status_id = max(last_status_id, $lastStatusId), unread = max(unread, $unread)
       WHERE id = +$otherId`,
      { lastStatusId, unread, otherId: other.id },
    );
    tx.run("DELETE FROM conversations WHERE id = +$id", { id });
    announceConversation(ctx, tx, accountId, other.id);
  }
}

const COLUMNS = "c.id, c.last_status_id AS cursor, c.last_status_id, c.participants, c.unread";
const OWN = `
  SELECT ${COLUMNS} FROM conversations c JOIN statuses s ON s.id = c.last_status_id
  WHERE c.account_id = +$viewer AND ${visibleTo()}`;
const LIST = new Keyset<ConversationRow>(OWN, "c.last_status_id");

export function listConversations(ctx: Context, accountId: number, page: Page): ConversationRow[] {
  return LIST.page(ctx.db, page, { viewer: accountId });
}

const ONE = `${OWN} AND c.id = +$id`;

/** The account's own conversation; null if there is none with this id, or if the account can't see its last status. */
export function findConversation(db: Reads, accountId: number, id: number | null): ConversationRow | null {
  return db.get<ConversationRow>(ONE, { viewer: accountId, id });
}

/** Marks a conversation as read or unread, and publishes this to the account's streams. */
export function markConversation(ctx: Context, accountId: number, id: number | null, unread: boolean): ConversationRow {
  return ctx.db.transaction((tx) => {
    const row = findConversation(tx, accountId, id);
    if (!row) throw notFound();
    tx.run("UPDATE conversations SET unread = $unread WHERE id = +$id", { unread: unread ? 1 : 0, id: row.id });
    announceConversation(ctx, tx, accountId, row.id);
    return { ...row, unread: unread ? 1 : 0 };
  });
}

/** After blocking an account: deletes the conversations with it alone. */
export function removeConversationsWith(tx: Tx, accountId: number, otherId: number): void {
  tx.run("DELETE FROM conversations WHERE account_id = +$accountId AND participants = +$participants", {
    accountId,
    participants: JSON.stringify([otherId]),
  });
}

/** After blocking a domain: deletes the conversations in which all others are from it. */
export function removeConversationsFrom(tx: Tx, accountId: number, domain: string): void {
  tx.run(
    `DELETE FROM conversations WHERE account_id = +$accountId AND participants <> '[]' AND NOT EXISTS (
       SELECT 1 FROM json_each(participants) p JOIN accounts a ON a.id = p.value WHERE a.domain IS NOT +$domain)`,
    { accountId, domain },
  );
}

/** Removes a conversation from the account's list. Its statuses stay; the next one creates it again. */
export function removeConversation(ctx: Context, accountId: number, id: number | null): void {
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM conversations WHERE id = +$id AND account_id = +$accountId", {
      id,
      accountId,
    });
    if (changes === 0) throw notFound();
  });
}
