import type { Context } from "../../context.ts";
import { interactionAuthorizationUri } from "../../core/addresses.ts";
import { visibleToServer } from "../../core/visibility.ts";
import type { DeliveryEvent, Interaction } from "../../db/delivery-events.ts";
import { accountPartUrl } from "../addresses.ts";
import type { JsonObject } from "../documents.ts";
import { PUBLIC, withContext } from "./context.ts";
import { accountWith, fragment, type Outgoing } from "./outgoing.ts";

/* The answers of local authors to replies, favourites and boosts, and to requests for them (GoToSocial). */

const NAMES: Record<Interaction, string> = { reply: "Reply", favourite: "Like", reblog: "Announce" };

type Answer = DeliveryEvent & { type: "interaction.accepted" | "interaction.rejected" };

/** Without a request, followers of the author get the answer, too: their servers may have the interaction. */
export function interactionAnswer(ctx: Context, event: Answer): Outgoing | null {
  const { kind, accountId, actorId, statusUri, uri, requestUri, authorizationUri: result, isPublic } = event;
  const author = accountWith(ctx, accountId);
  const actor = accountWith(ctx, actorId)?.uri;
  if (!author || actor === undefined) return null;
  const [type, part] = event.type === "interaction.accepted" ? ["Accept", "accepts"] : ["Reject", "rejects"];
  const asked = { id: requestUri, type: `${NAMES[kind]}Request`, actor, object: statusUri, instrument: uri };
  const activity = {
    id: fragment(ctx, author.uri, part!),
    type: type!,
    actor: author.uri,
    to: [actor],
    ...(isPublic && { cc: [PUBLIC, accountPartUrl(ctx, author.username, "followers")] }),
    ...(requestUri === null ? { object: uri, target: statusUri } : { object: asked }),
    ...(result !== null && { result }),
  };
  return {
    accountId,
    activity: withContext(activity),
    audience: isPublic
      ? { followersOf: accountId, accountIds: [actorId], inbox: "shared" }
      : { accountIds: [actorId], inbox: "personal" },
    statusUri: null,
  };
}

interface AuthorizationRow {
  author_uri: string;
  interaction_uri: string;
  target_uri: string;
}

/** As for quotes: a reply that is not for everyone must not be named to everyone. */
const OF_STATUS = `
  p.account_id <> s.account_id AND p.local = 0 AND ${visibleToServer()}
    AND (p.visibility IN ('public', 'unlisted') OR b.domain = +$domain OR ${visibleToServer("p")}
      OR (p.visibility = 'private' AND +$signer <> 0))`;
const authorized = (from: string, condition: string) => `
  SELECT a.uri AS author_uri, p.uri AS interaction_uri, s.uri AS target_uri
  FROM ${from} JOIN accounts a ON a.id = s.account_id JOIN accounts b ON b.id = p.account_id
  WHERE p.id = +$id AND s.account_id = +$ownerId AND ${condition}`;
const REPLY = authorized("statuses p JOIN statuses s ON s.id = p.in_reply_to_id", OF_STATUS);
const REBLOG = authorized("statuses p JOIN statuses s ON s.id = p.reblog_of_id", OF_STATUS);
const FAVOURITE = `
  SELECT a.uri AS author_uri, coalesce(p.uri, '') AS interaction_uri, s.uri AS target_uri
  FROM favourites p JOIN statuses s ON s.id = p.status_id JOIN accounts a ON a.id = s.account_id
  WHERE p.id = +$id AND s.account_id = +$ownerId AND p.uri IS NOT NULL AND ${visibleToServer()}`;

interface Reader {
  signer: number;
  domain: string;
}

function authorizationRow(ctx: Context, kind: Interaction, id: number | null, ownerId: number, reader: Reader) {
  const values = { id, ownerId, signer: reader.signer, domain: reader.domain };
  if (kind === "reply") return ctx.db.get<AuthorizationRow>(REPLY, values);
  if (kind === "reblog") return ctx.db.get<AuthorizationRow>(REBLOG, values);
  return ctx.db.get<AuthorizationRow>(FAVOURITE, values);
}

/** A local author's consent to an interaction, as long as that exists; null if there is none, or the reader may not see it. */
export function interactionAuthorization(
  ctx: Context,
  owner: { id: number; username: string },
  kind: Interaction,
  id: number | null,
  reader: Reader,
): JsonObject | null {
  const row = authorizationRow(ctx, kind, id, owner.id, reader);
  return (
    row && {
      id: interactionAuthorizationUri(ctx, owner.username, kind, id!),
      type: `${NAMES[kind]}Authorization`,
      attributedTo: row.author_uri,
      interactingObject: row.interaction_uri,
      interactionTarget: row.target_uri,
    }
  );
}
