import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { quotes } from "../../db/schema/index.ts";
import { deliver, deliverUpdate } from "../deliveries.ts";
import { saveSilentMentions } from "../discovery/tags.ts";
import { announceChange } from "../timelines/home-fanout.ts";
import { notify } from "../notifications/notifications.ts";
import { STATUS_COLUMNS, type StatusRow, visibleTo, wantedBy } from "../visibility.ts";

export type QuoteRow = typeof quotes.$inferSelect;
export type QuoteState = QuoteRow["state"];

/** A status to be quoted, and the state of the new quote. */
export interface Quotable {
  status: StatusRow;
  state: QuoteState;
  /** The consent of an author on another server. */
  authorizationUri?: string | null;
}

const QUOTE = "SELECT * FROM quotes WHERE status_id = +$statusId";

/** The quote that a status contains, or did; null if there is none. */
export function quoteIn(db: Reads, statusId: number): QuoteRow | null {
  return db.get<QuoteRow>(QUOTE, { statusId });
}

/** Whether a status quotes another, or did. */
export function isQuote(db: Reads, statusId: number): boolean {
  return quoteIn(db, statusId) !== null;
}

/** The state of a status's quote, and the URL of the quoted status; nulls if there is none or if it was deleted. */
export function quotedIn(db: Reads, statusId: number): { quote_state: QuoteState | null; quoted_url: string | null } {
  const row = db.get<{ quote_state: QuoteState; quoted_url: string }>(
    `SELECT q.state AS quote_state, s.url AS quoted_url FROM quotes q JOIN statuses s ON s.id = q.quoted_status_id
     WHERE q.status_id = +$statusId`,
    { statusId },
  );
  return row ?? { quote_state: null, quoted_url: null };
}

const ADD = `
  INSERT INTO quotes (status_id, quoted_status_id, state, created_at, authorization_uri)
  VALUES ($statusId, $quotedId, $state, $now, $authorizationUri)`;

/**
 * Adds a quote to a status. The quoted author may see a local one, even without following its author; if they are on
 * another server, they are asked, unless the quote is local-only. `isQuiet` notifies nobody.
 */
export function addQuote(
  ctx: Context,
  tx: Tx,
  status: Pick<StatusRow, "id" | "account_id" | "local" | "local_only">,
  { status: quoted, state, authorizationUri = null }: Quotable,
  isQuiet: boolean,
): void {
  tx.run(ADD, { statusId: status.id, quotedId: quoted.id, state, now: ctx.clock.now(), authorizationUri });
  const isByOther = quoted.account_id !== status.account_id;
  if (status.local && isByOther) saveSilentMentions(tx, status.id, [quoted.account_id]);
  if (state === "accepted") countQuote(tx, quoted.id);
  if (status.local && !status.local_only && !quoted.local)
    deliver(ctx, tx, { type: "quote.requested", statusId: status.id });
  // A pending quote from another server notifies the author once its request arrives.
  if (!isQuiet && (state === "accepted" || status.local)) notifyQuoted(ctx, tx, status, quoted.account_id);
}

export function notifyQuoted(
  ctx: Context,
  tx: Tx,
  quoting: { id: number; account_id: number },
  quotedAuthorId: number,
): void {
  notify(ctx, tx, quotedAuthorId, { type: "quote", from: quoting.account_id, statusId: quoting.id });
}

function countQuote(tx: Tx, quotedId: number | null): void {
  tx.run("UPDATE statuses SET quotes_count = quotes_count + 1 WHERE id = +$quotedId", { quotedId });
}

/** Call it before a status or its quote is deleted: updates the counter of the status it quotes. */
export function uncountQuote(tx: Tx, statusId: number): void {
  tx.run(
    `UPDATE statuses SET quotes_count = max(0, quotes_count - 1)
     WHERE id = (SELECT quoted_status_id FROM quotes WHERE status_id = +$statusId AND state = 'accepted')`,
    { statusId },
  );
}

const SET_STATE =
  "UPDATE quotes SET state = $state, authorization_uri = $authorizationUri WHERE status_id = +$statusId";

/** Changes the state of a quote, with the counter of the quoted status. */
export function setState(tx: Tx, quote: QuoteRow, state: QuoteState, authorizationUri: string | null = null): void {
  uncountQuote(tx, quote.status_id);
  tx.run(SET_STATE, { state, authorizationUri, statusId: quote.status_id });
  if (state === "accepted") countQuote(tx, quote.quoted_status_id);
}

/** Publishes the new state of a quote to streams and to other servers. */
export function announceQuote(ctx: Context, tx: Tx, quoting: StatusRow): void {
  announceChange(ctx, tx, quoting);
  if (quoting.local) deliverUpdate(ctx, tx, quoting.id);
}

/** Notifies local authors that the status they quote was edited. */
export function notifyQuoters(ctx: Context, tx: Tx, status: { id: number; account_id: number }): void {
  const quoting = tx.all<{ id: number; account_id: number }>(
    `SELECT s.id, s.account_id FROM quotes q JOIN statuses s ON s.id = q.status_id JOIN users u ON u.account_id = s.account_id
     WHERE q.quoted_status_id = +$statusId AND q.state = 'accepted'`,
    { statusId: status.id },
  );
  for (const { id, account_id } of quoting) {
    notify(ctx, tx, account_id, { type: "quoted_update", from: status.account_id, statusId: id });
  }
}

const LISTED = `
  SELECT s.id, q.id AS cursor FROM quotes q JOIN statuses s ON s.id = q.status_id
  WHERE q.quoted_status_id = +$statusId AND ${visibleTo()} AND ${wantedBy()}`;
const ACCEPTED = new Keyset<ListItem>(`${LISTED} AND q.state = 'accepted'`, "q.id");
/** A quote on another server waits once its author has asked. */
const PENDING = new Keyset<ListItem>(
  `${LISTED} AND q.state = 'pending' AND (s.local = 1 OR q.request_uri IS NOT NULL)`,
  "q.id",
);

/**
 * The statuses that quote this one, latest first, without those that the viewer can't see or that are by accounts they
 * block or mute.
 */
export function quotesOf(
  ctx: Context,
  viewerId: number,
  statusId: number,
  page: Page,
  state: "accepted" | "pending" = "accepted",
) {
  const list = state === "accepted" ? ACCEPTED : PENDING;
  return list.page(ctx.db, page, { statusId, viewer: viewerId, now: ctx.clock.now() });
}

const STATUS = `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.id = +$id`;

/** A status, whether or not anyone may see it. */
export function statusWith(db: Reads, id: number | null): StatusRow | null {
  return db.get<StatusRow>(STATUS, { id });
}
