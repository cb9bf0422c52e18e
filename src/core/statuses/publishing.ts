import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { notAllowed } from "../../errors.ts";
import { isBlockedBy } from "../accounts.ts";
import type { Composed } from "./compose.ts";
import { addToConversations, removeFromConversations } from "../notifications/conversations.ts";
import { checkDraft, type CheckedDraft, defaultsOf, type Draft, recheckDraft } from "./drafts.ts";
import { publishAfterCommit, type StreamedStatus, publicTopics, tagNamesOf } from "../events.ts";
import { countFeatured, uncountFeatured } from "../discovery/featured-tags.ts";
import { fanOut, subscribersTo, timelinesWith, fanOutToTagFollowers } from "../timelines/home-fanout.ts";
import { type PublishResult, resultOfKey, rememberKey } from "./idempotency.ts";
import { linkStatus } from "../discovery/links.ts";
import { attachMedia, detachMedia } from "../media/attachments.ts";
import { notify, withdrawNotification } from "../notifications/notifications.ts";
import { addPoll } from "./polls.ts";
import { addQuote, automaticQuoters, uncountQuote } from "./quotes.ts";
import { indexStatus } from "../discovery/search-index.ts";
import { saveMentions, saveTags } from "../discovery/tags.ts";
import { countUses, uncountUses } from "../discovery/trend-counts.ts";
import { reblogUri, statusUri, statusUrl } from "../addresses.ts";
import {
  isForEveryone,
  ownStatus,
  STATUS_COLUMNS,
  type StatusRow,
  undoableOriginal,
  type Visibility,
  visibleOriginal,
} from "../visibility.ts";

/** The author of a status, and the app that sends it. */
export interface Author {
  accountId: number;
  appId: number | null;
}

/**
 * Validates a status and publishes it in one transaction. If a request with the same idempotency key created something
 * within an hour, returns that instead. The text is parsed and rendered before the transaction, which begins in a later
 * tick and may be shared with other posts: `recheckDraft()` lists what may have changed by then.
 */
export async function publish(
  ctx: Context,
  author: Author,
  draft: Draft,
  idempotencyKey: string | null,
): Promise<PublishResult> {
  const { accountId } = author;
  const repeated = idempotencyKey && resultOfKey(ctx, accountId, idempotencyKey);
  if (repeated) return repeated;
  const checked = checkDraft(ctx, accountId, draft);
  return ctx.db.groupCommit((tx) => {
    const simultaneous = idempotencyKey && resultOfKey(ctx, accountId, idempotencyKey);
    if (simultaneous) return simultaneous;
    const statusId = writeStatus(ctx, tx, author, recheckDraft(ctx, accountId, checked));
    if (idempotencyKey) rememberKey(ctx, tx, accountId, idempotencyKey, { statusId });
    return { statusId };
  });
}

/**
 * Inserts a validated status with all its effects: mentions, hashtags, counters, timelines, streams and notifications.
 * Returns its id.
 */
export function writeStatus(ctx: Context, tx: Tx, author: Author, draft: CheckedDraft): number {
  const { parent, quoted, composed } = draft;
  const id = ctx.ids.next();
  const status = {
    id,
    account_id: author.accountId,
    visibility: draft.visibility,
    local: 1,
    conversation_id: parent?.conversation_id ?? id,
    reblog_of_id: null,
    in_reply_to_account_id: parent?.account_id ?? null,
    has_media: draft.mediaIds.length > 0 ? 1 : 0,
  };
  insertStatus(ctx, tx, status, author.appId, draft);
  attachMedia(tx, id, draft.mediaIds);
  saveMentions(tx, id, composed.mentions);
  storeTagsAndLink(ctx, tx, status, composed);
  if (draft.poll) addPoll(ctx, tx, id, draft.poll);
  countStatus(tx, status, 1, ctx.clock.now());
  if (parent && isForEveryone(status.visibility)) {
    tx.run("UPDATE statuses SET replies_count = replies_count + 1 WHERE id = +$parentId", { parentId: parent.id });
  }
  if (quoted) addQuote(ctx, tx, status, quoted);
  indexStatus(tx, id);
  distribute(ctx, tx, status, composed);
  const isReplyToOther = parent !== null && parent.account_id !== status.account_id;
  if (!isReplyToOther && status.visibility !== "direct") notifySubscribers(ctx, tx, status, composed.mentions);
  return id;
}

/** Stores the hashtags and the link of a new status. Most statuses have neither, and nothing to count. */
function storeTagsAndLink(
  ctx: Context,
  tx: Tx,
  status: Pick<StatusRow, "id" | "account_id" | "visibility" | "has_media">,
  { tags, links }: Composed,
): void {
  const now = ctx.clock.now();
  saveTags(tx, status, tags, now);
  if (tags.length > 0) countFeatured(tx, status, now);
  const isLinked = linkStatus(ctx, tx, status.id, status.has_media ? [] : links);
  if (tags.length > 0 || isLinked) countUses(tx, status.id);
}

/** Adds a new status to timelines and conversations, publishes it to streams, and notifies mentioned accounts. */
function distribute(
  ctx: Context,
  tx: Tx,
  status: StreamedStatus & Pick<StatusRow, "visibility" | "conversation_id">,
  composed: Composed,
): void {
  const homes = fanOut(ctx, tx, status);
  if (composed.tags.length > 0) homes.push(...fanOutToTagFollowers(ctx, tx, status.id));
  const topics = publicTopics(
    tx,
    status,
    composed.tags.map((tag) => tag.name),
  );
  publishAfterCommit(ctx, tx, [...homes, ...topics], { event: "update", statusId: status.id });
  addToConversations(ctx, tx, status, composed.mentions);
  for (const accountId of composed.mentions) {
    notify(ctx, tx, accountId, { type: "mention", from: status.account_id, statusId: status.id });
  }
}

/** Notifies accounts that subscribed to this author's statuses, unless they get a mention notification. */
function notifySubscribers(
  ctx: Context,
  tx: Tx,
  status: { id: number; account_id: number },
  mentioned: readonly number[],
): void {
  for (const accountId of subscribersTo(ctx, tx, status.id)) {
    if (mentioned.includes(accountId)) continue;
    notify(ctx, tx, accountId, { type: "status", from: status.account_id, statusId: status.id });
  }
}

function insertStatus(
  ctx: Context,
  tx: Tx,
  status: Pick<StatusRow, "id" | "account_id" | "visibility" | "conversation_id" | "has_media">,
  appId: number | null,
  draft: CheckedDraft,
): void {
  tx.run(
    `INSERT INTO statuses (id, account_id, uri, url, local, visibility, text, content, spoiler_text, sensitive, language,
       conversation_id, in_reply_to_id, in_reply_to_account_id, app_id, has_media, quote_automatic, created_at)
     VALUES ($statusId, $accountId, $uri, $url, 1, $visibility, $text, $content, $spoilerText, $sensitive, $language,
       $conversationId, $parentId, $inReplyToAccountId, $appId, $hasMedia, $quoteAutomatic, $now)`,
    {
      statusId: status.id,
      accountId: status.account_id,
      uri: statusUri(ctx, draft.username, status.id),
      url: statusUrl(ctx, draft.username, status.id),
      visibility: status.visibility,
      text: draft.text,
      content: draft.composed.content,
      spoilerText: draft.spoilerText,
      sensitive: draft.sensitive ? 1 : 0,
      language: draft.language,
      conversationId: status.conversation_id,
      parentId: draft.parent?.id ?? null,
      inReplyToAccountId: draft.parent?.account_id ?? null,
      appId,
      hasMedia: status.has_media,
      quoteAutomatic: automaticQuoters(draft.quotePolicy, status.visibility),
      now: ctx.clock.now(),
    },
  );
}

/** Reblogs a status. If the account has reblogged it already, returns that reblog. */
export function reblog(ctx: Context, author: Author, id: number | null, visibility: Visibility | null): number {
  const original = visibleOriginal(ctx, author.accountId, id);
  const isOwn = original.account_id === author.accountId;
  if (original.visibility === "direct" || (original.visibility === "private" && !isOwn)) throw notAllowed();
  if (isBlockedBy(ctx, original.account_id, author.accountId)) throw notAllowed();
  return ctx.db.transaction((tx) => {
    const before = reblogOf(tx, original.id, author.accountId);
    if (before !== null) return before;
    const defaults = defaultsOf(ctx, author.accountId);
    const wished = visibility && visibility !== "direct" ? visibility : defaults.privacy;
    const status = {
      id: ctx.ids.next(),
      account_id: author.accountId,
      visibility: original.visibility === "private" ? ("private" as const) : wished,
      local: 1,
      reblog_of_id: original.id,
      has_media: 0,
    };
    const uri = reblogUri(ctx, defaults.username, status.id);
    tx.run(
      `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, reblog_of_id, created_at)
       VALUES ($statusId, $accountId, $uri, $url, 1, $visibility, $conversationId, $originalId, $now)`,
      {
        statusId: status.id,
        accountId: status.account_id,
        uri,
        url: uri,
        visibility: status.visibility,
        conversationId: status.id,
        originalId: original.id,
        now: ctx.clock.now(),
      },
    );
    tx.run("UPDATE statuses SET reblogs_count = reblogs_count + 1 WHERE id = +$originalId", {
      originalId: original.id,
    });
    countStatus(tx, status, 1, ctx.clock.now());
    indexStatus(tx, original.id);
    publishAfterCommit(ctx, tx, fanOut(ctx, tx, status), { event: "update", statusId: status.id });
    notify(ctx, tx, original.account_id, { type: "reblog", from: author.accountId, statusId: original.id });
    return status.id;
  });
}

/** The id of the account's reblog of a status; null if there is none. */
function reblogOf(db: Reads, originalId: number, accountId: number): number | null {
  const sql = "SELECT id FROM statuses WHERE reblog_of_id = +$originalId AND account_id = +$accountId";
  return db.get<{ id: number }>(sql, { originalId, accountId })?.id ?? null;
}

const REBLOGGED = "EXISTS (SELECT 1 FROM statuses WHERE account_id = +$accountId AND reblog_of_id = +$statusId)";

/** Removes a reblog, if there is one. Returns the original's id. */
export function unreblog(ctx: Context, accountId: number, id: number | null): number {
  const originalId = undoableOriginal(ctx, accountId, id, REBLOGGED);
  const wrapperId = reblogOf(ctx.db, originalId, accountId);
  if (wrapperId !== null) removeStatus(ctx, ownStatus(ctx, accountId, wrapperId), false);
  return originalId;
}

/** Deletes a status permanently. Its media stay for a day, for redrafting, unless `deleteMedia` is set. */
export function removeStatus(ctx: Context, status: StatusRow, deleteMedia: boolean): void {
  ctx.db.transaction((tx) => removeStatusWithin(ctx, tx, status, deleteMedia));
}

/** The same within a transaction. */
export function removeStatusWithin(ctx: Context, tx: Tx, status: StatusRow, deleteMedia: boolean): void {
  const tags = tagNamesOf(tx, status.id);
  const topics = [...timelinesWith(tx, status.id), ...publicTopics(tx, status, tags)];
  const reblogs = tx.all<StatusRow>(`SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.reblog_of_id = +$statusId`, {
    statusId: status.id,
  });
  for (const wrapper of reblogs) {
    publishAfterCommit(ctx, tx, timelinesWith(tx, wrapper.id), { event: "delete", statusId: wrapper.id });
    countStatus(tx, wrapper, -1, null);
  }
  if (status.reblog_of_id !== null) {
    tx.run("UPDATE statuses SET reblogs_count = max(0, reblogs_count - 1) WHERE id = +$reblogOfId", {
      reblogOfId: status.reblog_of_id,
    });
    withdrawNotification(tx, { type: "reblog", from: status.account_id, statusId: status.reblog_of_id });
  }
  if (status.in_reply_to_id !== null && isForEveryone(status.visibility)) {
    tx.run("UPDATE statuses SET replies_count = max(0, replies_count - 1) WHERE id = +$inReplyToId", {
      inReplyToId: status.in_reply_to_id,
    });
  }
  countStatus(tx, status, -1, null);
  uncountFeatured(tx, status);
  uncountQuote(tx, status.id);
  removeFromConversations(ctx, tx, status.id);
  detachMedia(ctx, tx, status.id, deleteMedia);
  uncountUses(tx, status.id);
  tx.run("DELETE FROM statuses WHERE id = +$statusId", { statusId: status.id });
  if (status.reblog_of_id !== null) indexStatus(tx, status.reblog_of_id);
  publishAfterCommit(ctx, tx, topics, { event: "delete", statusId: status.id });
}

/** Direct statuses don't count, like in Mastodon. `at` is the creation time, null for a deletion. */
function countStatus(tx: Tx, status: { account_id: number; visibility: string }, by: 1 | -1, at: number | null): void {
  if (status.visibility === "direct") return;
  tx.run(
    `UPDATE accounts SET statuses_count = max(0, statuses_count + $by), last_status_at = coalesce($at, last_status_at)
     WHERE id = +$accountId`,
    { accountId: status.account_id, by, at },
  );
}
