import { removeBlock } from "../../core/people/blocks.ts";
import { endFollow } from "../../core/people/follows.ts";
import { removeFavourite } from "../../core/statuses/interactions.ts";
import { removeStatusWithin } from "../../core/statuses/removal.ts";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { localAccountAt } from "../local.ts";
import { type Activity, referredActivity } from "../read/activity.ts";
import { reblogBy, statusIdOf } from "../fetching/known-statuses.ts";
import type { Handler, Sender } from "./handler.ts";

type Undone = { type: "follow" | "block"; targetId: number } | { type: "favourite" | "reblog"; statusId: number };

const FIND = `
  SELECT 'follow' AS type, target_account_id AS id FROM follows WHERE uri = +$uri AND account_id = +$senderId
  UNION ALL SELECT 'follow', target_account_id FROM follow_requests WHERE uri = +$uri AND account_id = +$senderId
  UNION ALL SELECT 'block', target_account_id FROM blocks WHERE uri = +$uri AND account_id = +$senderId
  UNION ALL SELECT 'favourite', status_id FROM favourites WHERE uri = +$uri AND account_id = +$senderId
  UNION ALL SELECT 'reblog', reblog_of_id FROM statuses
    WHERE uri = +$uri AND account_id = +$senderId AND reblog_of_id IS NOT NULL`;

/** Undoes a follow, block, favourite or reblog of the sender. It is found by its URI or, if that differs, by its parts. */
export const undo: Handler = (ctx, sender, activity) => (tx) => {
  const { id: uri } = referredActivity(activity);
  const undone = byUri(tx, sender, uri) ?? byParts(ctx, tx, sender, activity);
  if (undone) apply(ctx, tx, sender, undone);
};

function byUri(db: Reads, sender: Sender, uri: string | null): Undone | null {
  const row = uri === null ? null : db.get<{ type: Undone["type"]; id: number }>(FIND, { uri, senderId: sender.id });
  return row && undoneOf(row.type, row.id);
}

function undoneOf(type: Undone["type"], id: number): Undone {
  return type === "follow" || type === "block" ? { type, targetId: id } : { type, statusId: id };
}

/** Of several reactions, only the first counts: the end of another one leaves it. */
const FAVOURITED = `
  SELECT 1 FROM favourites WHERE account_id = +$senderId AND status_id = +$statusId AND emoji IS +$emoji`;

function byParts(ctx: Context, db: Reads, sender: Sender, activity: Activity): Undone | null {
  const { type, actor, objectId, emoji } = referredActivity(activity);
  if (actor !== sender.uri) return null;
  const targetId = localAccountAt(ctx, objectId)?.id ?? null;
  if (type === "Follow" && targetId !== null) return { type: "follow", targetId };
  if (type === "Block" && targetId !== null) return { type: "block", targetId };
  const statusId = statusIdOf(db, objectId);
  if (statusId === null) return null;
  if (type === "Announce") return { type: "reblog", statusId };
  if (type !== "Like" || !db.get(FAVOURITED, { senderId: sender.id, statusId, emoji })) return null;
  return { type: "favourite", statusId };
}

function apply(ctx: Context, tx: Tx, sender: Sender, undone: Undone): void {
  switch (undone.type) {
    case "follow":
      return endFollow(ctx, tx, sender.id, undone.targetId, { silently: true });
    case "block":
      return removeBlock(ctx, tx, sender.id, undone.targetId);
    case "favourite":
      return void removeFavourite(tx, sender.id, undone.statusId);
    case "reblog": {
      const reblog = reblogBy(tx, sender.id, undone.statusId);
      if (reblog) removeStatusWithin(ctx, tx, reblog, true);
    }
  }
}
