import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { smallSize } from "../../lib/media/images.ts";

/** An attachment of another server's status. Its URLs are absolute, with http or https. */
export interface RemoteAttachment {
  type: "image" | "gifv" | "video" | "audio" | "unknown";
  /** As declared; the type of the bytes is detected. */
  contentType: string;
  url: string;
  previewUrl: string | null;
  description: string | null;
  /** In pixels; null if unknown. */
  width: number | null;
  height: number | null;
  focusX: number;
  focusY: number;
  blurhash: string | null;
  /** In seconds; null if unknown. */
  duration?: number | null;
}

/** Adds the attachments of a new status, in this order. Nothing is fetched before it is shown. */
export function insertRemoteMedia(
  ctx: Context,
  tx: Tx,
  statusId: number,
  accountId: number,
  attachments: readonly RemoteAttachment[],
): void {
  for (const [position, attachment] of attachments.entries()) {
    insertOne(ctx, tx, { statusId, accountId, position }, attachment);
  }
}

interface Row {
  id: number;
  remote_url: string | null;
  position: number;
}

/**
 * Replaces the attachments of a changed status. Rows whose remote URL is in the new list stay, with the new facts; the
 * others move to position -1, because earlier versions of the status show them.
 */
export function replaceRemoteMedia(
  ctx: Context,
  tx: Tx,
  statusId: number,
  accountId: number,
  attachments: readonly RemoteAttachment[],
): void {
  const before = tx.all<Row>(
    `SELECT id, remote_url, position FROM media_attachments
     WHERE status_id = +$statusId AND remote_url IS NOT NULL ORDER BY position < 0, position`,
    { statusId },
  );
  for (const [position, attachment] of attachments.entries()) {
    const at = before.findIndex((row) => row.remote_url === attachment.url);
    if (at === -1) insertOne(ctx, tx, { statusId, accountId, position }, attachment);
    else updateOne(tx, before.splice(at, 1)[0]!.id, position, attachment);
  }
  for (const { id, position } of before) {
    if (position >= 0) tx.run("UPDATE media_attachments SET position = -1 WHERE id = +$id", { id });
  }
}

interface Place {
  statusId: number;
  accountId: number;
  position: number;
}

function insertOne(ctx: Context, tx: Tx, place: Place, attachment: RemoteAttachment): void {
  tx.run(
    `INSERT INTO media_attachments (id, account_id, status_id, position, type, content_type, remote_url,
       preview_remote_url, file_size, width, height, small_width, small_height, focus_x, focus_y, description, blurhash,
       duration, created_at)
     VALUES ($id, $accountId, $statusId, $position, $type, $contentType, $url, $previewUrl, 0, coalesce($width, 0),
       coalesce($height, 0), coalesce($smallWidth, 0), coalesce($smallHeight, 0), $focusX, $focusY, $description,
       $blurhash, $duration, $now)`,
    { ...place, ...paramsOf(attachment), id: ctx.ids.next(), url: attachment.url, now: ctx.clock.now() },
  );
}

/** Facts that are unknown this time stay: they may come from the preview. */
function updateOne(tx: Tx, id: number, position: number, attachment: RemoteAttachment): void {
  tx.run(
    `UPDATE media_attachments SET position = $position, type = $type, content_type = $contentType,
       preview_remote_url = $previewUrl, description = $description, focus_x = $focusX, focus_y = $focusY,
       width = coalesce($width, width), height = coalesce($height, height),
       small_width = coalesce($smallWidth, small_width), small_height = coalesce($smallHeight, small_height),
       blurhash = coalesce($blurhash, blurhash), duration = coalesce($duration, duration)
     WHERE id = +$id`,
    { ...paramsOf(attachment), id, position },
  );
}

function paramsOf(attachment: RemoteAttachment) {
  const { width, height } = attachment;
  const size = width && height ? { width, height } : null;
  const small = size && smallSize(size);
  return {
    type: attachment.type,
    contentType: attachment.contentType,
    previewUrl: attachment.previewUrl,
    width: size?.width ?? null,
    height: size?.height ?? null,
    smallWidth: small?.width ?? null,
    smallHeight: small?.height ?? null,
    focusX: attachment.focusX,
    focusY: attachment.focusY,
    description: attachment.description,
    blurhash: attachment.blurhash,
    duration: attachment.duration ?? null,
  };
}
