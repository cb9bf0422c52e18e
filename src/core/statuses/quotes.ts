import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { quotes } from "../../db/schema/index.ts";
import { notAllowed, notFound, Refusal, validationFailed } from "../../errors.ts";
import { saveSilentMentions } from "../discovery/tags.ts";
import { announceChange } from "../timelines/home-fanout.ts";
import { notify } from "../notifications/notifications.ts";
import {
  blocks,
  isForEveryone,
  ownStatus,
  STATUS_COLUMNS,
  type StatusRow,
  visibleOriginal,
  visibleStatus,
  visibleTo,
  wantedBy,
} from "../visibility.ts";

export const QUOTE_POLICIES = ["public", "followers", "nobody"] as const;
/** The quote policy of a status, as set by its author. */
export type QuotePolicy = (typeof QUOTE_POLICIES)[number];

export type QuoteState = (typeof quotes.$inferSelect)["state"];

/**
 * The stored list for a policy. Statuses that aren't public or unlisted can't be quoted by others, whatever the policy.
 */
export function automaticQuoters(policy: QuotePolicy, visibility: string): string {
  return isForEveryone(visibility) && policy !== "nobody" ? JSON.stringify([policy]) : "[]";
}

/**
 * Whether the viewer may quote `statuses s` according to its author's policy, in Mastodon's words: `automatic`,
 * `manual` (with the author's approval), `unknown` or `denied`. An SQL expression.
 */
export function quotePermission(viewer: string): string {
  const inList = (list: string) => `(
    instr(${list}, '"public"')
    OR instr(${list}, '"followers"') AND EXISTS (
      SELECT 1 FROM follows WHERE account_id = ${viewer} AND target_account_id = s.account_id)
    OR instr(${list}, '"following"') AND EXISTS (
      SELECT 1 FROM follows WHERE account_id = s.account_id AND target_account_id = ${viewer}))`;
  return `CASE
    WHEN s.visibility = 'direct' THEN 'denied'
    WHEN s.account_id = ${viewer} OR ${inList("s.quote_automatic")} THEN 'automatic'
    WHEN ${inList("s.quote_manual")} THEN 'manual'
    WHEN instr(s.quote_automatic || s.quote_manual, '"unsupported_policy"') THEN 'unknown'
    ELSE 'denied' END`;
}

/** A status to be quoted. The state says whether the quote needs its author's approval. */
export interface Quotable {
  status: StatusRow;
  state: QuoteState;
}

const PERMISSION = `
  SELECT ${quotePermission("+$accountId")} AS permission FROM statuses s
  WHERE s.id = +$statusId AND NOT ${blocks("+$accountId", "s.account_id")}`;

/**
 * The status, if this account may quote it; for a boost, its original.
 *
 * @throws Refusal as for a status that doesn't exist
 */
export function quotable(ctx: Context, accountId: number, id: number): Quotable {
  const missing = new Refusal("not_found", "The post you are trying to quote does not appear to exist.");
  let status: StatusRow;
  try {
    status = visibleOriginal(ctx, accountId, id);
  } catch (error) {
    throw error instanceof Refusal ? missing : error;
  }
  const found = ctx.db.get<{ permission: string }>(PERMISSION, { statusId: status.id, accountId });
  if (!found || found.permission === "denied") throw missing;
  // Remote authors decide on their own server.
  return { status, state: status.local && found.permission === "automatic" ? "accepted" : "pending" };
}

export function isQuotable(ctx: Context, accountId: number, id: number): boolean {
  try {
    return quotable(ctx, accountId, id) !== null;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Whether a status quotes another, or did. */
export function isQuote(db: Reads, statusId: number): boolean {
  return db.get("SELECT 1 FROM quotes WHERE status_id = +$statusId", { statusId }) !== null;
}

/** The URL of the quoted status; null if there is none or if it was deleted. */
export function quotedUrlOf(db: Reads, statusId: number): string | null {
  const row = db.get<{ url: string }>(
    "SELECT s.url FROM quotes q JOIN statuses s ON s.id = q.quoted_status_id WHERE q.status_id = +$statusId",
    { statusId },
  );
  return row?.url ?? null;
}

/**
 * The visibility of a quote: a private status can't be quoted to a wider audience, and quoting an account in a direct
 * status must mention it.
 */
export function quotingVisibility(
  quoting: { accountId: number; visibility: StatusRow["visibility"]; mentions: readonly number[] },
  quoted: StatusRow,
): StatusRow["visibility"] {
  const { accountId, visibility, mentions } = quoting;
  if (visibility === "direct" && quoted.account_id !== accountId && !mentions.includes(quoted.account_id)) {
    throw validationFailed("Cannot quote a non-mentioned user in a Private Mention post.");
  }
  return quoted.visibility === "private" && visibility !== "direct" ? "private" : visibility;
}

/** Adds a quote to a new status. The quoted author may see the status, even without following its author. */
export function addQuote(
  ctx: Context,
  tx: Tx,
  status: { id: number; account_id: number },
  { status: quoted, state }: Quotable,
): void {
  tx.run(
    "INSERT INTO quotes (status_id, quoted_status_id, state, created_at) VALUES ($statusId, $quotedId, $state, $now)",
    { statusId: status.id, quotedId: quoted.id, state, now: ctx.clock.now() },
  );
  if (quoted.account_id !== status.account_id) saveSilentMentions(tx, status.id, [quoted.account_id]);
  if (state !== "accepted") return;
  tx.run("UPDATE statuses SET quotes_count = quotes_count + 1 WHERE id = +$quotedId", { quotedId: quoted.id });
  notify(ctx, tx, quoted.account_id, { type: "quote", from: status.account_id, statusId: status.id });
}

/** Call it before a status is deleted: updates the counter of the status it quotes. */
export function uncountQuote(tx: Tx, statusId: number): void {
  tx.run(
    `UPDATE statuses SET quotes_count = max(0, quotes_count - 1)
     WHERE id = (SELECT quoted_status_id FROM quotes WHERE status_id = +$statusId AND state = 'accepted')`,
    { statusId },
  );
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

interface QuotingRow extends StatusRow {
  state: QuoteState;
}

const QUOTING = `
  SELECT ${STATUS_COLUMNS}, q.state FROM quotes q JOIN statuses s ON s.id = q.status_id
  WHERE q.status_id = +$quotingId AND q.quoted_status_id = +$quotedId`;

/**
 * Revokes a quote of the account's own status, even if the account can't see the quoting status any more, e.g. because
 * its author blocks it. Returns the id of the quoting status.
 */
export function revokeQuote(ctx: Context, accountId: number, id: number | null, quotingId: number | null): number {
  const quoted = visibleStatus(ctx, accountId, id);
  const quoting = ctx.db.get<QuotingRow>(QUOTING, { quotingId, quotedId: quoted.id });
  if (!quoting) throw notFound();
  if (quoted.account_id !== accountId) throw notAllowed();
  if (quoting.state !== "accepted" && quoting.state !== "pending") return quoting.id;
  ctx.db.transaction((tx) => {
    uncountQuote(tx, quoting.id);
    const state: QuoteState = quoting.state === "accepted" ? "revoked" : "rejected";
    tx.run("UPDATE quotes SET state = $state WHERE status_id = +$quotingId", { state, quotingId: quoting.id });
    announceChange(ctx, tx, quoting);
  });
  return quoting.id;
}

/** Changes who may quote a status from now on; existing quotes stay. Returns its id. */
export function changeQuotePolicy(ctx: Context, accountId: number, id: number | null, policy: QuotePolicy): number {
  const status = ownStatus(ctx, accountId, id);
  if (status.reblog_of_id !== null) throw notFound();
  ctx.db.transaction((tx) => {
    if (setQuotePolicy(tx, status, policy)) announceChange(ctx, tx, status);
  });
  return status.id;
}

/** Returns false if the policy was the same already. */
export function setQuotePolicy(tx: Tx, status: StatusRow, policy: QuotePolicy): boolean {
  const { changes } = tx.run(
    "UPDATE statuses SET quote_automatic = $quoteAutomatic WHERE id = +$statusId AND quote_automatic <> +$quoteAutomatic",
    { statusId: status.id, quoteAutomatic: automaticQuoters(policy, status.visibility) },
  );
  return changes > 0;
}

const QUOTES = new Keyset<ListItem>(
  `SELECT s.id, q.id AS cursor FROM quotes q JOIN statuses s ON s.id = q.status_id
   WHERE q.quoted_status_id = +$statusId AND q.state = 'accepted' AND ${visibleTo()} AND ${wantedBy()}`,
  "q.id",
);

/**
 * The statuses that quote this one, latest first, without those that the viewer can't see or that are by accounts they
 * block or mute.
 */
export function quotesOf(ctx: Context, viewerId: number, statusId: number, page: Page) {
  return QUOTES.page(ctx.db, page, { statusId, viewer: viewerId, now: ctx.clock.now() });
}
