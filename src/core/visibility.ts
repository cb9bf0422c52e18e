import type { Context } from "../context.ts";
import { idList } from "../db/json.ts";
import { statuses } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";

/*
 * SQL conditions. The viewer is the parameter `$viewer` unless a column is given; `$now` is the current time. Of another
 * account, these leave out:
 *
 *                       | blocked, or its domain | muted                | blocking the viewer | suspended
 * blocksOrMutes         | yes                    | yes                  | no                  | no
 * rejectsNotifications  | yes                    | if for notifications | no                  | no
 * hiddenInLists         | yes                    | yes                  | yes                 | yes
 *
 * wantedBy applies the first to the author of a status and of a reblog's original, mentionsBlockedOrMuted to all accounts
 * that it mentions. visibleTo leaves out statuses of accounts that are suspended or block the viewer, and those that are
 * local-only unless the viewer is a user of this server.
 */

const VIEWER = "+$viewer";

/**
 * The only rule for who may see a status, as an SQL condition on `statuses s`. The viewer's account id is the
 * parameter `$viewer`, 0 for none, or a column. To a viewer who may not see a status, it doesn't exist.
 */
export function visibleTo(viewer = VIEWER, s = "s"): string {
  return `(
    ${s}.account_id = ${viewer}
    OR (
      (
        ${s}.visibility IN ('public', 'unlisted')
        OR EXISTS (SELECT 1 FROM mentions WHERE status_id = ${s}.id AND account_id = ${viewer})
        OR (${s}.visibility = 'private' AND EXISTS (
          SELECT 1 FROM follows WHERE account_id = ${viewer} AND target_account_id = ${s}.account_id))
      )
      AND (${s}.local_only = 0 OR EXISTS (SELECT 1 FROM users WHERE account_id = ${viewer}))
      AND NOT ${isSuspended(`${s}.account_id`)}
      AND NOT ${blocks(`${s}.account_id`, viewer)}
    )
  )`;
}

/** Whether an account is suspended. */
export function isSuspended(account: string): string {
  return isInIndex("accounts_suspended", "suspended_at", account);
}

/** Whether a local user can't sign in: suspended or disabled. */
export function cannotSignIn(account: string): string {
  return `(${isSuspended(account)} OR EXISTS (SELECT 1 FROM users WHERE account_id = ${account} AND disabled))`;
}

/** Whether an account is limited: it is left out of public timelines. */
export function isLimited(account: string): string {
  return isInIndex("accounts_silenced", "silenced_at", account);
}

/**
 * Queries a partial index that has few rows or none. SQLite evaluates the first EXISTS once per statement, so a server
 * without such accounts pays nothing per row.
 */
function isInIndex(index: string, column: string, account: string): string {
  const some = `SELECT 1 FROM accounts INDEXED BY ${index} WHERE ${column} IS NOT NULL`;
  return `(EXISTS (${some}) AND EXISTS (${some} AND id = ${account}))`;
}

/**
 * Whether a report `r` holds the account that it is about: it is by this server, open, and as old as the account's limit.
 */
export const IS_HOLD = `
  r.account_id IS NULL AND r.action_taken_at IS NULL
  AND r.created_at = (SELECT silenced_at FROM accounts WHERE id = r.target_account_id)`;

/** Whether an account is held until a moderator decides: none of its notifications reaches anyone. */
export function isHeld(account: string): string {
  const some = "SELECT 1 FROM reports WHERE account_id IS NULL AND action_taken_at IS NULL";
  return `(EXISTS (${some}) AND EXISTS (SELECT 1 FROM reports r WHERE r.target_account_id = ${account} AND ${IS_HOLD}))`;
}

/**
 * Whether an account is limited, and is neither the viewer nor followed by them. Threads and searches leave these out.
 */
export function isLimitedFor(account: string): string {
  return `(${isLimited(account)} AND ${account} <> ${VIEWER} AND NOT EXISTS (
    SELECT 1 FROM follows WHERE account_id = ${VIEWER} AND target_account_id = ${account}))`;
}

/**
 * Whether a viewer who may see a status `s` also wants it in a timeline: not if they block or mute its author or, for a
 * reblog, the original's author.
 */
export function wantedBy(viewer = VIEWER): string {
  return `NOT ${blocksOrMutes(viewer, "s.account_id")} AND (s.reblog_of_id IS NULL OR EXISTS (
    SELECT 1 FROM statuses o
    WHERE o.id = s.reblog_of_id AND ${visibleTo(viewer, "o")} AND NOT ${blocksOrMutes(viewer, "o.account_id")}))`;
}

/** Whether a status `s` or the original of a reblog mentions an account that the viewer blocks or mutes. */
export function mentionsBlockedOrMuted(viewer: string): string {
  return `EXISTS (
    SELECT 1 FROM mentions m WHERE m.status_id IN (s.id, s.reblog_of_id) AND ${blocksOrMutes(viewer, "m.account_id")})`;
}

/** Whether an account blocks another account or its domain. */
export function blocks(account: string, other: string): string {
  return `(
    EXISTS (SELECT 1 FROM blocks WHERE account_id = ${account} AND target_account_id = ${other})
    OR ${blocksDomainOf(account, other)})`;
}

/** Whether an account blocks or mutes another. */
export function blocksOrMutes(account: string, other: string): string {
  return `(${blocks(account, other)} OR ${mutes(account, other)})`;
}

/**
 * Whether an account blocks or mutes another, or is blocked by it: each is left out of lists of accounts that the other
 * sees. Suspended accounts are left out of all of them.
 */
export function hiddenInLists(other: string, account = VIEWER): string {
  return `(${isSuspended(other)} OR ${blocksOrMutes(account, other)} OR ${blocks(other, account)})`;
}

/** Whether an account wants no notifications from another. A mute may cover statuses only. */
export function rejectsNotifications(account: string, other: string): string {
  return `(${blocks(account, other)} OR ${mutes(account, other, "AND hide_notifications")})`;
}

function mutes(account: string, other: string, condition = ""): string {
  return `EXISTS (
    SELECT 1 FROM mutes
    WHERE account_id = ${account} AND target_account_id = ${other} ${condition} AND (expires_at IS NULL OR expires_at > +$now))`;
}

/** Local accounts have no domain, so for them this ends before the index lookup. */
export function blocksDomainOf(account: string, other: string): string {
  return `EXISTS (
    SELECT 1 FROM account_domain_blocks
    WHERE account_id = ${account} AND domain = (SELECT domain FROM accounts WHERE id = ${other}))`;
}

/**
 * Whether a status `s`, or the original `o` of a reblog, is in a language that the follow `f` asks for; "en" includes
 * "en-GB". A follow without languages asks for all of them, and so does a missing follow.
 */
export const IN_WANTED_LANGUAGE = `(
  f.languages IS NULL OR coalesce(o.language, s.language) IS NULL
  OR EXISTS (
    SELECT 1 FROM json_each(f.languages)
    WHERE coalesce(o.language, s.language) = value OR coalesce(o.language, s.language) LIKE value || '-%'))`;

export const VISIBILITIES = statuses.visibility.enumValues;
export type Visibility = (typeof VISIBILITIES)[number];

/** Whether everyone may read statuses with this visibility. */
export function isForEveryone(visibility: string): boolean {
  return visibility === "public" || visibility === "unlisted";
}

/** Whether everyone may read a status, also on other servers. */
export function isOpen({ visibility, local_only }: { visibility: string; local_only: number }): boolean {
  return isForEveryone(visibility) && local_only === 0;
}

/** The columns that actions on a status need. */
export type StatusRow = Pick<
  typeof statuses.$inferSelect,
  | "id"
  | "account_id"
  | "uri"
  | "visibility"
  | "local"
  | "text"
  | "content"
  | "spoiler_text"
  | "sensitive"
  | "language"
  | "conversation_id"
  | "in_reply_to_id"
  | "in_reply_to_account_id"
  | "reblog_of_id"
  | "has_media"
  | "created_at"
  | "edited_at"
  | "content_type"
  | "local_only"
>;

/** The columns of a StatusRow, from `statuses s`. */
export const STATUS_COLUMNS = `
  s.id, s.account_id, s.uri, s.visibility, s.local, s.text, s.content, s.spoiler_text, s.sensitive, s.language,
  s.conversation_id, s.in_reply_to_id, s.in_reply_to_account_id, s.reblog_of_id, s.has_media, s.created_at, s.edited_at,
  s.content_type, s.local_only`;

/** A reblog is visible when both it and the original are. */
const SEEN = `
  ${visibleTo()} AND (s.reblog_of_id IS NULL OR EXISTS (
    SELECT 1 FROM statuses o WHERE o.id = s.reblog_of_id AND ${visibleTo(VIEWER, "o")}))`;

const VISIBLE = `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.id = +$id AND ${SEEN}`;

/**
 * The status, if the viewer may see it.
 *
 * @throws Refusal as for a status that doesn't exist
 */
export function visibleStatus(ctx: Context, viewerId: number, id: number | null): StatusRow {
  const status = id === null ? null : ctx.db.get<StatusRow>(VISIBLE, { id, viewer: viewerId });
  if (!status) throw notFound();
  return status;
}

/** The status or, for a reblog, its original: actions on a reblog apply to the original. */
export function visibleOriginal(ctx: Context, viewerId: number, id: number | null): StatusRow {
  const status = visibleStatus(ctx, viewerId, id);
  return status.reblog_of_id === null ? status : visibleStatus(ctx, viewerId, status.reblog_of_id);
}

/**
 * The id of the original, for undoing an action: works even if the account can't see the status any more, as long as it
 * did the action. `done` is an SQL condition on `$accountId` and `$statusId`.
 */
export function undoableOriginal(ctx: Context, accountId: number, id: number | null, done: string): number {
  const named = ctx.db.get<{ id: number }>("SELECT coalesce(reblog_of_id, id) AS id FROM statuses WHERE id = +$id", {
    id,
  });
  if (named && ctx.db.get(`SELECT 1 WHERE ${done}`, { accountId, statusId: named.id })) return named.id;
  return visibleOriginal(ctx, accountId, id).id;
}

const OWN = `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.id = +$id AND s.account_id = +$accountId`;

/** The author's own status, also a reblog whose original they can't see any more. */
export function ownStatus(ctx: Context, accountId: number, id: number | null): StatusRow {
  const status = ctx.db.get<StatusRow>(OWN, { id, accountId });
  if (!status) throw notFound();
  return status;
}

/** The ids that the viewer may see, in the order given. */
export function visibleAmong(ctx: Context, viewerId: number, ids: readonly number[]): number[] {
  return ctx.db
    .all<{ id: number }>(
      `SELECT s.id FROM json_each($ids) j JOIN statuses s ON s.id = j.value WHERE ${SEEN} ORDER BY j.key`,
      { ids: idList(ids), viewer: viewerId },
    )
    .map(({ id }) => id);
}

/**
 * Whether another server may have a status `s`: it isn't local-only, and everyone or one of the server's accounts may see it. `$domain` is the domain
 * of its accounts, and `$signer` the account that signed the request; '' and 0 for a request without a signature.
 */
export function visibleToServer(s = "s"): string {
  return `(
    (
      ${s}.visibility IN ('public', 'unlisted')
      OR EXISTS (
        SELECT 1 FROM mentions m JOIN accounts a ON a.id = m.account_id WHERE m.status_id = ${s}.id AND a.domain = +$domain)
      OR (${s}.visibility = 'private' AND EXISTS (
        SELECT 1 FROM accounts a JOIN follows f ON f.account_id = a.id AND f.target_account_id = ${s}.account_id
        WHERE a.domain = +$domain))
    )
    AND ${s}.local_only = 0
    AND NOT ${isSuspended(`${s}.account_id`)}
    AND NOT ${blocks(`${s}.account_id`, "+$signer")}
  )`;
}
