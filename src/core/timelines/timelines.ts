import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { avoids, isLimited, visibleTo, wantedBy } from "../visibility.ts";

const SEEN = `${visibleTo("?4")} AND ${wantedBy("?4", "?5")}`;

const HOME = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor FROM home_timeline h JOIN statuses s ON s.id = h.status_id
   WHERE h.account_id = ?4 AND ${SEEN}`,
  "h.status_id",
);

export function home(ctx: Context, viewerId: number, page: Page): ListItem[] {
  return HOME.page(ctx.db, page, viewerId, ctx.clock.now());
}

const WANTED = `SELECT 1 FROM statuses s WHERE s.id = ?1 AND ${visibleTo("?2")} AND ${wantedBy("?2", "?3")}`;

/**
 * Whether the viewer may see a status and doesn't exclude it by blocks or mutes; checked before streaming it to them.
 */
export function isWanted(ctx: Context, viewerId: number, statusId: number): boolean {
  return ctx.db.get(WANTED, statusId, viewerId, ctx.clock.now()) !== null;
}

export interface PublicFilter {
  local: boolean;
  remote: boolean;
  only_media: boolean;
}

/** The conditions repeat those of the partial index `statuses_public`: SQLite uses it only if they match. */
const PUBLIC = `
  s.visibility = 'public' AND s.reblog_of_id IS NULL
  AND (s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id = s.account_id)`;

/** Public timelines leave out limited accounts, even for their followers. */
const OPEN = `${SEEN} AND NOT ${isLimited("s.account_id")}`;

function publicList(condition: string): Keyset<ListItem> {
  return new Keyset<ListItem>(
    `SELECT s.id, s.id AS cursor FROM statuses s WHERE ${PUBLIC} ${condition} AND ${OPEN}`,
    "s.id",
  );
}

const PUBLIC_ALL = publicList("");
const PUBLIC_BY_ORIGIN = publicList("AND s.local = ?6");
const PUBLIC_MEDIA = publicList("AND s.has_media = 1");
const PUBLIC_MEDIA_BY_ORIGIN = publicList("AND s.has_media = 1 AND s.local = ?6");

/** `local` and `remote` together mean both. */
export function publicTimeline(ctx: Context, viewerId: number, filter: PublicFilter, page: Page): ListItem[] {
  const now = ctx.clock.now();
  if (filter.local === filter.remote) {
    return (filter.only_media ? PUBLIC_MEDIA : PUBLIC_ALL).page(ctx.db, page, viewerId, now);
  }
  const list = filter.only_media ? PUBLIC_MEDIA_BY_ORIGIN : PUBLIC_BY_ORIGIN;
  return list.page(ctx.db, page, viewerId, now, filter.local ? 1 : 0);
}

export interface TagFilter extends PublicFilter {
  any: string[];
  all: string[];
  none: string[];
}

const tagIds = (parameter: string) => `(SELECT id FROM tags WHERE name IN (SELECT value FROM json_each(${parameter})))`;

function taggedList(select: string, tags: string): Keyset<ListItem> {
  return new Keyset<ListItem>(
    `${select} s.id, s.id AS cursor FROM status_tags st JOIN statuses s ON s.id = st.status_id
     WHERE st.tag_id ${tags} AND s.visibility = 'public' AND s.reblog_of_id IS NULL
       AND (?7 IS NULL OR s.local = ?7) AND (s.has_media OR NOT ?8)
       AND NOT EXISTS (SELECT 1 FROM status_tags WHERE status_id = s.id AND tag_id IN ${tagIds("?9")})
       AND (SELECT count(*) FROM status_tags WHERE status_id = s.id AND tag_id IN ${tagIds("?10")}) = json_array_length(?10)
       AND ${OPEN}`,
    "st.status_id",
  );
}

/** The index has the statuses of one tag in order; those of several tags must be sorted and deduplicated. */
const TAGGED = taggedList("SELECT", "= (SELECT id FROM tags WHERE name = ?6 ->> 0)");
const TAGGED_ANY = taggedList("SELECT DISTINCT", `IN ${tagIds("?6")}`);

/** Statuses with the tag or one of `any`, with all of `all` and none of `none`. */
export function tagTimeline(ctx: Context, viewerId: number, tag: string, filter: TagFilter, page: Page): ListItem[] {
  const names = (tags: string[]) => JSON.stringify([...new Set(tags.map(normaliseHashtag))]);
  return (filter.any.length === 0 ? TAGGED : TAGGED_ANY).page(
    ctx.db,
    page,
    viewerId,
    ctx.clock.now(),
    names([tag, ...filter.any]),
    filter.local === filter.remote ? null : filter.local ? 1 : 0,
    filter.only_media ? 1 : 0,
    names(filter.none),
    names(filter.all),
  );
}

const LINKED = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor
   FROM links l JOIN status_links k ON k.link_id = l.id JOIN statuses s ON s.id = k.status_id
     JOIN accounts a ON a.id = s.account_id
   WHERE l.card_id = ?6 AND s.visibility = 'public' AND a.discoverable AND ${OPEN}`,
  "k.status_id",
);

/** Public statuses by discoverable accounts that link to the page of a preview card. */
export function linkTimeline(ctx: Context, viewerId: number, cardId: number, page: Page): ListItem[] {
  return LINKED.page(ctx.db, page, viewerId, ctx.clock.now(), cardId);
}

/** Favourites or bookmarks, latest first. The cursor is the id of the favourite or bookmark. */
function markedList(table: "favourites" | "bookmarks"): Keyset<ListItem> {
  return new Keyset<ListItem>(
    `SELECT s.id, m.id AS cursor FROM ${table} m JOIN statuses s ON s.id = m.status_id
     WHERE m.account_id = ?4 AND ${visibleTo("?4")}`,
    "m.id",
  );
}

const FAVOURITES = markedList("favourites");
const BOOKMARKS = markedList("bookmarks");

export function favouritesOf(ctx: Context, viewerId: number, page: Page): ListItem[] {
  return FAVOURITES.page(ctx.db, page, viewerId);
}

export function bookmarksOf(ctx: Context, viewerId: number, page: Page): ListItem[] {
  return BOOKMARKS.page(ctx.db, page, viewerId);
}

export interface AccountFilter {
  only_media: boolean;
  exclude_replies: boolean;
  exclude_reblogs: boolean;
  tagged: string | null;
}

const OF_ACCOUNT = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor FROM statuses s
   WHERE s.account_id = ?4 AND ${visibleTo("?5")}
     AND (s.has_media OR NOT ?6)
     AND (NOT ?7 OR s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id = s.account_id)
     AND (NOT ?8 OR s.reblog_of_id IS NULL)
     AND (?9 IS NULL OR EXISTS (
       SELECT 1 FROM status_tags st JOIN tags t ON t.id = st.tag_id WHERE st.status_id = s.id AND t.name = ?9))
     AND (s.reblog_of_id IS NULL OR EXISTS (
       SELECT 1 FROM statuses o
       WHERE o.id = s.reblog_of_id AND ${visibleTo("?5", "o")}
         AND (?4 = ?5 OR NOT ${avoids("?5", "o.account_id", "?10")})))`,
  "s.id",
);

/** The account's statuses that the viewer may see, without reblogs of accounts that the viewer blocks or mutes. */
export function statusesOf(
  ctx: Context,
  viewerId: number,
  accountId: number,
  filter: AccountFilter,
  page: Page,
): ListItem[] {
  return OF_ACCOUNT.page(
    ctx.db,
    page,
    accountId,
    viewerId,
    filter.only_media ? 1 : 0,
    filter.exclude_replies ? 1 : 0,
    filter.exclude_reblogs ? 1 : 0,
    filter.tagged === null ? null : normaliseHashtag(filter.tagged),
    ctx.clock.now(),
  );
}

const PINNED = new Keyset<ListItem>(
  `SELECT s.id, p.id AS cursor FROM status_pins p JOIN statuses s ON s.id = p.status_id
   WHERE p.account_id = ?4 AND ${visibleTo("?5")}`,
  "p.id",
);

/** The account's pinned statuses, latest pin first. */
export function pinnedOf(ctx: Context, viewerId: number, accountId: number, page: Page): ListItem[] {
  return PINNED.page(ctx.db, page, accountId, viewerId);
}
