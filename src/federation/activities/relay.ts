import { deliver } from "../../core/deliveries.ts";
import { noteRelayAnswer, type RelayRow, relaysOf } from "../../core/moderation/relays.ts";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { serverActorUri } from "../addresses.ts";
import { isSameOrigin } from "../documents.ts";
import { type Activity, referredActivity } from "../read/activity.ts";
import type { Apply, Sender } from "./handler.ts";

/** The relays for which the sender speaks. An account may name any inbox as its own, so that must be on its server. */
function relaysOfSender(db: Reads, sender: Sender): RelayRow[] {
  return relaysOf(db, sender).filter(
    ({ inbox, account_uri }) => account_uri !== null || isSameOrigin(inbox, sender.uri),
  );
}

/** Notes that a relay accepts or refuses this server. Returns false if the activity is about something else. */
export function answerOfRelay(
  ctx: Context,
  tx: Tx,
  sender: Sender,
  activity: Activity,
  answer: "accepted" | "refused",
): boolean {
  const { id, type, actor } = referredActivity(activity);
  const relays = relaysOfSender(tx, sender);
  const named = relays.find(({ follow_uri }) => follow_uri === id);
  // Some relays name the Follow by its parts.
  const relay = named ?? (type === "Follow" && actor === serverActorUri(ctx) ? relays[0] : undefined);
  if (relay) noteRelayAnswer(tx, relay, sender.uri, answer);
  return relay !== undefined;
}

/** A relay follows the server in turn, as LitePub's do. Null for the Follow of any other account. */
export function followOfRelay(ctx: Context, sender: Sender, { id: uri, objectId }: Activity): Apply | null {
  if (objectId !== serverActorUri(ctx)) return null;
  return (tx) => {
    const relay = relaysOfSender(tx, sender).find(({ state }) => state !== "refused");
    if (!relay) return;
    deliver(ctx, tx, { type: "relay.follower_accepted", inbox: relay.inbox, followerUri: sender.uri, uri });
  };
}
