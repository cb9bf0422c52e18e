import type { Context } from "../../context.ts";
import { type RelayRow, relayWith } from "../../core/moderation/relays.ts";
import type { DeliveryEvent } from "../../db/delivery-events.ts";
import { serverActorUri } from "../addresses.ts";
import type { JsonObject } from "../documents.ts";
import type { Outgoing } from "./outgoing.ts";
import { PUBLIC, withContext } from "./context.ts";

type RelayEvent = DeliveryEvent & { type: `relay.${string}` };

/** An activity of the server itself to a relay. Null if the relay was removed: a later event covers that. */
export function relayActivity(ctx: Context, event: RelayEvent): Outgoing | null {
  switch (event.type) {
    case "relay.followed": {
      const relay = relayWith(ctx.db, event.relayId);
      if (!relay) return null;
      const { kind, inbox, account_uri: accountUri, follow_uri: followUri } = relay;
      return toRelay(inbox, followOf(ctx, { kind, accountUri, followUri }));
    }
    case "relay.left": {
      const actor = serverActorUri(ctx);
      const id = `${actor}#undos/${ctx.ids.next()}`;
      return toRelay(event.inbox, { id, type: "Undo", actor, object: followOf(ctx, event) });
    }
    case "relay.follower_accepted": {
      const { inbox, followerUri, uri } = event;
      const actor = serverActorUri(ctx);
      const object = { id: uri, type: "Follow", actor: followerUri, object: actor };
      return toRelay(inbox, {
        id: `${actor}#accepts/${ctx.ids.next()}`,
        type: "Accept",
        actor,
        to: [followerUri],
        object,
      });
    }
  }
}

interface Followed {
  kind: RelayRow["kind"];
  accountUri: string | null;
  followUri: string;
}

/** Mastodon's relays are asked by a Follow of the Public collection, LitePub's by one of their account. */
function followOf(ctx: Context, { kind, accountUri, followUri }: Followed): JsonObject {
  const object = kind === "mastodon" || accountUri === null ? PUBLIC : accountUri;
  return { id: followUri, type: "Follow", actor: serverActorUri(ctx), object };
}

function toRelay(inbox: string, activity: JsonObject): Outgoing {
  const audience = { inboxes: [inbox], inbox: "personal" as const };
  return { accountId: null, activity: withContext(activity), audience, statusUri: null };
}
