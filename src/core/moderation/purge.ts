import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { PurgePoint } from "../../db/pruning-point.ts";
import { enqueue } from "../../db/queue.ts";
import { deliver } from "../deliveries.ts";
import { deleteForgotten } from "../people/account-deletion.ts";
import { endTies } from "../people/severances.ts";
import { includesHost, isSuspendedHost } from "../refused-hosts.ts";

/*
 * Removes what this server has of another one: of a suspended domain with its subdomains, or of one host that the owner
 * forgets. Nothing stays that would hinder a new beginning.
 */

/** Accounts without posts that are removed in one transaction, or rows of an account: requests wait for milliseconds. */
const SLICE = 25;
/** Accounts and addresses that are only examined. */
const EXAMINED = 1000;

/** The hosts of a purge. */
export type Purged = Pick<PurgePoint, "host" | "isSuspension">;

type AccountsPoint = PurgePoint & { stage: "accounts" };

/** Whether a purge is about a host. A subdomain with a milder block of its own is not suspended. */
export function isPurged(db: Reads, { host, isSuspension }: Purged, given: string): boolean {
  if (!isSuspension) return given === host;
  return includesHost(host, given) && isSuspendedHost(db, given);
}

/** The host of an address in a row. */
function hostIn(address: string): string {
  return URL.parse(address)?.host ?? "";
}

interface AccountRow {
  id: number;
  domain: string;
  uri: string;
}

const ACCOUNTS = `
  SELECT id, coalesce(domain, '') AS domain, uri FROM accounts
  WHERE id > +$after AND id < +$before AND domain IS NOT NULL ORDER BY id LIMIT +$limit`;

/** A block is about the domains of handles. A forgotten host is that of addresses or handles. */
function isMeant(db: Reads, purged: Purged, { domain, uri }: AccountRow): boolean {
  return isPurged(db, purged, domain) || (!purged.isSuspension && hostIn(uri) === purged.host);
}

/**
 * Enqueues the purge of a host, after the deliveries of this transaction are prepared: they need the accounts that it
 * removes.
 */
export function purgeAfterDeliveries(ctx: Context, tx: Tx, purged: Purged): void {
  deliver(ctx, tx, { type: "host.purged", ...purged });
}

/** Accounts that are created from now on are not removed. */
export function purgeLater(ctx: Context, tx: Tx, { host, isSuspension }: Purged): void {
  continuePurge(ctx, tx, { host, isSuspension, before: ctx.ids.next(), stage: "accounts", after: 0 }, 0);
}

export function continuePurge(ctx: Context, tx: Tx, point: PurgePoint, delay: number): void {
  const key = `host.purge ${point.host} ${point.before}`;
  enqueue(ctx, tx, "host.purge", point, { runAt: ctx.clock.now() + delay, key });
}

/** Removes a slice of the accounts. Returns the id after which the next slice starts; null if there is none. */
export function purgeAccounts(ctx: Context, tx: Tx, point: AccountsPoint): number | null {
  const { before, after } = point;
  const examined = tx.all<AccountRow>(ACCOUNTS, { after, before, limit: EXAMINED });
  let left = SLICE;
  for (const [at, account] of examined.entries()) {
    if (!isMeant(tx, point, account)) continue;
    for (let removed = -1; removed !== 0 && left > 0; left -= Math.max(removed, 1)) {
      removed = deleteForgotten(ctx, tx, account.id);
      if (removed === 0) removeRow(tx, account.id);
    }
    // It may have more.
    if (left <= 0) return examined[at - 1]?.id ?? after;
  }
  return examined.length < EXAMINED ? null : examined.at(-1)!.id;
}

const isByBlock = (column: string) => `${column} IN (SELECT created_at FROM domain_blocks)`;

/** Decisions of users and moderators about an account outlive it: it must not shake them off. */
const DECIDED = `
  SELECT 1 FROM accounts a WHERE a.id = +$id AND a.gone_at IS NULL AND (
    a.sensitized_at IS NOT NULL
    OR (a.suspended_at IS NOT NULL AND NOT ${isByBlock("a.suspended_at")})
    OR (a.silenced_at IS NOT NULL AND NOT ${isByBlock("a.silenced_at")})
    OR EXISTS (SELECT 1 FROM blocks WHERE target_account_id = a.id)
    OR EXISTS (SELECT 1 FROM mutes WHERE target_account_id = a.id)
    OR EXISTS (SELECT 1 FROM reports WHERE target_account_id = a.id)
    OR EXISTS (SELECT 1 FROM account_warnings WHERE target_account_id = a.id))`;
const EMPTY = `
  UPDATE accounts SET display_name = '', note_html = '', fields = '[]', attribution_domains = '[]',
    avatar_remote_url = NULL, avatar_description = '', header_remote_url = NULL, header_description = '',
    moved_to_id = NULL, followers_count = 0, following_count = 0, statuses_count = 0, last_status_at = NULL,
    origin_followers_count = NULL, origin_following_count = NULL, origin_statuses_count = NULL
  WHERE id = +$id`;

function removeRow(tx: Tx, id: number): void {
  tx.run(tx.get(DECIDED, { id }) ? EMPTY : "DELETE FROM accounts WHERE id = +$id", { id });
}

const TOMBSTONES = "SELECT DISTINCT uri FROM tombstones WHERE uri > +$after ORDER BY uri LIMIT +$limit";

/** Forgets a slice of the deleted statuses: otherwise they could never be fetched again. */
export function purgeTombstones(tx: Tx, purged: Purged, after: string): string | null {
  const uris = tx.all<{ uri: string }>(TOMBSTONES, { after, limit: EXAMINED }).map(({ uri }) => uri);
  const meant = uris.filter((uri) => isPurged(tx, purged, hostIn(uri)));
  tx.run("DELETE FROM tombstones WHERE uri IN (SELECT value FROM json_each($uris))", { uris: JSON.stringify(meant) });
  return uris.length < EXAMINED ? null : uris.at(-1)!;
}

const EMOJI_DOMAINS = "SELECT DISTINCT coalesce(domain, '') AS domain FROM custom_emojis WHERE domain IS NOT NULL";

/** Removes the emoji, and has the copies of all removed media evicted from the cache. */
export function purgeEmojis(ctx: Context, tx: Tx, purged: Purged): void {
  for (const { domain } of tx.all<{ domain: string }>(EMOJI_DOMAINS)) {
    if (isPurged(tx, purged, domain))
      tx.run("DELETE FROM custom_emojis WHERE coalesce(domain, '') = +$domain", { domain });
  }
  enqueue(ctx, tx, "cache.evict", {}, { key: "cache.evict now" });
}

export interface HostSize {
  accounts: number;
  statuses: number;
}

const ALL_ACCOUNTS = "SELECT id, coalesce(domain, '') AS domain, uri FROM accounts WHERE domain IS NOT NULL";
const STATUSES = `
  SELECT count(*) AS count FROM json_each($ids) j JOIN statuses s ON s.account_id = j.value`;

function accountsOf(db: Reads, host: string): number[] {
  const purged = { host, isSuspension: false };
  return db.all<AccountRow>(ALL_ACCOUNTS).flatMap((account) => (isMeant(db, purged, account) ? [account.id] : []));
}

/** The numbers of known accounts and posts of a host. */
export function sizeOfHost(db: Reads, host: string): HostSize {
  const ids = accountsOf(db, host);
  return { accounts: ids.length, statuses: db.get<{ count: number }>(STATUSES, { ids: idList(ids) })!.count };
}

/**
 * Ends the follows between local users and the accounts of a host, and has these accounts removed with all that is known of
 * the host. What it sends from then on is received.
 */
export function forgetHost(ctx: Context, host: string): void {
  ctx.db.transaction((tx) => {
    endTies(ctx, tx, accountsOf(tx, host), { isFarewell: true });
    purgeAfterDeliveries(ctx, tx, { host, isSuspension: false });
  });
}
