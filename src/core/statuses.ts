import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { statuses } from "../db/schema/index.ts";
import { notAllowed, notFound, Refusal, validationFailed } from "../errors.ts";
import { countCharacters } from "../lib/text.ts";
import { isBlockedBy } from "./accounts.ts";
import { announce, type Audible, publicTopics, tagNamesOf } from "./events.ts";
import { countFeatured, uncountFeatured } from "./featured-tags.ts";
import { fanOut, subscribersTo, timelinesWith } from "./home.ts";
import { linkStatus } from "./links.ts";
import { attachMedia, checkMedia, detachMedia, MAX_ATTACHMENTS } from "./media.ts";
import { notify } from "./notifications.ts";
import { indexStatus } from "./search-index.ts";
import { compose, type Composed } from "./compose.ts";
import { saveMentions, saveTags } from "./tags.ts";
import { countUses, uncountUses } from "./uses.ts";
import { visibleTo } from "./visibility.ts";

export const VISIBILITIES = statuses.visibility.enumValues;
export type Visibility = (typeof VISIBILITIES)[number];

export interface Draft {
  text: string;
  spoilerText: string;
  sensitive: boolean | null;
  visibility: Visibility | null;
  language: string | null;
  inReplyToId: number | null;
  mediaIds: number[];
}

/** A status as the verbs need it. */
export type StatusRow = Pick<
  typeof statuses.$inferSelect,
  | "id"
  | "account_id"
  | "visibility"
  | "local"
  | "text"
  | "content"
  | "spoiler_text"
  | "sensitive"
  | "language"
  | "conversation_id"
  | "in_reply_to_id"
  | "in_reply_to_account_id"
  | "reblog_of_id"
  | "has_media"
  | "created_at"
  | "edited_at"
>;

const COLUMNS = `
  s.id, s.account_id, s.visibility, s.local, s.text, s.content, s.spoiler_text, s.sensitive, s.language,
  s.conversation_id, s.in_reply_to_id, s.in_reply_to_account_id, s.reblog_of_id, s.has_media, s.created_at, s.edited_at`;

/** A reblog is visible when both it and the original are. */
const SEEN = `
  ${visibleTo("?2")} AND (s.reblog_of_id IS NULL OR EXISTS (
    SELECT 1 FROM statuses o WHERE o.id = s.reblog_of_id AND ${visibleTo("?2", "o")}))`;

const VISIBLE = `SELECT ${COLUMNS} FROM statuses s WHERE s.id = ?1 AND ${SEEN}`;

/** The status, if the viewer may see it; refuses as if it did not exist otherwise. */
export function visibleStatus(ctx: Context, viewerId: number, id: number | null): StatusRow {
  const status = id === null ? null : ctx.db.get<StatusRow>(VISIBLE, id, viewerId);
  if (!status) throw notFound();
  return status;
}

/** The status itself where a reblog of it was named: what is done to a reblog is done to its original. */
export function visibleOriginal(ctx: Context, viewerId: number, id: number | null): StatusRow {
  const status = visibleStatus(ctx, viewerId, id);
  return status.reblog_of_id === null ? status : visibleStatus(ctx, viewerId, status.reblog_of_id);
}

/** The author's own status, for what only the author may do. */
export function ownStatus(ctx: Context, accountId: number, id: number | null): StatusRow {
  const status = visibleStatus(ctx, accountId, id);
  if (status.account_id !== accountId) throw notFound();
  return status;
}

/** Which of these the viewer may see, in the order given. */
export function visibleAmong(ctx: Context, viewerId: number, ids: readonly number[]): number[] {
  return ctx.db
    .all<{ id: number }>(
      `SELECT s.id FROM json_each(?1) j JOIN statuses s ON s.id = j.value WHERE ${SEEN} ORDER BY j.key`,
      JSON.stringify(ids),
      viewerId,
    )
    .map(({ id }) => id);
}

interface Author {
  accountId: number;
  appId: number | null;
}

/**
 * Publishes: first all that may refuse, then one transaction that writes the status with everything that follows from
 * it. The same idempotency key within an hour gives the same status again.
 */
export function publish(ctx: Context, author: Author, draft: Draft, idempotencyKey: string | null): number {
  const repeated = idempotencyKey && publishedWith(ctx, author.accountId, idempotencyKey);
  if (repeated) return repeated;
  const { text, spoilerText } = draft.text.trim() === "" ? { text: draft.spoilerText, spoilerText: "" } : draft;
  checkLength(ctx, text, spoilerText, draft.mediaIds);
  const media = checkMedia(ctx, author.accountId, draft.mediaIds, null);
  const parent = draft.inReplyToId === null ? null : parentOf(ctx, author.accountId, draft.inReplyToId);
  const composed = compose(ctx, text);
  return ctx.db.transaction((tx) => {
    const defaults = defaultsOf(tx, author.accountId);
    const status = {
      id: ctx.ids.next(),
      account_id: author.accountId,
      visibility: draft.visibility ?? defaults.privacy,
      local: 1,
      reblog_of_id: null,
      in_reply_to_account_id: parent?.account_id ?? null,
      has_media: media.length > 0 ? 1 : 0,
    };
    insertStatus(ctx, tx, { ...status, username: defaults.username }, parent, author.appId, {
      text,
      content: composed.content,
      spoilerText,
      // Of a warning alone too, which has become the text.
      sensitive: (draft.sensitive ?? defaults.sensitive) || draft.spoilerText !== "",
      language: draft.language ?? defaults.language,
    });
    attachMedia(tx, status.id, draft.mediaIds);
    if (idempotencyKey) rememberKey(ctx, tx, author.accountId, idempotencyKey, status.id);
    follow(ctx, tx, status, composed, parent);
    return status.id;
  });
}

/** All that follows from a status that is new: who is mentioned, where it is filed, who sees and hears of it. */
function follow(
  ctx: Context,
  tx: Tx,
  status: Audible & Pick<StatusRow, "visibility">,
  composed: Composed,
  parent: StatusRow | null,
): void {
  saveMentions(tx, status.id, composed.mentions);
  saveTags(tx, status.id, composed.tags, ctx.clock.now());
  countFeatured(tx, status, ctx.clock.now());
  linkStatus(ctx, tx, status.id, status.has_media ? null : composed.content);
  indexStatus(tx, status.id);
  countUses(tx, status.id);
  countStatus(tx, status, 1, ctx.clock.now());
  if (parent && isListed(status.visibility)) {
    tx.run("UPDATE statuses SET replies_count = replies_count + 1 WHERE id = ?", parent.id);
  }
  const homes = fanOut(ctx, tx, status);
  const topics = publicTopics(
    status,
    composed.tags.map((tag) => tag.name),
  );
  announce(ctx, tx, [...homes, ...topics], { event: "update", statusId: status.id });
  for (const accountId of composed.mentions) {
    notify(ctx, tx, accountId, { type: "mention", from: status.account_id, statusId: status.id });
  }
  const isReplyToOther = parent !== null && parent.account_id !== status.account_id;
  if (isReplyToOther || status.visibility === "direct") return;
  for (const accountId of subscribersTo(ctx, tx, status.id)) {
    // A mention told them already.
    if (composed.mentions.includes(accountId)) continue;
    notify(ctx, tx, accountId, { type: "status", from: status.account_id, statusId: status.id });
  }
}

interface Content {
  text: string;
  content: string;
  spoilerText: string;
  sensitive: boolean;
  language: string | null;
}

function insertStatus(
  ctx: Context,
  tx: Tx,
  status: { id: number; account_id: number; username: string; visibility: string; has_media: number },
  parent: StatusRow | null,
  appId: number | null,
  content: Content,
): void {
  const { origin } = ctx.config;
  tx.run(
    `INSERT INTO statuses (id, account_id, uri, url, local, visibility, text, content, spoiler_text, sensitive, language,
       conversation_id, in_reply_to_id, in_reply_to_account_id, app_id, has_media, created_at)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    status.id,
    status.account_id,
    `${origin}/users/${status.username}/statuses/${status.id}`,
    `${origin}/@${status.username}/${status.id}`,
    status.visibility,
    content.text,
    content.content,
    content.spoilerText,
    content.sensitive ? 1 : 0,
    content.language,
    parent?.conversation_id ?? status.id,
    parent?.id ?? null,
    parent?.account_id ?? null,
    appId,
    status.has_media,
    ctx.clock.now(),
  );
}

/** Reblogs: the same status again when the account has reblogged it already. */
export function reblog(ctx: Context, author: Author, id: number | null, visibility: Visibility | null): number {
  const original = visibleOriginal(ctx, author.accountId, id);
  const isOwn = original.account_id === author.accountId;
  if (original.visibility === "direct" || (original.visibility === "private" && !isOwn)) throw notAllowed();
  if (isBlockedBy(ctx, original.account_id, author.accountId)) throw notAllowed();
  return ctx.db.transaction((tx) => {
    const before = tx.get<{ id: number }>(
      "SELECT id FROM statuses WHERE reblog_of_id = ? AND account_id = ?",
      original.id,
      author.accountId,
    );
    if (before) return before.id;
    const defaults = defaultsOf(tx, author.accountId);
    const wished = visibility && visibility !== "direct" ? visibility : defaults.privacy;
    const status = {
      id: ctx.ids.next(),
      account_id: author.accountId,
      visibility: original.visibility === "private" ? ("private" as const) : wished,
      local: 1,
      reblog_of_id: original.id,
      has_media: 0,
    };
    const uri = `${ctx.config.origin}/users/${defaults.username}/statuses/${status.id}/activity`;
    tx.run(
      `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, reblog_of_id, created_at)
       VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)`,
      status.id,
      status.account_id,
      uri,
      uri,
      status.visibility,
      status.id,
      original.id,
      ctx.clock.now(),
    );
    tx.run("UPDATE statuses SET reblogs_count = reblogs_count + 1 WHERE id = ?", original.id);
    countStatus(tx, status, 1, ctx.clock.now());
    indexStatus(tx, original.id);
    announce(ctx, tx, fanOut(ctx, tx, status), { event: "update", statusId: status.id });
    notify(ctx, tx, original.account_id, { type: "reblog", from: author.accountId, statusId: original.id });
    return status.id;
  });
}

/** Takes a reblog back; the original's id either way. */
export function unreblog(ctx: Context, accountId: number, id: number | null): number {
  const original = visibleOriginal(ctx, accountId, id);
  const wrapper = ctx.db.get<{ id: number }>(
    "SELECT id FROM statuses WHERE reblog_of_id = ? AND account_id = ?",
    original.id,
    accountId,
  );
  if (wrapper) removeStatus(ctx, ownStatus(ctx, accountId, wrapper.id), false);
  return original.id;
}

/**
 * Removes a status for good. Its media stay for a day, so that it can be written anew with them, unless
 * `deleteMedia` says otherwise.
 */
export function removeStatus(ctx: Context, status: StatusRow, deleteMedia: boolean): void {
  ctx.db.transaction((tx) => {
    const tags = tagNamesOf(tx, status.id);
    const topics = [...timelinesWith(tx, status.id), ...publicTopics(status, tags)];
    const reblogs = tx.all<StatusRow>(`SELECT ${COLUMNS} FROM statuses s WHERE s.reblog_of_id = ?`, status.id);
    for (const wrapper of reblogs) {
      announce(ctx, tx, timelinesWith(tx, wrapper.id), { event: "delete", statusId: wrapper.id });
      countStatus(tx, wrapper, -1, null);
    }
    if (status.reblog_of_id !== null) {
      tx.run("UPDATE statuses SET reblogs_count = max(0, reblogs_count - 1) WHERE id = ?", status.reblog_of_id);
      tx.run(
        "DELETE FROM notifications WHERE type = 'reblog' AND from_account_id = ? AND status_id = ?",
        status.account_id,
        status.reblog_of_id,
      );
    }
    if (status.in_reply_to_id !== null && isListed(status.visibility)) {
      tx.run("UPDATE statuses SET replies_count = max(0, replies_count - 1) WHERE id = ?", status.in_reply_to_id);
    }
    countStatus(tx, status, -1, null);
    uncountFeatured(tx, status);
    detachMedia(ctx, tx, status.id, deleteMedia);
    uncountUses(tx, status.id);
    tx.run("DELETE FROM statuses WHERE id = ?", status.id);
    if (status.reblog_of_id !== null) indexStatus(tx, status.reblog_of_id);
    announce(ctx, tx, topics, { event: "delete", statusId: status.id });
  });
}

/** Direct statuses don't count, as with Mastodon. `at` is when it was written, null when it is taken away. */
function countStatus(tx: Tx, status: { account_id: number; visibility: string }, by: 1 | -1, at: number | null): void {
  if (status.visibility === "direct") return;
  tx.run(
    `UPDATE accounts SET statuses_count = max(0, statuses_count + ?2), last_status_at = coalesce(?3, last_status_at)
     WHERE id = ?1`,
    status.account_id,
    by,
    at,
  );
}

function isListed(visibility: string): boolean {
  return visibility === "public" || visibility === "unlisted";
}

/** What a status must have, and how long it may be, spoiler text included. */
export function checkLength(ctx: Context, text: string, spoilerText: string, mediaIds: readonly number[]): void {
  if (text.trim() === "" && mediaIds.length === 0) throw validationFailed("Text can't be blank");
  const { maxCharacters } = ctx.config;
  if (countCharacters(text, spoilerText) > maxCharacters) {
    throw validationFailed(`Text character limit of ${maxCharacters} exceeded`);
  }
  if (mediaIds.length > MAX_ATTACHMENTS) {
    throw validationFailed(`Cannot attach more than ${MAX_ATTACHMENTS} files`);
  }
}

function parentOf(ctx: Context, accountId: number, id: number): StatusRow {
  try {
    return visibleOriginal(ctx, accountId, id);
  } catch {
    throw new Refusal("not_found", "The post you are trying to reply to does not appear to exist.");
  }
}

interface Defaults {
  username: string;
  privacy: Visibility;
  sensitive: boolean;
  language: string | null;
}

function defaultsOf(tx: Tx, accountId: number): Defaults {
  const row = tx.get<{
    username: string;
    default_privacy: Visibility;
    default_sensitive: number;
    default_language: string | null;
    locale: string;
  }>(
    `SELECT a.username, u.default_privacy, u.default_sensitive, u.default_language, u.locale
     FROM users u JOIN accounts a ON a.id = u.account_id WHERE u.account_id = ?`,
    accountId,
  )!;
  return {
    username: row.username,
    privacy: row.default_privacy,
    sensitive: row.default_sensitive === 1,
    language: row.default_language ?? row.locale,
  };
}

const IDEMPOTENCY_WINDOW = 3600_000;

function publishedWith(ctx: Context, accountId: number, key: string): number | null {
  const row = ctx.db.get<{ status_id: number }>(
    "SELECT status_id FROM idempotency_keys WHERE account_id = ? AND key = ? AND created_at > ?",
    accountId,
    key,
    ctx.clock.now() - IDEMPOTENCY_WINDOW,
  );
  return row?.status_id ?? null;
}

function rememberKey(ctx: Context, tx: Tx, accountId: number, key: string, statusId: number): void {
  tx.run(
    `INSERT INTO idempotency_keys (account_id, key, status_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, key) DO UPDATE SET status_id = excluded.status_id, created_at = excluded.created_at`,
    accountId,
    key,
    statusId,
    ctx.clock.now(),
  );
}
