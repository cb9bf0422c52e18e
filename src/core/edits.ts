import type { Context } from "../context.ts";
import type { Reads, Tx } from "../db/open.ts";
import { idList } from "../db/json.ts";
import { compose } from "./compose.ts";
import { announce, publicTopics } from "./events.ts";
import { countFeatured, uncountFeatured } from "./featured-tags.ts";
import { timelinesWith, toTagFollowers } from "./home.ts";
import { linkStatus } from "./links.ts";
import { applyMediaChanges, attachMedia, checkMedia, type MediaChanges, type MediaRow } from "./media.ts";
import { notify } from "./notifications.ts";
import { indexStatus } from "./search-index.ts";
import { checkLength, type StatusRow } from "./statuses.ts";
import { replaceMentionsAndTags } from "./tags.ts";
import { countUses, uncountUses } from "./uses.ts";

export interface Edit {
  text?: string;
  spoilerText?: string;
  sensitive?: boolean;
  language?: string | null;
  mediaIds?: number[];
  mediaChanges?: Map<number, MediaChanges>;
}

/** One version of a status; `media` are attachment ids with the description that each had then. */
export interface Version {
  content: string;
  spoiler_text: string;
  sensitive: number;
  media: { id: number; description: string | null }[];
  created_at: number;
}

/** Changes a status, and keeps what it was. An edit that changes nothing leaves no trace. */
export function editStatus(ctx: Context, status: StatusRow, edit: Edit): void {
  const before = mediaOf(ctx.db, status.id);
  const mediaIds = edit.mediaIds ?? before.map(({ id }) => id);
  const text = edit.text ?? status.text;
  const spoilerText = edit.spoilerText ?? status.spoiler_text;
  checkLength(ctx, text, spoilerText, mediaIds);
  const media = checkMedia(ctx, status.account_id, mediaIds, status.id);
  const composed = compose(ctx, text);
  const next = {
    content: composed.content,
    spoiler_text: spoilerText,
    sensitive: (edit.sensitive ?? status.sensitive === 1) || spoilerText !== "" ? 1 : 0,
    language: edit.language === undefined ? status.language : edit.language,
    has_media: media.length > 0 ? 1 : 0,
  };
  ctx.db.transaction((tx) => {
    for (const row of media) applyMediaChanges(tx, row, edit.mediaChanges?.get(row.id) ?? {});
    setAside(tx, before, mediaIds);
    attachMedia(tx, status.id, mediaIds);
    const now = mediaOf(tx, status.id);
    const unchanged =
      text === status.text &&
      next.spoiler_text === status.spoiler_text &&
      next.sensitive === status.sensitive &&
      next.language === status.language &&
      JSON.stringify(before) === JSON.stringify(now);
    if (unchanged) return;
    keepVersion(ctx, tx, status, before, { ...next, media: now });
    uncountUses(tx, status.id);
    tx.run(
      `UPDATE statuses SET text = ?, content = ?, spoiler_text = ?, sensitive = ?, language = ?, has_media = ?, edited_at = ?
       WHERE id = ?`,
      text,
      next.content,
      next.spoiler_text,
      next.sensitive,
      next.language,
      next.has_media,
      ctx.clock.now(),
      status.id,
    );
    const mentionedBefore = mentionsOf(tx, status.id);
    uncountFeatured(tx, status);
    replaceMentionsAndTags(tx, status.id, composed, ctx.clock.now());
    countFeatured(tx, status, status.created_at);
    toTagFollowers(ctx, tx, status.id);
    linkStatus(ctx, tx, status.id, next.has_media ? null : next.content);
    indexStatus(tx, status.id);
    countUses(tx, status.id);
    tellOfEdit(
      ctx,
      tx,
      { ...status, has_media: next.has_media },
      composed.tags,
      [...composed.mentions],
      mentionedBefore,
    );
  });
}

/** What was taken off stays on the status's shelf, since its earlier versions show it. */
function setAside(tx: Tx, before: readonly { id: number }[], kept: readonly number[]): void {
  for (const { id } of before) {
    if (!kept.includes(id)) tx.run("UPDATE media_attachments SET position = -1 WHERE id = ?", id);
  }
}

function mediaOf(db: Reads, statusId: number): Pick<MediaRow, "id" | "description" | "focus_x" | "focus_y">[] {
  return db.all(
    `SELECT id, description, focus_x, focus_y FROM media_attachments
     WHERE status_id = ? AND position >= 0 ORDER BY position`,
    statusId,
  );
}

/** The first edit also keeps what there was before it. */
function keepVersion(
  ctx: Context,
  tx: Tx,
  status: StatusRow,
  mediaBefore: Version["media"],
  next: { content: string; spoiler_text: string; sensitive: number; media: Version["media"] },
): void {
  if (status.edited_at === null) {
    insertVersion(tx, status.id, { ...status, media: mediaBefore, created_at: status.created_at });
  }
  insertVersion(tx, status.id, { ...next, created_at: ctx.clock.now() });
}

function insertVersion(tx: Tx, statusId: number, version: Version): void {
  tx.run(
    "INSERT INTO status_edits (status_id, content, spoiler_text, sensitive, media, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    statusId,
    version.content,
    version.spoiler_text,
    version.sensitive,
    JSON.stringify(version.media.map(({ id, description }) => ({ id, description }))),
    version.created_at,
  );
}

function mentionsOf(tx: Tx, statusId: number): number[] {
  return tx
    .all<{ account_id: number }>("SELECT account_id FROM mentions WHERE status_id = ?", statusId)
    .map(({ account_id }) => account_id);
}

/** Those who have it before them see it change; those who reblogged it, and whoever is newly mentioned, are told. */
function tellOfEdit(
  ctx: Context,
  tx: Tx,
  status: StatusRow,
  tags: readonly { name: string }[],
  mentions: number[],
  mentionedBefore: number[],
): void {
  const topics = publicTopics(
    status,
    tags.map((tag) => tag.name),
  );
  announce(ctx, tx, [...timelinesWith(tx, status.id), ...topics], { event: "status.update", statusId: status.id });
  for (const accountId of mentions) {
    if (mentionedBefore.includes(accountId)) continue;
    notify(ctx, tx, accountId, { type: "mention", from: status.account_id, statusId: status.id });
  }
  const rebloggers = tx.all<{ account_id: number }>(
    "SELECT r.account_id FROM statuses r JOIN users u ON u.account_id = r.account_id WHERE r.reblog_of_id = ?",
    status.id,
  );
  for (const { account_id } of rebloggers) {
    notify(ctx, tx, account_id, { type: "update", from: status.account_id, statusId: status.id });
  }
}

/** Every version of a status, the oldest first; one that was never edited has a single version. */
export function versionsOf(ctx: Context, status: StatusRow): Version[] {
  const rows = ctx.db.all<Omit<Version, "media"> & { media: string }>(
    "SELECT content, spoiler_text, sensitive, media, created_at FROM status_edits WHERE status_id = ? ORDER BY id",
    status.id,
  );
  if (rows.length > 0) return rows.map((row) => ({ ...row, media: JSON.parse(row.media) }));
  return [{ ...status, media: mediaOf(ctx.db, status.id) }];
}

/** Attachment rows by id, whether or not the status still shows them. */
export function mediaByIds(ctx: Context, ids: Iterable<number>): Map<number, MediaRow> {
  const rows = ctx.db.all<MediaRow>(
    "SELECT * FROM media_attachments WHERE id IN (SELECT value FROM json_each(?))",
    idList(ids),
  );
  return new Map(rows.map((row) => [row.id, row]));
}
