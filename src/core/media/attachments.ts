import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import { notFound, Refusal, validationFailed } from "../../errors.ts";
import { inspectThumbnail } from "./inspect.ts";
import { checkDescription, type MediaChanges } from "./receive.ts";
import { filesOf, transition, TRANSITIONS, type MediaFiles, type MediaRow, type StoredPreview } from "./states.ts";
import { storeThumbnail } from "./store.ts";
import { discardFiles } from "./stored-files.ts";

/** The account's own upload. */
export function ownMedia(ctx: Context, accountId: number, id: number | null): MediaRow {
  const row = ctx.db.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id AND account_id = +$accountId", {
    id,
    accountId,
  });
  if (!row) throw notFound();
  return row;
}

/** Those of these uploads that the account has, in the order given. */
export function ownUploads(ctx: Context, accountId: number, ids: readonly number[]): MediaRow[] {
  if (ids.length === 0) return [];
  return ctx.db.all<MediaRow>(
    `SELECT m.* FROM json_each($ids) j JOIN media_attachments m ON m.id = j.value
     WHERE m.account_id = +$accountId ORDER BY j.key`,
    { ids: idList(ids), accountId },
  );
}

/**
 * Returns the rows of these uploads.
 *
 * @throws Refusal unless all belong to the author, are unused or already attached to (or reserved for) this very
 * status, and can be attached together
 */
export function checkMedia(
  ctx: Context,
  accountId: number,
  ids: readonly number[],
  { statusId = null, scheduledId = null }: { statusId?: number | null; scheduledId?: number | null },
): MediaRow[] {
  if (ids.length === 0) return [];
  const rows = ctx.db.all<MediaRow>(
    `SELECT m.* FROM json_each($ids) j JOIN media_attachments m ON m.id = j.value
     WHERE m.account_id = +$accountId AND (m.status_id IS NULL OR m.status_id = +$statusId)
       AND (m.scheduled_status_id IS NULL OR m.scheduled_status_id = +$scheduledId)`,
    { ids: idList(ids), accountId, statusId, scheduledId },
  );
  if (rows.length < new Set(ids).size) {
    throw validationFailed("Media attachments are unknown, or belong to another post. Upload them again.");
  }
  checkTogether(rows);
  return rows;
}

/** Mastodon's rules and, except for the last one, Mastodon's messages. */
function checkTogether(rows: readonly MediaRow[]): void {
  if (rows.length > 1 && rows.some(({ type }) => type === "video" || type === "audio")) {
    throw new Refusal("invalid", "Cannot attach a video to a post that already contains images");
  }
  if (rows.some(({ state }) => state === "processing")) {
    throw new Refusal("invalid", "Cannot attach files that have not finished processing. Try again in a moment!");
  }
  if (rows.some(({ state }) => state === "failed")) {
    throw new Refusal("invalid", "Cannot attach files that could not be processed. Remove them, or upload others.");
  }
}

/** Attaches uploads to a status, in this order. */
export function attachMedia(tx: Tx, statusId: number, ids: readonly number[]): void {
  for (const [position, id] of ids.entries()) {
    tx.run(
      "UPDATE media_attachments SET status_id = $statusId, scheduled_status_id = NULL, position = $position WHERE id = +$id",
      { statusId, position, id },
    );
  }
}

/** Reserves uploads for a scheduled status. */
export function reserveMedia(tx: Tx, scheduledId: number, ids: readonly number[]): void {
  for (const [position, id] of ids.entries()) {
    tx.run("UPDATE media_attachments SET scheduled_status_id = $scheduledId, position = $position WHERE id = +$id", {
      scheduledId,
      position,
      id,
    });
  }
}

/** Releases reserved uploads. Their age counts from now, so cleanup leaves them for another day. */
export function releaseMedia(ctx: Context, tx: Tx, scheduledId: number): void {
  tx.run(
    "UPDATE media_attachments SET scheduled_status_id = NULL, created_at = $now WHERE scheduled_status_id = +$scheduledId",
    { now: ctx.clock.now(), scheduledId },
  );
}

/** Detaches the uploads of a deleted status: removes them, or keeps them for another day. */
export function detachMedia(ctx: Context, tx: Tx, statusId: number, remove: boolean): void {
  if (!remove) {
    const now = ctx.clock.now();
    tx.run("UPDATE media_attachments SET status_id = NULL, created_at = $now WHERE status_id = +$statusId", {
      statusId,
      now,
    });
    return;
  }
  const removed = tx.all<MediaFiles>(
    "DELETE FROM media_attachments WHERE status_id = +$statusId RETURNING file, small, source",
    { statusId },
  );
  discardFiles(ctx, tx, removed.flatMap(filesOf));
}

/** The account's own upload before it is published. Published uploads are shown and changed with their status. */
export function unpublishedMedia(ctx: Context, accountId: number, id: number | null): MediaRow {
  const row = ownMedia(ctx, accountId, id);
  if (row.status_id !== null) throw notFound();
  if (row.state === "failed") throw new Refusal("invalid", "The file could not be processed. Upload another one.");
  return row;
}

/** Changes an unpublished upload: its description, focus or thumbnail. */
export async function changeUpload(
  ctx: Context,
  accountId: number,
  id: number | null,
  changes: MediaChanges,
  thumbnail: File | undefined,
): Promise<MediaRow> {
  const found = unpublishedMedia(ctx, accountId, id);
  checkDescription(changes.description);
  const preview = thumbnail && (await inspectThumbnail(ctx, accountId, thumbnail));
  const stored = preview && (await storeThumbnail(ctx, preview));
  const changed = ctx.db.transaction((tx) => {
    // It may have been published or deleted while the thumbnail was read.
    const row = tx.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id AND status_id IS NULL", {
      id: found.id,
    });
    if (!row && stored) discardFiles(ctx, tx, [stored.file]);
    if (!row) return null;
    applyMediaChanges(tx, row, changes);
    if (stored) setThumbnail(ctx, tx, row.id, stored);
    return row.id;
  });
  if (changed === null) throw notFound();
  return unpublishedMedia(ctx, accountId, changed);
}

/** Removes an upload that is not on a status. */
export function removeMedia(ctx: Context, accountId: number, id: number | null): void {
  const row = ownMedia(ctx, accountId, id);
  if (row.status_id !== null || row.scheduled_status_id !== null) {
    throw new Refusal("invalid", "Media attachment is currently used by a status");
  }
  ctx.db.transaction((tx) => {
    tx.run("DELETE FROM media_attachments WHERE id = +$id", { id: row.id });
    discardFiles(ctx, tx, filesOf(row));
  });
}

export function applyMediaChanges(tx: Tx, row: MediaRow, changes: MediaChanges): void {
  checkDescription(changes.description);
  tx.run("UPDATE media_attachments SET description = $description, focus_x = $x, focus_y = $y WHERE id = +$id", {
    description: changes.description === undefined ? row.description : changes.description || null,
    x: changes.focus?.x ?? row.focus_x,
    y: changes.focus?.y ?? row.focus_y,
    id: row.id,
  });
}

/** Replaces the small image. */
export function setThumbnail(ctx: Context, tx: Tx, id: number, thumbnail: StoredPreview): void {
  const changed = transition(ctx, tx, id, TRANSITIONS.setThumbnail, thumbnail);
  if (!changed) discardFiles(ctx, tx, [thumbnail.file]);
}
