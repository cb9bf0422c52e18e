import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import { isLimitedFor, type StatusRow, visibleTo, wantedBy } from "../visibility.ts";

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
