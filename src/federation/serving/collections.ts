import type { Context } from "../../context.ts";
import { accountUri } from "../../core/addresses.ts";
import { featuredTagsOf } from "../../core/discovery/featured-tags.ts";
import { hidesFollows } from "../../core/people/follows.ts";
import { visibleToServer } from "../../core/visibility.ts";
import { Keyset, type ListItem } from "../../db/keyset.ts";
import { accountPartUrl } from "../addresses.ts";
import type { JsonObject } from "../documents.ts";
import { hashtagDocument } from "../write/hashtags.ts";
import { reblogDocument } from "../write/activities.ts";
import { createActivity, localStatus, mentionedIn, statusDocument } from "../write/status.ts";

/** The server that asks: the account that signed, and the domain of its accounts. 0 and '' without a signature. */
export interface Reader {
  signer: number;
  domain: string;
}

export const ANYONE: Reader = { signer: 0, domain: "" };

const PAGE_SIZE = 40;
/** Activities are longer than URIs. */
const OUTBOX_PAGE_SIZE = 20;

/** A local account whose collections are served. */
export interface Owner {
  id: number;
  username: string;
  hide_collections: number;
  suspended_at: number | null;
  followers_count: number;
  following_count: number;
  statuses_count: number;
}

/** The page of a collection that is asked for: none for the collection itself, else the items below this cursor. */
export type PageAsked = { before: number | null } | null;

interface Paged {
  id: string;
  totalItems: number;
  /** The items of the page below a cursor, with the cursor of the last one; null if nothing follows. */
  page(before: number | null): { items: (string | JsonObject)[]; next: number | null };
}

function ordered({ id, totalItems, page }: Paged, asked: PageAsked): JsonObject {
  if (asked === null) return { id, type: "OrderedCollection", totalItems, first: `${id}?page=true` };
  const { items, next } = page(asked.before);
  const at = asked.before === null ? `${id}?page=true` : `${id}?page=true&max_id=${asked.before}`;
  return {
    id: at,
    type: "OrderedCollectionPage",
    partOf: id,
    totalItems,
    orderedItems: items,
    ...(next !== null && { next: `${id}?page=true&max_id=${next}` }),
  };
}

/** The cursor for the page after these rows; null if they don't fill a page. */
function nextAfter(rows: readonly { cursor: number }[], size: number): number | null {
  return rows.length === size ? rows.at(-1)!.cursor : null;
}

const pageBelow = (before: number | null, limit: number) => ({ max_id: before, since_id: null, min_id: null, limit });

interface UriItem {
  uri: string;
  cursor: number;
}

const followList = (account: string, list: string) =>
  new Keyset<UriItem>(
    `SELECT a.uri, f.id AS cursor FROM follows f JOIN accounts a ON a.id = ${account}
     WHERE ${list} = +$ownerId AND a.suspended_at IS NULL AND a.gone_at IS NULL`,
    "f.id",
  );
const FOLLOWERS = followList("f.account_id", "f.target_account_id");
const FOLLOWING = followList("f.target_account_id", "f.account_id");

/** Followers or followed accounts. An account may hide them: then only their number is served. */
export function followCollection(
  ctx: Context,
  owner: Owner,
  part: "followers" | "following",
  asked: PageAsked,
): JsonObject {
  const id = accountPartUrl(ctx, owner.username, part);
  const [list, totalItems] =
    part === "followers" ? [FOLLOWERS, owner.followers_count] : [FOLLOWING, owner.following_count];
  if (hidesFollows(ctx, 0, owner)) return { id, type: "OrderedCollection", totalItems };
  const page = (before: number | null) => {
    const rows = list.page(ctx.db, pageBelow(before, PAGE_SIZE), { ownerId: owner.id });
    return { items: rows.map(({ uri }) => uri), next: nextAfter(rows, PAGE_SIZE) };
  };
  return ordered({ id, totalItems, page }, asked);
}

/** Reads the addresses of one server's accounts alone: a `0` comes after the `/` that ends the origin. */
const FOLLOWERS_AT = `
  SELECT a.uri FROM accounts a CROSS JOIN follows f ON f.account_id = a.id AND f.target_account_id = +$ownerId
  WHERE a.uri >= +$origin || '/' AND a.uri < +$origin || '0'`;

/** All followers on the reader's own server, even if the owner hides them: that server knows them anyway (FEP-8fcf). */
export function followersOnServer(ctx: Context, owner: Owner, { signer: readerId }: Reader): JsonObject {
  const reader = ctx.db.get<{ uri: string }>("SELECT uri FROM accounts WHERE id = +$readerId", { readerId })!;
  const { origin } = new URL(reader.uri);
  const items = ctx.db.all<{ uri: string }>(FOLLOWERS_AT, { ownerId: owner.id, origin }).map(({ uri }) => uri);
  const id = accountPartUrl(ctx, owner.username, "followers_synchronization");
  return { id, type: "OrderedCollection", totalItems: items.length, orderedItems: items };
}

interface OutboxItem extends ListItem {
  reblog_of_id: number | null;
}

const OUTBOX = new Keyset<OutboxItem>(
  `SELECT s.id, s.id AS cursor, s.reblog_of_id FROM statuses s
   WHERE s.account_id = +$ownerId AND ${visibleToServer()} AND (s.reblog_of_id IS NULL OR EXISTS (
     SELECT 1 FROM statuses o WHERE o.id = s.reblog_of_id AND ${visibleToServer("o")}))`,
  "s.id",
);

const LOCAL_ONLY = `
  SELECT count(*) AS count FROM statuses WHERE account_id = +$ownerId AND local_only = 1 AND visibility <> 'direct'`;

/** The account's statuses and reblogs, as the activities that published them. */
export function outbox(ctx: Context, owner: Owner, reader: Reader, asked: PageAsked): JsonObject {
  const page = (before: number | null) => {
    const params = { ownerId: owner.id, ...reader };
    const rows = OUTBOX.page(ctx.db, pageBelow(before, OUTBOX_PAGE_SIZE), params);
    const items = rows.map(({ id, reblog_of_id }) => {
      return reblog_of_id === null ? createActivity(ctx, id) : reblogDocument(ctx, id);
    });
    return { items: items.filter((item) => item !== null), next: nextAfter(rows, OUTBOX_PAGE_SIZE) };
  };
  const { count } = ctx.db.get<{ count: number }>(LOCAL_ONLY, { ownerId: owner.id })!;
  const totalItems = owner.statuses_count - count;
  return ordered({ id: accountPartUrl(ctx, owner.username, "outbox"), totalItems, page }, asked);
}

const FEATURED = `
  SELECT s.id FROM status_pins p JOIN statuses s ON s.id = p.status_id
  WHERE p.account_id = +$ownerId AND ${visibleToServer()} ORDER BY p.id DESC`;

/** Pinned statuses; an account has at most five. */
export function featured(ctx: Context, owner: Owner, reader: Reader): JsonObject {
  const rows = ctx.db.all<{ id: number }>(FEATURED, { ownerId: owner.id, ...reader });
  const items = rows.map(({ id }) => documentOf(ctx, id)).filter((item) => item !== null);
  const id = accountPartUrl(ctx, owner.username, "collections/featured");
  return { id, type: "OrderedCollection", totalItems: items.length, orderedItems: items };
}

function documentOf(ctx: Context, statusId: number): JsonObject | null {
  const status = localStatus(ctx, statusId);
  return status && statusDocument(ctx, status, mentionedIn(ctx, statusId));
}

export function featuredTags(ctx: Context, owner: Owner): JsonObject {
  const items = featuredTagsOf(ctx.db, owner.id).map(({ name }) => hashtagDocument(ctx, name));
  const id = accountPartUrl(ctx, owner.username, "collections/tags");
  return { id, type: "Collection", totalItems: items.length, items };
}

const REPLIES = new Keyset<UriItem>(
  `SELECT s.uri, s.id AS cursor FROM statuses s WHERE s.in_reply_to_id = +$statusId AND ${visibleToServer()}`,
  "s.id",
);

/** The replies to a local status that the reader may see. */
export function replies(
  ctx: Context,
  status: { id: number; uri: string; replies_count: number },
  reader: Reader,
  asked: PageAsked,
): JsonObject {
  const page = (before: number | null) => {
    const rows = REPLIES.page(ctx.db, pageBelow(before, PAGE_SIZE), { statusId: status.id, ...reader });
    return { items: rows.map(({ uri }) => uri), next: nextAfter(rows, PAGE_SIZE) };
  };
  return ordered({ id: `${status.uri}/replies`, totalItems: status.replies_count, page }, asked);
}

interface ThreadItem extends UriItem {
  id: number;
  local: number;
}

const THREAD = new Keyset<ThreadItem>(
  `SELECT s.id, s.uri, s.local, s.id AS cursor FROM statuses s
   WHERE s.conversation_id = +$statusId AND s.conversation_id <> s.id AND s.reblog_of_id IS NULL AND ${visibleToServer()}`,
  "s.id",
);
/** A long thread in one response. */
const THREAD_PAGE = 200;
/** Other servers refuse documents over 1 MB. In UTF-16 units. */
const MAX_PAGE_LENGTH = 600_000;

/**
 * The posts below a local status in its thread that the reader may see (FEP-f228). Local ones are embedded, so that one
 * request brings them; the first page is part of the collection.
 */
export function thread(
  ctx: Context,
  owner: Owner,
  status: { id: number; uri: string },
  reader: Reader,
  asked: PageAsked,
): JsonObject {
  const id = `${status.uri}/context`;
  const page = (before: number | null) => {
    const rows = THREAD.page(ctx.db, pageBelow(before, THREAD_PAGE), { statusId: status.id, ...reader });
    const items: (string | JsonObject)[] = [];
    let length = 0;
    for (const row of rows) {
      const item = (row.local === 1 ? documentOf(ctx, row.id) : null) ?? row.uri;
      length += JSON.stringify(item).length;
      if (length > MAX_PAGE_LENGTH && items.length > 0) return { items, next: rows[items.length - 1]!.cursor };
      items.push(item);
    }
    return { items, next: nextAfter(rows, THREAD_PAGE) };
  };
  const total = ctx.db.get<{ total: number }>(THREAD_TOTAL, { statusId: status.id, ...reader })!.total;
  const whole = { id, totalItems: total, page };
  if (asked !== null) return ordered(whole, asked);
  const attributedTo = accountUri(ctx, owner.username);
  return { ...ordered(whole, null), attributedTo, first: ordered(whole, { before: null }) };
}

const THREAD_TOTAL = `
  SELECT count(*) AS total FROM statuses s
  WHERE s.conversation_id = +$statusId AND s.conversation_id <> s.id AND s.reblog_of_id IS NULL AND ${visibleToServer()}`;

/** Favourites and reblogs are only counted: the accounts behind them did not agree to be listed elsewhere. */
export function counted(uri: string, part: "likes" | "shares", totalItems: number): JsonObject {
  return { id: `${uri}/${part}`, type: "Collection", totalItems };
}

/** The server's own account publishes nothing. */
export function emptyOutbox(uri: string): JsonObject {
  return { id: `${uri}/outbox`, type: "OrderedCollection", totalItems: 0, orderedItems: [] };
}
