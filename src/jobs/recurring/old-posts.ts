import type { Context } from "../../context.ts";
import { accountsWithDeletion, deleteOldPosts } from "../../core/statuses/automatic-deletion.ts";
import { enqueue, type JobPayloads } from "../../db/queue.ts";
import type { Tx } from "../../db/open.ts";
import { scheduleNext } from "../recurring.ts";

/** In milliseconds. Other servers get at most a slice a minute, and limit how many deletions they accept. */
const REST = 60_000;
/** After a slice in which every post was kept. */
const SHORT_REST = 1000;

type Part = JobPayloads["posts.delete_old"];

/** Deletes a slice of an account's old posts. Without an account, begins with those of all accounts that want it. */
export function deleteOld(ctx: Context, { accountId, after }: Part): (tx: Tx) => void {
  if (accountId === null) return (tx) => beginAll(ctx, tx);
  const slice = deleteOldPosts(ctx, accountId, after);
  return (tx) => {
    if (slice.after === null) return;
    const rest = slice.deleted > 0 ? REST : SHORT_REST;
    enqueuePart(ctx, tx, { accountId, after: slice.after }, ctx.clock.now() + rest);
  };
}

function beginAll(ctx: Context, tx: Tx): void {
  for (const accountId of accountsWithDeletion(tx)) enqueuePart(ctx, tx, { accountId, after: 0 }, ctx.clock.now());
  scheduleNext(ctx, tx, "posts.delete_old");
}

/** An account's posts are not begun again while they are being deleted. */
function enqueuePart(ctx: Context, tx: Tx, part: Part, runAt: number): void {
  enqueue(ctx, tx, "posts.delete_old", part, { runAt, key: `posts.delete_old of ${part.accountId}` });
}
