import { markGone } from "../../core/people/remote-accounts.ts";
import { removeStatusWithin } from "../../core/statuses/removal.ts";
import { addClaimedTombstone } from "../../core/tombstones.ts";
import { isSameOrigin } from "../documents.ts";
import { isFollowedHere } from "../inbox/relevance.ts";
import { ownStatusAt, statusIdOf } from "../fetching/known-statuses.ts";
import type { Handler } from "./handler.ts";
import { authorizationDeleted } from "./quotes.ts";

/**
 * The sender deletes itself, its consent to a quote, or one of its statuses. A status of the sender that is still on
 * its way must not come back, so it gets a tombstone if it would be stored.
 */
export const remove: Handler = (ctx, sender, { objectId: uri }) => {
  if (uri === null) return null;
  if (uri === sender.uri) return (tx) => markGone(ctx, tx, sender.id);
  const ended = authorizationDeleted(ctx, sender, uri);
  if (ended !== null) return ended;
  if (!isSameOrigin(uri, sender.uri)) return null;
  return (tx) => {
    const status = ownStatusAt(tx, sender.id, uri);
    if (status) removeStatusWithin(ctx, tx, status, true);
    else if (statusIdOf(tx, uri) === null && isFollowedHere(tx, sender.id))
      addClaimedTombstone(ctx, tx, uri, sender.id);
  };
};
