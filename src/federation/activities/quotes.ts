import type { Context } from "../../context.ts";
import { decideRequest, type QuoteRequest, refuseRequest, remotePermission } from "../../core/quotes/consent.ts";
import { answerQuote, endAuthorization, quotesAuthorizedBy } from "../../core/quotes/remote-quotes.ts";
import { isSameOrigin } from "../documents.ts";
import { FetchError, fetchDocument } from "../fetching/fetch.ts";
import { localStatusAt, ownStatusAt } from "../fetching/known-statuses.ts";
import { isAuthorized } from "../fetching/quotes.ts";
import { prepareStatus, type ReadyStatus, storeStatus } from "../fetching/statuses.ts";
import type { Activity } from "../read/activity.ts";
import { hasType, idOf, isJson, type Json, listOf } from "../read/json.ts";
import { readStatus } from "../read/status.ts";
import { requestedIn } from "../write/quotes.ts";
import type { Apply, Handler, Sender } from "./handler.ts";

/** The sender asks to quote a local status. Its quoting status may be unknown here: then it is part of the request. */
export const quoteRequest: Handler = (ctx, sender, { id: uri, objectId, raw }) => {
  const [instrument] = listOf(raw.instrument);
  const quotingUri = idOf(instrument);
  const quotedId = localStatusAt(ctx, objectId);
  if (quotedId === null || quotingUri === null || !isSameOrigin(quotingUri, sender.uri)) return null;
  const permission = remotePermission(ctx.db, sender.id, quotedId);
  if (permission === null) return null;
  const request: QuoteRequest = { uri, accountId: sender.id, quotedId, quotingUri };
  const known = ownStatusAt(ctx.db, sender.id, quotingUri);
  if (known) return decideFor(ctx, sender, request);
  if (permission === "denied") return (tx) => refuseRequest(ctx, tx, request);
  const isWhole = isJson(instrument) && readStatus(instrument, ctx.clock.now()) !== null;
  if (isWhole) return stored(ctx, sender, request, instrument);
  return fetchDocument(ctx, quotingUri).then((document) => stored(ctx, sender, request, document));
};

function decideFor(ctx: Context, sender: Sender, request: QuoteRequest): Apply {
  return (tx) => {
    const quoting = ownStatusAt(tx, sender.id, request.quotingUri);
    if (quoting && quoting.reblog_of_id === null) decideRequest(ctx, tx, request, quoting);
  };
}

/** The author sends the status with the request, so it counts as delivered. */
function stored(
  ctx: Context,
  sender: Sender,
  request: QuoteRequest,
  document: Json,
): Apply | null | Promise<Apply | null> {
  const status = readStatus(document, ctx.clock.now());
  if (!status || status.vote || status.uri !== request.quotingUri || status.attributedTo !== sender.uri) return null;
  if (!status.quote || localStatusAt(ctx, status.quote.uri) !== request.quotedId) return null;
  const ready = prepareStatus(ctx, sender.id, status);
  const store = (prepared: ReadyStatus): Apply => {
    return (tx) => {
      storeStatus(ctx, tx, prepared, "delivered");
      decideFor(ctx, sender, request)(tx);
    };
  };
  return ready instanceof Promise ? ready.then(store) : store(ready);
}

/** The local status whose quote an Accept or Reject is about; null if it is about something else. */
export function quotingUriIn({ object, objectId }: Activity): string | null {
  const isRequest = object !== null && hasType(object, "QuoteRequest");
  return (isRequest ? idOf(object.instrument) : null) ?? requestedIn(objectId);
}

/** The sender answers the request of a local account. Null refuses it. */
export function quoteAnswered(
  ctx: Context,
  sender: Sender,
  quotingUri: string,
  authorizationUri: string | null,
): Apply | null {
  if (authorizationUri !== null && !isSameOrigin(authorizationUri, sender.uri)) return null;
  return (tx) => answerQuote(ctx, tx, { quotingUri, authorId: sender.id }, authorizationUri);
}

/**
 * Ends the quotes that an authorization allowed, if the sender gave it. If the sender only passes on that it is gone, its
 * author's server is asked. Null if no quote depends on it.
 */
export function authorizationDeleted(ctx: Context, sender: Sender, uri: string): Apply | Promise<Apply | null> | null {
  const [quoting] = quotesAuthorizedBy(ctx.db, uri);
  if (!quoting) return null;
  const end: Apply = (tx) => endAuthorization(ctx, tx, uri);
  if (quoting.quoted_author_id === sender.id) return end;
  const quoted = { uri: quoting.quoted_uri, author_uri: quoting.quoted_author_uri };
  return isAuthorized(ctx, uri, quoting.uri, quoted).then((isValid) => {
    if (isValid === null) throw new FetchError("unavailable", `${uri} can't be checked at the moment`);
    return isValid ? null : end;
  });
}
