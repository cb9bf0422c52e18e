import type { Context } from "../../context.ts";
import { isRefusedHost } from "../../core/refused-hosts.ts";
import { idList } from "../../db/json.ts";
import { hostOf } from "../documents.ts";
import { forgottenBefore } from "./send.ts";

/** The remote accounts that an activity is for. */
export interface Audience {
  /** All remote followers of this account. */
  followersOf?: number;
  accountIds?: readonly number[];
  /** Whether relays get it, too. */
  relays?: boolean;
  /** Further inboxes. */
  inboxes?: readonly string[];
  /** The other servers hand what arrives in a shared inbox to everyone it is addressed to. */
  inbox: "shared" | "personal";
}

const SHARED = `
  SELECT DISTINCT coalesce(r.shared_inbox_url, r.inbox_url) AS url
  FROM (
    SELECT f.account_id AS id FROM follows f WHERE f.target_account_id = +$followed
    UNION SELECT value FROM json_each($ids)) reached
  JOIN remote_accounts r ON r.account_id = reached.id JOIN accounts a ON a.id = reached.id
  WHERE a.suspended_at IS NULL AND a.gone_at IS NULL`;

/** A suspended account has to learn that its follow was rejected, since its server doesn't know of the suspension. */
const PERSONAL = `
  SELECT DISTINCT r.inbox_url AS url
  FROM json_each($ids) reached JOIN remote_accounts r ON r.account_id = reached.value JOIN accounts a ON a.id = reached.value
  WHERE a.gone_at IS NULL`;

const RELAYS = "SELECT inbox AS url FROM relays WHERE state = 'accepted'";

/** The inboxes of an audience. */
export function inboxesOf(ctx: Context, audience: Audience): string[] {
  const { relays = false, inboxes = [] } = audience;
  const urls = relays ? ctx.db.all<{ url: string }>(RELAYS).map(({ url }) => url) : [];
  return [...new Set([...inboxesOfAccounts(ctx, audience), ...urls, ...inboxes])];
}

function inboxesOfAccounts(ctx: Context, { followersOf = 0, accountIds = [], inbox }: Audience): string[] {
  const ids = idList(accountIds);
  const found =
    inbox === "shared"
      ? ctx.db.all<{ url: string }>(SHARED, { followed: followersOf, ids })
      : ctx.db.all<{ url: string }>(PERSONAL, { ids });
  return found.map(({ url }) => url);
}

const FORGOTTEN = `
  SELECT url FROM missing_inboxes WHERE url IN (SELECT value FROM json_each($urls)) AND since <= +$before`;

/** The inboxes without those of refused hosts, those that are gone, and those that are no addresses. */
export function openInboxes(ctx: Context, urls: readonly string[]): string[] {
  const gone = ctx.db.all<{ url: string }>(FORGOTTEN, { urls: JSON.stringify(urls), before: forgottenBefore(ctx) });
  const forgotten = new Set(gone.map(({ url }) => url));
  const hosts = new Set(urls.map(hostOf));
  const accepted = new Set([...hosts].filter((host) => host !== null && !isRefusedHost(ctx, host)));
  return urls.filter((url) => !forgotten.has(url) && accepted.has(hostOf(url)));
}
