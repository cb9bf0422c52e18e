import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { relays } from "../../db/schema/index.ts";
import { Refusal } from "../../errors.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { deliver } from "../deliveries.ts";
import { reportForServer } from "./reports.ts";
import { accountOfUri } from "../people/remote-accounts.ts";

/*
 * Relays hand on the public posts of their members, so that the public and hashtag timelines of a small server have some.
 * A post that a relay names counts only as its own server has it.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Counts are kept for each period of this length. */
const PERIOD = 10 * MINUTE;
/** A relay is paused when it has named this many posts within an hour that their servers don't have. */
const MAX_MISSING = 20;

export type RelayRow = Omit<typeof relays.$inferSelect, "created_at">;

const COLUMNS = "r.id, r.address, r.kind, r.inbox, r.account_uri, r.follow_uri, r.state, r.paused_at";
const WITH_ADDRESS = `SELECT ${COLUMNS} FROM relays r WHERE r.address = +$address`;
const WITH_ID = `SELECT ${COLUMNS} FROM relays r WHERE r.id = +$id`;

export function relayWith(db: Reads, id: number): RelayRow | null {
  return db.get<RelayRow>(WITH_ID, { id });
}

/** A relay to be asked for posts. Of one of the kind `mastodon`, the account is known once it answers. */
export interface NewRelay {
  address: string;
  kind: RelayRow["kind"];
  inbox: string;
  accountUri: string | null;
  followUri: string;
}

export type Added = "asked" | "asked again" | "resumed";

/** The relay with this address; null if there is none. @throws Refusal if there is nothing to do for it */
export function relayToAdd(db: Reads, address: string): RelayRow | null {
  const known = db.get<RelayRow>(WITH_ADDRESS, { address });
  if (known?.state === "accepted" && known.paused_at === null) {
    throw new Refusal("conflict", `The relay ${address} has been added already.`);
  }
  return known;
}

const ADD = `
  INSERT INTO relays (address, kind, inbox, account_uri, follow_uri, created_at)
  VALUES ($address, $kind, $inbox, $accountUri, $followUri, $now)
  ON CONFLICT (address) DO UPDATE SET kind = excluded.kind, inbox = excluded.inbox, account_uri = excluded.account_uri,
    follow_uri = excluded.follow_uri, state = 'pending', paused_at = NULL
  RETURNING id`;

/** Asks a relay for posts, also one that has not answered or has refused. */
export function addRelay(ctx: Context, relay: NewRelay): void {
  ctx.db.transaction((tx) => {
    const { id: relayId } = tx.get<{ id: number }>(ADD, { ...relay, now: ctx.clock.now() })!;
    deliver(ctx, tx, { type: "relay.followed", relayId });
  });
}

/** Accepts posts of a paused relay again. */
export function resumeRelay(ctx: Context, { id }: RelayRow): void {
  ctx.db.transaction((tx) => {
    tx.run("UPDATE relays SET paused_at = NULL WHERE id = +$id", { id });
    tx.run("UPDATE relay_counts SET missing = 0 WHERE relay_id = +$id", { id });
  });
}

/** Ends the exchange with a relay. Its posts stay. */
export function removeRelay(ctx: Context, address: string): void {
  ctx.db.transaction((tx) => {
    const relay = tx.get<RelayRow>(WITH_ADDRESS, { address });
    if (!relay) throw new Refusal("not_found", `There is no relay ${address}. "linnet relay list" lists them.`);
    const { id, kind, inbox, account_uri: accountUri, follow_uri: followUri } = relay;
    deliver(ctx, tx, { type: "relay.left", kind, inbox, accountUri, followUri });
    tx.run("DELETE FROM relays WHERE id = +$id", { id });
  });
}

/** A relay with the number of its posts that were stored in the last 24 hours. */
export interface ListedRelay extends RelayRow {
  posts: number;
}

const LIST = `
  SELECT ${COLUMNS},
    (SELECT coalesce(sum(c.posts), 0) FROM relay_counts c WHERE c.relay_id = r.id AND c.since > +$after) AS posts
  FROM relays r ORDER BY r.id`;

export function listRelays(ctx: Context): ListedRelay[] {
  return ctx.db.all<ListedRelay>(LIST, { after: ctx.clock.now() - DAY });
}

const WITH_ACCOUNT = `SELECT ${COLUMNS} FROM relays r WHERE r.account_uri = +$uri`;
const UNANSWERED = `
  SELECT ${COLUMNS} FROM relays r JOIN remote_accounts a ON r.inbox IN (a.inbox_url, a.shared_inbox_url)
  WHERE r.account_uri IS NULL AND a.account_id = +$accountId`;

/**
 * The relays for which an account speaks: its own, and those that have not answered and have its inbox. The caller checks
 * that such an inbox is on the account's server.
 */
export function relaysOf(db: Reads, account: { id: number; uri: string }): RelayRow[] {
  const known = db.all<RelayRow>(WITH_ACCOUNT, { uri: account.uri });
  return known.length > 0 ? known : db.all<RelayRow>(UNANSWERED, { accountId: account.id });
}

/** The accepted relay for which an account speaks; null if there is none. */
export function acceptedRelayOf(db: Reads, uri: string): RelayRow | null {
  return db.all<RelayRow>(WITH_ACCOUNT, { uri }).find(({ state }) => state === "accepted") ?? null;
}

/** Notes a relay's answer, and the account that gave it. A relay may refuse later. */
export function noteRelayAnswer(tx: Tx, { id }: RelayRow, accountUri: string, state: "accepted" | "refused"): void {
  tx.run("UPDATE relays SET state = $state, account_uri = $accountUri WHERE id = +$id", { id, state, accountUri });
}

const COUNT = `
  INSERT INTO relay_counts (relay_id, since, posts, missing)
  SELECT id, $since, $posts, $missing FROM relays WHERE id = +$relayId
  ON CONFLICT (relay_id, since) DO UPDATE SET posts = posts + $posts, missing = missing + $missing`;

function count(ctx: Context, tx: Tx, relayId: number, added: { posts: number; missing: number }): void {
  tx.run(COUNT, { relayId, since: Math.floor(ctx.clock.now() / PERIOD) * PERIOD, ...added });
}

/** Counts a stored post of a relay. */
export function countRelayed(ctx: Context, tx: Tx, relayId: number): void {
  count(ctx, tx, relayId, { posts: 1, missing: 0 });
}

const MISSING =
  "SELECT coalesce(sum(missing), 0) AS missing FROM relay_counts WHERE relay_id = +$relayId AND since > +$after";

/** Counts a post of a relay that its own server doesn't have. Too many of them, of several sites, pause the relay. */
export function countMissing(ctx: Context, tx: Tx, relayId: number, uri: string): void {
  const now = ctx.clock.now();
  if (ctx.background.missingPosts.take(`${relayId} ${siteOf(uri)}`, now).exceeded) return;
  count(ctx, tx, relayId, { posts: 0, missing: 1 });
  const relay = relayWith(tx, relayId);
  const { missing } = tx.get<{ missing: number }>(MISSING, { relayId, after: now - HOUR })!;
  if (!relay || relay.paused_at !== null || missing < MAX_MISSING) return;
  tx.run("UPDATE relays SET paused_at = $now WHERE id = +$relayId", { relayId, now });
  ctx.log.warn("the relay {address} is paused: {missing} of its posts don't exist", {
    address: relay.address,
    missing,
  });
  reportPause(ctx, tx, relay, missing);
}

/** The moderators see the report in their app, and `linnet report list` has it. */
function reportPause(ctx: Context, tx: Tx, { address, account_uri: uri }: RelayRow, missing: number): void {
  const account = uri === null ? null : accountOfUri(tx, uri);
  if (!account) return;
  const comment =
    `Linnet has paused the relay ${address}: within an hour it named ${missing} posts that don't exist on their servers. ` +
    `Run "linnet relay add ${address}" to accept its posts again, or "linnet relay remove ${address}".`;
  reportForServer(ctx, tx, account.id, comment);
}

/** Forgets counts that no list shows. */
export function removeOldRelayCounts(ctx: Context, tx: Tx): void {
  tx.run("DELETE FROM relay_counts WHERE since < +$before", { before: ctx.clock.now() - DAY - PERIOD });
}
