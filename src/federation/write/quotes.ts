import type { Context } from "../../context.ts";
import { quoteAuthorizationUri } from "../../core/addresses.ts";
import type { QuoteState } from "../../core/quotes/quotes.ts";
import { visibleToServer } from "../../core/visibility.ts";
import { quoteFallback } from "../../lib/text/text.ts";
import type { JsonObject } from "../documents.ts";

/* Quotes and the consent to them (FEP-044f). */

/** The quote of a local status. The quoted status exists. */
export interface QuoteToSend {
  state: QuoteState;
  uri: string;
  url: string;
  author_id: number;
  author_uri: string;
  local: number;
  /** Null if the author quotes themselves, and while there is no consent. */
  authorization: string | null;
}

interface Row extends Omit<QuoteToSend, "authorization"> {
  id: number;
  account_id: number;
  username: string;
  authorization_uri: string | null;
}

const QUOTE = `
  SELECT q.id, q.state, q.authorization_uri, o.uri, o.url, o.local, o.account_id AS author_id, a.uri AS author_uri,
    a.username, s.account_id
  FROM quotes q JOIN statuses s ON s.id = q.status_id JOIN statuses o ON o.id = q.quoted_status_id
  JOIN accounts a ON a.id = o.account_id
  WHERE q.status_id = +$statusId`;

/** The quote of a status; null if it has none, or if the quoted status was deleted. */
export function quoteToSend(ctx: Context, statusId: number): QuoteToSend | null {
  const row = ctx.db.get<Row>(QUOTE, { statusId });
  return row && { ...row, authorization: authorizationOf(ctx, row) };
}

function authorizationOf(ctx: Context, row: Row): string | null {
  if (row.state !== "accepted" || row.account_id === row.author_id) return null;
  return row.local === 1 ? quoteAuthorizationUri(ctx, row.username, row.id) : row.authorization_uri;
}

const OBJECT_TYPE = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"';

/**
 * The properties that name the quoted status. Servers that know only the older ones show a quote without asking whether
 * it was authorized, so they get it only then.
 */
export function quoteMembers(quote: QuoteToSend | null): JsonObject {
  if (!quote) return {};
  const { uri, authorization } = quote;
  if (quote.state !== "accepted") return { quote: uri };
  return {
    quote: uri,
    ...(authorization !== null && { quoteAuthorization: authorization }),
    quoteUrl: uri,
    quoteUri: uri,
    _misskey_quote: uri,
  };
}

/** The Link to the quoted status among the tags (FEP-e232). */
export function quoteTags(quote: QuoteToSend | null): JsonObject[] {
  if (quote?.state !== "accepted") return [];
  const rel = "https://misskey-hub.net/ns#_misskey_quote";
  return [{ type: "Link", mediaType: OBJECT_TYPE, rel, href: quote.uri, name: `RE: ${quote.url}` }];
}

/** Servers without quotes show the link; the others remove it. A quoted author who refused is not linked to. */
export function contentToSend(content: string, quote: QuoteToSend | null): string {
  const isLinked = quote?.state === "accepted" || quote?.state === "pending";
  return isLinked ? quoteFallback(content, quote.url) + content : content;
}

/** The URI of a request to quote, from the quoting status: each status has at most one. */
export function quoteRequestUri(statusUri: string): string {
  return `${statusUri}${REQUEST}`;
}

const REQUEST = "#quote_request";

/** The quoting status of a local request; null for any other URI. */
export function requestedIn(uri: string | null): string | null {
  return uri?.endsWith(REQUEST) ? uri.slice(0, -REQUEST.length) : null;
}

interface AuthorizationRow {
  id: number;
  author_uri: string;
  quoting_uri: string;
  quoted_uri: string;
}

const AUTHORIZATION = `
  SELECT q.id, a.uri AS author_uri, p.uri AS quoting_uri, s.uri AS quoted_uri
  FROM quotes q JOIN statuses s ON s.id = q.quoted_status_id JOIN statuses p ON p.id = q.status_id
  JOIN accounts a ON a.id = s.account_id JOIN accounts b ON b.id = p.account_id
  WHERE q.id = +$id AND q.state = 'accepted' AND s.account_id = +$ownerId AND p.account_id <> s.account_id
    AND p.local_only = 0 AND ${visibleToServer()}
    AND (p.visibility IN ('public', 'unlisted') OR b.domain = +$domain OR ${visibleToServer("p")}
      OR (p.visibility = 'private' AND p.local = 0 AND +$signer <> 0))`;

/**
 * A local author's consent to a quote; null if there is none, or if the reader may not see both statuses. The addresses
 * can be tried one after another, so a private quoting status must not be named to everyone. The followers of a remote
 * author are not known here: their servers ask, too, so any signature is enough.
 */
export function authorizationDocument(
  ctx: Context,
  owner: { id: number; username: string },
  id: number | null,
  reader: { signer: number; domain: string },
): JsonObject | null {
  const row = ctx.db.get<AuthorizationRow>(AUTHORIZATION, { id, ownerId: owner.id, ...reader });
  if (!row) return null;
  const [quotingUri, quotedUri] = [row.quoting_uri, row.quoted_uri];
  const authorizationUri = quoteAuthorizationUri(ctx, owner.username, row.id);
  return authorization({ authorizationUri, authorUri: row.author_uri, quotingUri, quotedUri });
}

export function authorization(given: {
  authorizationUri: string;
  authorUri: string;
  quotingUri: string;
  quotedUri: string;
}): JsonObject {
  return {
    id: given.authorizationUri,
    type: "QuoteAuthorization",
    attributedTo: given.authorUri,
    interactingObject: given.quotingUri,
    interactionTarget: given.quotedUri,
  };
}
