import { addRemoteFeaturedTag, deleteFeaturedTag } from "../../core/discovery/featured-tags.ts";
import type { TagName } from "../../core/discovery/tags.ts";
import { addRemotePin, removePin } from "../../core/statuses/interactions.ts";
import type { Reads } from "../../db/open.ts";
import { isSameOrigin } from "../documents.ts";
import { ownStatusAt } from "../fetching/known-statuses.ts";
import { statusAt } from "../fetching/statuses.ts";
import { isFollowedHere } from "../inbox/relevance.ts";
import type { Activity } from "../read/activity.ts";
import { hasType } from "../read/json.ts";
import { tagsOf } from "../read/tags.ts";
import type { Apply, Handler, Sender } from "./handler.ts";

/** The sender pins one of their statuses, or features a hashtag. */
export const add: Handler = (ctx, sender, activity) => {
  const item = itemOf(ctx.db, sender, activity);
  if (item === null) return null;
  if (typeof item !== "string") return (tx) => addRemoteFeaturedTag(ctx, tx, sender.id, item);
  const pin: Apply = (tx) => {
    const status = ownStatusAt(tx, sender.id, item);
    if (status) addRemotePin(ctx, tx, status);
  };
  // Pins of an account that nobody follows are fetched when a user opens its profile.
  const isMissing = ownStatusAt(ctx.db, sender.id, item) === null && isFollowedHere(ctx.db, sender.id);
  return isMissing ? statusAt(ctx, item).then(() => pin) : pin;
};

/** The sender unpins one of their statuses, or stops featuring a hashtag. */
export const removeItem: Handler = (ctx, sender, activity) => {
  const item = itemOf(ctx.db, sender, activity);
  if (item === null) return null;
  if (typeof item !== "string") return (tx) => void deleteFeaturedTag(tx, sender.id, item.name);
  return (tx) => {
    const status = ownStatusAt(tx, sender.id, item);
    if (status) removePin(tx, status.id);
  };
};

const COLLECTIONS = "SELECT featured_url, featured_tags_url FROM remote_accounts WHERE account_id = +$senderId";

/**
 * The hashtag, or the URI of the status, that an activity adds to a collection of its sender or removes from it. Null for
 * anything else. Mastodon's `featured` also has hashtags.
 */
function itemOf(db: Reads, sender: Sender, { object, objectId, target }: Activity): TagName | string | null {
  const own = db.get<{ featured_url: string | null; featured_tags_url: string | null }>(COLLECTIONS, {
    senderId: sender.id,
  });
  if (!own || target === null || (target !== own.featured_url && target !== own.featured_tags_url)) return null;
  if (object && hasType(object, "Hashtag")) return tagsOf({ tag: object }).hashtags[0] ?? null;
  const isStatus = target === own.featured_url && objectId !== null && isSameOrigin(objectId, sender.uri);
  return isStatus ? objectId : null;
}
