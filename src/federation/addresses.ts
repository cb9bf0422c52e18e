import type { Context } from "../context.ts";
import { accountUri, localUrl } from "../core/addresses.ts";

/*
 * The addresses that only other servers use. Those of accounts and statuses themselves are in core/addresses.ts. Most are
 * below the account's URI, so that a proxy needs one rule for all.
 */

/** The account that stands for the server itself. It signs requests that no user makes. */
export function serverActorUri(ctx: Context): string {
  return localUrl(ctx, "/actor");
}

/** The server's own user name: its domain, without a port. */
export function serverActorName({ config }: Context): string {
  return config.handleDomain.replace(/:\d+$/, "");
}

export function sharedInboxUrl(ctx: Context): string {
  return localUrl(ctx, "/inbox");
}

/** The collections and the inbox of a local account. */
export type AccountPart =
  | "inbox"
  | "outbox"
  | "followers"
  | "followers_synchronization"
  | "following"
  | "collections/featured"
  | "collections/tags";

export function accountPartUrl(ctx: Context, username: string, part: AccountPart): string {
  return `${accountUri(ctx, username)}/${part}`;
}

/** The id of an account's key: a fragment, since some servers refuse a path. Null for the server itself. */
export function keyIdOf(ctx: Context, username: string | null): string {
  return `${username === null ? serverActorUri(ctx) : accountUri(ctx, username)}#main-key`;
}
