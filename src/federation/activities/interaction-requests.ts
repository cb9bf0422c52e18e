import { acceptRequest, type InteractionRequest, mayInteract, rejectRequest } from "../../core/interaction-answers.ts";
import type { Context } from "../../context.ts";
import type { Interaction } from "../../db/delivery-events.ts";
import type { Reads } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import { isSameOrigin } from "../documents.ts";
import { fetchDocument } from "../fetching/fetch.ts";
import { localStatusAt, ownStatusAt } from "../fetching/known-statuses.ts";
import { prepareStatus, type ReadyStatus, storeStatus } from "../fetching/statuses.ts";
import { readActivity } from "../read/activity.ts";
import { idOf, isJson, type Json, listOf } from "../read/json.ts";
import { readStatus } from "../read/status.ts";
import { reblogBy } from "./announce.ts";
import type { Apply, Handler, Sender } from "./handler.ts";
import { favouriteBy } from "./like.ts";

type Work = Apply | null | Promise<Apply | null>;

/** The sender asks to reply to, favourite or boost a local status, as GoToSocial does. The request has what it is about. */
const requestFor =
  (kind: Interaction): Handler =>
  (ctx, sender, { id: requestUri, objectId, raw }) => {
    const [instrument] = listOf(raw.instrument);
    const uri = idOf(instrument);
    const statusId = localStatusAt(ctx, objectId);
    if (statusId === null || uri === null || !isSameOrigin(uri, sender.uri)) return null;
    const request: InteractionRequest = { kind, requestUri, actorId: sender.id, statusId, uri };
    const isAllowed = allowed(ctx, request);
    if (isAllowed === null) return null;
    if (!isAllowed) return (tx) => rejectRequest(ctx, tx, request);
    const known = storedId(ctx.db, request);
    if (known !== null) return acceptStored(ctx, request);
    const document = isJson(instrument) && instrument.type !== undefined ? instrument : null;
    if (kind !== "reply") return document && performed(ctx, sender, request, document);
    if (document) return replied(ctx, sender, request, document);
    return fetchDocument(ctx, uri).then((fetched) => replied(ctx, sender, request, fetched));
  };

export const replyRequest = requestFor("reply");
export const likeRequest = requestFor("favourite");
export const announceRequest = requestFor("reblog");

/** Null for a status that the account can't see. */
function allowed(ctx: Context, request: InteractionRequest): boolean | null {
  try {
    return mayInteract(ctx, request);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

const FAVOURITE = "SELECT id FROM favourites WHERE account_id = +$actorId AND status_id = +$statusId AND uri = +$uri";

function storedId(db: Reads, { kind, actorId, statusId, uri }: InteractionRequest): number | null {
  if (kind === "favourite") return db.get<{ id: number }>(FAVOURITE, { actorId, statusId, uri })?.id ?? null;
  const own = ownStatusAt(db, actorId, uri);
  return own && (kind === "reply" ? own.in_reply_to_id : own.reblog_of_id) === statusId ? own.id : null;
}

function acceptStored(ctx: Context, request: InteractionRequest): Apply {
  return (tx) => {
    const { kind, actorId: accountId, uri, requestUri } = request;
    const id = storedId(tx, request);
    if (id !== null) acceptRequest(ctx, tx, { kind, id, uri, accountId }, requestUri);
  };
}

/** The author sends the reply with the request, so it counts as delivered. */
function replied(ctx: Context, sender: Sender, request: InteractionRequest, document: Json): Work {
  const status = readStatus(document, ctx.clock.now());
  if (!status || status.vote || status.uri !== request.uri || status.attributedTo !== sender.uri) return null;
  if (localStatusAt(ctx, status.inReplyTo) !== request.statusId) return null;
  const ready = prepareStatus(ctx, sender.id, status);
  const store = (prepared: ReadyStatus): Apply => {
    return (tx) => {
      storeStatus(ctx, tx, prepared, "delivered");
      acceptStored(ctx, request)(tx);
    };
  };
  return ready instanceof Promise ? ready.then(store) : store(ready);
}

/** The activity in the request has the same effect as one that its actor sends. */
function performed(ctx: Context, sender: Sender, request: InteractionRequest, document: Json): Apply | null {
  const { kind, statusId } = request;
  const activity = readActivity(document, ctx.clock.now());
  if (activity?.type !== (kind === "favourite" ? "Like" : "Announce") || activity.actor !== sender.uri) return null;
  if (localStatusAt(ctx, activity.objectId) !== statusId) return null;
  return (tx) => {
    if (kind === "favourite") favouriteBy(ctx, tx, sender, activity, statusId);
    else reblogBy(ctx, tx, sender, activity, statusId);
    acceptStored(ctx, request)(tx);
  };
}
