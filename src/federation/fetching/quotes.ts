import type { Context } from "../../context.ts";
import type { RemoteQuote } from "../../core/quotes/remote-quotes.ts";
import type { Reads } from "../../db/open.ts";
import { isSameOrigin } from "../documents.ts";
import { isOwnAddress } from "../local.ts";
import { readAuthorization } from "../read/quotes/authorization.ts";
import type { QuoteRead } from "../read/quotes/quote.ts";
import type { RemoteStatus } from "../read/status.ts";
import { TooManyFetches } from "./activity-fetches.ts";
import { FetchError, fetchDocument } from "./fetch.ts";
import { localStatusAt, statusIdOf } from "./known-statuses.ts";

/** The quote of a status; undefined if the quoted status can't be found at the moment. */
export type FoundQuote = RemoteQuote | null | undefined;

const QUOTED = `
  SELECT s.uri, s.local, s.account_id, a.uri AS author_uri FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$id`;

interface Quoted {
  uri: string;
  local: number;
  account_id: number;
  author_uri: string;
}

/**
 * The quote of a status by this account, with the answer of the quoted author's server to whether it is authorized.
 * `find` fetches an unknown quoted status; without it, nothing is fetched. Returns a promise only if there is something
 * to fetch.
 */
export function findQuote(
  ctx: Context,
  authorId: number,
  { uri, quote }: RemoteStatus,
  find: ((uri: string) => Promise<number | null>) | null,
): FoundQuote | Promise<FoundQuote> {
  if (!quote || quote.uri === uri) return null;
  const known = statusIdOf(ctx.db, quote.uri) ?? localStatusAt(ctx, quote.uri);
  if (known === null) {
    if (!find || isOwnAddress(ctx, quote.uri)) return undefined;
    return find(quote.uri).then((id) => (id === null ? undefined : confirmed(ctx, authorId, uri, quote, id)));
  }
  if (find && needsConfirmation(ctx.db, authorId, uri, quote, known)) {
    return confirmed(ctx, authorId, uri, quote, known);
  }
  return unconfirmed(quote, known);
}

/** A quote that claims no authorization has none. */
function unconfirmed({ isLegacy, authorization }: QuoteRead, quotedId: number): RemoteQuote {
  const isConfirmed = !isLegacy && authorization === null ? false : null;
  return { quotedId, isLegacy, authorizationUri: authorization, isConfirmed };
}

async function confirmed(
  ctx: Context,
  authorId: number,
  quotingUri: string,
  quote: QuoteRead,
  quotedId: number,
): Promise<RemoteQuote> {
  const plain = unconfirmed(quote, quotedId);
  if (!needsConfirmation(ctx.db, authorId, quotingUri, quote, quotedId)) return plain;
  const quoted = ctx.db.get<Quoted>(QUOTED, { id: quotedId })!;
  return { ...plain, isConfirmed: await isAuthorized(ctx, quote.authorization!, quotingUri, quoted) };
}

const ACCEPTED = `
  SELECT 1 FROM statuses s JOIN quotes q ON q.status_id = s.id
  WHERE s.uri = +$quotingUri AND q.quoted_status_id = +$quotedId AND q.state = 'accepted' AND q.authorization_uri = +$uri`;

/** Authors quote themselves without asking, and local ones decide on request. */
function needsConfirmation(
  db: Reads,
  authorId: number,
  quotingUri: string,
  { authorization: uri }: QuoteRead,
  quotedId: number,
): boolean {
  const quoted = db.get<Quoted>(QUOTED, { id: quotedId });
  if (uri === null || !quoted || quoted.local === 1 || quoted.account_id === authorId) return false;
  return db.get(ACCEPTED, { quotingUri, quotedId, uri }) === null;
}

/**
 * Whether an author consents to a quote, as their own server says: the authorization names them, the quoting status and
 * the quoted one. Null if the server doesn't respond.
 */
export async function isAuthorized(
  ctx: Context,
  uri: string,
  quotingUri: string,
  quoted: Pick<Quoted, "uri" | "author_uri">,
): Promise<boolean | null> {
  if (!isSameOrigin(uri, quoted.uri) || !isSameOrigin(uri, quoted.author_uri)) return false;
  try {
    const found = readAuthorization(await fetchDocument(ctx, uri));
    return (
      found?.id === uri &&
      found.author === quoted.author_uri &&
      found.quotingUri === quotingUri &&
      found.quotedUri === quoted.uri
    );
  } catch (error) {
    if (!(error instanceof FetchError) || error instanceof TooManyFetches) throw error;
    return error.problem === "gone" ? false : null;
  }
}
