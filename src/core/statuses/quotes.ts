import type { Context } from "../../context.ts";
import { Keyset, type Page, type Place } from "../../db/keyset.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { quotes } from "../../db/schema/index.ts";
import { notAllowed, notFound, Refusal, validationFailed } from "../../errors.ts";
import { announceChange } from "../timelines/home.ts";
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
/** Who may quote a status, as its author says it. */
export type QuotePolicy = (typeof QUOTE_POLICIES)[number];

export type QuoteState = (typeof quotes.$inferSelect)["state"];

/** The list that is stored for a policy. What isn't for everyone is for nobody to quote, whatever the author says. */
export function automaticQuoters(policy: QuotePolicy, visibility: string): string {
  return isForEveryone(visibility) && policy !== "nobody" ? JSON.stringify([policy]) : "[]";
}

/**
 * Whether the viewer may quote `statuses s`, by its author's policy alone, in Mastodon's words: `automatic`, `manual`
 * (when the author agrees), `unknown` or `denied`. An SQL expression.
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

/** A status that is going to be quoted, and whether that needs its author's consent. */
export interface Quotable {
  status: StatusRow;
  state: QuoteState;
}

const PERMISSION = `
  SELECT ${quotePermission("?2")} AS permission FROM statuses s
  WHERE s.id = ?1 AND NOT ${blocks("?2", "s.account_id")}`;

/** The status, if this account may quote it; refuses as if it did not exist otherwise. A boost means its original. */
export function quotable(ctx: Context, accountId: number, id: number): Quotable {
  const missing = new Refusal("not_found", "The post you are trying to quote does not appear to exist.");
  let status: StatusRow;
  try {
    status = visibleOriginal(ctx, accountId, id);
  } catch (error) {
    throw error instanceof Refusal ? missing : error;
  }
  const found = ctx.db.get<{ permission: string }>(PERMISSION, status.id, accountId);
  if (!found || found.permission === "denied") throw missing;
  // Somebody elsewhere says for themselves whether they agree.
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
  return db.get("SELECT 1 FROM quotes WHERE status_id = ?", statusId) !== null;
}

/** Where the status is found that this one quotes; null without one, or once it is gone. */
export function quotedUrlOf(db: Reads, statusId: number): string | null {
  const row = db.get<{ url: string }>(
    "SELECT s.url FROM quotes q JOIN statuses s ON s.id = q.quoted_status_id WHERE q.status_id = ?",
    statusId,
  );
  return row?.url ?? null;
}

/** A status for some people can't be quoted to more of them, nor a person spoken of in private without their knowing. */
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

/** Has a new status quote another. Whoever is quoted may see it, even where they don't follow its author. */
export function addQuote(
  ctx: Context,
  tx: Tx,
  status: { id: number; account_id: number },
  { status: quoted, state }: Quotable,
): void {
  tx.run(
    "INSERT INTO quotes (status_id, quoted_status_id, state, created_at) VALUES (?, ?, ?, ?)",
    status.id,
    quoted.id,
    state,
    ctx.clock.now(),
  );
  if (quoted.account_id !== status.account_id) {
    tx.run(
      "INSERT OR IGNORE INTO mentions (status_id, account_id, silent) VALUES (?, ?, 1)",
      status.id,
      quoted.account_id,
    );
  }
  if (state !== "accepted") return;
  tx.run("UPDATE statuses SET quotes_count = quotes_count + 1 WHERE id = ?", quoted.id);
  notify(ctx, tx, quoted.account_id, { type: "quote", from: status.account_id, statusId: status.id });
}

/** Before a status is removed: what it quoted is quoted once less. */
export function forgetQuote(tx: Tx, statusId: number): void {
  tx.run(
    `UPDATE statuses SET quotes_count = max(0, quotes_count - 1)
     WHERE id = (SELECT quoted_status_id FROM quotes WHERE status_id = ? AND state = 'accepted')`,
    statusId,
  );
}

/** Tells those who quote a status that it isn't any more what they quoted. */
export function notifyQuoters(ctx: Context, tx: Tx, status: { id: number; account_id: number }): void {
  const quoting = tx.all<{ id: number; account_id: number }>(
    `SELECT s.id, s.account_id FROM quotes q JOIN statuses s ON s.id = q.status_id JOIN users u ON u.account_id = s.account_id
     WHERE q.quoted_status_id = ? AND q.state = 'accepted'`,
    status.id,
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
  WHERE q.status_id = ? AND q.quoted_status_id = ?`;

/**
 * Takes a status of one's own out of another that quotes it, even of one that isn't visible any more, say because its
 * author blocks. The id of that other.
 */
export function revokeQuote(ctx: Context, accountId: number, id: number | null, quotingId: number | null): number {
  const quoted = visibleStatus(ctx, accountId, id);
  const quoting = ctx.db.get<QuotingRow>(QUOTING, quotingId, quoted.id);
  if (!quoting) throw notFound();
  if (quoted.account_id !== accountId) throw notAllowed();
  if (quoting.state !== "accepted" && quoting.state !== "pending") return quoting.id;
  ctx.db.transaction((tx) => {
    forgetQuote(tx, quoting.id);
    const state: QuoteState = quoting.state === "accepted" ? "revoked" : "rejected";
    tx.run("UPDATE quotes SET state = ? WHERE status_id = ?", state, quoting.id);
    announceChange(ctx, tx, quoting);
  });
  return quoting.id;
}

/** Changes who may quote a status from now on; quotes that there are already stay. Its id. */
export function changeQuotePolicy(ctx: Context, accountId: number, id: number | null, policy: QuotePolicy): number {
  const status = ownStatus(ctx, accountId, id);
  if (status.reblog_of_id !== null) throw notFound();
  ctx.db.transaction((tx) => {
    if (setQuotePolicy(tx, status, policy)) announceChange(ctx, tx, status);
  });
  return status.id;
}

/** False when that was the policy already. */
export function setQuotePolicy(tx: Tx, status: StatusRow, policy: QuotePolicy): boolean {
  const { changes } = tx.run(
    "UPDATE statuses SET quote_automatic = ?2 WHERE id = ?1 AND quote_automatic <> ?2",
    status.id,
    automaticQuoters(policy, status.visibility),
  );
  return changes > 0;
}

const QUOTES = new Keyset<Place>(
  `SELECT s.id, q.id AS cursor FROM quotes q JOIN statuses s ON s.id = q.status_id
   WHERE q.quoted_status_id = ?4 AND q.state = 'accepted' AND ${visibleTo("?5")} AND ${wantedBy("?5", "?6")}`,
  "q.id",
);

/** The statuses that quote this one, the latest first, as far as the viewer may and wants to see them. */
export function quotesOf(ctx: Context, viewerId: number, statusId: number, page: Page) {
  return QUOTES.page(ctx.db, page, statusId, viewerId, ctx.clock.now());
}
