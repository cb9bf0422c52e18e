import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { notAllowed, notFound } from "../../errors.ts";
import { isLocal, localUsername } from "../accounts.ts";
import { quoteAuthorizationUri } from "../addresses.ts";
import { concernsOthers, deliver, remoteHoldersOf } from "../deliveries.ts";
import { saveSilentMentions } from "../discovery/tags.ts";
import { isForEveryone, ownStatus, type StatusRow, visibleStatus, visibleTo } from "../visibility.ts";
import { quotePermission } from "./policy.ts";
import { addQuote, announceQuote, notifyQuoted, quoteIn, type QuoteRow, setState, statusWith } from "./quotes.ts";

/*
 * The consent of a local author to quotes of their statuses: given by their policy when another server asks, or by
 * themselves, and revoked.
 */

interface Quote {
  row: QuoteRow;
  quoting: StatusRow;
  quoted: StatusRow;
}

/** A quote of the account's own status, even if the account can't see the quoting status, e.g. because of a block. */
function quoteOfOwn(ctx: Context, accountId: number, quoted: StatusRow, quotingId: number | null): Quote {
  const row = quotingId === null ? null : quoteIn(ctx.db, quotingId);
  const quoting = statusWith(ctx.db, quotingId);
  if (!row || !quoting || row.quoted_status_id !== quoted.id) throw notFound();
  if (quoted.account_id !== accountId) throw notAllowed();
  return { row, quoting, quoted };
}

/** Revokes a quote of the account's own status, or refuses one that waits. Returns the id of the quoting status. */
export function revokeQuote(ctx: Context, accountId: number, id: number | null, quotingId: number | null): number {
  const quote = quoteOfOwn(ctx, accountId, visibleStatus(ctx, accountId, id), quotingId);
  const { row, quoting } = quote;
  if (row.state !== "accepted" && row.state !== "pending") return quoting.id;
  ctx.db.transaction((tx) => {
    if (row.state === "accepted") deliverRevocation(ctx, tx, quote);
    else deliverAnswer(ctx, tx, quote, "quote.rejected");
    setState(tx, row, row.state === "accepted" ? "revoked" : "rejected");
    announceQuote(ctx, tx, quoting);
  });
  return quoting.id;
}

/** Approves a quote of the account's own status that waits. Returns the id of the quoting status. */
export function approveQuote(ctx: Context, accountId: number, id: number | null, quotingId: number | null): number {
  const quote = quoteOfOwn(ctx, accountId, ownStatus(ctx, accountId, id), quotingId);
  const { row, quoting } = quote;
  if (row.state === "accepted") return quoting.id;
  if (row.state !== "pending" || (!quoting.local && row.request_uri === null)) throw notFound();
  ctx.db.transaction((tx) => {
    setState(tx, row, "accepted");
    deliverAnswer(ctx, tx, quote, "quote.accepted");
    announceQuote(ctx, tx, quoting);
  });
  return quoting.id;
}

/** Servers that have either status may show the quote. */
function deliverRevocation(ctx: Context, tx: Tx, { row, quoting, quoted }: Quote): void {
  if (quoting.local_only) return;
  const holders = [quoting.id, quoted.id].flatMap((id) => remoteHoldersOf(tx, id));
  const quoter = isLocal(tx, quoting.account_id) ? [] : [quoting.account_id];
  const accountIds = [...new Set([...holders, ...quoter])];
  if (accountIds.length === 0 && !concernsOthers(tx, quoted.id)) return;
  deliver(ctx, tx, {
    type: "quote.revoked",
    accountId: quoted.account_id,
    authorizationUri: authorizationOf(ctx, tx, quoted, row.id),
    quotedUri: quoted.uri,
    quotingUri: quoting.uri,
    accountIds,
  });
}

function authorizationOf(ctx: Context, db: Reads, quoted: StatusRow, quoteId: number): string {
  return quoteAuthorizationUri(ctx, localUsername(db, quoted.account_id)!, quoteId);
}

/** Local authors need no answer. */
function deliverAnswer(ctx: Context, tx: Tx, quote: Quote, type: "quote.accepted" | "quote.rejected"): void {
  const { row, quoting, quoted } = quote;
  if (quoting.local || row.request_uri === null) return;
  const authorizationUri = type === "quote.accepted" ? authorizationOf(ctx, tx, quoted, row.id) : null;
  const [requestUri, quotingUri, quotedUri] = [row.request_uri, quoting.uri, quoted.uri];
  const accounts = { accountId: quoted.account_id, quoterId: quoting.account_id };
  deliver(ctx, tx, { type, ...accounts, requestUri, quotedUri, quotingUri, authorizationUri });
}

export type QuotePermission = "automatic" | "manual" | "denied";

const PERMISSION = `
  SELECT iif(${visibleTo("+$accountId")}, ${quotePermission("+$accountId")}, 'denied') AS permission, ${visibleTo("+$accountId")} AS visible,
    s.visibility
  FROM statuses s WHERE s.id = +$quotedId AND s.local = 1 AND s.reblog_of_id IS NULL`;

/**
 * Whether a remote account may quote a local status. Null if the status doesn't exist for it. Accounts that the author
 * blocks are denied.
 */
export function remotePermission(db: Reads, accountId: number, quotedId: number): QuotePermission | null {
  const found = db.get<{ permission: QuotePermission; visible: number; visibility: string }>(PERMISSION, {
    accountId,
    quotedId,
  });
  if (!found || (found.visible === 0 && !isForEveryone(found.visibility))) return null;
  return found.permission;
}

/** A remote account asks to quote a local status. */
export interface QuoteRequest {
  /** The URI of the request. */
  uri: string;
  accountId: number;
  quotedId: number;
  /** The URI of the quoting status. */
  quotingUri: string;
}

/** Tells the server of a quoting status that the quote is refused. */
export function refuseRequest(ctx: Context, tx: Tx, request: QuoteRequest): void {
  const quoted = statusWith(tx, request.quotedId);
  if (!quoted) return;
  const { uri: requestUri, accountId: quoterId, quotingUri } = request;
  const answer = { accountId: quoted.account_id, quoterId, requestUri, quotedUri: quoted.uri, quotingUri };
  deliver(ctx, tx, { type: "quote.rejected", ...answer, authorizationUri: null });
}

const SET_REQUEST = "UPDATE quotes SET request_uri = $uri WHERE status_id = +$quotingId";

/**
 * Decides about a request by the author of a known status, and answers it; one that needs the local author's approval
 * waits. A repeated request is answered again: the first answer may have been lost.
 */
export function decideRequest(ctx: Context, tx: Tx, request: QuoteRequest, quoting: StatusRow): void {
  const quoted = statusWith(tx, request.quotedId);
  const permission = quoted && remotePermission(tx, request.accountId, quoted.id);
  if (!quoted || permission === null) return;
  if (!quoteIn(tx, quoting.id)) addQuote(ctx, tx, quoting, { status: quoted, state: "pending" }, true);
  const before = quoteIn(tx, quoting.id)!;
  if (before.quoted_status_id !== quoted.id) return refuseRequest(ctx, tx, request);
  tx.run(SET_REQUEST, { uri: request.uri, quotingId: quoting.id });
  const quote: Quote = { row: { ...before, request_uri: request.uri }, quoting, quoted };
  const isNew = before.state === "pending";
  if (before.state === "accepted" || (isNew && permission === "automatic")) accept(ctx, tx, quote);
  else if (isNew && permission === "manual") ask(ctx, tx, quote, before.request_uri === null);
  else refuse(ctx, tx, quote);
}

function accept(ctx: Context, tx: Tx, quote: Quote): void {
  const { row, quoting, quoted } = quote;
  if (row.state !== "accepted") {
    setState(tx, row, "accepted");
    saveSilentMentions(tx, quoting.id, [quoted.account_id]);
    notifyQuoted(ctx, tx, quoting, quoted.account_id);
    announceQuote(ctx, tx, quoting);
  }
  deliverAnswer(ctx, tx, quote, "quote.accepted");
}

function ask(ctx: Context, tx: Tx, { quoting, quoted }: Quote, isFirst: boolean): void {
  saveSilentMentions(tx, quoting.id, [quoted.account_id]);
  if (isFirst) notifyQuoted(ctx, tx, quoting, quoted.account_id);
}

function refuse(ctx: Context, tx: Tx, quote: Quote): void {
  const { row, quoting } = quote;
  deliverAnswer(ctx, tx, quote, "quote.rejected");
  if (row.state !== "pending") return;
  setState(tx, row, "rejected");
  announceQuote(ctx, tx, quoting);
}
