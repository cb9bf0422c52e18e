import type { Context } from "../../context.ts";
import { localHandle, mediaUrl } from "../../core/addresses.ts";
import { groupsOf } from "../../core/groups.ts";
import type { MediaRow } from "../../core/media/states.ts";
import { titlesOf } from "../../core/statuses/polls.ts";
import type { polls, statuses } from "../../db/schema/index.ts";
import { typeOfFile } from "../../lib/media/media-types.ts";
import { wordsWithShortcodes } from "../../lib/text/shortcodes.ts";
import { accountPartUrl } from "../addresses.ts";
import type { JsonObject } from "../documents.ts";
import { PUBLIC } from "./context.ts";
import { dateTime } from "./dates.ts";
import { hashtagDocument } from "./hashtags.ts";
import { emojiTags } from "./emojis.ts";
import { interactionPolicy } from "./interaction-policies.ts";
import { contentToSend, quoteMembers, quoteTags, quoteToSend } from "./quotes.ts";

type StatusColumns = Pick<
  typeof statuses.$inferSelect,
  | "id"
  | "uri"
  | "url"
  | "visibility"
  | "text"
  | "content_type"
  | "content"
  | "spoiler_text"
  | "sensitive"
  | "language"
  | "created_at"
  | "edited_at"
  | "favourites_count"
  | "reblogs_count"
  | "replies_count"
  | "quote_automatic"
  | "quote_manual"
  | "can_favourite"
  | "can_reply"
  | "can_reblog"
>;

export interface LocalStatusRow extends StatusColumns {
  account_id: number;
  username: string;
  author_uri: string;
  in_reply_to: string | null;
  /** The URI of the thread's first post, if it is local. */
  root_uri: string | null;
}

const COLUMNS = `
  s.id, s.uri, s.url, s.visibility, s.text, s.content_type, s.content, s.spoiler_text, s.sensitive, s.language, s.created_at, s.edited_at,
    s.favourites_count, s.reblogs_count, s.replies_count, s.quote_automatic, s.quote_manual,
    s.can_favourite, s.can_reply, s.can_reblog, s.account_id, a.username, a.uri AS author_uri,
    coalesce((SELECT p.uri FROM statuses p WHERE p.id = s.in_reply_to_id AND p.local_only <= s.local_only), s.in_reply_to_uri) AS in_reply_to,
    (SELECT r.uri FROM statuses r WHERE r.id = s.conversation_id AND r.local = 1 AND r.local_only = 0) AS root_uri`;
const STATUS = `
  SELECT ${COLUMNS} FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$statusId AND s.local = 1 AND s.local_only = 0 AND s.reblog_of_id IS NULL`;

/** A status by a local account; null if there is none, or if it is local-only. */
export function localStatus(ctx: Context, statusId: number): LocalStatusRow | null {
  return ctx.db.get<LocalStatusRow>(STATUS, { statusId });
}

const ARCHIVED = `
  SELECT ${COLUMNS}, s.local_only FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$statusId AND s.local = 1 AND s.reblog_of_id IS NULL`;

/** A status for its author's archive: as other servers get it, with exact times, its text, and also a local-only one. */
export function archivedStatus(ctx: Context, statusId: number): JsonObject | null {
  const status = ctx.db.get<LocalStatusRow & { local_only: number }>(ARCHIVED, { statusId });
  if (!status) return null;
  const { created_at, edited_at, text, content_type } = status;
  const activity = createOf(ctx, status);
  const published = new Date(created_at).toISOString();
  const updated = edited_at === null ? {} : { updated: new Date(edited_at).toISOString() };
  const source = { content: text, mediaType: content_type };
  const localOnly = status.local_only === 1 ? { localOnly: true } : {};
  return { ...activity, published, object: { ...activity.object, published, ...updated, source, ...localOnly } };
}

export interface MentionedRow {
  id: number;
  uri: string;
  username: string;
  domain: string | null;
}

const MENTIONED = `
  SELECT a.id, a.uri, a.username, a.domain FROM mentions m JOIN accounts a ON a.id = m.account_id
  WHERE m.status_id = +$statusId AND NOT m.silent ORDER BY a.id`;

/** The accounts that a status mentions. */
export function mentionedIn(ctx: Context, statusId: number): MentionedRow[] {
  return ctx.db.all<MentionedRow>(MENTIONED, { statusId });
}

/** The `to` and `cc` of a status, from which other servers tell its visibility. */
export function addressing(
  ctx: Context,
  { visibility, username }: Pick<LocalStatusRow, "visibility" | "username">,
  mentioned: readonly { uri: string }[],
): { to: string[]; cc: string[] } {
  const followers = accountPartUrl(ctx, username, "followers");
  const uris = mentioned.map(({ uri }) => uri);
  switch (visibility) {
    case "public":
      return { to: [PUBLIC], cc: [followers, ...uris] };
    case "unlisted":
      return { to: [followers], cc: [PUBLIC, ...uris] };
    case "private":
      return { to: [followers], cc: uris };
    case "direct":
      return { to: uris, cc: [] };
  }
}

const PARENT_AUTHOR = `
  SELECT a.uri FROM statuses s JOIN accounts a ON a.id = s.in_reply_to_account_id
  WHERE s.id = +$statusId AND s.in_reply_to_account_id <> s.account_id`;

/**
 * The addressing of a status. One for everyone also names its groups, and then the author of its parent, who may not be
 * mentioned (FEP-1b12). Lemmy reads one `audience` only.
 */
export function addressingWithGroups(
  ctx: Context,
  status: LocalStatusRow,
  mentioned: readonly { uri: string }[],
): { to: string[]; cc: string[]; audience?: string } {
  const groups = groupsOf(ctx.db, status.id);
  const [first] = groups;
  if (!first) return addressing(ctx, status, mentioned);
  const parent = ctx.db.all<{ uri: string }>(PARENT_AUTHOR, { statusId: status.id });
  const uris = [...mentioned, ...groups, ...parent].map(({ uri }) => uri);
  const all = [...new Set(uris)].map((uri) => ({ uri }));
  return { ...addressing(ctx, status, all), audience: first.uri };
}

/** A collection without its items, so that nobody asks for those of an empty one. */
function collectionHead(id: string, totalItems: number): JsonObject {
  return { id, type: "OrderedCollection", totalItems, ...(totalItems > 0 && { first: `${id}?page=true` }) };
}

/** Times are written in seconds. A status with the same time for both counts as one that was not edited. */
const SECOND = 1000;

/** A local status as a Note or, with a poll, a Question (https://docs.joinmastodon.org/spec/activitypub/#status). */
export function statusDocument(ctx: Context, status: LocalStatusRow, mentioned: readonly MentionedRow[]): JsonObject {
  const { uri, language } = status;
  const poll = pollMembers(ctx, status);
  const quote = quoteToSend(ctx, status.id);
  const content = contentToSend(status.content, quote);
  return {
    id: uri,
    type: poll === null ? "Note" : "Question",
    url: status.url,
    attributedTo: status.author_uri,
    ...addressingWithGroups(ctx, status, mentioned),
    inReplyTo: status.in_reply_to,
    published: dateTime(status.created_at),
    ...(status.edited_at !== null && { updated: dateTime(Math.max(status.edited_at, status.created_at + SECOND)) }),
    summary: status.spoiler_text === "" ? null : status.spoiler_text,
    sensitive: status.sensitive === 1,
    content,
    ...source(status),
    ...(language !== null && { contentMap: { [language]: content } }),
    attachment: attachments(ctx, status.id),
    tag: [...tags(ctx, status, mentioned), ...quoteTags(quote)],
    ...quoteMembers(quote),
    interactionPolicy: interactionPolicy(ctx, status, mentioned),
    ...(status.root_uri !== null && { context: `${status.root_uri}/context` }),
    replies: collectionHead(`${uri}/replies`, status.replies_count),
    likes: { id: `${uri}/likes`, type: "Collection", totalItems: status.favourites_count },
    shares: { id: `${uri}/shares`, type: "Collection", totalItems: status.reblogs_count },
    ...poll,
  };
}

/** The text as the author wrote it, for servers that understand its format. Plain text says no more than the content. */
function source({ text, content_type }: LocalStatusRow): JsonObject {
  return content_type === "text/plain" ? {} : { source: { content: text, mediaType: content_type } };
}

/** The Create of a local status; null if there is none. */
export function createActivity(ctx: Context, statusId: number): JsonObject | null {
  const status = localStatus(ctx, statusId);
  return status && createOf(ctx, status);
}

function createOf(ctx: Context, status: LocalStatusRow): JsonObject & { object: JsonObject } {
  const mentioned = mentionedIn(ctx, status.id);
  const { uri, author_uri: actor, created_at } = status;
  const audience = addressingWithGroups(ctx, status, mentioned);
  const object = statusDocument(ctx, status, mentioned);
  return { id: `${uri}/activity`, type: "Create", actor, published: dateTime(created_at), ...audience, object };
}

const TAGS = `
  SELECT t.name, t.display_name FROM status_tags st JOIN tags t ON t.id = st.tag_id
  WHERE st.status_id = +$statusId ORDER BY t.name`;

function tags(ctx: Context, status: LocalStatusRow, mentioned: readonly MentionedRow[]): JsonObject[] {
  const mentions = mentioned.map(({ uri, username, domain }) => ({
    type: "Mention",
    href: uri,
    name: domain === null ? localHandle(ctx, username) : `@${username}@${domain}`,
  }));
  const hashtags = ctx.db
    .all<{ name: string; display_name: string }>(TAGS, { statusId: status.id })
    .map(({ name, display_name }) => hashtagDocument(ctx, display_name || name));
  const texts = [wordsWithShortcodes(status.content), status.spoiler_text, ...titlesOfStatus(ctx, status.id)];
  return [...mentions, ...hashtags, ...emojiTags(ctx, texts)];
}

type LocalMediaRow = Pick<
  MediaRow,
  "type" | "description" | "blurhash" | "width" | "height" | "focus_x" | "focus_y" | "duration"
> & { file: string; small: string };

const MEDIA = `
  SELECT type, description, blurhash, width, height, focus_x, focus_y, duration,
    coalesce(file, '') AS file, coalesce(small, '') AS small
  FROM media_attachments WHERE status_id = +$statusId AND position >= 0 AND state = 'ready' ORDER BY position`;

function attachments(ctx: Context, statusId: number): JsonObject[] {
  return ctx.db.all<LocalMediaRow>(MEDIA, { statusId }).map((row) => ({
    type: "Document",
    mediaType: typeOfFile(row.file),
    url: mediaUrl(ctx, row.file),
    name: row.description,
    ...(row.blurhash !== null && { blurhash: row.blurhash }),
    ...(row.width > 0 && { width: row.width, height: row.height }),
    ...(row.type !== "audio" && { focalPoint: [row.focus_x, row.focus_y] }),
    ...(row.duration !== null && { duration: `PT${row.duration}S` }),
    ...(row.small !== row.file && {
      icon: { type: "Image", mediaType: typeOfFile(row.small), url: mediaUrl(ctx, row.small) },
    }),
  }));
}

type PollRow = Pick<typeof polls.$inferSelect, "id" | "multiple" | "hide_totals" | "voters_count" | "expires_at">;

const POLL = "SELECT id, multiple, hide_totals, voters_count, expires_at FROM polls WHERE status_id = +$statusId";
const OPTIONS = "SELECT title, votes_count FROM poll_options WHERE poll_id = +$pollId ORDER BY position";

function titlesOfStatus(ctx: Context, statusId: number): string[] {
  const poll = ctx.db.get<PollRow>(POLL, { statusId });
  return poll ? titlesOf(ctx.db, poll.id) : [];
}

/** Null without a poll. Until the end, an author may keep the results hidden. */
function pollMembers(ctx: Context, { id: statusId }: LocalStatusRow): JsonObject | null {
  const poll = ctx.db.get<PollRow>(POLL, { statusId });
  if (!poll) return null;
  const isOver = poll.expires_at !== null && poll.expires_at <= ctx.clock.now();
  const isHidden = poll.hide_totals === 1 && !isOver;
  const options = ctx.db.all<{ title: string; votes_count: number }>(OPTIONS, { pollId: poll.id });
  const end = poll.expires_at === null ? null : dateTime(poll.expires_at);
  return {
    [poll.multiple === 1 ? "anyOf" : "oneOf"]: options.map(({ title, votes_count }) => ({
      type: "Note",
      name: title,
      replies: { type: "Collection", totalItems: isHidden ? 0 : votes_count },
    })),
    votersCount: poll.voters_count ?? 0,
    ...(end !== null && { endTime: end }),
    ...(isOver && { closed: end }),
  };
}
