import { hasMoved, isBlockedBy } from "../../core/accounts.ts";
import { deliver } from "../../core/deliveries.ts";
import { isFollowing, storeFollow } from "../../core/people/follows.ts";
import { localAccountAt } from "../local.ts";
import type { Handler } from "./handler.ts";
import { followOfRelay } from "./relay.ts";

/**
 * A follow of a local account, or by a relay of the server itself. A repeated one is answered again: the first answer may
 * have been lost. An account that has moved gets no new followers.
 */
export const follow: Handler = (ctx, sender, activity) => {
  const { id: uri, objectId } = activity;
  const target = localAccountAt(ctx, objectId);
  if (!target) return followOfRelay(ctx, sender, activity);
  return (tx) => {
    const pair = { accountId: sender.id, targetId: target.id };
    if (isBlockedBy(ctx, sender.id, target.id) || (hasMoved(tx, target.id) && !isFollowing(tx, pair))) {
      deliver(ctx, tx, { type: "follow.rejected", accountId: target.id, followerId: sender.id, uri });
    } else storeFollow(ctx, tx, { ...pair, uri });
  };
};
