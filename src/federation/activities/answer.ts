import { acceptFollow, endFollow } from "../../core/people/follows.ts";
import { noteFollowAnswer } from "../../core/people/sent-follows.ts";
import { localAccountAt } from "../local.ts";
import { type Activity, referredActivity } from "../read/activity.ts";
import { idOf } from "../read/json.ts";
import type { Handler, Sender } from "./handler.ts";
import { answerOfRelay } from "./relay.ts";
import { quoteAnswered, quotingUriIn } from "./quotes.ts";
import type { Reads } from "../../db/open.ts";
import type { Context } from "../../context.ts";

const FOLLOWER = `
  SELECT account_id FROM follow_requests WHERE uri = +$uri AND target_account_id = +$targetId
  UNION SELECT account_id FROM follows WHERE uri = +$uri AND target_account_id = +$targetId`;

/** Only a follow of the sender counts: nobody answers for others. Some servers name the follow by its parts, not its id. */
function followerIn(ctx: Context, db: Reads, sender: Sender, activity: Activity): number | null {
  const { id: uri, type, actor, objectId } = referredActivity(activity);
  const found = uri === null ? null : db.get<{ account_id: number }>(FOLLOWER, { uri, targetId: sender.id });
  if (found) return found.account_id;
  return type === "Follow" && objectId === sender.uri ? (localAccountAt(ctx, actor)?.id ?? null) : null;
}

/** The answer to a follow, or to the request for a quote. */
export const accept: Handler = (ctx, sender, activity) => {
  const quotingUri = quotingUriIn(activity);
  if (quotingUri !== null) {
    const authorization = idOf(activity.raw.result);
    return authorization === null ? null : quoteAnswered(ctx, sender, quotingUri, authorization);
  }
  return (tx) => {
    if (answerOfRelay(ctx, tx, sender, activity, "accepted")) return;
    const followerId = followerIn(ctx, tx, sender, activity);
    if (followerId === null || !acceptFollow(ctx, tx, followerId, sender.id)) return;
    noteFollowAnswer(ctx, tx, { accountId: followerId, targetId: sender.id }, "accepted");
  };
};

export const reject: Handler = (ctx, sender, activity) => {
  const quotingUri = quotingUriIn(activity);
  if (quotingUri !== null) return quoteAnswered(ctx, sender, quotingUri, null);
  return (tx) => {
    if (answerOfRelay(ctx, tx, sender, activity, "refused")) return;
    const followerId = followerIn(ctx, tx, sender, activity);
    if (followerId === null) return;
    endFollow(ctx, tx, followerId, sender.id, { silently: true });
    noteFollowAnswer(ctx, tx, { accountId: followerId, targetId: sender.id }, "rejected");
  };
};
