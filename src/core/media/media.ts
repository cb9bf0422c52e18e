import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import type { mediaAttachments } from "../../db/schema/index.ts";
import { enqueue } from "../../db/queue.ts";
import { notFound, Refusal, refuseWhere, tooLong, validationFailed } from "../../errors.ts";

/** Mastodon's limit; clients read it from the instance configuration. */
export const MAX_ATTACHMENTS = 4;
export const MAX_DESCRIPTION = 1500;

export type MediaRow = typeof mediaAttachments.$inferSelect;

/** The account's own upload. */
export function ownMedia(ctx: Context, accountId: number, id: number | null): MediaRow {
  const row = ctx.db.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id AND account_id = +$accountId", {
    id,
    accountId,
  });
  if (!row) throw notFound();
  return row;
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

export type MediaFiles = Pick<MediaRow, "file" | "small" | "source">;

/** Every file that belongs to an upload. */
export function filesOf({ file, small, source }: MediaFiles): (string | null)[] {
  return [file, small, source];
}

export interface MediaChanges {
  description?: string | null;
  focus?: { x: number; y: number };
}

/** The account's own upload before it is published. Published uploads are shown and changed with their status. */
export function waitingMedia(ctx: Context, accountId: number, id: number | null): MediaRow {
  const row = ownMedia(ctx, accountId, id);
  if (row.status_id !== null) throw notFound();
  if (row.state === "failed") throw new Refusal("invalid", "The file could not be processed. Upload another one.");
  return row;
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

/** Enqueues removing files that no row references any more. */
export function discardFiles(ctx: Context, tx: Tx, files: readonly (string | null)[]): void {
  const present = [...new Set(files)].filter((file) => file !== null);
  if (present.length === 0) return;
  enqueue(ctx, tx, "media.delete_files", { files: present });
}

export function checkDescription(description: string | null | undefined): void {
  refuseWhere([tooLong("Description", description, MAX_DESCRIPTION)]);
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

/** Parses two numbers from -1 to 1, as `0.5,-0.2`. Numbers out of range are clamped. */
export function parseFocus(text: string): { x: number; y: number } {
  const [x, y, ...rest] = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  if (x === undefined || y === undefined || rest.length > 0 || !Number.isFinite(x) || !Number.isFinite(y)) {
    throw validationFailed("Focus must be two numbers between -1.0 and 1.0, separated by a comma");
  }
  const bounded = (value: number) => Math.max(-1, Math.min(1, value));
  return { x: bounded(x), y: bounded(y) };
}
