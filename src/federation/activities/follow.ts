import { isBlockedBy } from "../../core/accounts.ts";
import { deliver } from "../../core/deliveries.ts";
import { storeFollow } from "../../core/people/follows.ts";
import { localAccountAt } from "../local.ts";
import type { Handler } from "./handler.ts";

/** A follow of a local account. A repeated one is answered again: the first answer may have been lost. */
export const follow: Handler = (ctx, sender, { id: uri, objectId }) => {
  const target = localAccountAt(ctx, objectId);
  if (!target) return null;
  return (tx) => {
    if (isBlockedBy(ctx, sender.id, target.id)) {
      deliver(ctx, tx, { type: "follow.rejected", accountId: target.id, followerId: sender.id, uri });
    } else storeFollow(ctx, tx, { accountId: sender.id, targetId: target.id, uri });
  };
};
