import type { Context } from "../context.ts";
import { idList } from "../db/json.ts";
import type { MediaRow } from "../core/media/states.ts";
import type { Colors } from "../lib/media/colors.ts";
import { mediaUrl } from "../core/addresses.ts";

const OF_STATUSES = `
  SELECT * FROM media_attachments
  WHERE status_id IN (SELECT value FROM json_each($statusIds)) AND position >= 0 ORDER BY status_id, position`;

/** Mastodon's MediaAttachment (entities/MediaAttachment). `url` is null while the file is being processed. */
export function showMedia(ctx: Context, row: MediaRow) {
  return {
    id: String(row.id),
    type: row.type,
    url: row.state === "processing" ? null : mediaUrl(ctx, row.file),
    preview_url: mediaUrl(ctx, row.small),
    remote_url: null,
    preview_remote_url: null,
    text_url: null,
    meta: {
      original: original(row),
      small: dimensions(row.small_width, row.small_height),
      focus: { x: row.focus_x, y: row.focus_y },
      ...(row.colors !== null && { colors: JSON.parse(row.colors) as Colors }),
    },
    description: row.description,
    blurhash: row.blurhash,
  };
}

export type MediaJson = ReturnType<typeof showMedia>;

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
  for (const row of ctx.db.all<MediaRow>(OF_STATUSES, { statusIds: idList(statusIds) })) {
    const list = shown.get(row.status_id!) ?? [];
    list.push(showMedia(ctx, row));
    shown.set(row.status_id!, list);
  }
  return shown;
}
