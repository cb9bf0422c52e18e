import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { notFound } from "../../errors.ts";
import { deliverUpdate } from "../deliveries.ts";
import { isListed } from "../interaction-policies.ts";
import { announceChange } from "../timelines/home-fanout.ts";
import { isForEveryone, ownStatus, type StatusRow, type Visibility } from "../visibility.ts";

export const QUOTE_POLICIES = ["public", "followers", "nobody"] as const;
/** A quote policy that can be an account's default. */
export type QuotePolicy = (typeof QUOTE_POLICIES)[number];

/** Mastodon has no policy with manual approval, so this is no default: apps would not know it. */
export const STATUS_QUOTE_POLICIES = [...QUOTE_POLICIES, "manual"] as const;
/** The quote policy of a status, as set by its author. `manual`: everyone may ask. */
export type StatusQuotePolicy = (typeof STATUS_QUOTE_POLICIES)[number];

/**
 * The accounts that may quote a status, without asking or with the author's approval: JSON lists in Mastodon's words, as
 * stored.
 */
export interface Quoters {
  automatic: string;
  manual: string;
}

export const NO_QUOTERS: Quoters = { automatic: "[]", manual: "[]" };

/**
 * The stored lists for a policy. Statuses that aren't public or unlisted can't be quoted by others, whatever the policy.
 */
export function quotersOf(policy: StatusQuotePolicy, visibility: Visibility): Quoters {
  if (!isForEveryone(visibility) || policy === "nobody") return NO_QUOTERS;
  return policy === "manual"
    ? { automatic: "[]", manual: '["public"]' }
    : { automatic: JSON.stringify([policy]), manual: "[]" };
}

/**
 * Whether the viewer may quote `statuses s` according to its author's policy, in Mastodon's words: `automatic`,
 * `manual` (with the author's approval), `unknown` or `denied`. An SQL expression.
 */
export function quotePermission(viewer: string): string {
  return `CASE
    WHEN s.visibility = 'direct' THEN 'denied'
    WHEN s.account_id = ${viewer} OR ${isListed("s.quote_automatic", viewer)} THEN 'automatic'
    WHEN ${isListed("s.quote_manual", viewer)} THEN 'manual'
    WHEN instr(s.quote_automatic || s.quote_manual, '"unsupported_policy"') THEN 'unknown'
    ELSE 'denied' END`;
}

/** Changes who may quote a status from now on; existing quotes stay. Returns its id. */
export function changeQuotePolicy(
  ctx: Context,
  accountId: number,
  id: number | null,
  policy: StatusQuotePolicy,
): number {
  const status = ownStatus(ctx, accountId, id);
  if (status.reblog_of_id !== null) throw notFound();
  ctx.db.transaction((tx) => {
    if (!setQuotePolicy(tx, status, policy)) return;
    announceChange(ctx, tx, status);
    deliverUpdate(ctx, tx, status.id);
  });
  return status.id;
}

/** Returns false if the policy was the same already. */
export function setQuotePolicy(tx: Tx, status: StatusRow, policy: StatusQuotePolicy): boolean {
  return setQuoters(tx, status.id, quotersOf(policy, status.visibility));
}

const SET = `
  UPDATE statuses SET quote_automatic = $automatic, quote_manual = $manual
  WHERE id = +$statusId AND (quote_automatic <> +$automatic OR quote_manual <> +$manual)`;

/** Returns whether they changed. */
export function setQuoters(tx: Tx, statusId: number, quoters: Quoters): boolean {
  return tx.run(SET, { statusId, ...quoters }).changes > 0;
}
