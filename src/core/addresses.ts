import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import type { Handle } from "../lib/text/mentions.ts";
import { visibleTo } from "./visibility.ts";

/*
 * This server's own names: its hosts, its users' handles, and its URIs and URLs. A URI
 * identifies a row on all servers and never changes; a URL is the address of its page.
 */

/** Whether a host (in lower case) is this server: the one in its URLs or the one in its handles, which may differ. */
export function isOwnHost({ config }: Context, host: string): boolean {
  return host === config.handleDomain || host === new URL(config.origin).host;
}

/** The handle of a local user, `@name@domain`. */
export function localHandle({ config }: Context, username: string): string {
  return `@${username}@${config.handleDomain}`;
}

/** The user name in a local handle without its first `@`; null for any other text, such as an e-mail address. */
export function nameInHandle({ config }: Context, handle: string): string | null {
  const ending = `@${config.handleDomain}`;
  return handle.endsWith(ending) ? handle.slice(0, -ending.length) : null;
}

/** The domain in a handle as `accounts.domain` has it: null for local accounts, however their domain is written. */
export function remoteDomain(ctx: Context, domain: string | null): string | null {
  const host = domain?.toLowerCase() ?? null;
  return host === null || isOwnHost(ctx, host) ? null : host;
}

/** Splits `@name@domain`. The domain is null for local accounts. Returns null if this isn't a handle. */
export function parseHandle(ctx: Context, handle: string): Handle | null {
  const [, username, domain = null] = /^@?([^@\s/]{1,100})(?:@([^@\s/]{1,255}))?$/.exec(handle.trim()) ?? [];
  return username === undefined ? null : { username, domain: remoteDomain(ctx, domain) };
}

export function accountUri(ctx: Context, username: string): string {
  return localUrl(ctx, `/users/${username}`);
}

export function accountUrl(ctx: Context, username: string): string {
  return localUrl(ctx, `/@${username}`);
}

export function statusUri(ctx: Context, username: string, id: number): string {
  return `${accountUri(ctx, username)}/statuses/${id}`;
}

export function statusUrl(ctx: Context, username: string, id: number): string {
  return `${accountUrl(ctx, username)}/${id}`;
}

/** A reblog has no page, so this is also its URL. */
export function reblogUri(ctx: Context, username: string, id: number): string {
  return `${statusUri(ctx, username, id)}/activity`;
}

/** The URI of a local account's follow of a remote one, from the id of its follow request, which is never used again. */
export function followUri(ctx: Context, username: string, id: number): string {
  return `${accountUri(ctx, username)}#follows/${id}`;
}

/** The URI of a local account's block of a remote one, from the id of its row, which is never used again. */
export function blockUri(ctx: Context, username: string, id: number): string {
  return `${accountUri(ctx, username)}#blocks/${id}`;
}

/** The URI of a favourite by a local account, under which another server knows it. It has no page. */
export function favouriteUri(ctx: Context, username: string, favouriteId: number): string {
  return `${accountUri(ctx, username)}#favourites/${favouriteId}`;
}

/** The URI under which other servers find a local author's consent to a quote, from the id of the quote. */
export function quoteAuthorizationUri(ctx: Context, username: string, quoteId: number): string {
  return `${accountUri(ctx, username)}/quote_authorizations/${quoteId}`;
}

export const AUTHORIZATION_PARTS = {
  reply: "reply_authorizations",
  favourite: "like_authorizations",
  reblog: "announce_authorizations",
} as const;

/** The URI of a local author's consent to a reply, favourite or reblog, from the id of its row. */
export function interactionAuthorizationUri(
  ctx: Context,
  username: string,
  kind: keyof typeof AUTHORIZATION_PARTS,
  id: number,
): string {
  return `${accountUri(ctx, username)}/${AUTHORIZATION_PARTS[kind]}/${id}`;
}

/** `name` is normalised. */
export function tagUrl(ctx: Context, name: string): string {
  return localUrl(ctx, `/tags/${encodeURIComponent(name)}`);
}

/** The URL of a file in the media folder. */
export function mediaUrl(ctx: Context, file: string): string {
  return localUrl(ctx, `/media/${file}`);
}

/** The URL for a missing picture: apps recognise a path with this ending as "none". */
export function missingPictureUrl(ctx: Context, kind: "avatars" | "headers"): string {
  return localUrl(ctx, `/${kind}/original/missing.png`);
}

/** The URL of a path on this server, which begins with a slash. */
export function localUrl({ config }: Context, path: string): string {
  return `${config.origin}${path}`;
}

/** The user name, and the status id if there is one, in the URI or URL of a local account or status. */
export interface LocalName {
  username: string;
  statusId: number | null;
}

/** Parses a URI or URL of this server's accounts and statuses, as it may be pasted; null for anything else. */
export function parseAddress({ config }: Context, address: string): LocalName | null {
  const url = URL.parse(address);
  if (url?.origin !== config.origin) return null;
  const [, username, id] = /^\/(?:@|users\/)(\w+)(?:\/(?:statuses\/)?(\d+))?\/?$/.exec(url.pathname) ?? [];
  const statusId = parseId(id);
  return username === undefined || (id !== undefined && statusId === null) ? null : { username, statusId };
}

const STATUS_AT = `
  SELECT s.id FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$id AND a.domain IS NULL AND lower(a.username) = lower($username) AND s.reblog_of_id IS NULL
    AND ${visibleTo()}`;

/**
 * The id of the local status with this URI or URL, if the viewer (0 for none) may see it.
 *
 * @throws Refusal for any other address
 */
export function statusAt(ctx: Context, viewerId: number, address: string): number {
  const name = parseAddress(ctx, address);
  const status =
    name && ctx.db.get<{ id: number }>(STATUS_AT, { id: name.statusId, username: name.username, viewer: viewerId });
  if (!status) throw notFound();
  return status.id;
}

const LOCAL_STATUS = `
  SELECT s.id FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = +$id AND s.local = 1 AND ($username IS NULL OR lower(a.username) = lower($username))`;

/** The local status with this URI, URL or id, also one that few may see; null for any other address. */
export function localStatusNamed(ctx: Context, address: string): number | null {
  const name = parseAddress(ctx, address);
  const params = { id: name ? name.statusId : parseId(address), username: name?.username ?? null };
  return ctx.db.get<{ id: number }>(LOCAL_STATUS, params)?.id ?? null;
}
