import type { Context } from "../context.ts";
import { isOwnHost, parseAddress } from "../core/addresses.ts";
import { hostOf } from "./documents.ts";
import { Rejection } from "./inbox/rejection.ts";

/** Whether an address is on this server: only its rows say what is there. */
export function isOwnAddress(ctx: Context, uri: string): boolean {
  const host = hostOf(uri);
  return host !== null && isOwnHost(ctx, host);
}

const ACCOUNT = `
  SELECT a.id, a.username FROM accounts a JOIN users u ON u.account_id = a.id
  WHERE a.uri = +$uri AND u.approved AND a.suspended_at IS NULL`;

/** The local account with this URI; null for any other address, and for suspended and unapproved accounts. */
export function localAccountAt(ctx: Context, uri: string | null): { id: number; username: string } | null {
  return uri === null ? null : ctx.db.get<{ id: number; username: string }>(ACCOUNT, { uri });
}

interface InboxOwner {
  suspended_at: number | null;
  approved: number | null;
}

const INBOX_OWNER = `
  SELECT a.suspended_at, u.approved FROM accounts a LEFT JOIN users u ON u.account_id = a.id
  WHERE lower(a.username) = lower($username) AND a.domain IS NULL`;

/** @throws Rejection unless a local account with this name can receive something */
export function requireInbox(ctx: Context, username: string): void {
  const owner = ctx.db.get<InboxOwner>(INBOX_OWNER, { username });
  if (!owner || owner.approved === 0) throw new Rejection(404, "There is no such account on this server");
  if (owner.suspended_at !== null || owner.approved === null) throw new Rejection(410, "This account is gone");
}

/** The name of the local account whose URI or URL this is; null for anything else. */
export function localNameIn(ctx: Context, uri: string): string | null {
  const name = parseAddress(ctx, uri);
  return name?.statusId === null ? name.username : null;
}
