import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { publishAfterCommit } from "../events.ts";
import { fetchLater } from "../fetches.ts";
import { mayReply } from "../interaction-policies.ts";
import { mergeConversations } from "../notifications/conversations.ts";
import { fanOut, REAL_TIME } from "../timelines/home-fanout.ts";
import { isForEveryone, isLimitedFor, type StatusRow, visibleTo, wantedBy } from "../visibility.ts";

/** How much of a thread is shown to signed-in users and to others, as in Mastodon. */
const FOR_PEOPLE = { ancestors: 4096, descendants: 4096, depth: 4096 };
const FOR_STRANGERS = { ancestors: 40, descendants: 60, depth: 20 };

const ANCESTORS = `
  WITH RECURSIVE up (id, parent, distance) AS (
    SELECT id, in_reply_to_id, 0 FROM statuses WHERE id = +$statusId
    UNION ALL
    SELECT s.id, s.in_reply_to_id, distance + 1 FROM up JOIN statuses s ON s.id = up.parent WHERE distance < +$ancestors
  )
  SELECT id FROM up WHERE distance > 0 ORDER BY distance DESC`;

const DESCENDANTS = `
  WITH RECURSIVE down (id, parent, account_id, depth) AS (
    SELECT id, in_reply_to_id, account_id, 1 FROM statuses WHERE in_reply_to_id = +$statusId
    UNION ALL
    SELECT s.id, s.in_reply_to_id, s.account_id, depth + 1
    FROM down JOIN statuses s ON s.in_reply_to_id = down.id WHERE depth < +$depth
    LIMIT +$descendants
  )
  SELECT id, parent, account_id FROM down ORDER BY id`;

/** The ancestors of a status, oldest first, and its descendants, depth first. */
export function contextOf(
  ctx: Context,
  viewerId: number,
  status: StatusRow,
): { ancestors: number[]; descendants: number[] } {
  const limits = viewerId ? FOR_PEOPLE : FOR_STRANGERS;
  const ancestors = ctx.db
    .all<{ id: number }>(ANCESTORS, { statusId: status.id, ancestors: limits.ancestors })
    .map(({ id }) => id);
  const replies = ctx.db.all<Reply>(DESCENDANTS, {
    statusId: status.id,
    depth: limits.depth,
    descendants: limits.descendants,
  });
  return {
    ancestors: wantedAmong(ctx, viewerId, ancestors),
    descendants: wantedAmong(ctx, viewerId, inThreadOrder(status, replies)),
  };
}

const WANTED = `
  SELECT s.id FROM json_each($ids) j JOIN statuses s ON s.id = j.value
  WHERE ${visibleTo()} AND ${wantedBy()} AND NOT ${isLimitedFor("s.account_id")} ORDER BY j.key`;

/** The ids that the viewer may see and doesn't exclude by blocks or mutes. */
function wantedAmong(ctx: Context, viewerId: number, ids: readonly number[]): number[] {
  return ctx.db
    .all<{ id: number }>(WANTED, { ids: idList(ids), viewer: viewerId, now: ctx.clock.now() })
    .map(({ id }) => id);
}

interface Reply {
  id: number;
  parent: number;
  account_id: number;
}

/** Depth first. Replies by the author of the root come before others. */
function inThreadOrder(root: StatusRow, replies: readonly Reply[]): number[] {
  const branches = Map.groupBy(replies, (reply) => reply.parent);
  const order: number[] = [];
  const pending: number[] = [root.id];
  while (pending.length > 0) {
    const id = pending.pop()!;
    if (id !== root.id) order.push(id);
    const children = branches.get(id) ?? [];
    const [own, others] = [
      children.filter((reply) => reply.account_id === root.account_id),
      children.filter((reply) => reply.account_id !== root.account_id),
    ];
    pending.push(...[...own, ...others].map((reply) => reply.id).toReversed());
  }
  return order;
}

/**
 * The author of an unknown parent, in `in_reply_to_account_id`. A reply to it is treated like one to an account that
 * nobody follows: it is in no public timeline, and followers of its author don't get it.
 */
export const UNKNOWN_AUTHOR = 0;

/** More replies to one unknown status than that come only from an attack. */
const MAX_WAITING = 500;

type Waiting = Pick<
  StatusRow,
  "id" | "account_id" | "local" | "visibility" | "local_only" | "conversation_id" | "created_at"
>;

/**
 * Leaves out replies in the parent's own conversation, because the parent replies to them and threads have no circles,
 * and those that its author does not allow.
 */
const WAITING = `
  SELECT s.id, s.account_id, s.local, s.visibility, s.local_only, s.conversation_id, s.created_at
  FROM statuses s JOIN statuses p ON p.id = +$parentId
  WHERE s.in_reply_to_uri = +$uri AND s.conversation_id <> +$conversationId AND ${mayReply("s.account_id", "p")} LIMIT ${MAX_WAITING}`;

/**
 * Makes the statuses that arrived before their parent its replies, and their conversations part of its conversation.
 * Call it when the parent was stored.
 */
export function linkReplies(
  ctx: Context,
  tx: Tx,
  parent: Pick<StatusRow, "id" | "account_id" | "uri" | "conversation_id">,
): void {
  const { id: parentId, account_id: authorId, uri, conversation_id: conversationId } = parent;
  const replies = tx.all<Waiting>(WAITING, { uri, conversationId, parentId });
  for (const reply of replies) {
    tx.run(
      `UPDATE statuses SET in_reply_to_id = $parentId, in_reply_to_account_id = $authorId, in_reply_to_uri = NULL
       WHERE id = +$replyId`,
      { parentId, authorId, replyId: reply.id },
    );
    countReply(tx, reply, parentId, 1);
    mergeThreads(ctx, tx, reply.conversation_id, conversationId);
    indexStatus(tx, reply.id);
    addToTimelines(ctx, tx, reply);
  }
}

const COUNT_REPLY = `
  UPDATE statuses SET replies_count = max(0, replies_count + $by) WHERE id = +$parentId AND local_only >= +$localOnly`;

/** Counts a reply that everyone may see who sees the count: a local-only one only if its parent is local-only, too. */
export function countReply(
  tx: Tx,
  reply: { visibility: string; local_only: number },
  parentId: number,
  by: 1 | -1,
): void {
  if (isForEveryone(reply.visibility)) tx.run(COUNT_REPLY, { by, parentId, localOnly: reply.local_only });
}

/** Moves all statuses of a conversation to another one, and whatever users did with it. */
function mergeThreads(ctx: Context, tx: Tx, from: number, to: number): void {
  // The index of conversations has no roots, whose id it is.
  tx.run("UPDATE statuses SET conversation_id = $to WHERE id = +$from", { from, to });
  tx.run("UPDATE statuses SET conversation_id = $to WHERE conversation_id = +$from AND conversation_id <> id", {
    from,
    to,
  });
  tx.run(
    `UPDATE OR REPLACE conversation_mutes SET conversation_id = $to
     WHERE account_id IN (SELECT account_id FROM users) AND conversation_id = +$from`,
    { from, to },
  );
  mergeConversations(ctx, tx, from, to);
}

/** While the parent was unknown, no timeline had the reply. */
function addToTimelines(ctx: Context, tx: Tx, reply: Waiting): void {
  if (reply.created_at < ctx.clock.now() - REAL_TIME) return;
  publishAfterCommit(ctx, tx, fanOut(ctx, tx, reply), { event: "update", statusId: reply.id });
}

const ROOT = "SELECT uri, local FROM statuses WHERE id = +$id";
const REMOTE = "SELECT 1 FROM statuses WHERE conversation_id = +$id AND conversation_id <> id AND local = 0 LIMIT 1";
const HOUR = 3600_000;
const DAY = 24 * HOUR;
/** How long a fetched thread counts as current, in ms: in a young one, others reply now. */
const YOUNG_PAUSE = 5 * 60_000;
const OLD_PAUSE = HOUR;

/** Has what is missing of a thread fetched, if the last result is not current and another server takes part in it. */
export function fetchThreadLater(ctx: Context, status: Pick<StatusRow, "id" | "conversation_id" | "created_at">): void {
  const id = status.conversation_id;
  const pause = status.created_at > ctx.clock.now() - DAY ? YOUNG_PAUSE : OLD_PAUSE;
  fetchLater(ctx, "thread.fetch", id, pause, () => {
    const root = ctx.db.get<Pick<StatusRow, "uri" | "local">>(ROOT, { id });
    const isShared = root && (root.local === 0 || ctx.db.get(REMOTE, { id }) !== null);
    return isShared ? { payload: { statusId: status.id }, host: new URL(root.uri).host } : null;
  });
}
