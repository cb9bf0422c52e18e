import type { Context } from "../../context.ts";
import type { DeliveryEvent } from "../../db/delivery-events.ts";
import type { JsonObject } from "../documents.ts";
import { accountWith, fragment, type Outgoing } from "./outgoing.ts";
import { PUBLIC, withContext } from "./context.ts";
import { authorization, quoteRequestUri, quoteToSend } from "./quotes.ts";
import { localStatus, mentionedIn, statusDocument } from "./status.ts";

type Event<Type extends DeliveryEvent["type"]> = DeliveryEvent & { type: Type };

/** A local account asks to quote a remote status. Its server may not have the quoting status, so that is embedded. */
export function quoteRequest(ctx: Context, { statusId }: Event<"quote.requested">): Outgoing | null {
  const status = localStatus(ctx, statusId);
  const quote = status && quoteToSend(ctx, statusId);
  if (!quote || quote.local === 1) return null;
  const activity = {
    ...requestObject({ requestUri: quoteRequestUri(status.uri), actor: status.author_uri, quotedUri: quote.uri }),
    to: [quote.author_uri],
    instrument: statusDocument(ctx, status, mentionedIn(ctx, statusId)),
  };
  return {
    accountId: status.account_id,
    activity: withContext(activity),
    audience: { accountIds: [quote.author_id], inbox: "personal" },
    statusUri: status.uri,
  };
}

function requestObject(given: { requestUri: string; actor: string; quotedUri: string }): JsonObject {
  return { id: given.requestUri, type: "QuoteRequest", actor: given.actor, object: given.quotedUri };
}

/** The answer of a local author to a request. */
export function quoteAnswer(ctx: Context, event: Event<"quote.accepted" | "quote.rejected">): Outgoing | null {
  const { accountId, quoterId, requestUri, quotedUri, quotingUri, authorizationUri: result } = event;
  const actor = accountWith(ctx, accountId)?.uri;
  const quoter = accountWith(ctx, quoterId)?.uri;
  if (actor === undefined || quoter === undefined) return null;
  const [type, name] = event.type === "quote.accepted" ? ["Accept", "accepts"] : ["Reject", "rejects"];
  const object = { ...requestObject({ requestUri, actor: quoter, quotedUri }), instrument: quotingUri };
  const activity = { id: fragment(ctx, actor, name!), type: type!, actor, to: [quoter], object };
  return {
    accountId,
    activity: withContext(result === null ? activity : { ...activity, result }),
    audience: { accountIds: [quoterId], inbox: "personal" },
    statusUri: null,
  };
}

/** A local author revokes the consent to a quote. */
export function quoteRevocation(ctx: Context, event: Event<"quote.revoked">): Outgoing | null {
  const { accountId, authorizationUri, quotedUri, quotingUri, accountIds } = event;
  const actor = accountWith(ctx, accountId)?.uri;
  if (actor === undefined) return null;
  const object = authorization({ authorizationUri, authorUri: actor, quotingUri, quotedUri });
  return {
    accountId,
    activity: withContext({ id: `${authorizationUri}#delete`, type: "Delete", actor, to: [PUBLIC], object }),
    audience: { followersOf: accountId, accountIds, inbox: "shared" },
    statusUri: null,
  };
}
