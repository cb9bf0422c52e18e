import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { deliver } from "../deliveries.ts";
import { forgetFetches } from "../fetches.ts";
import type { accounts } from "../../db/schema/index.ts";
import { notFound } from "../../errors.ts";
import { deleteReactions } from "../server/announcement-reactions.ts";
import { publishAfterCommit, SERVER_TOPIC } from "../events.ts";
import { endFollow } from "./follows.ts";
import { filesOf, type MediaFiles } from "../media/states.ts";
import { discardFiles } from "../media/stored-files.ts";
import { deleteVotes } from "../statuses/polls.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { forgetStatus, removeStatusWithin } from "../statuses/removal.ts";
import { refuseForLastOwner } from "./users.ts";
import { STATUS_COLUMNS, type StatusRow } from "../visibility.ts";

/** Rows that a transaction removes with their dependent rows: requests wait for some milliseconds at most. */
const SLICE = 25;
/** Rows without dependent rows. */
const LARGE_SLICE = 500;

/** The files of an account's pictures. */
type Pictures = Pick<typeof accounts.$inferSelect, "avatar" | "avatar_static" | "header" | "header_static">;

/** Suspended accounts are hidden everywhere; the first two columns say that this one never comes back. */
const HIDE = `
  UPDATE accounts SET
    deleted_at = iif(domain IS NULL, $now, NULL), gone_at = iif(domain IS NULL, NULL, $now),
    suspended_at = $now, silenced_at = NULL, sensitized_at = NULL, updated_at = $now,
    display_name = '', note = '', note_html = '', fields = '[]', attribution_domains = '[]',
    avatar = NULL, avatar_static = NULL, avatar_description = '',
    header = NULL, header_static = NULL, header_description = '', avatar_remote_url = NULL, header_remote_url = NULL,
    locked = 0, bot = 0, discoverable = 0, indexable = 0, memorial = 0, actor_type = 'Person', moved_to_id = NULL,
    origin_followers_count = NULL, origin_following_count = NULL, origin_statuses_count = NULL
  WHERE id = +$accountId`;

/**
 * Deletes a local account. It is gone for everyone at once: it can't sign in, its tokens are invalid, its profile is
 * empty, and nothing shows it or its posts. A job removes the rest (see `removeSlice`), once the servers that have to
 * learn of the deletion are known. The row in `accounts` stays, as in Mastodon's DeleteAccountService, so that no one
 * else ever gets the name.
 *
 * @throws Refusal for the last owner, or if no local user has this account
 */
export function deleteAccount(ctx: Context, accountId: number): void {
  ctx.db.transaction((tx) => {
    const user = tx.get<{ id: number; username: string }>(
      "SELECT u.id, a.username FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.account_id = +$accountId",
      { accountId },
    );
    if (!user) throw notFound();
    refuseForLastOwner(tx, user.id, user.username);
    const tokens = tx.all<{ id: number }>("SELECT id FROM oauth_tokens WHERE user_id = +$userId", { userId: user.id });
    for (const { id } of tokens) publishAfterCommit(ctx, tx, [SERVER_TOPIC], { event: "token.revoked", tokenId: id });
    tx.run("DELETE FROM users WHERE id = +$userId", { userId: user.id });
    hideAccount(ctx, tx, accountId);
    deliver(ctx, tx, { type: "account.deleted", accountId });
  });
}

/** Hides an account for good and empties its profile. */
export function hideAccount(ctx: Context, tx: Tx, accountId: number): void {
  const { avatar, avatar_static, header, header_static } = tx.get<Pictures>(
    "SELECT avatar, avatar_static, header, header_static FROM accounts WHERE id = +$accountId",
    { accountId },
  )!;
  tx.run(HIDE, { accountId, now: ctx.clock.now() });
  discardFiles(ctx, tx, [avatar, avatar_static, header, header_static]);
}

/**
 * Enqueues the job that removes what is left of a deleted account. For a local one, call it in the transaction that has
 * worked out which servers learn of the deletion: that depends on the follows, which the job removes.
 */
export function removeLater(ctx: Context, tx: Tx, accountId: number): void {
  enqueue(ctx, tx, "account.remove", { accountId });
}

/**
 * Removes a slice of a deleted account's data, updates counters and indexes that include it, and enqueues the next
 * slice in the same transaction. Each slice begins with the remaining data, so a crash may interrupt the chain
 * anywhere.
 */
export function removeSlice(ctx: Context, accountId: number): void {
  ctx.db.transaction((tx) => {
    if (!tx.get(DELETED, { accountId })) return;
    const remove: Remove = (status) => removeStatusWithin(ctx, tx, status, true);
    if (removeSome(ctx, tx, accountId, remove) > 0) removeLater(ctx, tx, accountId);
    else finish(tx, accountId);
  });
}

/**
 * Removes a slice of the data of a remote account as if it had never been known, all but its row, its keys and what users
 * and moderators decided about it. Returns the number of removed rows, 0 if nothing is left.
 */
export function deleteForgotten(ctx: Context, tx: Tx, accountId: number): number {
  const removed =
    removeSome(ctx, tx, accountId, (status) => forgetStatus(ctx, tx, status)) ||
    tx.run(MENTIONS, { accountId }).changes;
  if (removed > 0) return removed;
  forgetFetches(tx, "profile.fetch", accountId);
  for (const sql of UNDECIDED) tx.run(sql, { accountId });
  return 0;
}

type Remove = (status: StatusRow) => void;

/** Removes up to a slice of rows of one kind. Returns how many it found; 0 if nothing is left but a few rows. */
function removeSome(ctx: Context, tx: Tx, accountId: number, remove: Remove): number {
  const statuses = removeStatuses(tx, accountId, remove);
  if (statuses > 0) return statuses;
  for (const step of STEPS) {
    const removed = step(ctx, tx, accountId);
    if (removed > 0) return removed;
  }
  return 0;
}

const MENTIONS = `
  DELETE FROM mentions WHERE (status_id, account_id) IN (
    SELECT status_id, account_id FROM mentions WHERE account_id = +$accountId LIMIT ${LARGE_SLICE})`;

const IMPORT_ROWS = `
  DELETE FROM import_rows WHERE id IN (
    SELECT r.id FROM imports i CROSS JOIN import_rows r ON r.import_id = i.id
    WHERE i.account_id = +$accountId LIMIT ${LARGE_SLICE})`;

const DELETED = "SELECT 1 FROM accounts WHERE id = +$accountId AND (deleted_at IS NOT NULL OR gone_at IS NOT NULL)";

/** Removes up to a slice of rows of one kind. Returns how many it found. */
type Step = (ctx: Context, tx: Tx, accountId: number) => number;

/** After the statuses: home timelines determine who gets an event for each, and ending a follow clears them. */
const STEPS: readonly Step[] = [
  removeMedia,
  removeFavourites,
  removeBookmarks,
  (_, tx, accountId) => deleteVotes(tx, accountId, SLICE),
  (ctx, tx, accountId) => deleteReactions(ctx, tx, accountId, SLICE),
  removeFollows,
  sliceOf("notifications", "from_account_id", LARGE_SLICE),
  sliceOf("notifications", "account_id", LARGE_SLICE),
  sliceOf("conversations", "account_id", SLICE),
  // Each list has up to 800 rows in its timeline.
  sliceOf("lists", "account_id", 1),
  (_, tx, accountId) => tx.run(IMPORT_ROWS, { accountId }).changes,
];

/** Boosts count against the slice as well: each is removed like a status. */
function removeStatuses(tx: Tx, accountId: number, remove: Remove): number {
  const statuses = tx.all<StatusRow>(
    `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.account_id = +$accountId ORDER BY s.id DESC LIMIT ${SLICE}`,
    { accountId },
  );
  let left = SLICE;
  for (const status of statuses) {
    const reblogs = tx.all<StatusRow>(
      `SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.reblog_of_id = +$statusId LIMIT +$left`,
      { statusId: status.id, left },
    );
    for (const reblog of reblogs) remove(reblog);
    left -= reblogs.length;
    // The status may have more boosts, and itself needs room in a slice.
    if (left === 0) break;
    remove(status);
    left -= 1;
    if (left === 0) break;
  }
  return statuses.length;
}

/** Removes uploads that aren't attached to a status. */
function removeMedia(ctx: Context, tx: Tx, accountId: number): number {
  const removed = tx.all<MediaFiles>(
    `DELETE FROM media_attachments
     WHERE id IN (SELECT id FROM media_attachments WHERE account_id = +$accountId LIMIT ${SLICE}) RETURNING file, small, source`,
    { accountId },
  );
  discardFiles(ctx, tx, removed.flatMap(filesOf));
  return removed.length;
}

function removeFavourites(_: Context, tx: Tx, accountId: number): number {
  const removed = tx.all<{ status_id: number }>(
    `DELETE FROM favourites
     WHERE id IN (SELECT id FROM favourites WHERE account_id = +$accountId LIMIT ${SLICE}) RETURNING status_id`,
    { accountId },
  );
  for (const { status_id } of removed) {
    tx.run("UPDATE statuses SET favourites_count = max(0, favourites_count - 1) WHERE id = +$statusId", {
      statusId: status_id,
    });
    indexStatus(tx, status_id);
  }
  return removed.length;
}

function removeBookmarks(_: Context, tx: Tx, accountId: number): number {
  const removed = tx.all<{ status_id: number }>(
    `DELETE FROM bookmarks
     WHERE id IN (SELECT id FROM bookmarks WHERE account_id = +$accountId LIMIT ${SLICE}) RETURNING status_id`,
    { accountId },
  );
  for (const { status_id } of removed) indexStatus(tx, status_id);
  return removed.length;
}

interface Tie {
  account_id: number;
  target_account_id: number;
}

/** Removes follows and follow requests, in both directions. */
function removeFollows(ctx: Context, tx: Tx, accountId: number): number {
  const ties = ["follows", "follow_requests"].flatMap((table) =>
    ["account_id", "target_account_id"].flatMap((column) =>
      tx.all<Tie>(`SELECT account_id, target_account_id FROM ${table} WHERE ${column} = +$accountId LIMIT ${SLICE}`, {
        accountId,
      }),
    ),
  );
  for (const tie of ties) endFollow(ctx, tx, tie.account_id, tie.target_account_id, { silently: true });
  return ties.length;
}

function sliceOf(table: string, column: string, size: number): Step {
  const sql = `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} = +$accountId LIMIT ${size})`;
  return (_, tx, accountId) => tx.run(sql, { accountId }).changes;
}

/** Deletes the remaining rows: few per account, and invisible to others. */
const REST = [
  ["account_aliases", "account_id"],
  ["account_aliases", "alias_account_id"],
  ["account_domain_blocks", "account_id"],
  ["account_notes", "account_id"],
  ["account_notes", "target_account_id"],
  ["announcement_dismissals", "account_id"],
  ["automatic_deletions", "account_id"],
  ["blocks", "account_id"],
  ["blocks", "target_account_id"],
  ["conversation_mutes", "account_id"],
  ["endorsements", "account_id"],
  ["endorsements", "target_account_id"],
  ["featured_tags", "account_id"],
  ["filters", "account_id"],
  ["home_timeline", "account_id"],
  ["idempotency_keys", "account_id"],
  ["imports", "account_id"],
  ["invitations", "account_id"],
  ["list_accounts", "account_id"],
  ["markers", "account_id"],
  ["mutes", "account_id"],
  ["mutes", "target_account_id"],
  ["notification_permissions", "account_id"],
  ["notification_permissions", "from_account_id"],
  ["notification_requests", "account_id"],
  ["notification_requests", "from_account_id"],
  ["remote_accounts", "account_id"],
  ["remote_keys", "account_id"],
  ["retired_remote_keys", "account_id"],
  ["scheduled_statuses", "account_id"],
  ["sent_follows", "account_id"],
  ["sent_follows", "target_account_id"],
  ["severance_events", "account_id"],
  ["suggestion_dismissals", "account_id"],
  ["suggestion_dismissals", "target_account_id"],
  ["tag_follows", "account_id"],
  ["trend_uses", "account_id"],
];
const deleteFrom = ([table, column]: readonly string[]) => `DELETE FROM ${table} WHERE ${column} = +$accountId`;
const DELETE_REST = REST.map(deleteFrom);
/** Without the blocks and mutes by users. */
const UNDECIDED = REST.filter((rest) => !/^(?:blocks|mutes),target/.test(rest.join())).map(deleteFrom);

function finish(tx: Tx, accountId: number): void {
  for (const sql of DELETE_REST) tx.run(sql, { accountId });
  tx.run("UPDATE preview_cards SET creator_account_id = NULL WHERE creator_account_id = +$accountId", { accountId });
  tx.run(
    `UPDATE accounts SET followers_count = 0, following_count = 0, statuses_count = 0, last_status_at = NULL
     WHERE id = +$accountId`,
    { accountId },
  );
}
