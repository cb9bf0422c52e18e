import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { avoids, isLimited, visibleTo, wantedBy } from "../visibility.ts";

const SEEN = `${visibleTo()} AND ${wantedBy()}`;

const HOME = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor FROM home_timeline h JOIN statuses s ON s.id = h.status_id
   WHERE h.account_id = +$viewer AND ${SEEN}`,
  "h.status_id",
);

export function home(ctx: Context, viewerId: number, page: Page): ListItem[] {
  return HOME.page(ctx.db, page, { viewer: viewerId, now: ctx.clock.now() });
}

const WANTED = `SELECT 1 FROM statuses s WHERE s.id = +$statusId AND ${SEEN}`;

/**
 * Whether the viewer may see a status and doesn't exclude it by blocks or mutes; checked before streaming it to them.
 */
export function isWanted(ctx: Context, viewerId: number, statusId: number): boolean {
  return ctx.db.get(WANTED, { statusId, viewer: viewerId, now: ctx.clock.now() }) !== null;
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
const PUBLIC_BY_ORIGIN = publicList("AND s.local = +$local");
const PUBLIC_MEDIA = publicList("AND s.has_media = 1");
const PUBLIC_MEDIA_BY_ORIGIN = publicList("AND s.has_media = 1 AND s.local = +$local");

/** `local` and `remote` together mean both. */
export function publicTimeline(ctx: Context, viewerId: number, filter: PublicFilter, page: Page): ListItem[] {
  const params = { viewer: viewerId, now: ctx.clock.now() };
  if (filter.local === filter.remote) {
    return (filter.only_media ? PUBLIC_MEDIA : PUBLIC_ALL).page(ctx.db, page, params);
  }
  const list = filter.only_media ? PUBLIC_MEDIA_BY_ORIGIN : PUBLIC_BY_ORIGIN;
  return list.page(ctx.db, page, { ...params, local: filter.local ? 1 : 0 });
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
       AND ($local IS NULL OR s.local = +$local) AND (s.has_media OR NOT $onlyMedia)
       AND NOT EXISTS (SELECT 1 FROM status_tags WHERE status_id = s.id AND tag_id IN ${tagIds("$none")})
       AND (SELECT count(*) FROM status_tags WHERE status_id = s.id AND tag_id IN ${tagIds("$all")}) = json_array_length($all)
       AND ${OPEN}`,
    "st.status_id",
  );
}

/** The index has the statuses of one tag in order; those of several tags must be sorted and deduplicated. */
const TAGGED = taggedList("SELECT", "= (SELECT id FROM tags WHERE name = $any ->> 0)");
const TAGGED_ANY = taggedList("SELECT DISTINCT", `IN ${tagIds("$any")}`);

/** Statuses with the tag or one of `any`, with all of `all` and none of `none`. */
export function tagTimeline(ctx: Context, viewerId: number, tag: string, filter: TagFilter, page: Page): ListItem[] {
  const names = (tags: string[]) => JSON.stringify([...new Set(tags.map(normaliseHashtag))]);
  return (filter.any.length === 0 ? TAGGED : TAGGED_ANY).page(ctx.db, page, {
    viewer: viewerId,
    now: ctx.clock.now(),
    any: names([tag, ...filter.any]),
    local: filter.local === filter.remote ? null : filter.local ? 1 : 0,
    onlyMedia: filter.only_media ? 1 : 0,
    none: names(filter.none),
    all: names(filter.all),
  });
}

const LINKED = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor
   FROM links l JOIN status_links k ON k.link_id = l.id JOIN statuses s ON s.id = k.status_id
     JOIN accounts a ON a.id = s.account_id
   WHERE l.card_id = +$cardId AND s.visibility = 'public' AND a.discoverable AND ${OPEN}`,
  "k.status_id",
);

/** Public statuses by discoverable accounts that link to the page of a preview card. */
export function linkTimeline(ctx: Context, viewerId: number, cardId: number, page: Page): ListItem[] {
  return LINKED.page(ctx.db, page, { viewer: viewerId, now: ctx.clock.now(), cardId });
}

/** Favourites or bookmarks, latest first. The cursor is the id of the favourite or bookmark. */
function markedList(table: "favourites" | "bookmarks"): Keyset<ListItem> {
  return new Keyset<ListItem>(
    `SELECT s.id, m.id AS cursor FROM ${table} m JOIN statuses s ON s.id = m.status_id
     WHERE m.account_id = +$viewer AND ${visibleTo()}`,
    "m.id",
  );
}

const FAVOURITES = markedList("favourites");
const BOOKMARKS = markedList("bookmarks");

export function favouritesOf(ctx: Context, viewerId: number, page: Page): ListItem[] {
  return FAVOURITES.page(ctx.db, page, { viewer: viewerId });
}

export function bookmarksOf(ctx: Context, viewerId: number, page: Page): ListItem[] {
  return BOOKMARKS.page(ctx.db, page, { viewer: viewerId });
}

export interface AccountFilter {
  only_media: boolean;
  exclude_replies: boolean;
  exclude_reblogs: boolean;
  tagged: string | null;
}

const OF_ACCOUNT = new Keyset<ListItem>(
  `SELECT s.id, s.id AS cursor FROM statuses s
   WHERE s.account_id = +$accountId AND ${visibleTo()}
     AND (s.has_media OR NOT $onlyMedia)
     AND (NOT $excludeReplies OR s.in_reply_to_account_id IS NULL OR s.in_reply_to_account_id = s.account_id)
     AND (NOT $excludeReblogs OR s.reblog_of_id IS NULL)
     AND ($tagged IS NULL OR EXISTS (
       SELECT 1 FROM status_tags st JOIN tags t ON t.id = st.tag_id WHERE st.status_id = s.id AND t.name = +$tagged))
     AND (s.reblog_of_id IS NULL OR EXISTS (
       SELECT 1 FROM statuses o
       WHERE o.id = s.reblog_of_id AND ${visibleTo("+$viewer", "o")}
         AND (+$accountId = +$viewer OR NOT ${avoids("+$viewer", "o.account_id")})))`,
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
  return OF_ACCOUNT.page(ctx.db, page, {
    accountId,
    viewer: viewerId,
    now: ctx.clock.now(),
    onlyMedia: filter.only_media ? 1 : 0,
    excludeReplies: filter.exclude_replies ? 1 : 0,
    excludeReblogs: filter.exclude_reblogs ? 1 : 0,
    tagged: filter.tagged === null ? null : normaliseHashtag(filter.tagged),
  });
}

const PINNED = new Keyset<ListItem>(
  `SELECT s.id, p.id AS cursor FROM status_pins p JOIN statuses s ON s.id = p.status_id
   WHERE p.account_id = +$accountId AND ${visibleTo()}`,
  "p.id",
);

/** The account's pinned statuses, latest pin first. */
export function pinnedOf(ctx: Context, viewerId: number, accountId: number, page: Page): ListItem[] {
  return PINNED.page(ctx.db, page, { accountId, viewer: viewerId });
}
