import { isBlockedBy } from "../../core/accounts.ts";
import { deliver } from "../../core/deliveries.ts";
import { storeFollow } from "../../core/people/follows.ts";
import { localAccountAt } from "../local.ts";
import type { Handler } from "./handler.ts";
import { followOfRelay } from "./relay.ts";

/**
 * A follow of a local account, or by a relay of the server itself. A repeated one is answered again: the first answer may
 * have been lost.
 */
export const follow: Handler = (ctx, sender, activity) => {
  const { id: uri, objectId } = activity;
  const target = localAccountAt(ctx, objectId);
  if (!target) return followOfRelay(ctx, sender, activity);
  return (tx) => {
    if (isBlockedBy(ctx, sender.id, target.id)) {
      deliver(ctx, tx, { type: "follow.rejected", accountId: target.id, followerId: sender.id, uri });
    } else storeFollow(ctx, tx, { accountId: sender.id, targetId: target.id, uri });
  };
};
