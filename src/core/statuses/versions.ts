import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { deliverUpdate } from "../deliveries.ts";
import { countFeatured, uncountFeatured } from "../discovery/featured-tags.ts";
import { linkStatus, requestCard, requestCardLater } from "../discovery/links.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { mentionsOf, replaceMentionsAndTags, saveSilentMentions } from "../discovery/tags.ts";
import { countUses, uncountUses } from "../discovery/trend-counts.ts";
import { publicTopics, publishAfterCommit } from "../events.ts";
import type { MediaRow } from "../media/states.ts";
import { addToConversations } from "../notifications/conversations.ts";
import { notify } from "../notifications/notifications.ts";
import { announceChange, fanOutToTagFollowers, REAL_TIME, timelinesWith } from "../timelines/home-fanout.ts";
import type { StatusRow } from "../visibility.ts";
import { type PollBefore, pollOf, type RemotePoll, replaceRemotePoll, updateTallies } from "./polls.ts";
import { type InteractionPolicy, setInteractionPolicy } from "../interaction-policies.ts";
import { type Quoters, setQuoters } from "../quotes/policy.ts";
import { notifyQuoters } from "../quotes/quotes.ts";
import { type RemoteQuote, updateRemoteQuote } from "../quotes/remote-quotes.ts";
import { type NewStatus, NO_SOURCE, type OriginCounts } from "./storing.ts";

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

/** The attachments and the poll of a status. */
export interface Attached {
  media: Pick<MediaRow, "id" | "description" | "focus_x" | "focus_y" | "small">[];
  poll: PollBefore | null;
}

/** A new version of a status: all checks are done. */
export interface NewVersion extends Pick<
  NewStatus,
  | "text"
  | "contentType"
  | "content"
  | "spoilerText"
  | "sensitive"
  | "language"
  | "mentions"
  | "addressees"
  | "tags"
  | "links"
> {
  editedAt: number;
  hasMedia: boolean;
  /** Changes attachments and poll. Returns whether one of them is another one now. */
  changeAttached(): boolean;
}

/** A status of another server as it is now. */
export interface RemoteVersion extends Omit<NewVersion, "text" | "contentType" | "editedAt" | "changeAttached"> {
  /** When it was edited, in milliseconds since 1970; null if its server only sends new results and counts. */
  editedAt: number | null;
  poll: RemotePoll | null;
  originCounts: OriginCounts | null;
  quoters: Quoters;
  policy: InteractionPolicy;
  /** Undefined if the quoted status can't be found at the moment. */
  quote: RemoteQuote | null | undefined;
  /** Replaces the attachments. Those that stay keep their row. */
  replaceMedia(): void;
}

/**
 * Stores the present state of a remote status: its counts, the results of its poll and, if it was edited, the new
 * version. Versions may arrive in any order: an earlier one than the stored one changes nothing.
 */
export function storeRemoteVersion(ctx: Context, tx: Tx, status: StatusRow, version: RemoteVersion): void {
  const editedAt = version.editedAt === null ? null : Math.min(version.editedAt, ctx.clock.now());
  if (editedAt !== null && editedAt < (status.edited_at ?? status.created_at)) return;
  setOriginCounts(tx, status.id, version.originCounts);
  const hasOtherQuoters = setQuoters(tx, status.id, version.quoters);
  const hasOtherPolicy = setInteractionPolicy(tx, status.id, version.policy) || hasOtherQuoters;
  const hasOtherQuote = version.quote !== undefined && updateRemoteQuote(ctx, tx, status, version.quote);
  const isStored = storeText(ctx, tx, status, version, editedAt);
  if ((hasOtherPolicy || hasOtherQuote) && !isStored) announceChange(ctx, tx, status);
}

/** Stores the new version or, if the status was not edited, the results of its poll. Returns whether it was edited. */
function storeText(ctx: Context, tx: Tx, status: StatusRow, version: RemoteVersion, editedAt: number | null): boolean {
  const before = attachedTo(tx, status.id);
  if (editedAt === null) {
    if (before.poll && version.poll) updateTallies(ctx, tx, before.poll, version.poll);
    return false;
  }
  const changeAttached = () => {
    version.replaceMedia();
    const isOtherPoll = replaceRemotePoll(ctx, tx, status.id, before.poll, version.poll);
    return isOtherPoll || hasOtherMedia(tx, status.id, before);
  };
  return storeVersion(ctx, tx, status, before, { ...version, ...NO_SOURCE, editedAt, changeAttached });
}

/** A count that its server doesn't report this time stays as it was. */
const SET_COUNTS = `
  UPDATE statuses SET origin_favourites_count = coalesce($favourites, origin_favourites_count),
    origin_reblogs_count = coalesce($reblogs, origin_reblogs_count),
    origin_replies_count = coalesce($replies, origin_replies_count)
  WHERE id = +$statusId`;

function setOriginCounts(tx: Tx, statusId: number, counts: OriginCounts | null): void {
  if (!counts) return;
  tx.run(SET_COUNTS, { ...counts, statusId });
}

export function attachedTo(db: Reads, statusId: number): Attached {
  return { media: mediaOf(db, statusId), poll: pollOf(db, statusId) };
}

export function hasOtherMedia(db: Reads, statusId: number, before: Attached): boolean {
  return JSON.stringify(before.media) !== JSON.stringify(mediaOf(db, statusId));
}

function mediaOf(db: Reads, statusId: number): Attached["media"] {
  return db.all(
    `SELECT id, description, focus_x, focus_y, small FROM media_attachments
     WHERE status_id = +$statusId AND position >= 0 ORDER BY position`,
    { statusId },
  );
}

/**
 * Changes a local or remote status with all effects, and keeps the version before. A version that changes nothing isn't
 * stored. Returns whether it was.
 */
export function storeVersion(ctx: Context, tx: Tx, status: StatusRow, before: Attached, version: NewVersion): boolean {
  const hasOtherAttached = version.changeAttached();
  if (!hasOtherAttached && isSameText(status, version)) return false;
  insertVersions(tx, status, before, version);
  uncountUses(tx, status.id);
  const hasMedia = version.hasMedia ? 1 : 0;
  tx.run(
    `UPDATE statuses SET text = $text, content_type = $contentType, content = $content, spoiler_text = $spoilerText, sensitive = $sensitive,
       language = $language, has_media = $hasMedia, edited_at = $editedAt
     WHERE id = +$statusId`,
    {
      text: version.text,
      contentType: version.contentType,
      content: version.content,
      spoilerText: version.spoilerText,
      sensitive: version.sensitive ? 1 : 0,
      language: version.language,
      hasMedia,
      editedAt: version.editedAt,
      statusId: status.id,
    },
  );
  const mentionedBefore = mentionsOf(tx, status.id);
  uncountFeatured(tx, status);
  replaceMentionsAndTags(tx, status, version, ctx.clock.now());
  saveSilentMentions(tx, status.id, version.addressees);
  countFeatured(tx, status, status.created_at);
  if (status.created_at >= ctx.clock.now() - REAL_TIME || status.local) fanOutToTagFollowers(ctx, tx, status.id);
  linkVersion(ctx, tx, status, version);
  indexStatus(tx, status.id);
  countUses(tx, status.id);
  const mentionedAnew = version.mentions.filter((id) => !mentionedBefore.includes(id));
  publishVersion(ctx, tx, { ...status, has_media: hasMedia }, version, mentionedAnew);
  if (status.local) deliverUpdate(ctx, tx, status.id);
  return true;
}

/** The source of a remote status is unknown. The HTML of a local one may differ only because an account was deleted. */
function isSameText(status: StatusRow, version: NewVersion): boolean {
  return (
    (status.local
      ? version.text === status.text && version.contentType === status.content_type
      : version.content === status.content) &&
    version.spoilerText === status.spoiler_text &&
    version.sensitive === (status.sensitive === 1) &&
    version.language === status.language
  );
}

/** The preview of a remote status is only needed if a timeline has the status. */
function linkVersion(ctx: Context, tx: Tx, status: StatusRow, { hasMedia, links }: NewVersion): void {
  const link = linkStatus(ctx, tx, status.id, hasMedia ? [] : links);
  if (link && status.local) requestCard(ctx, tx, link);
  else if (link && timelinesWith(tx, status.id).length > 0) requestCardLater(ctx, tx, link);
}

/** Stores the new version. The first edit also stores the original. */
function insertVersions(tx: Tx, status: StatusRow, before: Attached, version: NewVersion): void {
  if (status.edited_at === null) {
    const { media, poll } = before;
    const original = { media, poll_options: poll?.titles ?? null, created_at: status.created_at };
    insertVersion(tx, status.id, { ...status, ...original });
  }
  const { media, poll } = attachedTo(tx, status.id);
  insertVersion(tx, status.id, {
    content: version.content,
    spoiler_text: version.spoilerText,
    sensitive: version.sensitive ? 1 : 0,
    media,
    poll_options: poll?.titles ?? null,
    created_at: version.editedAt,
  });
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
function publishVersion(
  ctx: Context,
  tx: Tx,
  status: StatusRow,
  { mentions, tags }: NewVersion,
  mentionedAnew: readonly number[],
): void {
  const topics = publicTopics(
    tx,
    status,
    tags.map((tag) => tag.name),
  );
  publishAfterCommit(ctx, tx, [...timelinesWith(tx, status.id), ...topics], {
    event: "status.update",
    statusId: status.id,
  });
  addToConversations(ctx, tx, status, mentions, mentionedAnew);
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
  const { media, poll } = attachedTo(ctx.db, status.id);
  return [{ ...status, media, poll_options: poll?.titles ?? null }];
}

/** Attachment rows by id, including those removed from the status. */
export function mediaByIds(ctx: Context, ids: Iterable<number>): Map<number, MediaRow> {
  const rows = ctx.db.all<MediaRow>("SELECT * FROM media_attachments WHERE id IN (SELECT value FROM json_each($ids))", {
    ids: idList(ids),
  });
  return new Map(rows.map((row) => [row.id, row]));
}
