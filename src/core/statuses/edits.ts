import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { idList } from "../../db/json.ts";
import { compose, type Composed } from "./compose.ts";
import { addToConversations } from "../notifications/conversations.ts";
import { checkContent } from "./drafts.ts";
import { publishAfterCommit, publicTopics } from "../events.ts";
import { countFeatured, uncountFeatured } from "../discovery/featured-tags.ts";
import { announceChange, timelinesWith, fanOutToTagFollowers } from "../timelines/home-fanout.ts";
import { linkStatus } from "../discovery/links.ts";
import { applyMediaChanges, attachMedia, checkMedia, setThumbnail } from "../media/attachments.ts";
import { inspectThumbnail } from "../media/inspect.ts";
import type { MediaChanges } from "../media/receive.ts";
import type { MediaRow, StoredPreview } from "../media/states.ts";
import { storeThumbnail } from "../media/store.ts";
import { discardFiles } from "../media/stored-files.ts";
import { notify } from "../notifications/notifications.ts";
import { type PollBefore, type PollDraft, pollOf, replacePoll } from "./polls.ts";
import { isQuote, notifyQuoters, type QuotePolicy, setQuotePolicy } from "./quotes.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { mentionsOf, replaceMentionsAndTags } from "../discovery/tags.ts";
import { countUses, uncountUses } from "../discovery/trend-counts.ts";
import type { StatusRow } from "../visibility.ts";

/**
 * Undefined properties stay unchanged, with two exceptions. An edit with uploads or a poll replaces all attachments, so
 * that setting one removes the other. And an edit from a composer (see isComposed) replaces everything.
 */
export interface Edit {
  text?: string;
  spoilerText?: string;
  sensitive?: boolean;
  language?: string | null;
  mediaIds?: number[];
  mediaChanges?: Map<number, MediaChanges>;
  /** Custom thumbnails, by the attachment's id. */
  thumbnails?: Map<number, File>;
  poll?: PollDraft;
  quotePolicy?: QuotePolicy;
}

/** The visible content of one version of a status. */
export interface Version {
  content: string;
  spoiler_text: string;
  sensitive: number;
  /** The ids of the attachments, with their descriptions at that time. */
  media: { id: number; description: string | null }[];
  /** The options of its poll; null without a poll. */
  poll_options: string[] | null;
  created_at: number;
}

type Shown = Omit<Version, "created_at">;

/** The attachments of a status. */
interface Attached {
  media: Pick<MediaRow, "id" | "description" | "focus_x" | "focus_y" | "small">[];
  poll: PollBefore | null;
}

/** A validated edit. */
interface CheckedEdit extends Edit {
  text: string;
  spoilerText: string;
  mediaIds: number[];
  /** Null removes the poll, undefined keeps it. */
  nextPoll: PollDraft | null | undefined;
  media: MediaRow[];
  composed: Composed;
}

/**
 * Changes a status and stores the new version. An edit that changes nothing stores none. `find` returns the status; it
 * is called again after reading thumbnails, because the status may have changed or been deleted meanwhile. The new text
 * is parsed and rendered before the transaction; nothing awaits in between, so no other request can change the status.
 */
export async function editStatus(ctx: Context, find: () => StatusRow, edit: Edit): Promise<void> {
  const thumbnails = await storeThumbnails(ctx, find(), edit);
  try {
    changeStatus(ctx, find(), edit, thumbnails);
  } catch (error) {
    const files = [...thumbnails.values()].map(({ file }) => file);
    if (files.length > 0) ctx.db.transaction((tx) => discardFiles(ctx, tx, files));
    throw error;
  }
}

/** Reads all thumbnails before storing any, and none if the edit would be refused anyway. */
async function storeThumbnails(ctx: Context, status: StatusRow, edit: Edit): Promise<Map<number, StoredPreview>> {
  const stored = new Map<number, StoredPreview>();
  if (!edit.thumbnails?.size) return stored;
  const before: Attached = { media: mediaOf(ctx.db, status.id), poll: pollOf(ctx.db, status.id) };
  const { mediaIds } = checkEdit(ctx, status, before, edit);
  const wanted = [...edit.thumbnails].filter(([id]) => mediaIds.includes(id));
  const previews = await Promise.all(wanted.map(([, file]) => inspectThumbnail(ctx, status.account_id, file)));
  for (const [at, [id]] of wanted.entries()) stored.set(id, await storeThumbnail(ctx, previews[at]!));
  return stored;
}

function changeStatus(ctx: Context, status: StatusRow, edit: Edit, thumbnails: Map<number, StoredPreview>): void {
  const before: Attached = { media: mediaOf(ctx.db, status.id), poll: pollOf(ctx.db, status.id) };
  const checked = checkEdit(ctx, status, before, edit);
  const { text, composed } = checked;
  const next = {
    content: composed.content,
    spoiler_text: checked.spoilerText,
    sensitive: (edit.sensitive ?? staysSensitive(status, checked)) || checked.spoilerText !== "" ? 1 : 0,
    language: edit.language === undefined ? status.language : edit.language,
    has_media: checked.media.length > 0 ? 1 : 0,
  };
  ctx.db.transaction((tx) => {
    const hasNewPolicy = edit.quotePolicy !== undefined && setQuotePolicy(tx, status, edit.quotePolicy);
    const isAttachedAnew = changeAttached(ctx, tx, status.id, before, { ...checked, stored: thumbnails });
    const unchanged =
      text === status.text &&
      next.spoiler_text === status.spoiler_text &&
      next.sensitive === status.sensitive &&
      next.language === status.language &&
      !isAttachedAnew;
    if (unchanged) {
      if (hasNewPolicy) announceChange(ctx, tx, status);
      return;
    }
    const now = { media: mediaOf(tx, status.id), poll_options: pollOf(tx, status.id)?.titles ?? null };
    storeVersion(ctx, tx, status, before, { ...next, ...now });
    uncountUses(tx, status.id);
    tx.run(
      `UPDATE statuses SET text = $text, content = $content, spoiler_text = $spoilerText, sensitive = $sensitive,
         language = $language, has_media = $hasMedia, edited_at = $now
       WHERE id = +$statusId`,
      {
        text,
        content: next.content,
        spoilerText: next.spoiler_text,
        sensitive: next.sensitive,
        language: next.language,
        hasMedia: next.has_media,
        now: ctx.clock.now(),
        statusId: status.id,
      },
    );
    const mentionedBefore = mentionsOf(tx, status.id);
    uncountFeatured(tx, status);
    replaceMentionsAndTags(tx, status, composed, ctx.clock.now());
    countFeatured(tx, status, status.created_at);
    fanOutToTagFollowers(ctx, tx, status.id);
    linkStatus(ctx, tx, status.id, next.has_media ? [] : composed.links);
    indexStatus(tx, status.id);
    countUses(tx, status.id);
    const mentionedAnew = composed.mentions.filter((id) => !mentionedBefore.includes(id));
    publishEdit(ctx, tx, { ...status, has_media: next.has_media }, composed, mentionedAnew);
  });
}

/**
 * Whether the edit comes from an app's composer and replaces everything, unlike a script's partial edit. Apps send the
 * content of their composer and omit what is empty there: a removed warning, poll or attachments. All apps send the
 * text, and `sensitive` or the attachments. Mastodon treats every edit like this.
 */
function isComposed({ text, sensitive, mediaIds, poll }: Edit): boolean {
  return text !== undefined && (sensitive !== undefined || mediaIds !== undefined || poll !== undefined);
}

/** If only the warning made it sensitive, removing the warning clears the flag. */
function staysSensitive(status: StatusRow, { spoilerText }: CheckedEdit): boolean {
  return status.sensitive === 1 && (status.spoiler_text === "" || spoilerText !== "");
}

function checkEdit(ctx: Context, status: StatusRow, before: Attached, edit: Edit): CheckedEdit {
  const saysAll = isComposed(edit);
  const isWhole = saysAll || edit.mediaIds !== undefined || edit.poll !== undefined;
  // An edit that only describes attachments keeps them.
  const withoutMedia = isWhole && !edit.mediaChanges?.size;
  const mediaIds = edit.mediaIds ?? (withoutMedia ? [] : before.media.map(({ id }) => id));
  const text = edit.text ?? status.text;
  const spoilerText = edit.spoilerText ?? (saysAll ? "" : status.spoiler_text);
  const poll = edit.poll ?? null;
  const content = { text, spoilerText, mediaIds, isQuote: isQuote(ctx.db, status.id), poll };
  checkContent(content, ctx.config.maxCharacters);
  const media = checkMedia(ctx, status.account_id, mediaIds, { statusId: status.id });
  return {
    ...edit,
    text,
    spoilerText,
    mediaIds,
    nextPoll: isWhole ? poll : undefined,
    media,
    composed: compose(ctx, text),
  };
}

/** Changes attachments and poll. Returns whether anything changed; a new poll always does, because it starts again. */
function changeAttached(
  ctx: Context,
  tx: Tx,
  statusId: number,
  before: Attached,
  edit: CheckedEdit & { stored: Map<number, StoredPreview> },
): boolean {
  for (const row of edit.media) {
    applyMediaChanges(tx, row, edit.mediaChanges?.get(row.id) ?? {});
    const thumbnail = edit.stored.get(row.id);
    if (thumbnail) setThumbnail(ctx, tx, row.id, thumbnail);
  }
  detachRemoved(tx, before.media, edit.mediaIds);
  attachMedia(tx, statusId, edit.mediaIds);
  if (edit.nextPoll !== undefined) replacePoll(ctx, tx, statusId, before.poll, edit.nextPoll);
  const hasOtherPoll = edit.nextPoll ? true : edit.nextPoll === null && before.poll !== null;
  return hasOtherPoll || JSON.stringify(before.media) !== JSON.stringify(mediaOf(tx, statusId));
}

/** Removed attachments stay with the status at position -1, because its earlier versions show them. */
function detachRemoved(tx: Tx, before: readonly { id: number }[], kept: readonly number[]): void {
  for (const { id } of before) {
    if (!kept.includes(id)) tx.run("UPDATE media_attachments SET position = -1 WHERE id = +$id", { id });
  }
}

function mediaOf(db: Reads, statusId: number): Attached["media"] {
  return db.all(
    `SELECT id, description, focus_x, focus_y, small FROM media_attachments
     WHERE status_id = +$statusId AND position >= 0 ORDER BY position`,
    { statusId },
  );
}

/** Stores the new version. The first edit also stores the original. */
function storeVersion(ctx: Context, tx: Tx, status: StatusRow, before: Attached, next: Shown): void {
  if (status.edited_at === null) {
    const first = { media: before.media, poll_options: before.poll?.titles ?? null, created_at: status.created_at };
    insertVersion(tx, status.id, { ...status, ...first });
  }
  insertVersion(tx, status.id, { ...next, created_at: ctx.clock.now() });
}

function insertVersion(tx: Tx, statusId: number, version: Version): void {
  tx.run(
    `INSERT INTO status_edits (status_id, content, spoiler_text, sensitive, media, poll_options, created_at)
     VALUES ($statusId, $content, $spoilerText, $sensitive, $media, $pollOptions, $createdAt)`,
    {
      statusId,
      content: version.content,
      spoilerText: version.spoiler_text,
      sensitive: version.sensitive,
      media: JSON.stringify(version.media.map(({ id, description }) => ({ id, description }))),
      pollOptions: version.poll_options && JSON.stringify(version.poll_options),
      createdAt: version.created_at,
    },
  );
}

/** Publishes the edit to streams, and notifies accounts that boosted or quoted the status or are newly mentioned. */
function publishEdit(
  ctx: Context,
  tx: Tx,
  status: StatusRow,
  composed: Composed,
  mentionedAnew: readonly number[],
): void {
  const topics = publicTopics(
    tx,
    status,
    composed.tags.map((tag) => tag.name),
  );
  publishAfterCommit(ctx, tx, [...timelinesWith(tx, status.id), ...topics], {
    event: "status.update",
    statusId: status.id,
  });
  addToConversations(ctx, tx, status, composed.mentions, mentionedAnew);
  for (const accountId of mentionedAnew) {
    notify(ctx, tx, accountId, { type: "mention", from: status.account_id, statusId: status.id });
  }
  const rebloggers = tx.all<{ account_id: number }>(
    "SELECT r.account_id FROM statuses r JOIN users u ON u.account_id = r.account_id WHERE r.reblog_of_id = +$statusId",
    { statusId: status.id },
  );
  for (const { account_id } of rebloggers) {
    notify(ctx, tx, account_id, { type: "update", from: status.account_id, statusId: status.id });
  }
  notifyQuoters(ctx, tx, status);
}

/** Every version of a status, oldest first. A status without edits has one version. */
export function versionsOf(ctx: Context, status: StatusRow): Version[] {
  const rows = ctx.db.all<Omit<Version, "media" | "poll_options"> & { media: string; poll_options: string | null }>(
    "SELECT content, spoiler_text, sensitive, media, poll_options, created_at FROM status_edits WHERE status_id = +$statusId ORDER BY id",
    { statusId: status.id },
  );
  if (rows.length > 0) {
    return rows.map((row) => ({
      ...row,
      media: JSON.parse(row.media),
      poll_options: row.poll_options && JSON.parse(row.poll_options),
    }));
  }
  const poll_options = pollOf(ctx.db, status.id)?.titles ?? null;
  return [{ ...status, media: mediaOf(ctx.db, status.id), poll_options }];
}

/** Attachment rows by id, including those removed from the status. */
export function mediaByIds(ctx: Context, ids: Iterable<number>): Map<number, MediaRow> {
  const rows = ctx.db.all<MediaRow>("SELECT * FROM media_attachments WHERE id IN (SELECT value FROM json_each($ids))", {
    ids: idList(ids),
  });
  return new Map(rows.map((row) => [row.id, row]));
}
