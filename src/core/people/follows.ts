import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { notAllowed, notFound } from "../../errors.ts";
import {
  findAccount,
  hasMoved,
  isBlockedBy,
  isLocal,
  refuseMoved,
  localUsername,
  type AccountRow,
} from "../accounts.ts";
import { followUri } from "../addresses.ts";
import { deliver } from "../deliveries.ts";
import { fillHomeLater } from "../timelines/home-backfill.ts";
import { clearFromHome } from "../timelines/home-fanout.ts";
import { moveMembershipsToFollow } from "../timelines/lists.ts";
import { notify } from "../notifications/notifications.ts";
import { fetchProfileLater } from "./remote-profiles.ts";
import { sendFollow } from "./sent-follows.ts";
import { isRefusedHost } from "../refused-hosts.ts";
import { blocks, isLimited, isSuspended, hiddenInLists } from "../visibility.ts";

export interface FollowOptions {
  reblogs?: boolean;
  notify?: boolean;
  languages?: string[];
}

/** A follow to be stored. Undefined options stay unchanged if the account follows already. */
export interface NewFollow extends FollowOptions {
  accountId: number;
  targetId: number;
  /** The URI that the follower's server has given the follow; null for a local follower. */
  uri: string | null;
}

/**
 * Follows an account. Sends a follow request instead if the target is remote or locked, or the follower is limited. If
 * the account follows already, or has a pending request, this changes the given options.
 */
export function follow(ctx: Context, accountId: number, targetId: number | null, options: FollowOptions): void {
  const target = findAccount(ctx, targetId);
  if (target.suspended_at !== null) throw notFound();
  if (target.id === accountId || isUnreachable(ctx, target.id)) throw notAllowed();
  ctx.db.transaction((tx) => {
    const pair = { accountId, targetId: target.id };
    if (tx.get(BLOCKED, pair) || hasMoved(tx, target.id)) throw notAllowed();
    refuseMoved(tx, accountId);
    storeFollow(ctx, tx, { ...options, ...pair, uri: null });
  });
  if (target.domain !== null) fetchProfileLater(ctx, target.id);
}

/** Whether nothing is exchanged with the server of an account, so that it would never answer. */
function isUnreachable(ctx: Context, accountId: number): boolean {
  const sql = "SELECT uri, coalesce(domain, '') AS domain FROM accounts WHERE id = +$accountId AND domain IS NOT NULL";
  const remote = ctx.db.get<{ uri: string; domain: string }>(sql, { accountId });
  return remote !== null && [remote.domain, new URL(remote.uri).host].some((host) => isRefusedHost(ctx, host));
}

/**
 * Writes a follow, or a follow request if it needs approval, and notifies the target. If there is one already, changes
 * its options and its URI. Answers a remote follower's server that the follow is accepted, also if it asks again.
 * Returns false without a change if another follow has the URI.
 */
export function storeFollow(ctx: Context, tx: Tx, follow: NewFollow): boolean {
  const { accountId, targetId, uri } = follow;
  if (uri !== null && tx.get(OTHER_WITH_URI, { accountId, targetId, uri })) return false;
  if (changeFollow(tx, "follow_requests", follow)) return true;
  const isNew = !changeFollow(tx, "follows", follow);
  if (isNew && tx.get(NEEDS_APPROVAL, { accountId, targetId })) {
    requestFollow(ctx, tx, follow);
    return true;
  }
  if (isNew) {
    insertFollow(ctx, tx, "follows", follow);
    applyFollow(ctx, tx, accountId, targetId);
    notify(ctx, tx, targetId, { type: "follow", from: accountId, statusId: null });
  }
  if (uri !== null) deliver(ctx, tx, { type: "follow.accepted", accountId: targetId, followerId: accountId, uri });
  return true;
}

/** The server of a remote target identifies the follow by its URI when it answers. */
function requestFollow(ctx: Context, tx: Tx, follow: NewFollow): void {
  const { accountId, targetId } = follow;
  const id = insertFollow(ctx, tx, "follow_requests", follow);
  notify(ctx, tx, targetId, { type: "follow_request", from: accountId, statusId: null });
  const username = localUsername(tx, accountId);
  if (username === null || isLocal(tx, targetId)) return;
  const uri = followUri(ctx, username, id);
  tx.run("UPDATE follow_requests SET uri = $uri WHERE id = +$id", { id, uri });
  sendFollow(ctx, tx, { accountId, targetId, uri });
}

/** Returns the id of the row. */
function insertFollow(ctx: Context, tx: Tx, table: "follows" | "follow_requests", follow: NewFollow): number {
  const { lastInsertRowid } = tx.run(
    `INSERT INTO ${table} (account_id, target_account_id, show_reblogs, notify, languages, created_at, uri)
     VALUES ($accountId, $targetId, $reblogs, $notify, $languages, $now, $uri)`,
    {
      accountId: follow.accountId,
      targetId: follow.targetId,
      reblogs: follow.reblogs === false ? 0 : 1,
      notify: follow.notify ? 1 : 0,
      languages: languagesOf(follow),
      now: ctx.clock.now(),
      uri: follow.uri,
    },
  );
  return lastInsertRowid;
}

/** The effects of a new follow, without notifications. */
function applyFollow(ctx: Context, tx: Tx, accountId: number, targetId: number): void {
  tx.run("UPDATE accounts SET following_count = following_count + 1 WHERE id = +$accountId", { accountId });
  tx.run("UPDATE accounts SET followers_count = followers_count + 1 WHERE id = +$targetId", { targetId });
  fillHomeLater(ctx, tx, accountId, { accountIds: [targetId] });
}

/** Unfollows, or withdraws a pending follow request. */
export function unfollow(ctx: Context, accountId: number, targetId: number | null): void {
  const target = findAccount(ctx, targetId);
  ctx.db.transaction((tx) => endFollow(ctx, tx, accountId, target.id));
}

/** Removes a follower of the account, who isn't notified. */
export function removeFollower(ctx: Context, accountId: number, followerId: number | null): void {
  const follower = findAccount(ctx, followerId);
  ctx.db.transaction((tx) => {
    const follows = tx.get(
      "SELECT 1 FROM follows WHERE account_id = +$followerId AND target_account_id = +$accountId",
      { followerId: follower.id, accountId },
    );
    if (follows) endFollow(ctx, tx, follower.id, accountId);
  });
}

const FOLLOWS = "SELECT 1 FROM follows WHERE account_id = +$accountId AND target_account_id = +$targetId";

export function isFollowing(db: Reads, pair: { accountId: number; targetId: number }): boolean {
  return db.get(FOLLOWS, pair) !== null;
}

/**
 * Ends a follow or follow request with everything that depends on it, if there is one, and tells the other server of a
 * remote account. `silently` is for a follow that the other server has ended itself, or that it can't learn about. With
 * `keepsPosts`, posts of the target stay in the home timeline. After a farewell, the server learns nothing more: it is sent
 * once, even if the server is blocked by then.
 */
export function endFollow(
  ctx: Context,
  tx: Tx,
  accountId: number,
  targetId: number,
  {
    silently = false,
    keepsPosts = false,
    isFarewell = false,
  }: { silently?: boolean; keepsPosts?: boolean; isFarewell?: boolean } = {},
): void {
  const pair = { accountId, targetId };
  const request = tx.get<Ended>(end("follow_requests"), pair);
  const follow = tx.get<Ended>(end("follows"), pair);
  tx.run(
    "DELETE FROM notifications WHERE account_id = +$targetId AND from_account_id = +$accountId AND type IN ('follow', 'follow_request')",
    pair,
  );
  const uri = (follow ?? request)?.uri ?? null;
  if (!silently && uri !== null) deliverEnd(ctx, tx, { ...pair, uri, isFarewell });
  if (!follow) return;
  tx.run("UPDATE accounts SET following_count = max(0, following_count - 1) WHERE id = +$accountId", { accountId });
  tx.run("UPDATE accounts SET followers_count = max(0, followers_count - 1) WHERE id = +$targetId", { targetId });
  tx.run("DELETE FROM endorsements WHERE account_id = +$accountId AND target_account_id = +$targetId", pair);
  if (!keepsPosts) clearFromHome(tx, accountId, targetId);
}

interface Ended {
  uri: string | null;
}

const end = (table: "follows" | "follow_requests") =>
  `DELETE FROM ${table} WHERE account_id = +$accountId AND target_account_id = +$targetId RETURNING uri`;

/** Only follows between a local and a remote account have a URI. */
function deliverEnd(
  ctx: Context,
  tx: Tx,
  ended: { accountId: number; targetId: number; uri: string; isFarewell: boolean },
): void {
  const { accountId, targetId, uri } = ended;
  const farewell = ended.isFarewell ? { isFarewell: true } : {};
  if (isLocal(tx, accountId)) deliver(ctx, tx, { type: "follow.deleted", accountId, targetId, uri, ...farewell });
  else deliver(ctx, tx, { type: "follow.rejected", accountId: targetId, followerId: accountId, uri, ...farewell });
}

/** Accepts a follow request. A `follow` notification replaces the one about the request. */
export function authorizeFollow(ctx: Context, accountId: number, requesterId: number | null): void {
  ctx.db.transaction((tx) => {
    if (requesterId === null || !acceptFollow(ctx, tx, requesterId, accountId)) throw notFound();
    notify(ctx, tx, accountId, { type: "follow", from: requesterId, statusId: null });
  });
}

/**
 * Accepts all follow requests to an account that isn't locked any more. Requests from limited accounts stay pending.
 */
export function authorizeAllFollows(ctx: Context, tx: Tx, accountId: number): void {
  const waiting = tx.all<{ account_id: number }>(
    `SELECT account_id FROM follow_requests WHERE target_account_id = +$accountId AND NOT ${isLimited("account_id")} ORDER BY id`,
    { accountId },
  );
  for (const { account_id } of waiting) acceptFollow(ctx, tx, account_id, accountId);
}

/**
 * Turns a follow request into a follow, without notifications, and tells the server of a remote follower. Returns false
 * if there is no request.
 */
export function acceptFollow(ctx: Context, tx: Tx, accountId: number, targetId: number): boolean {
  const follow = tx.get<{ uri: string | null }>(
    `INSERT INTO follows (account_id, target_account_id, show_reblogs, notify, languages, created_at, uri)
     SELECT account_id, target_account_id, show_reblogs, notify, languages, $now, uri FROM follow_requests
     WHERE account_id = +$accountId AND target_account_id = +$targetId
     RETURNING uri`,
    { accountId, targetId, now: ctx.clock.now() },
  );
  if (!follow) return false;
  moveMembershipsToFollow(ctx, tx, accountId, targetId);
  removeRequest(tx, accountId, targetId);
  applyFollow(ctx, tx, accountId, targetId);
  if (follow.uri !== null && !isLocal(tx, accountId)) {
    deliver(ctx, tx, { type: "follow.accepted", accountId: targetId, followerId: accountId, uri: follow.uri });
  }
  return true;
}

/** Deletes a follow request and its notification. */
function removeRequest(tx: Tx, accountId: number, targetId: number): void {
  tx.run("DELETE FROM follow_requests WHERE account_id = +$accountId AND target_account_id = +$targetId", {
    accountId,
    targetId,
  });
  tx.run(
    "DELETE FROM notifications WHERE account_id = +$targetId AND type = 'follow_request' AND from_account_id = +$accountId",
    { accountId, targetId },
  );
}

/** Rejects a follow request. */
export function rejectFollow(ctx: Context, accountId: number, requesterId: number | null): void {
  ctx.db.transaction((tx) => {
    const request = tx.get(
      "SELECT 1 FROM follow_requests WHERE account_id = +$requesterId AND target_account_id = +$accountId",
      { requesterId, accountId },
    );
    if (requesterId === null || !request) throw notFound();
    endFollow(ctx, tx, requesterId, accountId);
  });
}

/** Changes the given options of an existing row. Returns whether there is one. */
function changeFollow(tx: Tx, table: "follows" | "follow_requests", follow: NewFollow): boolean {
  const asNumber = (value: boolean | undefined) => (value === undefined ? null : value ? 1 : 0);
  const { changes } = tx.run(
    `UPDATE ${table} SET show_reblogs = coalesce($reblogs, show_reblogs), notify = coalesce($notify, notify),
       languages = CASE WHEN $hasLanguages THEN $languages ELSE languages END, uri = coalesce($uri, uri)
     WHERE account_id = +$accountId AND target_account_id = +$targetId`,
    {
      accountId: follow.accountId,
      targetId: follow.targetId,
      reblogs: asNumber(follow.reblogs),
      notify: asNumber(follow.notify),
      hasLanguages: follow.languages === undefined ? 0 : 1,
      languages: languagesOf(follow),
      uri: follow.uri,
    },
  );
  return changes > 0;
}

/** Null (no languages given) means all languages. */
function languagesOf(options: FollowOptions): string | null {
  return options.languages?.length ? JSON.stringify(options.languages) : null;
}

const BLOCKED = `SELECT 1 WHERE ${blocks("+$accountId", "+$targetId")} OR ${blocks("+$targetId", "+$accountId")}`;
/** The server of a remote target decides, whatever its profile says. */
const NEEDS_APPROVAL = `
  SELECT 1 FROM accounts WHERE id = +$targetId AND (locked OR domain IS NOT NULL OR ${isLimited("+$accountId")})`;
const OTHER_WITH_URI = `
  SELECT 1 FROM (
    SELECT account_id, target_account_id FROM follows WHERE uri = +$uri
    UNION ALL SELECT account_id, target_account_id FROM follow_requests WHERE uri = +$uri)
  WHERE account_id <> +$accountId OR target_account_id <> +$targetId`;

/**
 * Leaves out suspended accounts. Unless the list is the viewer's own, also leaves out accounts that they block
 * or mute, or that block them.
 */
function followList(account: string, list: string): Keyset<ListItem> {
  const seen = `NOT ${isSuspended(account)} AND (+$viewer = +$accountId OR NOT ${hiddenInLists(account)})`;
  return new Keyset<ListItem>(
    `SELECT ${account} AS id, f.id AS cursor FROM follows f WHERE ${list} = +$accountId AND ${seen}`,
    "f.id",
  );
}

const FOLLOWERS = followList("f.account_id", "f.target_account_id");
const FOLLOWING = followList("f.target_account_id", "f.account_id");
const REQUESTS = new Keyset<ListItem>(
  `SELECT r.account_id AS id, r.id AS cursor FROM follow_requests r
   WHERE r.target_account_id = +$accountId AND NOT ${isSuspended("r.account_id")}`,
  "r.id",
);

/** The followers of an account, as far as the viewer may see them. */
export function followersOf(ctx: Context, viewerId: number, account: AccountRow, page: Page): ListItem[] {
  if (hidesFollows(ctx, viewerId, account)) return [];
  return FOLLOWERS.page(ctx.db, page, { accountId: account.id, viewer: viewerId, now: ctx.clock.now() });
}

/** The accounts that an account follows, as far as the viewer may see them. */
export function followingOf(ctx: Context, viewerId: number, account: AccountRow, page: Page): ListItem[] {
  if (hidesFollows(ctx, viewerId, account)) return [];
  return FOLLOWING.page(ctx.db, page, { accountId: account.id, viewer: viewerId, now: ctx.clock.now() });
}

/** Whether the viewer may see neither list. Other servers get what viewer 0, an anonymous visitor, may see. */
export function hidesFollows(
  ctx: Context,
  viewerId: number,
  account: Pick<AccountRow, "id" | "hide_collections" | "suspended_at">,
): boolean {
  if (account.suspended_at !== null) return true;
  if (account.id === viewerId) return false;
  return account.hide_collections === 1 || isBlockedBy(ctx, viewerId, account.id);
}

export function followRequestsTo(ctx: Context, accountId: number, page: Page): ListItem[] {
  return REQUESTS.page(ctx.db, page, { accountId });
}
