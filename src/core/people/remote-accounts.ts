import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { accounts } from "../../db/schema/index.ts";
import { isOwnHost } from "../addresses.ts";
import { hideAccount, removeLater } from "./account-deletion.ts";

/** Types of accounts, with their names on other servers. A service or an application is a bot. */
export type AccountType = "Person" | "Service" | "Group" | "Organization" | "Application";

/** An account as its own server describes it. HTML is sanitised, and everything is bounded. */
export interface RemoteProfile {
  uri: string;
  url: string;
  /** The handle that the domain (in lower case) assigns to this URI. */
  username: string;
  domain: string;
  type: AccountType;
  displayName: string;
  noteHtml: string;
  fields: readonly { name: string; html: string }[];
  locked: boolean;
  discoverable: boolean;
  indexable: boolean;
  memorial: boolean;
  hideCollections: boolean;
  attributionDomains: readonly string[];
  /** In milliseconds since 1970; null if its server doesn't say. */
  createdAt: number | null;
  /** The account that its owner uses instead. */
  movedToId: number | null;
  addresses: RemoteAddresses;
  /** The keys that sign its requests, as SPKI PEM. */
  keys: readonly { id: string; pem: string }[];
  /** The totals that its server reports. Undefined ones stay unchanged. */
  counts?: { followers: number | null; following: number | null; statuses: number | null };
}

/** The addresses of an account that only servers use. */
export interface RemoteAddresses {
  inbox: string;
  sharedInbox: string | null;
  outbox: string | null;
  followers: string | null;
  following: string | null;
  featured: string | null;
  featuredTags: string | null;
}

const SAVE = `
  INSERT INTO accounts (id, username, domain, uri, url, display_name, note_html, fields, locked, bot, discoverable,
    indexable, memorial, hide_collections, attribution_domains, actor_type, moved_to_id, origin_followers_count,
    origin_following_count, origin_statuses_count, created_at, updated_at)
  VALUES ($id, $username, $domain, $uri, $url, $displayName, $noteHtml, $fields, $locked, $bot, $discoverable,
    $indexable, $memorial, $hideCollections, $attributionDomains, $type, $movedToId, $followers,
    $following, $statuses, coalesce($createdAt, $now), $now)
  ON CONFLICT (uri) DO UPDATE SET
    username = excluded.username, domain = excluded.domain, url = excluded.url, display_name = excluded.display_name,
    note_html = excluded.note_html, fields = excluded.fields, locked = excluded.locked, bot = excluded.bot,
    discoverable = excluded.discoverable, indexable = excluded.indexable, memorial = excluded.memorial,
    hide_collections = excluded.hide_collections, attribution_domains = excluded.attribution_domains,
    actor_type = excluded.actor_type, moved_to_id = excluded.moved_to_id,
    origin_followers_count = iif($hasCounts, excluded.origin_followers_count, origin_followers_count),
    origin_following_count = iif($hasCounts, excluded.origin_following_count, origin_following_count),
    origin_statuses_count = iif($hasCounts, excluded.origin_statuses_count, origin_statuses_count),
    created_at = coalesce($createdAt, created_at), updated_at = excluded.updated_at`;

const SAVE_ADDRESSES = `
  INSERT INTO remote_accounts (account_id, inbox_url, shared_inbox_url, outbox_url, followers_url, following_url,
    featured_url, featured_tags_url, fetched_at)
  VALUES ($id, $inbox, $sharedInbox, $outbox, $followers, $following, $featured, $featuredTags, $now)
  ON CONFLICT (account_id) DO UPDATE SET
    inbox_url = excluded.inbox_url, shared_inbox_url = excluded.shared_inbox_url, outbox_url = excluded.outbox_url,
    followers_url = excluded.followers_url, following_url = excluded.following_url,
    featured_url = excluded.featured_url, featured_tags_url = excluded.featured_tags_url, fetched_at = excluded.fetched_at`;

/** Only the keys of the last change are kept, so an account that changes its keys all the time has few rows. */
const FORGET_RETIRED = "DELETE FROM retired_remote_keys WHERE account_id = +$id";
const CHANGED = `
  FROM remote_keys k WHERE k.account_id = +$id AND NOT EXISTS (
    SELECT 1 FROM json_each($keys) WHERE value ->> 'id' = k.key_id AND value ->> 'pem' = k.public_key)`;
const RETIRE_CHANGED = `
  INSERT INTO retired_remote_keys (key_id, account_id, public_key, retired_at)
  SELECT k.key_id, k.account_id, k.public_key, $now ${CHANGED}`;
const REMOVE_OTHER_KEYS = `
  DELETE FROM remote_keys WHERE account_id = +$id AND key_id NOT IN (SELECT value ->> 'id' FROM json_each($keys))`;
const SAVE_KEYS = `
  INSERT INTO remote_keys (key_id, account_id, public_key)
  SELECT value ->> 'id', $id, value ->> 'pem' FROM json_each($keys) WHERE true
  ON CONFLICT DO UPDATE SET public_key = excluded.public_key WHERE public_key <> excluded.public_key`;

/**
 * Inserts or updates the account with this URI, as just fetched, and returns its id. Null, without a change, if the
 * account is gone for good, if the profile claims to be of this server, or if another account has the handle: `takesHandle`
 * says that the domain now assigns the handle to this URI. The other account then loses its handle and is gone, since its
 * followers have not asked to follow its successor.
 */
export function saveRemoteAccount(
  ctx: Context,
  tx: Tx,
  profile: RemoteProfile,
  { takesHandle = false }: { takesHandle?: boolean } = {},
): number | null {
  const known = accountOfUri(tx, profile.uri);
  if (known?.gone_at != null || known?.domain === null) return null;
  if (isOwnHost(ctx, profile.domain) || isOwnHost(ctx, new URL(profile.uri).host)) return null;
  const holder = tx.get<Pick<KnownAccount, "id" | "gone_at">>(HOLDER, {
    username: profile.username,
    domain: profile.domain,
    uri: profile.uri,
  });
  if (holder && !takesHandle) return null;
  if (holder) giveUpHandle(ctx, tx, holder);
  const id = known?.id ?? ctx.ids.next();
  save(ctx, tx, id, profile);
  if (known && known.domain !== profile.domain) tx.run(APPLY_DOMAIN_BLOCK, { id, domain: profile.domain });
  return id;
}

const HOLDER = `
  SELECT id, gone_at FROM accounts
  WHERE lower(username) = lower($username) AND coalesce(domain, '') = +$domain AND uri <> +$uri`;

/** The new name contains a character that no username has. */
function giveUpHandle(ctx: Context, tx: Tx, { id, gone_at }: Pick<KnownAccount, "id" | "gone_at">): void {
  if (gone_at === null) markGone(ctx, tx, id);
  tx.run("UPDATE accounts SET username = username || '~' || id WHERE id = +$id", { id });
}

/** The trigger `accounts_of_blocked_domain` does the same for new accounts. Nothing that holds already is lifted. */
const APPLY_DOMAIN_BLOCK = `
  UPDATE accounts
  SET silenced_at = coalesce(silenced_at, iif(rule.severity = 'silence', rule.created_at, NULL)),
    suspended_at = coalesce(suspended_at, iif(rule.severity = 'suspend', rule.created_at, NULL))
  FROM (
    SELECT severity, created_at FROM domain_blocks
    WHERE +$domain = domain OR substr(+$domain, -length(domain) - 1) = '.' || domain
    ORDER BY length(domain) DESC LIMIT 1) rule
  WHERE accounts.id = +$id`;

function save(ctx: Context, tx: Tx, id: number, profile: RemoteProfile): void {
  const now = ctx.clock.now();
  const { createdAt, counts, addresses } = profile;
  tx.run(SAVE, {
    id,
    username: profile.username,
    domain: profile.domain,
    uri: profile.uri,
    url: profile.url,
    displayName: profile.displayName,
    noteHtml: profile.noteHtml,
    fields: JSON.stringify(profile.fields.map(({ name, html }) => ({ name, value: "", html, verified_at: null }))),
    locked: profile.locked ? 1 : 0,
    bot: profile.type === "Service" || profile.type === "Application" ? 1 : 0,
    discoverable: profile.discoverable ? 1 : 0,
    indexable: profile.indexable ? 1 : 0,
    memorial: profile.memorial ? 1 : 0,
    hideCollections: profile.hideCollections ? 1 : 0,
    attributionDomains: JSON.stringify(profile.attributionDomains),
    type: profile.type,
    movedToId: profile.movedToId,
    hasCounts: counts ? 1 : 0,
    followers: counts?.followers ?? null,
    following: counts?.following ?? null,
    statuses: counts?.statuses ?? null,
    createdAt: createdAt === null ? null : Math.min(createdAt, now),
    now,
  });
  tx.run(SAVE_ADDRESSES, { id, ...addresses, now });
  saveKeys(tx, id, JSON.stringify(profile.keys), now);
}

function saveKeys(tx: Tx, id: number, keys: string, now: number): void {
  if (tx.get(`SELECT 1 ${CHANGED}`, { id, keys })) {
    tx.run(FORGET_RETIRED, { id });
    tx.run(RETIRE_CHANGED, { id, keys, now });
    tx.run(REMOVE_OTHER_KEYS, { id, keys });
  }
  tx.run(SAVE_KEYS, { id, keys });
}

/**
 * Deletes a remote account that its server has deleted. Its row stays, so that a late message can't bring it back; a job
 * removes everything else.
 */
export function markGone(ctx: Context, tx: Tx, accountId: number): void {
  const sql = "SELECT 1 FROM accounts WHERE id = +$accountId AND domain IS NOT NULL AND gone_at IS NULL";
  if (!tx.get(sql, { accountId })) return;
  hideAccount(ctx, tx, accountId);
  removeLater(ctx, tx, accountId);
}

export type KnownAccount = Pick<
  typeof accounts.$inferSelect,
  "id" | "username" | "domain" | "suspended_at" | "gone_at"
> & {
  /** When its profile was fetched last; null for local accounts. */
  fetched_at: number | null;
};

/** The local or remote account with this URI. */
export function accountOfUri(db: Reads, uri: string): KnownAccount | null {
  return db.get<KnownAccount>(
    `SELECT a.id, a.username, a.domain, a.suspended_at, a.gone_at, r.fetched_at
     FROM accounts a LEFT JOIN remote_accounts r ON r.account_id = a.id WHERE a.uri = +$uri`,
    { uri },
  );
}

/**
 * Whether only the row of a remote account is left, for the sake of what users and moderators decided about it: it has
 * neither an inbox nor keys until it is fetched again.
 */
export function isPurged({ domain, fetched_at }: Pick<KnownAccount, "domain" | "fetched_at">): boolean {
  return domain !== null && fetched_at === null;
}
