import { and, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Context } from "../../context.ts";
import { build, condition, Shaped } from "../../db/builder.ts";
import { newestFirst, type ListItem, type Page, type Side, sideOf } from "../../db/keyset.ts";
import { accounts, statuses } from "../../db/schema/index.ts";
import { idAt } from "../../lib/ids.ts";
import { dayOf, parseSearch, type Term } from "../../lib/text/search-query.ts";
import { phraseQuery } from "../../lib/text/search-words.ts";
import { IS_APPROVED, lookupAccount } from "../accounts.ts";
import { accountUri, isOwnHost, parseAddress, statusUri, type LocalName } from "../addresses.ts";
import { authorMark, languageMark, partMark } from "./search-index.ts";
import { isKnownTo } from "./tags.ts";
import { isLimitedFor, visibleAmong, visibleTo, wantedBy } from "../visibility.ts";

const HIGHEST = Number.MAX_SAFE_INTEGER;

/**
 * Whether the viewer wrote, favourited, bookmarked or boosted the status, or is mentioned in it. Only checked if its
 * author isn't indexable.
 */
const HAS_PART = `(
  s.account_id = +$viewer
  OR EXISTS (SELECT 1 FROM mentions WHERE status_id = s.id AND account_id = +$viewer)
  OR EXISTS (SELECT 1 FROM favourites WHERE account_id = +$viewer AND status_id = s.id)
  OR EXISTS (SELECT 1 FROM bookmarks WHERE account_id = +$viewer AND status_id = s.id)
  OR EXISTS (SELECT 1 FROM statuses WHERE reblog_of_id = s.id AND account_id = +$viewer))`;

const s = alias(statuses, "s");
const a = alias(accounts, "a");

/** The index `f` comes first: it has the statuses in order, and CROSS JOIN keeps SQLite from beginning with another. */
const SEARCH = new Shaped(({ side, excludes }: { side: Side; excludes: boolean }) =>
  build
    .select({ id: s.id })
    .from(sql`status_search f`)
    .crossJoin(s)
    .crossJoin(a)
    .where(
      and(
        sql`status_search MATCH $query AND f.rowid > +$lowest AND f.rowid < +$highest`,
        sql`${s.id} = f.rowid AND ${a.id} = ${s.account_id}`,
        condition(`a.indexable OR ${HAS_PART}`),
        condition(`${visibleTo()} AND ${wantedBy()} AND NOT ${isLimitedFor("s.account_id")}`),
        excludes
          ? sql`NOT EXISTS (
              SELECT 1 FROM json_each($without) d WHERE f.rowid >= d.value ->> 0 AND f.rowid < d.value ->> 1)`
          : undefined,
      ),
    )
    .orderBy(side === "newest" ? sql`f.rowid DESC` : sql`f.rowid`)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset")),
);

/**
 * Statuses that match every term, newest first: the viewer's library (statuses they wrote, favourited, bookmarked or
 * boosted, or are mentioned in) and, with LINNET_SEARCH=public, public statuses of indexable accounts. Empty without
 * sign-in, as in Mastodon.
 */
export function searchStatuses(
  ctx: Context,
  viewerId: number,
  search: { q: string; accountId: number | null; page: Page; offset: number },
): number[] {
  if (viewerId === 0) return [];
  const terms = parseSearch(search.q);
  return found(ctx, viewerId, terms, { ...search, scope: scopeOf(ctx, viewerId, terms) });
}

/** Public statuses of an account that match every term, newest first. Empty unless the account is indexable. */
export function searchPublicStatuses(ctx: Context, accountId: number, q: string, page: Page): ListItem[] {
  const search = { accountId, page, offset: 0, scope: "public" };
  return found(ctx, 0, parseSearch(q), search).map((id) => ({ id, cursor: id }));
}

interface Search {
  /** The account that wrote the statuses; null for any. */
  accountId: number | null;
  page: Page;
  offset: number;
  /** The marks of the statuses to search. */
  scope: string;
}

function found(ctx: Context, viewerId: number, terms: readonly Term[], search: Search): number[] {
  const query = matchOf(ctx, viewerId, terms, search);
  if (query === null) return [];
  const { page, offset } = search;
  const { lowest, highest, without } = boundsOf(terms, page);
  const shape = { side: sideOf(page), excludes: without.length > 0 };
  const bounds = { lowest, highest, without: JSON.stringify(without), limit: page.limit, offset };
  const params = { query, viewer: viewerId, now: ctx.clock.now(), ...bounds };
  const ids = SEARCH.all(ctx.db, shape, params).map(({ id }) => id);
  return newestFirst(shape.side, ids);
}

/** The search as one FTS5 expression; null if it can't match anything. */
function matchOf(ctx: Context, viewerId: number, terms: readonly Term[], { accountId, scope }: Search): string | null {
  const wanted: string[] = [`marks : ${scope}`];
  const unwanted: string[] = [];
  if (accountId !== null) wanted.push(`marks : ${authorMark(accountId)}`);
  for (const term of terms) {
    const expression = expressionOf(ctx, viewerId, term);
    if (expression === undefined) continue;
    if (expression !== null) (term.negated ? unwanted : wanted).push(expression);
    else if (!term.negated) return null;
  }
  const isBounded = terms.some(({ kind, value }) => isDateTerm(kind) && dayOf(value) !== null);
  if (wanted.length === 1 && unwanted.length === 0 && accountId === null && !isBounded) return null;
  const all = wanted.map((part) => `(${part})`).join(" AND ");
  return unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.map((part) => `(${part})`).join(" OR ")})`;
}

/** Undefined for a term without effect, null for a term that can't match. */
function expressionOf(ctx: Context, viewerId: number, term: Term): string | null | undefined {
  switch (term.kind) {
    case "text": {
      const phrase = phraseQuery(term.value);
      return phrase === null ? undefined : `words : ${phrase}`;
    }
    case "from": {
      const account = term.value.toLowerCase() === "me" ? viewerId : lookupAccount(ctx, term.value)?.id;
      return account === undefined ? null : `marks : ${authorMark(account)}`;
    }
    case "has":
      return markOf("has", term.value, MARKED);
    case "is":
      return markOf("is", term.value, { reply: "reply", sensitive: "sensitive" });
    case "language":
      return /^[a-z]{2,3}(-\w+)?$/i.test(term.value) ? `marks : ${languageMark(term.value)}` : null;
    default:
      return undefined;
  }
}

/** Values of `has:`, with the end of their mark. */
const MARKED = { media: "media", image: "image", video: "video", audio: "audio", poll: "poll", link: "link" };

function markOf(prefix: string, value: string, known: Record<string, string>): string | null {
  const name = value.toLowerCase();
  return Object.hasOwn(known, name) ? `marks : ${prefix}${known[name]}` : null;
}

/** The marks of the statuses to search. `in:library` excludes statuses that are only public. */
function scopeOf(ctx: Context, viewerId: number, terms: readonly Term[]): string {
  const library = partMark(viewerId);
  const wish = terms.find((term) => term.kind === "in")?.value.toLowerCase();
  if (ctx.config.searchPublic && wish === "public") return "public";
  return ctx.config.searchPublic && wish !== "library" ? `(${library} OR public)` : library;
}

interface Bounds {
  lowest: number;
  highest: number;
  /** Excluded ranges of ids: first id, and the one after the last. */
  without: [number, number][];
}

/** Days and cursors both limit the id, because ids contain the time. */
function boundsOf(terms: readonly Term[], page: Page): Bounds {
  const bounds: Bounds = {
    lowest: Math.max(page.min_id ?? 0, page.since_id ?? 0),
    highest: page.max_id ?? HIGHEST,
    without: [],
  };
  for (const { kind, value, negated } of terms) {
    const day = isDateTerm(kind) ? dayOf(value) : null;
    if (!day) continue;
    const [first, end] = kind === "before" ? [0, day.from] : kind === "after" ? [day.to, null] : [day.from, day.to];
    const stretch: [number, number] = [first && idAt(first), end === null ? HIGHEST : idAt(end)];
    if (negated) {
      bounds.without.push(stretch);
      continue;
    }
    bounds.lowest = Math.max(bounds.lowest, stretch[0] - 1);
    bounds.highest = Math.min(bounds.highest, stretch[1]);
  }
  return bounds;
}

function isDateTerm(kind: Term["kind"]): boolean {
  return kind === "before" || kind === "after" || kind === "during";
}

/** Limits for short prefixes: tens of thousands of hashtags may begin with the same letter. */
const LOOKED_THROUGH_TAGS = 5000;
const COMPARED_TAGS = 500;

const TAGS = `
  SELECT id FROM (
    SELECT id, name FROM (
      SELECT id, name, display_name FROM tags
      WHERE name >= +$name AND name < $name || char(1114111) ORDER BY name LIMIT ${LOOKED_THROUGH_TAGS}
    ) prefixed
    WHERE ${isKnownTo("prefixed")}
      AND (NOT $reviewed OR EXISTS (SELECT 1 FROM trend_reviews WHERE kind = 'tag' AND subject_id = prefixed.id))
    ORDER BY name LIMIT ${COMPARED_TAGS}) found
  ORDER BY name = +$name DESC, (SELECT count(*) FROM (SELECT 1 FROM status_tags WHERE tag_id = found.id LIMIT 100)) DESC, name
  LIMIT +$limit OFFSET +$offset`;

/**
 * Hashtags with this prefix that the viewer may know about: the exact match, then the most used. `reviewed` limits them
 * to reviewed hashtags.
 */
export function searchTags(
  ctx: Context,
  viewerId: number,
  search: { name: string; limit: number; offset: number; reviewed: boolean },
): number[] {
  const { name, limit, offset, reviewed } = search;
  if (name === "") return [];
  return ctx.db
    .all<{ id: number }>(TAGS, { name, limit, offset, reviewed: reviewed ? 1 : 0, viewer: viewerId })
    .map(({ id }) => id);
}

/** The accounts and statuses that a URL refers to. */
interface Found {
  accountIds: number[];
  statusIds: number[];
}

interface Addressed {
  kind: "account" | "status";
  id: number;
}

/** The URI of the status whose page has this address on a Mastodon server. The index of URLs leaves out such pages. */
function mastodonUri(url: string): string {
  return `replace(rtrim(${url}, '0123456789'), '/@', '/users/') || 'statuses/'
    || substr(${url}, length(rtrim(${url}, '0123456789')) + 1)`;
}

/**
 * A URI names one row. A URL is only what a server says, so it counts if nothing has it as its URI, and if it is on that
 * server: otherwise a post could claim the page of another one.
 */
const AT_ADDRESS = `
  SELECT 'account' AS kind, a.id FROM accounts a WHERE a.uri = +$address
  UNION ALL SELECT 'status', s.id FROM statuses s WHERE s.uri = +$address AND s.reblog_of_id IS NULL
  UNION ALL SELECT 'account', a.id FROM accounts a WHERE a.url = +$address AND a.domain IS NOT NULL
    AND a.uri LIKE +$sameOrigin ESCAPE '\\'
  UNION ALL SELECT 'status', s.id FROM statuses s
    WHERE s.uri = ${mastodonUri("+$address")} AND s.url = +$address AND s.local = 0 AND s.reblog_of_id IS NULL
      AND s.uri LIKE +$sameOrigin ESCAPE '\\'
  UNION ALL SELECT 'status', s.id FROM statuses s
    WHERE s.url = +$address AND s.local = 0 AND s.url <> s.uri AND s.uri <> ${mastodonUri("s.url")}
      AND s.reblog_of_id IS NULL AND s.uri LIKE +$sameOrigin ESCAPE '\\'
  LIMIT 1`;

/**
 * The account or status with this URL or URI, if it is visible to the viewer. If it is unknown here, its server is asked.
 */
export async function resolveAddress(ctx: Context, viewerId: number, address: string): Promise<Found> {
  const known = findByAddress(ctx, address);
  if (known) return shownTo(ctx, viewerId, known);
  const host = URL.parse(address)?.host;
  const isElsewhere = host !== undefined && !isOwnHost(ctx, host);
  const object = isElsewhere ? await ctx.remote.object(address) : null;
  return object ? shownTo(ctx, viewerId, { kind: object.type, id: object.id }) : NOTHING;
}

function findByAddress(ctx: Context, address: string): Addressed | null {
  const local = parseAddress(ctx, address);
  const uri = local ? localUri(ctx, local) : address;
  if (uri === null) return null;
  const origin = URL.parse(uri)?.origin ?? "";
  return ctx.db.get<Addressed>(AT_ADDRESS, { address: uri, sameOrigin: `${origin.replace(/[\\%_]/g, "\\$&")}/%` });
}

const NOTHING: Found = { accountIds: [], statusIds: [] };
const SHOWN_ACCOUNT = `SELECT 1 FROM accounts a WHERE a.id = +$id AND ${IS_APPROVED} AND a.suspended_at IS NULL`;

function shownTo(ctx: Context, viewerId: number, { kind, id }: Addressed): Found {
  if (kind === "status") return { accountIds: [], statusIds: visibleAmong(ctx, viewerId, [id]) };
  return ctx.db.get(SHOWN_ACCOUNT, { id }) ? { accountIds: [id], statusIds: [] } : NOTHING;
}

/** The URI for the address of a local account or status; null if there is no such account. */
function localUri(ctx: Context, { username, statusId }: LocalName): string | null {
  const account = lookupAccount(ctx, username);
  if (!account) return null;
  return statusId === null ? accountUri(ctx, account.username) : statusUri(ctx, account.username, statusId);
}
