import { isBlockedBy } from "../../core/accounts.ts";
import { storeFavourite } from "../../core/statuses/interactions.ts";
import { visibleStatus } from "../../core/visibility.ts";
import { statusIdOf } from "../fetching/statuses.ts";
import type { Handler } from "./handler.ts";

/** A favourite, also as an emoji reaction. It counts if the sender may see the status and its author doesn't block them. */
export const like: Handler = (ctx, sender, { id: uri, objectId }) => {
  const statusId = statusIdOf(ctx.db, objectId);
  if (statusId === null) return null;
  return (tx) => {
    const status = visibleStatus(ctx, sender.id, statusId);
    if (status.reblog_of_id !== null || isBlockedBy(ctx, sender.id, status.account_id)) return;
    storeFavourite(ctx, tx, { accountId: sender.id, status, uri, isQuiet: false });
  };
};
