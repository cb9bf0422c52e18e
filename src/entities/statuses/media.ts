import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { MediaRow } from "../../core/media/states.ts";
import { rejectsMedia } from "../../core/remote-media/rejected-media.ts";
import { remoteAttachmentUrl } from "../../core/remote-media/remote-names.ts";
import type { Colors } from "../../lib/media/colors.ts";
import { mediaUrl } from "../../core/addresses.ts";

const OF_STATUSES = `
  SELECT m.*, a.domain FROM media_attachments m JOIN accounts a ON a.id = m.account_id
  WHERE m.status_id IN (SELECT value FROM json_each($statusIds)) AND m.position >= 0 ORDER BY m.status_id, m.position`;

/**
 * Mastodon's MediaAttachment (entities/MediaAttachment). `domain` is the author's. An attachment of an unsupported type,
 * or of a domain whose media are rejected, is only a link to the original.
 */
export function showMedia(ctx: Context, row: MediaRow, domain: string | null) {
  const type = rejectsMedia(ctx, domain) ? "unknown" : row.type;
  return {
    id: String(row.id),
    type,
    url: urlOf(ctx, row, type),
    preview_url: previewUrlOf(ctx, row, type),
    remote_url: row.remote_url,
    preview_remote_url: row.preview_remote_url,
    text_url: null,
    meta: {
      ...(isSizeKnown(row) && { original: original(row) }),
      ...(row.small_width > 0 && { small: dimensions(row.small_width, row.small_height) }),
      focus: { x: row.focus_x, y: row.focus_y },
      ...(row.colors !== null && { colors: JSON.parse(row.colors) as Colors }),
    },
    description: row.description,
    blurhash: row.blurhash,
  };
}

export function showUpload(ctx: Context, row: MediaRow): MediaJson {
  return showMedia(ctx, row, null);
}

export type MediaJson = ReturnType<typeof showMedia>;

/** Null while the file is being processed. */
function urlOf(ctx: Context, row: MediaRow, type: MediaRow["type"]): string | null {
  if (row.file !== null) return row.state === "processing" ? null : mediaUrl(ctx, row.file);
  return type === "unknown" ? row.remote_url : remoteAttachmentUrl(ctx, row, "original");
}

function previewUrlOf(ctx: Context, row: MediaRow, type: MediaRow["type"]): string | null {
  if (row.small !== null) return mediaUrl(ctx, row.small);
  return type === "unknown" ? null : remoteAttachmentUrl(ctx, row, "preview");
}

/** Other servers need not send it. */
function isSizeKnown({ type, width, duration }: MediaRow): boolean {
  return type === "audio" ? duration !== null : width > 0;
}

/** The fields depend on the type of the media, as in Mastodon. */
function original({ type, width, height, duration, frame_rate, bitrate }: MediaRow) {
  if (type === "audio") return { duration, bitrate };
  if (duration === null) return dimensions(width, height);
  return { width, height, frame_rate, duration, bitrate };
}

function dimensions(width: number, height: number) {
  return { width, height, size: `${width}x${height}`, aspect: width / height };
}

/** The attachments of each status, in their order. */
export function mediaByStatus(ctx: Context, statusIds: readonly number[]): Map<number, MediaJson[]> {
  const shown = new Map<number, MediaJson[]>();
  if (statusIds.length === 0) return shown;
  const rows = ctx.db.all<MediaRow & { domain: string | null }>(OF_STATUSES, { statusIds: idList(statusIds) });
  for (const { domain, ...row } of rows) {
    const list = shown.get(row.status_id!) ?? [];
    list.push(showMedia(ctx, row, domain));
    shown.set(row.status_id!, list);
  }
  return shown;
}
