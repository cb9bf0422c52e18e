import { eq, sql, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Context } from "../../context.ts";
import { build, condition, ShapedKeyset } from "../../db/builder.ts";
import { Keyset, type ListItem, type Page } from "../../db/keyset.ts";
import { statuses, statusTags, tags } from "../../db/schema/index.ts";
import { normaliseHashtag } from "../../lib/text/hashtags.ts";
import { blocksOrMutes, isLimited, visibleTo, wantedBy } from "../visibility.ts";

const SEEN = `${visibleTo()} AND ${wantedBy()}`;

const s = alias(statuses, "s");
/** The columns of a ListItem for a status. */
const ITEM = { id: s.id, cursor: sql<number>`${s.id}`.as("cursor") };

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

/** Public timelines leave out limited accounts, even for their followers. */
const OPEN = `${SEEN} AND NOT ${isLimited("s.account_id")}`;

/** The conditions repeat those of the partial indexes `statuses_public…`: SQLite uses them only if they match. */
const PUBLIC = new ShapedKeyset(({ byOrigin, onlyMedia }: { byOrigin: boolean; onlyMedia: boolean }) => ({
  select: build.select(ITEM).from(s),
  where: [
    sql`${s.visibility} = 'public' AND ${s.reblog_of_id} IS NULL`,
    sql`(${s.in_reply_to_account_id} IS NULL OR ${s.in_reply_to_account_id} = ${s.account_id})`,
    onlyMedia ? sql`${s.has_media} = 1` : undefined,
    byOrigin ? sql`${s.local} = +$local` : undefined,
    condition(OPEN),
  ],
  cursor: s.id,
}));

/** `local` and `remote` together mean both. */
export function publicTimeline(ctx: Context, viewerId: number, filter: PublicFilter, page: Page): ListItem[] {
  const shape = { byOrigin: filter.local !== filter.remote, onlyMedia: filter.only_media };
  return PUBLIC.page(ctx.db, page, shape, { viewer: viewerId, now: ctx.clock.now(), local: filter.local ? 1 : 0 });
}

export interface TagFilter extends PublicFilter {
  any: string[];
  all: string[];
  none: string[];
}

interface TaggedShape {
  /** Whether the timeline is of several hashtags. */
  several: boolean;
  all: boolean;
  none: boolean;
  byOrigin: boolean;
  onlyMedia: boolean;
}

const st = alias(statusTags, "st");

/** The hashtags in a JSON array of names. */
const idsOfTags = (names: SQL) =>
  build
    .select({ id: tags.id })
    .from(tags)
    .where(sql`${tags.name} IN (SELECT value FROM json_each(${names}))`);

/** Those hashtags of a status `s` that are in a JSON array of names. */
const tagsAmong = (names: SQL) => sql`
  FROM ${statusTags} WHERE ${statusTags.status_id} = ${s.id} AND ${statusTags.tag_id} IN ${idsOfTags(names)}`;

/** The index has the statuses of one hashtag in order; those of several must be sorted and deduplicated. */
const TAGGED = new ShapedKeyset(({ several, all, none, byOrigin, onlyMedia }: TaggedShape) => ({
  select: (several ? build.selectDistinct(ITEM) : build.select(ITEM)).from(st).innerJoin(s, eq(s.id, st.status_id)),
  where: [
    several
      ? sql`${st.tag_id} IN ${idsOfTags(sql`$any`)}`
      : sql`${st.tag_id} = (SELECT ${tags.id} FROM ${tags} WHERE ${tags.name} = $any ->> 0)`,
    sql`${s.visibility} = 'public' AND ${s.reblog_of_id} IS NULL`,
    byOrigin ? sql`${s.local} = +$local` : undefined,
    onlyMedia ? sql`${s.has_media}` : undefined,
    none ? sql`NOT EXISTS (SELECT 1 ${tagsAmong(sql`$none`)})` : undefined,
    all ? sql`(SELECT count(*) ${tagsAmong(sql`$all`)}) = json_array_length($all)` : undefined,
    condition(OPEN),
  ],
  cursor: st.status_id,
}));

/** Statuses with the tag or one of `any`, with all of `all` and none of `none`. */
export function tagTimeline(ctx: Context, viewerId: number, tag: string, filter: TagFilter, page: Page): ListItem[] {
  const names = (written: string[]) => JSON.stringify([...new Set(written.map(normaliseHashtag))]);
  const { all, none, local, remote } = filter;
  const shape: TaggedShape = {
    several: filter.any.length > 0,
    all: all.length > 0,
    none: none.length > 0,
    byOrigin: local !== remote,
    onlyMedia: filter.only_media,
  };
  return TAGGED.page(ctx.db, page, shape, {
    viewer: viewerId,
    now: ctx.clock.now(),
    any: names([tag, ...filter.any]),
    all: names(all),
    none: names(none),
    local: local ? 1 : 0,
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

interface OfAccountShape {
  onlyMedia: boolean;
  excludeReplies: boolean;
  excludeReblogs: boolean;
  tagged: boolean;
}

/** The viewer may see the original of a reblog `s` and, except on their own profile, doesn't block or mute its author. */
const ORIGINAL_IS_WANTED = `EXISTS (
  SELECT 1 FROM statuses o
  WHERE o.id = s.reblog_of_id AND ${visibleTo("+$viewer", "o")}
    AND (+$accountId = +$viewer OR NOT ${blocksOrMutes("+$viewer", "o.account_id")}))`;

const OF_ACCOUNT = new ShapedKeyset((shape: OfAccountShape) => ({
  select: build.select(ITEM).from(s),
  where: [
    sql`${s.account_id} = +$accountId`,
    condition(visibleTo()),
    // Spelt like the condition of the partial index `statuses_media_of_account`.
    shape.onlyMedia ? sql`${s.has_media} = 1` : undefined,
    shape.excludeReplies
      ? sql`(${s.in_reply_to_account_id} IS NULL OR ${s.in_reply_to_account_id} = ${s.account_id})`
      : undefined,
    shape.tagged
      ? sql`EXISTS (SELECT 1 FROM ${statusTags} JOIN ${tags} ON ${eq(tags.id, statusTags.tag_id)}
          WHERE ${statusTags.status_id} = ${s.id} AND ${tags.name} = +$tagged)`
      : undefined,
    shape.excludeReblogs
      ? sql`${s.reblog_of_id} IS NULL`
      : condition(`s.reblog_of_id IS NULL OR ${ORIGINAL_IS_WANTED}`),
  ],
  cursor: s.id,
}));

/** The account's statuses that the viewer may see, without reblogs of accounts that the viewer blocks or mutes. */
export function statusesOf(
  ctx: Context,
  viewerId: number,
  accountId: number,
  filter: AccountFilter,
  page: Page,
): ListItem[] {
  const shape: OfAccountShape = {
    onlyMedia: filter.only_media,
    excludeReplies: filter.exclude_replies,
    excludeReblogs: filter.exclude_reblogs,
    tagged: filter.tagged !== null,
  };
  return OF_ACCOUNT.page(ctx.db, page, shape, {
    accountId,
    viewer: viewerId,
    now: ctx.clock.now(),
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
