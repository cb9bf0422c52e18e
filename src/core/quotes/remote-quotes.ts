import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { blocks, STATUS_COLUMNS, type StatusRow } from "../visibility.ts";
import {
  announceQuote,
  addQuote,
  type Quotable,
  quoteIn,
  type QuoteRow,
  setState,
  statusWith,
  uncountQuote,
} from "./quotes.ts";

/* Quotes whose quoting or quoted status is on another server, as that server describes them. */

/** The quote in a remote status. The quoted status is known. */
export interface RemoteQuote {
  quotedId: number;
  /** Whether the quoting server knows nothing of consent. */
  isLegacy: boolean;
  authorizationUri: string | null;
  /** Whether the quoted author's server confirms the authorization; null if that is unknown at the moment. */
  isConfirmed: boolean | null;
}

const ALLOWS_EVERYONE = `
  SELECT 1 FROM statuses s WHERE s.id = +$quotedId AND instr(s.quote_automatic, '"public"')
    AND NOT ${blocks("s.account_id", "+$accountId")}`;

/** The quoted status, and the state of a new quote of it; null if it can't be quoted. */
export function remoteQuotable(db: Reads, accountId: number, quote: RemoteQuote | null): Quotable | null {
  const status = quote && statusWith(db, quote.quotedId);
  if (!status || status.reblog_of_id !== null) return null;
  const isOwn = status.account_id === accountId;
  if (isOwn || isGranted(db, accountId, status, quote)) {
    return { status, state: "accepted", authorizationUri: isOwn || status.local ? null : quote.authorizationUri };
  }
  return { status, state: "pending" };
}

/** Local authors grant quotes on request. */
function isGranted(db: Reads, accountId: number, quoted: StatusRow, quote: RemoteQuote): boolean {
  if (!quote.isLegacy) return !quoted.local && quote.isConfirmed === true;
  return db.get(ALLOWS_EVERYONE, { quotedId: quoted.id, accountId }) !== null;
}

/**
 * Applies the quote of a remote status's present version. A quote can be added and removed, but not be changed to one of
 * another status; a revoked or rejected one stays. Returns whether anything changed.
 */
export function updateRemoteQuote(ctx: Context, tx: Tx, status: StatusRow, quote: RemoteQuote | null): boolean {
  const row = quoteIn(tx, status.id);
  if (!quote) return row !== null && !isRefused(row) && removeQuote(tx, status.id);
  const quotable = remoteQuotable(tx, status.account_id, quote);
  if (!quotable) return false;
  if (!row) {
    addQuote(ctx, tx, status, quotable, true);
    return true;
  }
  return row.quoted_status_id === quote.quotedId && updateConsent(tx, row, quotable, quote);
}

/** The row remembers the decision: without it, the quote could be dropped and added again as a new one. */
function isRefused({ state }: QuoteRow): boolean {
  return state === "revoked" || state === "rejected";
}

function removeQuote(tx: Tx, statusId: number): boolean {
  uncountQuote(tx, statusId);
  tx.run("DELETE FROM quotes WHERE status_id = +$statusId", { statusId });
  return true;
}

/** A decision of a local author stays, and so does one that can't be checked at the moment. */
function updateConsent(
  tx: Tx,
  row: QuoteRow,
  { state, authorizationUri = null }: Quotable,
  quote: RemoteQuote,
): boolean {
  const isGranted = state === "accepted" && (row.state === "pending" || quote.isConfirmed === true);
  if (isGranted && !(row.state === "accepted" && row.authorization_uri === authorizationUri)) {
    setState(tx, row, "accepted", authorizationUri);
    return true;
  }
  const isRevoked = row.state === "accepted" && row.authorization_uri !== null && quote.isConfirmed === false;
  if (isRevoked) setState(tx, row, "revoked");
  return isRevoked;
}

const REQUESTED = `
  SELECT ${STATUS_COLUMNS} FROM statuses s JOIN quotes q ON q.status_id = s.id JOIN statuses o ON o.id = q.quoted_status_id
  WHERE s.uri = +$quotingUri AND s.local = 1 AND o.account_id = +$authorId`;

/** The author of a remote status answers the request of a local account to quote it. Null refuses it. */
export function answerQuote(
  ctx: Context,
  tx: Tx,
  { quotingUri, authorId }: { quotingUri: string; authorId: number },
  authorizationUri: string | null,
): void {
  const quoting = tx.get<StatusRow>(REQUESTED, { quotingUri, authorId });
  const row = quoting && quoteIn(tx, quoting.id);
  if (!row || row.state === "revoked") return;
  const refused = row.state === "accepted" ? "revoked" : "rejected";
  const state = authorizationUri === null ? refused : "accepted";
  if (row.state === state) return;
  setState(tx, row, state, authorizationUri);
  announceQuote(ctx, tx, quoting);
}

const AUTHORIZED = `
  SELECT ${STATUS_COLUMNS}, o.uri AS quoted_uri, o.account_id AS quoted_author_id, a.uri AS quoted_author_uri
  FROM quotes q JOIN statuses s ON s.id = q.status_id JOIN statuses o ON o.id = q.quoted_status_id
  JOIN accounts a ON a.id = o.account_id
  WHERE q.authorization_uri = +$uri AND q.state = 'accepted'`;

interface AuthorizedRow extends StatusRow {
  quoted_uri: string;
  quoted_author_id: number;
  quoted_author_uri: string;
}

/** The statuses with a quote that was accepted by this authorization, and the author who gave it. */
export function quotesAuthorizedBy(db: Reads, uri: string): AuthorizedRow[] {
  return db.all<AuthorizedRow>(AUTHORIZED, { uri });
}

/** An authorization of a remote author no longer holds. */
export function endAuthorization(ctx: Context, tx: Tx, uri: string): void {
  for (const quoting of quotesAuthorizedBy(tx, uri)) {
    setState(tx, quoteIn(tx, quoting.id)!, "revoked");
    announceQuote(ctx, tx, quoting);
  }
}
