import { fetchSoon } from "../../core/fetches.ts";
import { removeStatusWithin } from "../../core/statuses/removal.ts";
import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import { hostOf } from "../documents.ts";
import { reblogBy, statusIdOf } from "../fetching/known-statuses.ts";
import { type Activity, referredActivity } from "../read/activity.ts";
import type { Apply, Sender } from "./handler.ts";

/** A post is fetched again because of its group at most once within this time, in ms. */
const PAUSE = 60_000;

const IS_GROUP = "SELECT 1 FROM accounts WHERE id = +$senderId AND actor_type = 'Group'";

/**
 * A group announces what its members and moderators do with its posts (FEP-1b12). Only a Delete and an Update of a post
 * that it reblogs have an effect: the group may take its reblog back, but the post itself only changes or goes if its own
 * server says so. It is asked later. Votes count when their own server sends them.
 */
export function announcedByGroup(ctx: Context, sender: Sender, activity: Activity): Apply | null {
  const { type, objectId: uri } = referredActivity(activity);
  if (uri === null || (type !== "Delete" && type !== "Update")) return null;
  if (statusIdOf(ctx.db, uri) === null || !isGroup(ctx.db, sender)) return null;
  return (tx) => {
    const statusId = statusIdOf(tx, uri);
    const reblog = statusId === null ? null : reblogBy(tx, sender.id, statusId);
    if (statusId === null || !reblog) return;
    if (type === "Delete") removeStatusWithin(ctx, tx, reblog, true);
    fetchSoon(ctx, tx, "status.recheck", statusId, PAUSE, { payload: { statusId }, host: hostOf(uri)! });
  };
}

function isGroup(db: Reads, { id: senderId }: Sender): boolean {
  return db.get(IS_GROUP, { senderId }) !== null;
}
