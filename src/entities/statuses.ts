import type { Context } from "../context.ts";
import { idList } from "../db/json.ts";
import { accountsById, type AccountJson } from "./accounts.ts";
import { mediaByStatus, type MediaJson } from "./media.ts";
import { timestamp } from "./urls.ts";

interface StatusRow {
  id: number;
  account_id: number;
  uri: string;
  url: string;
  visibility: string;
  content: string;
  spoiler_text: string;
  sensitive: number;
  language: string | null;
  in_reply_to_id: number | null;
  in_reply_to_account_id: number | null;
  reblog_of_id: number | null;
  has_media: number;
  replies_count: number;
  reblogs_count: number;
  favourites_count: number;
  created_at: number;
  edited_at: number | null;
  local: number;
  app_name: string | null;
  app_website: string | null;
  favourited: number;
  reblogged: number;
  muted: number;
  bookmarked: number;
  pinned: number;
}

/** The statuses asked for and the originals of those that are reblogs. */
const SHOWN = `
  WITH asked (id) AS (SELECT value FROM json_each(?1)),
  shown (id) AS (SELECT id FROM asked UNION SELECT s.reblog_of_id FROM asked JOIN statuses s USING (id) WHERE s.reblog_of_id IS NOT NULL)
  SELECT s.id, s.account_id, s.uri, s.url, s.visibility, s.content, s.spoiler_text, s.sensitive, s.language,
    s.in_reply_to_id, s.in_reply_to_account_id, s.reblog_of_id, s.has_media, s.replies_count, s.reblogs_count,
    s.favourites_count, s.created_at, s.edited_at, s.local, app.name AS app_name, app.website AS app_website,
    EXISTS (SELECT 1 FROM favourites WHERE account_id = ?2 AND status_id = s.id) AS favourited,
    EXISTS (SELECT 1 FROM statuses WHERE reblog_of_id = s.id AND account_id = ?2) AS reblogged,
    EXISTS (SELECT 1 FROM conversation_mutes WHERE account_id = ?2 AND conversation_id = s.conversation_id) AS muted,
    EXISTS (SELECT 1 FROM bookmarks WHERE account_id = ?2 AND status_id = s.id) AS bookmarked,
    EXISTS (SELECT 1 FROM status_pins WHERE status_id = s.id) AS pinned
  FROM shown JOIN statuses s USING (id) LEFT JOIN oauth_apps app ON app.id = s.app_id`;

const MENTIONS = `
  SELECT m.status_id, a.id, a.username, a.domain, a.url
  FROM mentions m JOIN accounts a ON a.id = m.account_id
  WHERE m.status_id IN (SELECT value FROM json_each(?))`;

const TAGS = `
  SELECT st.status_id, t.name FROM status_tags st JOIN tags t ON t.id = st.tag_id
  WHERE st.status_id IN (SELECT value FROM json_each(?)) ORDER BY st.status_id, t.id`;

interface MentionJson {
  id: string;
  username: string;
  url: string;
  acct: string;
}

interface TagJson {
  name: string;
  url: string;
}

/** What a page of statuses is made of, read once. */
interface Parts {
  accounts: Map<number, AccountJson>;
  media: Map<number, MediaJson[]>;
  mentions: Map<number, MentionJson[]>;
  tags: Map<number, TagJson[]>;
}

/**
 * Mastodon's Status (entities/Status), in the order of the ids, for a viewer (0 for nobody) who may see them: five
 * queries whatever their number. The viewer's own flags are left out where there is no viewer.
 */
export function showStatuses(ctx: Context, viewerId: number, ids: readonly number[]): StatusJson[] {
  if (ids.length === 0) return [];
  const rows = ctx.db.all<StatusRow>(SHOWN, idList(ids), viewerId);
  const parts = partsOf(ctx, rows);
  const shown = new Map(rows.map((row) => [row.id, statusJson(row, viewerId, parts)]));
  return ids.flatMap((id): StatusJson[] => {
    const status = shown.get(id);
    if (!status) return [];
    const { reblog_of_id: original } = status.row;
    const reblog = original === null ? null : (shown.get(original)?.json ?? null);
    // A reblog says of itself what its original says: apps draw their buttons from either.
    if (reblog) return [{ ...status.json, ...borrowed(reblog), reblog }];
    return original === null ? [{ ...status.json, reblog: null }] : [];
  });
}

export function showStatus(ctx: Context, viewerId: number, id: number): StatusJson {
  return showStatuses(ctx, viewerId, [id])[0]!;
}

type OriginalJson = ReturnType<typeof statusJson>["json"];
export type StatusJson = OriginalJson & { reblog: OriginalJson | null };

function partsOf(ctx: Context, rows: readonly StatusRow[]): Parts {
  const ids = idList(rows.filter((row) => row.reblog_of_id === null).map((row) => row.id));
  const withMedia = rows.filter((row) => row.has_media === 1).map((row) => row.id);
  return {
    accounts: accountsById(
      ctx,
      rows.map((row) => row.account_id),
    ),
    media: mediaByStatus(ctx, withMedia),
    mentions: grouped(ctx.db.all<MentionRow>(MENTIONS, ids), mentionJson),
    tags: grouped(ctx.db.all<{ status_id: number; name: string }>(TAGS, ids), ({ name }) => ({
      name,
      url: `${ctx.config.origin}/tags/${encodeURIComponent(name)}`,
    })),
  };
}

interface MentionRow {
  status_id: number;
  id: number;
  username: string;
  domain: string | null;
  url: string;
}

function mentionJson(row: MentionRow): MentionJson {
  const acct = row.domain === null ? row.username : `${row.username}@${row.domain}`;
  return { id: String(row.id), username: row.username, url: row.url, acct };
}

function grouped<Row extends { status_id: number }, Item>(rows: readonly Row[], show: (row: Row) => Item) {
  const groups = new Map<number, Item[]>();
  for (const row of rows) {
    const group = groups.get(row.status_id);
    if (group) group.push(show(row));
    else groups.set(row.status_id, [show(row)]);
  }
  return groups;
}

function statusJson(row: StatusRow, viewerId: number, parts: Parts) {
  const json = {
    id: String(row.id),
    created_at: timestamp(row.created_at),
    in_reply_to_id: idOrNull(row.in_reply_to_id),
    in_reply_to_account_id: idOrNull(row.in_reply_to_account_id),
    sensitive: row.sensitive === 1,
    spoiler_text: row.spoiler_text,
    visibility: row.visibility,
    language: row.language,
    uri: row.uri,
    url: row.url,
    replies_count: row.replies_count,
    reblogs_count: row.reblogs_count,
    favourites_count: row.favourites_count,
    edited_at: row.edited_at === null ? null : timestamp(row.edited_at),
    ...(viewerId ? flags(row, viewerId) : null),
    content: row.content,
    ...(row.local ? { application: applicationJson(row) } : null),
    account: parts.accounts.get(row.account_id)!,
    media_attachments: parts.media.get(row.id) ?? [],
    mentions: parts.mentions.get(row.id) ?? [],
    tags: parts.tags.get(row.id) ?? [],
    emojis: [],
    card: null,
    poll: null,
  };
  return { row, json };
}

function flags(row: StatusRow, viewerId: number) {
  return {
    favourited: row.favourited === 1,
    reblogged: row.reblogged === 1,
    muted: row.muted === 1,
    bookmarked: row.bookmarked === 1,
    ...(row.account_id === viewerId ? { pinned: row.pinned === 1 } : null),
    filtered: [],
  };
}

function applicationJson(row: StatusRow) {
  return row.app_name === null ? null : { name: row.app_name, website: row.app_website };
}

function borrowed(original: OriginalJson) {
  const { sensitive, spoiler_text, language, replies_count, reblogs_count, favourites_count, content } = original;
  const { favourited, reblogged, muted, bookmarked } = original;
  const counted = { replies_count, reblogs_count, favourites_count };
  const own = favourited === undefined ? null : { favourited, reblogged, muted, bookmarked };
  return { sensitive, spoiler_text, language, ...counted, ...own, content };
}

function idOrNull(id: number | null): string | null {
  return id === null ? null : String(id);
}
