import type { Reads, Tx } from "../db/open.ts";
import { Refusal } from "../errors.ts";
import type { Visibility } from "./visibility.ts";

/*
 * The accounts that may favourite, reply to and reblog a status, as its author decides. Those for quotes are in the same row, and in
 * core/quotes/.
 */

/** Groups of accounts, in GoToSocial's words. `author` stands for nobody else: authors always may. */
export const POLICY_WORDS = ["public", "followers", "following", "mutuals", "mentioned", "author"] as const;
export type PolicyWord = (typeof POLICY_WORDS)[number];

/**
 * The accounts that may, as stored: JSON lists of words, and of URIs of accounts in a status of another server. Null
 * allows everyone who may see the status, and an empty list only the author.
 */
export interface InteractionPolicy {
  canFavourite: string | null;
  /** Accounts that the status mentions, or replies to, may always reply. */
  canReply: string | null;
  canReblog: string | null;
}

export const OPEN_POLICY: InteractionPolicy = { canFavourite: null, canReply: null, canReblog: null };

/** The stored list of these words. */
export function storedPolicy(words: readonly PolicyWord[]): string | null {
  if (words.includes("public")) return null;
  return JSON.stringify(POLICY_WORDS.filter((word) => word !== "author" && words.includes(word)));
}

/** The words and URIs of a stored list, with the author. */
export function wordsOfPolicy(list: string | null): string[] {
  return list === null ? ["public"] : ["author", ...(JSON.parse(list) as string[])];
}

/** Defaults by visibility, as stored. Those that a user has not changed are missing. */
export type DefaultPolicies = Partial<Record<Visibility, InteractionPolicy>>;

export function defaultPolicies(db: Reads, accountId: number): DefaultPolicies {
  const sql = "SELECT default_policies FROM users WHERE account_id = +$accountId";
  const row = db.get<{ default_policies: string }>(sql, { accountId });
  return row ? (JSON.parse(row.default_policies) as DefaultPolicies) : {};
}

/** The policy of a new status: what `changes` lacks is as in the author's default. */
export function newPolicy(
  defaults: DefaultPolicies,
  visibility: Visibility,
  changes: Partial<InteractionPolicy>,
): InteractionPolicy {
  return { ...OPEN_POLICY, ...defaults[visibility], ...changes };
}

const SET_DEFAULTS = `
  UPDATE users SET default_policies = $policies, default_quote_policy = coalesce($quotePolicy, default_quote_policy)
  WHERE account_id = +$accountId`;

/** Replaces the defaults for these visibilities, and for quotes if given; null restores the original one. */
export function changeDefaultPolicies(
  tx: Tx,
  accountId: number,
  changes: Partial<Record<Visibility, InteractionPolicy | null>>,
  quotePolicy: "public" | "followers" | "nobody" | null = null,
): void {
  const changed = Object.entries({ ...defaultPolicies(tx, accountId), ...changes });
  const policies = JSON.stringify(Object.fromEntries(changed.filter(([, policy]) => policy)));
  tx.run(SET_DEFAULTS, { accountId, policies, quotePolicy });
}

const follows = (account: string, target: string) =>
  `EXISTS (SELECT 1 FROM follows WHERE account_id = ${account} AND target_account_id = ${target})`;
const isMentioned = (viewer: string, s: string) =>
  `EXISTS (SELECT 1 FROM mentions WHERE status_id = ${s}.id AND account_id = ${viewer} AND NOT silent)`;

/** Whether a policy's list names the viewer of `statuses s`. An SQL expression, as the others here. */
export function isListed(list: string, viewer: string, s = "s"): string {
  return `(
    instr(${list}, '"public"')
    OR instr(${list}, '"followers"') AND ${follows(viewer, `${s}.account_id`)}
    OR instr(${list}, '"following"') AND ${follows(`${s}.account_id`, viewer)}
    OR instr(${list}, '"mutuals"') AND ${follows(viewer, `${s}.account_id`)} AND ${follows(`${s}.account_id`, viewer)}
    OR instr(${list}, '"mentioned"') AND ${isMentioned(viewer, s)}
    OR instr(${list}, '"http') AND EXISTS (
      SELECT 1 FROM accounts WHERE id = ${viewer} AND instr(${list}, json_quote(uri))))`;
}

/** Whether an account of another server follows one of a third is known only there, so that author's server decides. */
function isDecidedElsewhere(list: string, viewer: string, s: string): string {
  return `(${s}.local = 0 AND (instr(${list}, '"followers"') OR instr(${list}, '"following"'))
    AND EXISTS (SELECT 1 FROM accounts WHERE id = ${viewer} AND domain IS NOT NULL))`;
}

function mayDo(list: string, viewer: string, s: string): string {
  return `(${list} IS NULL OR ${s}.account_id = ${viewer} OR ${isListed(list, viewer, s)}
    OR ${isDecidedElsewhere(list, viewer, s)})`;
}

export function mayFavourite(viewer: string, s = "s"): string {
  return mayDo(`${s}.can_favourite`, viewer, s);
}

/** An account that is mentioned, or replied to, can always defend itself. */
export function mayReply(viewer: string, s = "s"): string {
  return `(${mayDo(`${s}.can_reply`, viewer, s)}
    OR ${s}.in_reply_to_account_id IS ${viewer} OR ${isMentioned(viewer, s)})`;
}

/** According to the policy: a status that isn't for everyone can't be reblogged by others anyway. */
export function mayReblog(viewer: string, s = "s"): string {
  return mayDo(`${s}.can_reblog`, viewer, s);
}

interface Permissions {
  favourite: number;
  reply: number;
  reblog: number;
}

const PERMISSIONS = `
  SELECT ${mayFavourite("+$accountId")} AS favourite, ${mayReply("+$accountId")} AS reply,
    ${mayReblog("+$accountId")} AS reblog
  FROM statuses s WHERE s.id = +$statusId`;

/** Whether the policy of a status allows an account to do this. */
export function isPermitted(db: Reads, action: keyof Permissions, accountId: number, statusId: number): boolean {
  return db.get<Permissions>(PERMISSIONS, { accountId, statusId })?.[action] === 1;
}

/** @throws Refusal if the author of a status doesn't allow this */
export function requirePermission(db: Reads, action: keyof Permissions, accountId: number, statusId: number): void {
  if (!isPermitted(db, action, accountId, statusId)) throw REFUSALS[action]();
}

const REFUSALS = {
  favourite: () => new Refusal("forbidden", "The author of this post does not allow you to favourite it."),
  reply: () => new Refusal("forbidden", "The author of this post does not allow you to reply to it."),
  reblog: () => new Refusal("forbidden", "The author of this post does not allow you to boost it."),
};

const POLICY = `
  SELECT can_favourite AS canFavourite, can_reply AS canReply, can_reblog AS canReblog FROM statuses
  WHERE id = +$statusId`;
const SET = `
  UPDATE statuses SET can_favourite = $canFavourite, can_reply = $canReply, can_reblog = $canReblog
  WHERE id = +$statusId
    AND (can_favourite IS NOT +$canFavourite OR can_reply IS NOT +$canReply OR can_reblog IS NOT +$canReblog)`;

/** Changes what is given; replies, reblogs and favourites that exist stay. Returns whether anything changed. */
export function setInteractionPolicy(tx: Tx, statusId: number, changes: Partial<InteractionPolicy>): boolean {
  const policy = { ...tx.get<InteractionPolicy>(POLICY, { statusId })!, ...changes };
  const { canFavourite, canReply, canReblog } = policy;
  return tx.run(SET, { statusId, canFavourite, canReply, canReblog }).changes > 0;
}
