import type { Context } from "../context.ts";
import type { Reads, Tx } from "../db/open.ts";
import { localUsername } from "../core/accounts.ts";
import { followUri } from "../core/addresses.ts";
import { deliver } from "../core/deliveries.ts";
import { acceptFollow, endFollow, isFollowing } from "../core/people/follows.ts";
import { noteFollowAnswer } from "../core/people/sent-follows.ts";

/** The follow of a remote account by a local one. */
export interface LocalFollower {
  followId: number;
  accountId: number;
  uri: string;
}

/** Loops over the few local users. */
const LOCAL_FOLLOWERS = `
  SELECT f.id AS followId, a.id AS accountId, a.uri
  FROM users u CROSS JOIN follows f ON f.account_id = u.account_id AND f.target_account_id = +$targetId
  JOIN accounts a ON a.id = u.account_id`;

export function localFollowersOf(db: Reads, targetId: number): LocalFollower[] {
  return db.all<LocalFollower>(LOCAL_FOLLOWERS, { targetId });
}

/** A suspension may end, and the follows with it stay. */
const LISTED = "SELECT a.id FROM accounts a JOIN users u ON u.account_id = a.id WHERE a.uri = +$uri AND u.approved";

/** The ids of the local accounts among these addresses, also of suspended ones. */
export function localAmong(db: Reads, uris: Iterable<string>): Set<number> {
  const rows = [...uris].map((uri) => db.get<{ id: number }>(LISTED, { uri }));
  return new Set(rows.flatMap((row) => row?.id ?? []));
}

/**
 * Follows unknown here that one comparison undoes: each is a delivery, and any account of any server may list all local
 * users. A restored backup rarely lacks more, and the next comparison undoes the rest.
 */
const MAX_UNDONE = 20;

const SAME_FOLLOW = "SELECT 1 FROM follows WHERE id = +$followId";

/**
 * Makes the follows of a remote account the same here as on its server, which decides: a follow that it doesn't list
 * ends. One that it lists and that isn't known here ends there, a few at a time. `before` are the follows that were known
 * when its server was asked: later ones may not be listed yet.
 */
export function adoptFollowers(
  ctx: Context,
  tx: Tx,
  targetId: number,
  { before, listed }: { before: readonly LocalFollower[]; listed: ReadonlySet<number> },
): void {
  for (const { followId, accountId } of before) {
    if (!listed.has(accountId) && tx.get(SAME_FOLLOW, { followId })) endFollow(ctx, tx, accountId, targetId);
  }
  const unknown: number[] = [];
  for (const accountId of listed) {
    const pair = { accountId, targetId };
    if (isFollowing(tx, pair)) continue;
    if (acceptFollow(ctx, tx, accountId, targetId)) noteFollowAnswer(ctx, tx, pair, "accepted");
    else unknown.push(accountId);
  }
  for (const accountId of unknown.slice(0, MAX_UNDONE)) {
    deliver(ctx, tx, { type: "follow.deleted", accountId, targetId, uri: unknownFollow(ctx, tx, accountId) });
  }
}

/** The other server finds the follow by its parts: its URI is not known here. */
function unknownFollow(ctx: Context, tx: Tx, accountId: number): string {
  return followUri(ctx, localUsername(tx, accountId)!, ctx.ids.next());
}

const SENT = `
  SELECT f.target_account_id AS targetId, f.uri FROM follows f JOIN accounts a ON a.id = f.target_account_id
  WHERE f.account_id = +$accountId AND f.uri IS NOT NULL AND a.domain IS NOT NULL AND a.gone_at IS NULL
  UNION ALL
  SELECT f.target_account_id, f.uri FROM follow_requests f JOIN accounts a ON a.id = f.target_account_id
  WHERE f.account_id = +$accountId AND f.uri IS NOT NULL AND a.domain IS NOT NULL AND a.gone_at IS NULL`;
const REMOTE_FOLLOWERS = `
  SELECT count(*) AS count FROM follows f JOIN accounts a ON a.id = f.account_id
  WHERE f.target_account_id = +$accountId AND a.domain IS NOT NULL`;

/**
 * Sends all follows of a local account again, with the same URIs, and has the servers of its followers compare them.
 * Returns how many there are of both.
 */
export function resyncFollows(ctx: Context, accountId: number): { follows: number; followers: number } {
  return ctx.db.transaction((tx) => {
    const sent = tx.all<{ targetId: number; uri: string | null }>(SENT, { accountId });
    for (const { targetId, uri } of sent) {
      deliver(ctx, tx, { type: "follow.created", accountId, targetId, uri: uri! });
    }
    deliver(ctx, tx, { type: "account.updated", accountId, syncsFollowers: true });
    return { follows: sent.length, followers: tx.get<{ count: number }>(REMOTE_FOLLOWERS, { accountId })!.count };
  });
}
