import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { concernsOthers, deliver } from "../deliveries.ts";
import { countFeatured } from "../discovery/featured-tags.ts";
import { type LinkRow, linkStatus, requestCard, requestCardLater } from "../discovery/links.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { saveMentions, saveSilentMentions, saveTags, type TagName } from "../discovery/tags.ts";
import { countUses } from "../discovery/trend-counts.ts";
import { publicTopics, publishAfterCommit, type StreamedStatus, userTopic } from "../events.ts";
import { addToConversations } from "../notifications/conversations.ts";
import { notify } from "../notifications/notifications.ts";
import { fanOut, fanOutToTagFollowers, REAL_TIME, subscribersTo } from "../timelines/home-fanout.ts";
import type { ContentType } from "../../lib/text/formats.ts";
import { isTombstoned } from "../tombstones.ts";
import { STATUS_COLUMNS, type StatusRow, type Visibility } from "../visibility.ts";
import { addPoll, type NewPoll, type RemotePoll } from "./polls.ts";
import { type InteractionPolicy, isPermitted } from "../interaction-policies.ts";
import type { Quoters } from "../quotes/policy.ts";
import { addQuote, type Quotable } from "../quotes/quotes.ts";
import { type RemoteQuote, remoteQuotable } from "../quotes/remote-quotes.ts";
import { countReply, linkReplies, UNKNOWN_AUTHOR } from "./threads.ts";

/**
 * How a status came here, which decides where it appears and who is notified.
 *
 * - `published`: by a local user.
 * - `delivered`: sent by its server.
 * - `late`: sent by its server, more than six hours after its publication. It is in the timelines at its place, but it
 *   is streamed only to accounts that it mentions, and only they are notified.
 * - `fetched`: on request, for example because a reply to it arrived. It is in no home timeline or list, and notifies
 *   nobody.
 * - `relayed`: fetched because a relay named it. The public streams get it, too, unless it is late.
 * - `imported`: from an archive of a local user. Like `fetched`, and no other server learns of it.
 */
export type Arrival = "published" | "delivered" | "late" | "fetched" | "relayed" | "imported";

/** How another server's status or reblog came here, before its age counts. */
export type RemoteArrival = "delivered" | "fetched" | "relayed";

/** The totals that a remote status's own server reports; null if it reports none. */
export interface OriginCounts {
  favourites: number | null;
  reblogs: number | null;
  replies: number | null;
}

/** A status to store: all checks are done. */
export interface NewStatus {
  id: number;
  accountId: number;
  uri: string;
  url: string;
  local: boolean;
  visibility: Visibility;
  localOnly: boolean;
  /** The source; empty for a remote status. */
  text: string;
  contentType: ContentType;
  /** Sanitised HTML. */
  content: string;
  spoilerText: string;
  sensitive: boolean;
  language: string | null;
  parent: StatusRow | null;
  /** The parent's URI, if the parent is unknown. */
  inReplyToUri: string | null;
  createdAt: number;
  editedAt: number | null;
  appId: number | null;
  /** Account ids. */
  mentions: readonly number[];
  /** Accounts that may see the status, although it doesn't mention them. They are not notified. */
  addressees: readonly number[];
  tags: readonly TagName[];
  /** From `linksIn()`. */
  links: readonly string[];
  poll: NewPoll | null;
  quoted: Quotable | null;
  quoters: Quoters;
  policy: InteractionPolicy;
  originCounts: OriginCounts | null;
  /** Stores or attaches the media of the status with this id; null if it has none. */
  attachMedia: ((statusId: number) => void) | null;
}

/** A status of another server. Its parent is found by `inReplyToUri`. */
export interface RemoteStatus extends Omit<
  NewStatus,
  "id" | "local" | "localOnly" | "text" | "contentType" | "appId" | "parent" | "quoted"
> {
  poll: RemotePoll | null;
  quote: RemoteQuote | null;
}

/** The columns of a status that was just stored. */
type Stored = StreamedStatus & Pick<StatusRow, "visibility" | "local_only" | "conversation_id">;

/**
 * Stores a status of another server, delivered or fetched, with all its effects. Replies that arrived before it become
 * its replies. Returns its id, also if it was stored before; null if it was deleted, if the author of its
 * parent allows no reply by this account, or if a reblog has its URI.
 */
export function storeRemoteStatus(ctx: Context, tx: Tx, status: RemoteStatus, arrival: RemoteArrival): number | null {
  const known = tx.get<Pick<StatusRow, "id" | "reblog_of_id">>(WITH_URI, { uri: status.uri });
  if (known) return known.reblog_of_id === null ? known.id : null;
  if (isTombstoned(tx, status.uri, status.accountId)) return null;
  const createdAt = Math.min(status.createdAt, ctx.clock.now());
  const parent = status.inReplyToUri === null ? null : statusWithUri(tx, status.inReplyToUri);
  if (parent && !isPermitted(tx, "reply", status.accountId, parent.id)) return null;
  const inReplyToUri = parent || status.inReplyToUri === status.uri ? null : status.inReplyToUri;
  const id = freeId(ctx, tx, createdAt);
  const quoted = remoteQuotable(tx, status.accountId, status.quote);
  const whole = {
    ...status,
    id,
    createdAt,
    parent,
    inReplyToUri,
    local: false,
    localOnly: false,
    ...NO_SOURCE,
    appId: null,
    quoted,
  };
  const stored = storeStatus(ctx, tx, whole, arrivalOf(ctx, createdAt, arrival));
  linkReplies(ctx, tx, { ...stored, uri: status.uri });
  return id;
}

/** The source of a remote status is unknown. */
export const NO_SOURCE = { text: "", contentType: "text/plain" } as const;

const WITH_URI = "SELECT id, reblog_of_id FROM statuses WHERE uri = +$uri";

/** A status that arrives too long after its publication is late. */
export function arrivalOf(ctx: Context, createdAt: number, arrival: RemoteArrival): Arrival {
  return arrival === "delivered" && isOld(ctx, createdAt) ? "late" : arrival;
}

function isOld(ctx: Context, createdAt: number): boolean {
  return createdAt < ctx.clock.now() - REAL_TIME;
}

const PARENT = `
  SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.uri = +$uri AND s.reblog_of_id IS NULL AND s.local_only = 0`;

/**
 * The status with this URI, whether or not anyone here may see it; null if it is unknown, a reblog or local-only, of which
 * other servers know nothing.
 */
function statusWithUri(db: Reads, uri: string): StatusRow | null {
  return db.get<StatusRow>(PARENT, { uri });
}

/** Times are often given in seconds, so many statuses share a millisecond. */
const MAX_TRIES = 64;
const TRIES_PER_MILLISECOND = 4;

/** A free id for a remote status or reblog, or an imported reblog, from its publication time. */
export function freeId(ctx: Context, tx: Tx, createdAt: number): number {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const id = ctx.ids.at(createdAt + Math.floor(tries / TRIES_PER_MILLISECOND));
    if (!tx.get("SELECT 1 FROM statuses WHERE id = +$id", { id })) return id;
  }
  return ctx.ids.next();
}

/**
 * Inserts a status with all its effects: mentions, hashtags, counters, timelines, streams, notifications, and its
 * delivery to other servers.
 */
export function storeStatus(ctx: Context, tx: Tx, status: NewStatus, arrival: Arrival): Stored {
  const { id, parent, mentions } = status;
  const stored = insertStatus(tx, status, arrival);
  status.attachMedia?.(id);
  saveMentions(tx, id, mentions);
  saveSilentMentions(tx, id, status.addressees);
  const link = storeTagsAndLink(ctx, tx, stored, status);
  if (status.poll) addPoll(ctx, tx, id, status.poll);
  countStatus(tx, stored, 1, status.createdAt);
  if (parent) countReply(tx, stored, parent.id, 1);
  if (status.quoted) addQuote(ctx, tx, stored, status.quoted, arrival !== "published" && arrival !== "delivered");
  indexStatus(tx, id);
  const isSilent = arrival === "fetched" || arrival === "relayed" || arrival === "imported";
  const isInTimeline = !isSilent && distribute(ctx, tx, stored, status, arrival);
  if (arrival === "relayed" && !isOld(ctx, status.createdAt)) streamPublicly(ctx, tx, stored, status);
  if (link && arrival === "published") requestCard(ctx, tx, link);
  else if (link && !isSilent) requestPreview(ctx, tx, id, link, isInTimeline);
  if (arrival === "published" && concernsOthers(tx, id)) deliver(ctx, tx, { type: "status.created", statusId: id });
  return stored;
}

function insertStatus(tx: Tx, status: NewStatus, arrival: Arrival): Stored {
  const { id, parent } = status;
  const unknownAuthor = status.inReplyToUri === null ? null : UNKNOWN_AUTHOR;
  const stored = {
    id,
    account_id: status.accountId,
    visibility: status.visibility,
    local_only: status.localOnly ? 1 : 0,
    local: status.local ? 1 : 0,
    conversation_id: parent?.conversation_id ?? id,
    reblog_of_id: null,
    in_reply_to_account_id: parent?.account_id ?? unknownAuthor,
    has_media: status.attachMedia ? 1 : 0,
  };
  tx.run(
    `INSERT INTO statuses (id, account_id, uri, url, local, visibility, text, content, spoiler_text, sensitive, language,
       conversation_id, in_reply_to_id, in_reply_to_account_id, in_reply_to_uri, app_id, has_media, quote_automatic, quote_manual,
       origin_favourites_count, origin_reblogs_count, origin_replies_count, created_at, edited_at, relayed, content_type,
       local_only, can_favourite, can_reply, can_reblog)
     VALUES ($id, $accountId, $uri, $url, $local, $visibility, $text, $content, $spoilerText, $sensitive, $language,
       $conversationId, $parentId, $inReplyToAccountId, $inReplyToUri, $appId, $hasMedia, $automatic, $manual,
       $favourites, $reblogs, $replies, $createdAt, $editedAt, $relayed, $contentType,
       $localOnly, $canFavourite, $canReply, $canReblog)`,
    {
      id,
      accountId: status.accountId,
      uri: status.uri,
      url: status.url,
      local: stored.local,
      visibility: status.visibility,
      localOnly: stored.local_only,
      text: status.text,
      contentType: status.contentType,
      content: status.content,
      spoilerText: status.spoilerText,
      sensitive: status.sensitive ? 1 : 0,
      language: status.language,
      conversationId: stored.conversation_id,
      parentId: parent?.id ?? null,
      inReplyToAccountId: stored.in_reply_to_account_id,
      inReplyToUri: status.inReplyToUri,
      appId: status.appId,
      hasMedia: stored.has_media,
      ...status.quoters,
      canFavourite: status.policy.canFavourite,
      canReply: status.policy.canReply,
      canReblog: status.policy.canReblog,
      favourites: status.originCounts?.favourites ?? null,
      reblogs: status.originCounts?.reblogs ?? null,
      replies: status.originCounts?.replies ?? null,
      createdAt: status.createdAt,
      editedAt: status.editedAt,
      relayed: arrival === "relayed" ? 1 : 0,
    },
  );
  return stored;
}

/** Stores the hashtags and the link of a new status. Most statuses have neither, and nothing to count. */
function storeTagsAndLink(ctx: Context, tx: Tx, stored: Stored, status: NewStatus): LinkRow | null {
  const { tags } = status;
  saveTags(tx, stored, tags, ctx.clock.now());
  if (tags.length > 0) countFeatured(tx, stored, status.createdAt);
  const link = linkStatus(ctx, tx, stored.id, stored.has_media ? [] : status.links);
  if (tags.length > 0 || link) countUses(tx, stored.id);
  return link;
}

/**
 * Adds a new status to timelines and conversations, publishes it to streams, and sends notifications. Returns whether
 * a timeline has it now.
 */
function distribute(ctx: Context, tx: Tx, stored: Stored, status: NewStatus, arrival: Arrival): boolean {
  const { mentions, tags } = status;
  const timelines = fanOut(ctx, tx, stored);
  if (tags.length > 0) timelines.push(...fanOutToTagFollowers(ctx, tx, stored.id));
  const topics =
    arrival === "late"
      ? timelines.filter((topic) => mentions.some((accountId) => userTopic(accountId) === topic))
      : [
          ...timelines,
          ...publicTopics(
            tx,
            stored,
            tags.map(({ name }) => name),
          ),
        ];
  publishAfterCommit(ctx, tx, topics, { event: "update", statusId: stored.id });
  addToConversations(ctx, tx, stored, mentions);
  for (const accountId of mentions) {
    notify(ctx, tx, accountId, { type: "mention", from: stored.account_id, statusId: stored.id });
  }
  if (arrival !== "late") notifySubscribers(ctx, tx, stored, mentions);
  return timelines.length > 0;
}

function streamPublicly(ctx: Context, tx: Tx, stored: Stored, { tags }: NewStatus): void {
  const names = tags.map(({ name }) => name);
  publishAfterCommit(ctx, tx, publicTopics(tx, stored, names), { event: "update", statusId: stored.id });
}

/** Notifies accounts that subscribed to this author's statuses, unless they get a mention notification. */
function notifySubscribers(ctx: Context, tx: Tx, status: Stored, mentioned: readonly number[]): void {
  const parentAuthor = status.in_reply_to_account_id;
  const isReplyToOther = parentAuthor !== null && parentAuthor !== status.account_id;
  if (isReplyToOther || status.visibility === "direct") return;
  for (const accountId of subscribersTo(ctx, tx, status.id)) {
    if (mentioned.includes(accountId)) continue;
    notify(ctx, tx, accountId, { type: "status", from: status.account_id, statusId: status.id });
  }
}

const MENTIONS_USER = `
  SELECT 1 FROM mentions m JOIN users u ON u.account_id = m.account_id WHERE m.status_id = +$statusId`;

/** Enqueues the preview of a remote status's link if the status reached a timeline or the notifications of a user. */
function requestPreview(ctx: Context, tx: Tx, statusId: number, link: LinkRow, isInTimeline: boolean): void {
  if (isInTimeline || tx.get(MENTIONS_USER, { statusId })) requestCardLater(ctx, tx, link);
}

/** Direct statuses don't count, like in Mastodon. `at` is the creation time, null for a deletion. */
export function countStatus(
  tx: Tx,
  status: { account_id: number; visibility: string },
  by: 1 | -1,
  at: number | null,
): void {
  if (status.visibility === "direct") return;
  tx.run(
    `UPDATE accounts SET statuses_count = max(0, statuses_count + $by),
       last_status_at = iif($at > coalesce(last_status_at, 0), $at, last_status_at)
     WHERE id = +$accountId`,
    { accountId: status.account_id, by, at },
  );
}
