import { isBlockedBy } from "../../core/accounts.ts";
import { saveRemoteEmojis } from "../../core/remote-media/remote-emojis.ts";
import { acceptConditional } from "../../core/interaction-answers.ts";
import { isPermitted } from "../../core/interaction-policies.ts";
import { storeFavourite } from "../../core/statuses/interactions.ts";
import { visibleStatus } from "../../core/visibility.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { isSameOrigin } from "../documents.ts";
import { statusIdOf } from "../fetching/known-statuses.ts";
import type { Activity } from "../read/activity.ts";
import type { Json } from "../read/json.ts";
import { reactionEmojiOf } from "../read/reaction.ts";
import { emojisOf } from "../read/tags.ts";
import type { Handler, Sender } from "./handler.ts";

/** A favourite, also as an emoji reaction. */
export const like: Handler = (ctx, sender, activity) => {
  const statusId = statusIdOf(ctx.db, activity.objectId);
  if (statusId === null) return null;
  return (tx) => {
    const id = favouriteBy(ctx, tx, sender, activity, statusId);
    if (id !== null) acceptConditional(ctx, tx, { kind: "favourite", id, uri: activity.id, accountId: sender.id });
  };
};

/**
 * Stores a favourite if the sender may see the status, and its author neither blocks them nor forbids it. Returns its id if
 * it is new.
 */
export function favouriteBy(
  ctx: Context,
  tx: Tx,
  sender: Sender,
  { id: uri, raw }: Activity,
  statusId: number,
): number | null {
  const status = visibleStatus(ctx, sender.id, statusId);
  if (status.reblog_of_id !== null || isBlockedBy(ctx, sender.id, status.account_id)) return null;
  if (!isPermitted(tx, "favourite", sender.id, statusId)) return null;
  const emoji = reactionEmojiOf(raw);
  if (emoji !== null) saveImage(ctx, tx, sender, emoji, raw);
  return storeFavourite(ctx, tx, { accountId: sender.id, status, uri, emoji, isQuiet: false });
}

/** Only of the sender's own server: another server's emoji with this shortcode may look different. */
function saveImage(ctx: Context, tx: Tx, sender: Sender, emoji: string, reaction: Json): void {
  const image = emojisOf(reaction).find(({ shortcode }) => `:${shortcode}:` === emoji);
  if (!image || (image.uri !== null && !isSameOrigin(image.uri, sender.uri))) return;
  const { domain } = tx.get<{ domain: string }>(
    "SELECT coalesce(domain, '') AS domain FROM accounts WHERE id = +$senderId",
    { senderId: sender.id },
  )!;
  saveRemoteEmojis(ctx, tx, domain, [image]);
}
