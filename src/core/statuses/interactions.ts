import type { Context } from "../../context.ts";
import { notAllowed, validationFailed } from "../../errors.ts";
import { isBlockedBy } from "../accounts.ts";
import { notify, withdrawNotification } from "../notifications/notifications.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { ownStatus, undoableOriginal, visibleOriginal, visibleStatus } from "../visibility.ts";

/** Mastodon's limit. */
export const MAX_PINS = 5;

const FAVOURITED = "EXISTS (SELECT 1 FROM favourites WHERE account_id = +$accountId AND status_id = +$statusId)";
const BOOKMARKED = "EXISTS (SELECT 1 FROM bookmarks WHERE account_id = +$accountId AND status_id = +$statusId)";
const MUTED = `EXISTS (
  SELECT 1 FROM statuses s JOIN conversation_mutes m USING (conversation_id) WHERE m.account_id = +$accountId AND s.id = +$statusId)`;

/** All of these functions return the id of the status that they acted on: for a reblog, its original. */
export function favourite(ctx: Context, accountId: number, id: number | null): number {
  const status = visibleOriginal(ctx, accountId, id);
  if (isBlockedBy(ctx, status.account_id, accountId)) throw notAllowed();
  ctx.db.transaction((tx) => {
    const { changes } = tx.run(
      "INSERT INTO favourites (account_id, status_id, created_at) VALUES ($accountId, $statusId, $now) ON CONFLICT DO NOTHING",
      { accountId, statusId: status.id, now: ctx.clock.now() },
    );
    if (changes === 0) return;
    tx.run("UPDATE statuses SET favourites_count = favourites_count + 1 WHERE id = +$statusId", {
      statusId: status.id,
    });
    indexStatus(tx, status.id);
    notify(ctx, tx, status.account_id, { type: "favourite", from: accountId, statusId: status.id });
  });
  return status.id;
}

export function unfavourite(ctx: Context, accountId: number, id: number | null): number {
  const statusId = undoableOriginal(ctx, accountId, id, FAVOURITED);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM favourites WHERE account_id = +$accountId AND status_id = +$statusId", {
      accountId,
      statusId,
    });
    if (changes === 0) return;
    tx.run("UPDATE statuses SET favourites_count = max(0, favourites_count - 1) WHERE id = +$statusId", { statusId });
    indexStatus(tx, statusId);
    withdrawNotification(tx, { type: "favourite", from: accountId, statusId });
  });
  return statusId;
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
    tx.run("INSERT INTO status_pins (account_id, status_id, created_at) VALUES ($accountId, $statusId, $now)", {
      accountId,
      statusId: status.id,
      now: ctx.clock.now(),
    });
  });
  return status.id;
}

export function unpin(ctx: Context, accountId: number, id: number | null): number {
  const status = ownStatus(ctx, accountId, id);
  ctx.db.transaction((tx) => tx.run("DELETE FROM status_pins WHERE status_id = +$statusId", { statusId: status.id }));
  return status.id;
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
