import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { notAllowed, validationFailed } from "../../errors.ts";
import { isBlockedBy } from "../accounts.ts";
import { favouriteUri } from "../addresses.ts";
import { deliver } from "../deliveries.ts";
import { indexPart, indexStatus } from "../discovery/search-index.ts";
import { requirePermission } from "../interaction-policies.ts";
import { notify, withdrawNotification } from "../notifications/notifications.ts";
import { ownStatus, type StatusRow, undoableOriginal, visibleOriginal, visibleStatus } from "../visibility.ts";

/** Mastodon's limit. */
export const MAX_PINS = 5;
/** Of a remote account. Mastodon pins five, others some more. */
export const MAX_REMOTE_PINS = 20;

const FAVOURITED = "EXISTS (SELECT 1 FROM favourites WHERE account_id = +$accountId AND status_id = +$statusId)";
const BOOKMARKED = "EXISTS (SELECT 1 FROM bookmarks WHERE account_id = +$accountId AND status_id = +$statusId)";
const MUTED = `EXISTS (
  SELECT 1 FROM statuses s JOIN conversation_mutes m USING (conversation_id) WHERE m.account_id = +$accountId AND s.id = +$statusId)`;

/** All of these functions for users return the id of the status that they acted on: for a reblog, its original. */
export function favourite(ctx: Context, accountId: number, id: number | null): number {
  const status = visibleOriginal(ctx, accountId, id);
  if (isBlockedBy(ctx, status.account_id, accountId)) throw notAllowed();
  requirePermission(ctx.db, "favourite", accountId, status.id);
  ctx.db.transaction((tx) => {
    const favouriteId = storeFavourite(ctx, tx, { accountId, status, uri: null, emoji: null, isQuiet: false });
    if (favouriteId !== null) deliverFavourite(ctx, tx, favouriteId);
  });
  return status.id;
}

/** A local status concerns nobody else: its favourites are counted here. */
function deliverFavourite(ctx: Context, tx: Tx, favouriteId: number): void {
  const row = tx.get<{ status_id: number; account_id: number; username: string }>(
    `SELECT f.status_id, f.account_id, a.username
     FROM favourites f JOIN accounts a ON a.id = f.account_id JOIN statuses s ON s.id = f.status_id
     WHERE f.id = +$favouriteId AND NOT s.local`,
    { favouriteId },
  );
  if (!row) return;
  const uri = favouriteUri(ctx, row.username, favouriteId);
  tx.run("UPDATE favourites SET uri = $uri WHERE id = +$favouriteId", { uri, favouriteId });
  deliver(ctx, tx, { type: "favourite.created", accountId: row.account_id, statusId: row.status_id, uri });
}

export function unfavourite(ctx: Context, accountId: number, id: number | null): number {
  const statusId = undoableOriginal(ctx, accountId, id, FAVOURITED);
  ctx.db.transaction((tx) => {
    const removed = removeFavourite(tx, accountId, statusId);
    if (!removed?.uri) return;
    const { uri: statusUri, account_id: authorId } = tx.get<{ uri: string; account_id: number }>(
      "SELECT uri, account_id FROM statuses WHERE id = +$statusId",
      { statusId },
    )!;
    deliver(ctx, tx, { type: "favourite.deleted", accountId, statusUri, authorId, uri: removed.uri });
  });
  return statusId;
}

/** A favourite to store: all checks are done. */
interface NewFavourite {
  accountId: number;
  status: Pick<StatusRow, "id" | "account_id">;
  /** Of a remote account's favourite. */
  uri: string | null;
  /** Of a reaction: a Unicode emoji, or the shortcode of a custom one of the account's server, between colons. */
  emoji: string | null;
  /** Whether the author is not notified. */
  isQuiet: boolean;
}

/**
 * The total that a remote status's own server reports does not yet include a new favourite by a local user, and still
 * includes one that was just removed.
 */
const COUNT = `
  UPDATE statuses SET favourites_count = max(0, favourites_count + $by),
    origin_favourites_count = max(0, origin_favourites_count + $by * EXISTS (SELECT 1 FROM users WHERE account_id = +$accountId))
  WHERE id = +$statusId`;

/**
 * Stores a favourite by a local or remote account with all its effects. Returns its id; null if it is known already: an
 * account has one for each status, so of several reactions the first counts.
 */
export function storeFavourite(ctx: Context, tx: Tx, favourite: NewFavourite): number | null {
  const { accountId, status, uri, emoji, isQuiet } = favourite;
  const { changes, lastInsertRowid } = tx.run(
    "INSERT INTO favourites (account_id, status_id, uri, emoji, created_at) VALUES ($accountId, $statusId, $uri, $emoji, $now) ON CONFLICT DO NOTHING",
    { accountId, statusId: status.id, uri, emoji, now: ctx.clock.now() },
  );
  if (changes === 0) return null;
  tx.run(COUNT, { statusId: status.id, accountId, by: 1 });
  indexPart(tx, status.id, accountId);
  if (!isQuiet) {
    const aboutId = emoji === null ? null : lastInsertRowid;
    notify(ctx, tx, status.account_id, { type: "favourite", from: accountId, statusId: status.id, aboutId });
  }
  return lastInsertRowid;
}

/** Removes a favourite by a local or remote account. Null if there was none. */
export function removeFavourite(tx: Tx, accountId: number, statusId: number): { uri: string | null } | null {
  const removed = tx.get<{ uri: string | null }>(
    "DELETE FROM favourites WHERE account_id = +$accountId AND status_id = +$statusId RETURNING uri",
    { accountId, statusId },
  );
  if (!removed) return null;
  tx.run(COUNT, { statusId, accountId, by: -1 });
  indexPart(tx, statusId, accountId);
  withdrawNotification(tx, { type: "favourite", from: accountId, statusId });
  return removed;
}

export function bookmark(ctx: Context, accountId: number, id: number | null): number {
  const status = visibleOriginal(ctx, accountId, id);
  ctx.db.transaction((tx) => {
    tx.run(
      "INSERT INTO bookmarks (account_id, status_id, created_at) VALUES ($accountId, $statusId, $now) ON CONFLICT DO NOTHING",
      { accountId, statusId: status.id, now: ctx.clock.now() },
    );
    indexStatus(tx, status.id);
  });
  return status.id;
}

export function unbookmark(ctx: Context, accountId: number, id: number | null): number {
  const statusId = undoableOriginal(ctx, accountId, id, BOOKMARKED);
  ctx.db.transaction((tx) => {
    tx.run("DELETE FROM bookmarks WHERE account_id = +$accountId AND status_id = +$statusId", { accountId, statusId });
    indexStatus(tx, statusId);
  });
  return statusId;
}

const PIN = `
  INSERT INTO status_pins (account_id, status_id, created_at) VALUES ($accountId, $statusId, $now) ON CONFLICT DO NOTHING`;

export function pin(ctx: Context, accountId: number, id: number | null): number {
  const status = visibleStatus(ctx, accountId, id);
  if (status.reblog_of_id !== null) throw validationFailed("A boost cannot be pinned");
  if (status.account_id !== accountId) throw validationFailed("Someone else's post cannot be pinned");
  if (status.visibility === "direct") {
    throw validationFailed("Posts that are only visible to mentioned users cannot be pinned");
  }
  ctx.db.transaction((tx) => {
    const pins = tx.all<{ status_id: number }>("SELECT status_id FROM status_pins WHERE account_id = +$accountId", {
      accountId,
    });
    if (pins.some((row) => row.status_id === status.id)) return;
    if (pins.length >= MAX_PINS) throw validationFailed("You have already pinned the maximum number of posts");
    tx.run(PIN, { accountId, statusId: status.id, now: ctx.clock.now() });
    if (!status.local_only) deliver(ctx, tx, { type: "pin.created", accountId, statusUri: status.uri });
  });
  return status.id;
}

const PINNED_BY = "SELECT status_id FROM status_pins WHERE account_id = +$accountId ORDER BY id DESC";

/** Replaces the pins of a remote account, the latest first. */
export function setRemotePins(ctx: Context, tx: Tx, accountId: number, statusIds: readonly number[]): void {
  const before = tx.all<{ status_id: number }>(PINNED_BY, { accountId }).map(({ status_id }) => status_id);
  if (before.join() === statusIds.join()) return;
  tx.run("DELETE FROM status_pins WHERE account_id = +$accountId", { accountId });
  for (const statusId of statusIds.toReversed()) tx.run(PIN, { accountId, statusId, now: ctx.clock.now() });
}

const REMOTE_PINS = "SELECT count(*) AS count FROM status_pins WHERE account_id = +$accountId";

/** Pins one more status of a remote account, unless it has the most already. */
export function addRemotePin(ctx: Context, tx: Tx, status: StatusRow): void {
  const { id: statusId, account_id: accountId, reblog_of_id, visibility } = status;
  if (reblog_of_id !== null || visibility === "direct") return;
  if (tx.get<{ count: number }>(REMOTE_PINS, { accountId })!.count >= MAX_REMOTE_PINS) return;
  tx.run(PIN, { accountId, statusId, now: ctx.clock.now() });
}

export function unpin(ctx: Context, accountId: number, id: number | null): number {
  const status = ownStatus(ctx, accountId, id);
  ctx.db.transaction((tx) => {
    if (!removePin(tx, status.id) || status.local_only) return;
    deliver(ctx, tx, { type: "pin.deleted", accountId, statusUri: status.uri });
  });
  return status.id;
}

/** Removes the pin of a local or remote status. False if there was none. */
export function removePin(tx: Tx, statusId: number): boolean {
  return tx.run("DELETE FROM status_pins WHERE status_id = +$statusId", { statusId }).changes > 0;
}

/** Mutes notifications for the conversation that this status belongs to. */
export function muteConversation(ctx: Context, accountId: number, id: number | null): number {
  const status = visibleOriginal(ctx, accountId, id);
  ctx.db.transaction((tx) =>
    tx.run(
      "INSERT OR IGNORE INTO conversation_mutes (account_id, conversation_id) VALUES ($accountId, $conversationId)",
      { accountId, conversationId: status.conversation_id },
    ),
  );
  return status.id;
}

export function unmuteConversation(ctx: Context, accountId: number, id: number | null): number {
  const statusId = undoableOriginal(ctx, accountId, id, MUTED);
  ctx.db.transaction((tx) =>
    tx.run(
      `DELETE FROM conversation_mutes
       WHERE account_id = +$accountId AND conversation_id = (SELECT conversation_id FROM statuses WHERE id = +$statusId)`,
      { accountId, statusId },
    ),
  );
  return statusId;
}
