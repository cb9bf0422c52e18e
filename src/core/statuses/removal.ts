import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { concernsOthers, deliver, remoteHoldersOf } from "../deliveries.ts";
import { forgetFetches } from "../fetches.ts";
import { uncountFeatured } from "../discovery/featured-tags.ts";
import { indexPart } from "../discovery/search-index.ts";
import { uncountUses } from "../discovery/trend-counts.ts";
import { publicTopics, publishAfterCommit, tagNamesOf } from "../events.ts";
import { detachMedia } from "../media/attachments.ts";
import { removeFromConversations } from "../notifications/conversations.ts";
import { withdrawNotification } from "../notifications/notifications.ts";
import { timelinesWith } from "../timelines/home-fanout.ts";
import { addTombstone } from "../tombstones.ts";
import { STATUS_COLUMNS, type StatusRow } from "../visibility.ts";
import { uncountQuote } from "../quotes/quotes.ts";
import { countStatus } from "./storing.ts";
import { countReply, UNKNOWN_AUTHOR } from "./threads.ts";

/**
 * Deletes a local status or reblog permanently, here and on other servers. Its media stay for a day, for redrafting,
 * unless `deleteMedia` is set.
 */
export function removeStatus(ctx: Context, status: StatusRow, deleteMedia: boolean): void {
  ctx.db.transaction((tx) => {
    deliverRemoval(ctx, tx, status);
    removeStatusWithin(ctx, tx, status, deleteMedia);
  });
}

/** Call it before the status is deleted: it reads who may have it. */
function deliverRemoval(ctx: Context, tx: Tx, status: StatusRow): void {
  const { account_id: accountId, uri, visibility } = status;
  if (status.reblog_of_id !== null) {
    if (!concernsOthers(tx, status.id)) return;
    const original = tx.get<{ uri: string; account_id: number }>(
      "SELECT uri, account_id FROM statuses WHERE id = +$originalId",
      { originalId: status.reblog_of_id },
    )!;
    const [originalUri, authorId] = [original.uri, original.account_id];
    return deliver(ctx, tx, { type: "reblog.deleted", accountId, uri, originalUri, visibility, authorId });
  }
  const accountIds = remoteHoldersOf(tx, status.id);
  if (accountIds.length === 0 && !concernsOthers(tx, status.id)) return;
  deliver(ctx, tx, { type: "status.deleted", accountId, uri, visibility, accountIds });
}

/**
 * Deletes a local or remote status or reblog, with everything that refers to it, within a transaction. Doesn't tell
 * other servers: those of a remote author know, and a deleted account is announced as a whole.
 */
export function removeStatusWithin(ctx: Context, tx: Tx, status: StatusRow, deleteMedia: boolean): void {
  removeQuietly(ctx, tx, status, deleteMedia);
  // Nobody else may learn that there was a local-only one.
  if (!status.local_only) addTombstone(ctx, tx, status.uri);
}

const AWAIT = `
  UPDATE statuses SET in_reply_to_uri = $uri, in_reply_to_account_id = ${UNKNOWN_AUTHOR} WHERE in_reply_to_id = +$statusId`;

/** Deletes a remote status or reblog as if it had never arrived: replies wait for it again, and it may be fetched. */
export function forgetStatus(ctx: Context, tx: Tx, status: StatusRow): void {
  const { id: statusId, uri } = status;
  tx.run(AWAIT, { statusId, uri });
  forgetFetches(tx, "thread.fetch", statusId);
  removeQuietly(ctx, tx, status, true);
}

function removeQuietly(ctx: Context, tx: Tx, status: StatusRow, deleteMedia: boolean): void {
  const tags = tagNamesOf(tx, status.id);
  const topics = [...timelinesWith(tx, status.id), ...publicTopics(tx, status, tags)];
  removeReblogs(ctx, tx, status.id);
  eraseStatus(ctx, tx, status, deleteMedia);
  publishAfterCommit(ctx, tx, topics, { event: "delete", statusId: status.id });
}

/**
 * Deletes a status or reblog without reblogs, with everything that refers to it. Leaves no tombstone and doesn't tell
 * clients.
 */
export function eraseStatus(ctx: Context, tx: Tx, status: StatusRow, deleteMedia: boolean): void {
  if (status.reblog_of_id !== null) uncountReblog(tx, status, status.reblog_of_id);
  if (status.in_reply_to_id !== null) countReply(tx, status, status.in_reply_to_id, -1);
  countStatus(tx, status, -1, null);
  uncountFeatured(tx, status);
  uncountQuote(tx, status.id);
  removeFromConversations(ctx, tx, status.id);
  // Nobody can redraft the status of another server.
  detachMedia(ctx, tx, status.id, deleteMedia || !status.local);
  uncountUses(tx, status.id);
  tx.run("DELETE FROM statuses WHERE id = +$statusId", { statusId: status.id });
  if (status.reblog_of_id !== null) indexPart(tx, status.reblog_of_id, status.account_id);
}

/** The rows go with the original. */
function removeReblogs(ctx: Context, tx: Tx, originalId: number): void {
  const reblogs = tx.all<StatusRow>(`SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.reblog_of_id = +$originalId`, {
    originalId,
  });
  for (const reblog of reblogs) {
    publishAfterCommit(ctx, tx, timelinesWith(tx, reblog.id), { event: "delete", statusId: reblog.id });
    countStatus(tx, reblog, -1, null);
  }
}

function uncountReblog(tx: Tx, reblog: StatusRow, originalId: number): void {
  tx.run(
    `UPDATE statuses SET reblogs_count = max(0, reblogs_count - 1),
       origin_reblogs_count = max(0, origin_reblogs_count - $local)
     WHERE id = +$originalId`,
    { originalId, local: reblog.local },
  );
  withdrawNotification(tx, { type: "reblog", from: reblog.account_id, statusId: originalId });
}
