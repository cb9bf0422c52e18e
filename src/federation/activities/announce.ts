import { isBlockedBy } from "../../core/accounts.ts";
import { acceptConditional } from "../../core/interaction-answers.ts";
import { storeRemoteReblog } from "../../core/statuses/reblogs.ts";
import { isForEveryone, visibleStatus } from "../../core/visibility.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { isOwnAddress } from "../local.ts";
import { type Activity, announcedId } from "../read/activity.ts";
import { isFollowedHere } from "../inbox/relevance.ts";
import { statusIdOf } from "../fetching/known-statuses.ts";
import { audienceVisibility, statusAt } from "../fetching/statuses.ts";
import { announcedByGroup } from "./group.ts";
import type { Apply, Handler, Sender } from "./handler.ts";

/**
 * A reblog of a local status, or by an account that is followed here. The original always comes from its own server, never
 * from the activity: a group announces the posts of its members, who are on any server.
 */
export const announce: Handler = (ctx, sender, activity) => {
  const objectId = announcedId(activity);
  if (objectId === null) return announcedByGroup(ctx, sender, activity);
  const known = statusIdOf(ctx.db, objectId);
  const isLocal = isOwnAddress(ctx, objectId);
  if (known === null && isLocal) return null;
  if (!isLocal && !isFollowedHere(ctx.db, sender.id)) return null;
  if (known !== null) return reblog(ctx, sender, activity, known);
  return statusAt(ctx, objectId).then((id) => (id === null ? null : reblog(ctx, sender, activity, id)));
};

function reblog(ctx: Context, sender: Sender, activity: Activity, originalId: number): Apply {
  return (tx) => {
    const id = reblogBy(ctx, tx, sender, activity, originalId);
    if (id !== null) acceptConditional(ctx, tx, { kind: "reblog", id, uri: activity.id, accountId: sender.id });
  };
}

/**
 * Stores a reblog. Only statuses for everyone are reblogged, and authors reblog their own followers-only ones. Returns its
 * id; null if it is not stored.
 */
export function reblogBy(
  ctx: Context,
  tx: Tx,
  sender: Sender,
  { id: uri, to, cc, published }: Activity,
  originalId: number,
): number | null {
  const original = visibleStatus(ctx, sender.id, originalId);
  const isOwn = original.account_id === sender.id;
  if (!isForEveryone(original.visibility) && !(isOwn && original.visibility === "private")) return null;
  if (original.reblog_of_id !== null || isBlockedBy(ctx, sender.id, original.account_id)) return null;
  const visibility = isForEveryone(original.visibility) ? audienceVisibility(tx, sender.id, { to, cc }) : "private";
  if (visibility === "direct") return null;
  const createdAt = published ?? ctx.clock.now();
  return storeRemoteReblog(ctx, tx, { accountId: sender.id, original, visibility, uri, createdAt }, "delivered");
}
