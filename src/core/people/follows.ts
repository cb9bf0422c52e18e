import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { notAllowed, notFound } from "../../errors.ts";
import { findAccount, isBlockedBy, type AccountRow } from "../accounts.ts";
import { fillHomeLater } from "../timelines/home-backfill.ts";
import { clearFromHome } from "../timelines/home-fanout.ts";
import { moveMembershipsToFollow } from "../timelines/lists.ts";
import { notify } from "../notifications/notifications.ts";
import { blocks, isLimited, isSuspended, hiddenInLists } from "../visibility.ts";

export interface FollowOptions {
  reblogs?: boolean;
  notify?: boolean;
  languages?: string[];
}

/**
 * Follows an account. Sends a follow request instead if the target is locked or the follower is limited. If the account
 * follows already, or has a pending request, this changes the given options.
 */
export function follow(ctx: Context, accountId: number, targetId: number | null, options: FollowOptions): void {
  const target = findAccount(ctx, targetId);
  if (target.suspended_at !== null) throw notFound();
  if (target.id === accountId) throw notAllowed();
  ctx.db.transaction((tx) => {
    if (tx.get(BLOCKED, { accountId, targetId: target.id })) throw notAllowed();
    if (changeOptions(tx, "follows", accountId, target.id, options)) return;
    if (changeOptions(tx, "follow_requests", accountId, target.id, options)) return;
    const row = {
      accountId,
      targetId: target.id,
      reblogs: options.reblogs === false ? 0 : 1,
      notify: options.notify ? 1 : 0,
      languages: languagesOf(options),
      now: ctx.clock.now(),
    };
    if (target.locked || tx.get(LIMITED, { accountId })) {
      tx.run(insertFollow("follow_requests"), row);
      notify(ctx, tx, target.id, { type: "follow_request", from: accountId, statusId: null });
      return;
    }
    tx.run(insertFollow("follows"), row);
    applyFollow(ctx, tx, accountId, target.id);
    notify(ctx, tx, target.id, { type: "follow", from: accountId, statusId: null });
  });
}

const insertFollow = (table: "follows" | "follow_requests") => `
  INSERT INTO ${table} (account_id, target_account_id, show_reblogs, notify, languages, created_at)
  VALUES ($accountId, $targetId, $reblogs, $notify, $languages, $now)`;

/** The effects of a new follow, without notifications. */
function applyFollow(ctx: Context, tx: Tx, accountId: number, targetId: number): void {
  tx.run("UPDATE accounts SET following_count = following_count + 1 WHERE id = +$accountId", { accountId });
  tx.run("UPDATE accounts SET followers_count = followers_count + 1 WHERE id = +$targetId", { targetId });
  fillHomeLater(ctx, tx, accountId, { accountIds: [targetId] });
}

/** Unfollows, or withdraws a pending follow request. */
export function unfollow(ctx: Context, accountId: number, targetId: number | null): void {
  const target = findAccount(ctx, targetId);
  ctx.db.transaction((tx) => endFollow(tx, accountId, target.id));
}

/** Removes a follower of the account, who isn't notified. */
export function removeFollower(ctx: Context, accountId: number, followerId: number | null): void {
  const follower = findAccount(ctx, followerId);
  ctx.db.transaction((tx) => {
    const follows = tx.get(
      "SELECT 1 FROM follows WHERE account_id = +$followerId AND target_account_id = +$accountId",
      { followerId: follower.id, accountId },
    );
    if (follows) endFollow(tx, follower.id, accountId);
  });
}

/** Ends a follow or follow request with everything that depends on it, if there is one. */
export function endFollow(tx: Tx, accountId: number, targetId: number): void {
  tx.run("DELETE FROM follow_requests WHERE account_id = +$accountId AND target_account_id = +$targetId", {
    accountId,
    targetId,
  });
  tx.run(
    "DELETE FROM notifications WHERE account_id = +$targetId AND from_account_id = +$accountId AND type IN ('follow', 'follow_request')",
    { targetId, accountId },
  );
  const { changes } = tx.run("DELETE FROM follows WHERE account_id = +$accountId AND target_account_id = +$targetId", {
    accountId,
    targetId,
  });
  if (changes === 0) return;
  tx.run("UPDATE accounts SET following_count = max(0, following_count - 1) WHERE id = +$accountId", { accountId });
  tx.run("UPDATE accounts SET followers_count = max(0, followers_count - 1) WHERE id = +$targetId", { targetId });
  tx.run("DELETE FROM endorsements WHERE account_id = +$accountId AND target_account_id = +$targetId", {
    accountId,
    targetId,
  });
  clearFromHome(tx, accountId, targetId);
}

/** Accepts a follow request. A `follow` notification replaces the one about the request. */
export function authorizeFollow(ctx: Context, accountId: number, requesterId: number | null): void {
  ctx.db.transaction((tx) => {
    const from = accept(ctx, tx, accountId, requesterId);
    notify(ctx, tx, accountId, { type: "follow", from, statusId: null });
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
  for (const { account_id } of waiting) accept(ctx, tx, accountId, account_id);
}

/** Returns the requester's id. */
function accept(ctx: Context, tx: Tx, accountId: number, requesterId: number | null): number {
  if (requesterId === null) throw notFound();
  tx.run(
    `INSERT INTO follows (account_id, target_account_id, show_reblogs, notify, languages, created_at)
     SELECT account_id, target_account_id, show_reblogs, notify, languages, $now FROM follow_requests
     WHERE target_account_id = +$accountId AND account_id = +$requesterId`,
    { accountId, requesterId, now: ctx.clock.now() },
  );
  moveMembershipsToFollow(ctx, tx, requesterId, accountId);
  removeRequest(tx, accountId, requesterId);
  applyFollow(ctx, tx, requesterId, accountId);
  return requesterId;
}

export function rejectFollow(ctx: Context, accountId: number, requesterId: number | null): void {
  ctx.db.transaction((tx) => removeRequest(tx, accountId, requesterId));
}

/** Deletes a follow request and its notification. */
function removeRequest(tx: Tx, accountId: number, requesterId: number | null): void {
  const { changes } = tx.run(
    "DELETE FROM follow_requests WHERE target_account_id = +$accountId AND account_id = +$requesterId",
    { accountId, requesterId },
  );
  if (changes === 0) throw notFound();
  tx.run(
    "DELETE FROM notifications WHERE account_id = +$accountId AND type = 'follow_request' AND from_account_id = +$requesterId",
    { accountId, requesterId },
  );
}

/** Changes the given options of an existing row. Returns whether there is one. */
function changeOptions(
  tx: Tx,
  table: "follows" | "follow_requests",
  accountId: number,
  targetId: number,
  options: FollowOptions,
): boolean {
  const asNumber = (value: boolean | undefined) => (value === undefined ? null : value ? 1 : 0);
  const { changes } = tx.run(
    `UPDATE ${table} SET show_reblogs = coalesce($reblogs, show_reblogs), notify = coalesce($notify, notify),
       languages = CASE WHEN $hasLanguages THEN $languages ELSE languages END
     WHERE account_id = +$accountId AND target_account_id = +$targetId`,
    {
      accountId,
      targetId,
      reblogs: asNumber(options.reblogs),
      notify: asNumber(options.notify),
      hasLanguages: options.languages === undefined ? 0 : 1,
      languages: languagesOf(options),
    },
  );
  return changes > 0;
}

/** Null (no languages given) means all languages. */
function languagesOf(options: FollowOptions): string | null {
  return options.languages?.length ? JSON.stringify(options.languages) : null;
}

const BLOCKED = `SELECT 1 WHERE ${blocks("+$accountId", "+$targetId")} OR ${blocks("+$targetId", "+$accountId")}`;
const LIMITED = `SELECT 1 WHERE ${isLimited("+$accountId")}`;

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

function hidesFollows(ctx: Context, viewerId: number, account: AccountRow): boolean {
  if (account.suspended_at !== null) return true;
  if (account.id === viewerId) return false;
  return account.hide_collections === 1 || isBlockedBy(ctx, viewerId, account.id);
}

export function followRequestsTo(ctx: Context, accountId: number, page: Page): ListItem[] {
  return REQUESTS.page(ctx.db, page, { accountId });
}
