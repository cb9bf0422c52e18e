import type { Context } from "../context.ts";
import { idList } from "../db/json.ts";
import { Keyset, type Page, type ListItem } from "../db/keyset.ts";
import type { Reads } from "../db/open.ts";
import type { accounts } from "../db/schema/index.ts";
import { notFound, Refusal } from "../errors.ts";
import { localHandle, parseHandle } from "./addresses.ts";
import { blocks, isSuspended, hiddenInLists, visibleTo } from "./visibility.ts";

export type AccountRow = Pick<
  typeof accounts.$inferSelect,
  "id" | "username" | "domain" | "locked" | "hide_collections" | "suspended_at"
>;

/** A field of a profile, as `accounts.fields` has it in a JSON list. */
export interface StoredField {
  name: string;
  value: string;
  html: string;
  verified_at: number | null;
}

/** Accounts pending approval are invisible. An SQL condition on `accounts a`. */
export const IS_APPROVED = "NOT EXISTS (SELECT 1 FROM users WHERE account_id = a.id AND NOT approved)";

const COLUMNS = "a.id, a.username, a.domain, a.locked, a.hide_collections, a.suspended_at";

const FIND = `SELECT ${COLUMNS} FROM accounts a WHERE a.id = +$id AND ${IS_APPROVED}`;
const AMONG = `SELECT a.id FROM json_each($ids) j JOIN accounts a ON a.id = j.value WHERE ${IS_APPROVED} ORDER BY j.key`;
const BLOCKED_BY = `SELECT 1 WHERE ${blocks("+$accountId", "+$viewer")}`;

/**
 * The account with this id.
 *
 * @throws Refusal if there is none, or if it is pending approval
 */
export function findAccount(ctx: Context, id: number | null): AccountRow {
  const row = id === null ? null : ctx.db.get<AccountRow>(FIND, { id });
  if (!row) throw notFound();
  return row;
}

/** The ids that exist, without duplicates, in the order given. */
export function existingAccounts(ctx: Context, ids: readonly number[]): number[] {
  return ctx.db.all<{ id: number }>(AMONG, { ids: idList(new Set(ids)) }).map(({ id }) => id);
}

/** The username of a local account; null for a remote one. */
export function localUsername(db: Reads, id: number): string | null {
  const sql = "SELECT username FROM accounts WHERE id = +$id AND domain IS NULL";
  return db.get<{ username: string }>(sql, { id })?.username ?? null;
}

export function isLocal(db: Reads, id: number): boolean {
  return localUsername(db, id) !== null;
}

/** Whether the owner of an account uses another one now, and wants to be followed there. */
export function hasMoved(db: Reads, id: number): boolean {
  return db.get("SELECT 1 FROM accounts WHERE id = +$id AND moved_to_id IS NOT NULL", { id }) !== null;
}

/** @throws Refusal if a local account has moved: it neither posts nor follows */
export function refuseMoved(db: Reads, accountId: number): void {
  if (!hasMoved(db, accountId)) return;
  throw new Refusal(
    "forbidden",
    "This account has moved to another one: cancel the move to post, boost or follow here.",
  );
}

/** The whole handle of an account, `@name@domain`. */
export function handleOf(ctx: Context, { username, domain }: Pick<AccountRow, "username" | "domain">): string {
  return domain === null ? localHandle(ctx, username) : `@${username}@${domain}`;
}

/** Whether an account blocks the viewer, who can then see only its profile. */
export function isBlockedBy(ctx: Context, viewerId: number, accountId: number): boolean {
  return ctx.db.get(BLOCKED_BY, { viewer: viewerId, accountId }) !== null;
}

/** The account with this handle; null if it is unknown here. */
export function lookupAccount(ctx: Context, handle: string): AccountRow | null {
  const parsed = parseHandle(ctx, handle);
  if (!parsed) return null;
  return ctx.db.get<AccountRow>(
    `SELECT ${COLUMNS} FROM accounts a WHERE lower(a.username) = lower($username) AND coalesce(a.domain, '') = +$domain AND ${IS_APPROVED}`,
    { username: parsed.username, domain: parsed.domain ?? "" },
  );
}

/**
 * The account with this handle. If it is unknown here, its server is asked; for anonymous viewers only if it is known,
 * since they must not cause requests to other servers.
 */
export async function resolveHandle(ctx: Context, viewerId: number, handle: string): Promise<AccountRow | null> {
  const known = lookupAccount(ctx, handle);
  const { username, domain } = parseHandle(ctx, handle) ?? { username: "", domain: null };
  if (known || domain === null || viewerId === 0) return known;
  const id = await ctx.remote.account({ username, domain });
  return id === null ? null : findAccount(ctx, id);
}

const FOLLOWED = "EXISTS (SELECT 1 FROM follows WHERE account_id = +$viewer AND target_account_id = a.id)";
const SEARCH = `
  SELECT a.id FROM accounts a
  WHERE (
      (lower(a.username) >= +$name AND lower(a.username) < $name || char(1114111) AND ($domainPattern IS NULL OR coalesce(a.domain, '') LIKE +$domainPattern ESCAPE '\\'))
      OR ($domainPattern IS NULL AND a.display_name LIKE +$displayName ESCAPE '\\'))
    AND (NOT $following OR ${FOLLOWED}) AND ${IS_APPROVED} AND NOT ${isSuspended("a.id")}
  ORDER BY lower(a.username) = +$name DESC, ${FOLLOWED} DESC, a.followers_count DESC, a.id
  LIMIT +$limit OFFSET +$offset`;

export interface AccountSearch {
  q: string;
  limit: number;
  offset: number;
  /** Whether to find only accounts that the viewer follows. */
  following: boolean;
}

/**
 * Accounts whose username starts with the text or whose display name contains it. Exact matches come first, then
 * accounts that the viewer follows. With `resolve`, an unknown account whose whole handle is given is fetched.
 */
export async function searchAccounts(
  ctx: Context,
  viewerId: number,
  { resolve, ...search }: AccountSearch & { resolve: boolean },
): Promise<number[]> {
  const { q, offset, limit, following } = search;
  const isHandle = /.@/.test(q) && offset === 0 && !following;
  const exact = resolve && isHandle ? await resolveHandle(ctx, viewerId, q) : null;
  const found = searchKnown(ctx, viewerId, search);
  if (!exact || exact.suspended_at !== null) return found;
  // The server may have answered with another handle than the one that was searched for.
  return [exact.id, ...found.filter((id) => id !== exact.id)].slice(0, limit);
}

function searchKnown(ctx: Context, viewerId: number, search: AccountSearch): number[] {
  const text = search.q.trim().replace(/^@/, "").toLowerCase();
  const [name = "", domain] = text.split("@");
  if (name === "") return [];
  const like = (part: string) => part.replace(/[\\%_]/g, "\\$&");
  const own = domain !== undefined && parseHandle(ctx, `${name}@${domain}`)?.domain === null;
  const domainPattern = domain === undefined ? null : own ? "" : `${like(domain)}%`;
  const { limit, offset, following } = search;
  return ctx.db
    .all<{ id: number }>(SEARCH, {
      name,
      domainPattern,
      displayName: `%${like(text)}%`,
      viewer: viewerId,
      limit,
      offset,
      following: following ? 1 : 0,
    })
    .map(({ id }) => id);
}

const FAVOURITED_BY = new Keyset<ListItem>(
  `SELECT f.account_id AS id, f.id AS cursor FROM favourites f
   WHERE f.status_id = +$statusId AND NOT ${hiddenInLists("f.account_id")}`,
  "f.id",
);
const REBLOGGED_BY = new Keyset<ListItem>(
  `SELECT s.account_id AS id, s.id AS cursor FROM statuses s
   WHERE s.reblog_of_id = +$statusId AND ${visibleTo()} AND NOT ${hiddenInLists("s.account_id")}`,
  "s.id",
);

export function favouritedBy(ctx: Context, viewerId: number, statusId: number, page: Page): ListItem[] {
  return FAVOURITED_BY.page(ctx.db, page, { statusId, viewer: viewerId, now: ctx.clock.now() });
}

export function rebloggedBy(ctx: Context, viewerId: number, statusId: number, page: Page): ListItem[] {
  return REBLOGGED_BY.page(ctx.db, page, { statusId, viewer: viewerId, now: ctx.clock.now() });
}
