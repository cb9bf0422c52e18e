import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { validationFailed } from "../../errors.ts";
import { parseDomain } from "../../lib/text/domains.ts";
import type { Tx } from "../../db/open.ts";
import { findAccount, isLocal, localUsername } from "../accounts.ts";
import { blockUri } from "../addresses.ts";
import { deliver } from "../deliveries.ts";
import { removeConversationsFrom, removeConversationsWith } from "../notifications/conversations.ts";
import { endFollow } from "./follows.ts";
import { removeAccountFromHome, clearMentions } from "../timelines/home-fanout.ts";
import { deleteNotificationsFrom, notify } from "../notifications/notifications.ts";
import { sever } from "./severances.ts";
import { isSuspended } from "../visibility.ts";

/** Blocks an account. An account that blocks itself changes nothing, like in Mastodon. */
export function block(ctx: Context, accountId: number, targetId: number | null): void {
  const target = findAccount(ctx, targetId);
  if (target.id === accountId) return;
  ctx.db.transaction((tx) => storeBlock(ctx, tx, { accountId, targetId: target.id, uri: null }));
}

/** A block to be stored. */
export interface NewBlock {
  accountId: number;
  targetId: number;
  /** The URI that the other server has given the block; null if the blocking account is local. */
  uri: string | null;
}

/**
 * Writes a block, which ends follows and follow requests in both directions. The server of a remote target learns of it, as
 * in Mastodon; a server that blocks a local account ends the follows itself. Changes nothing if another block has the URI.
 */
export function storeBlock(ctx: Context, tx: Tx, { accountId, targetId, uri }: NewBlock): void {
  if (uri !== null && tx.get(OTHER_WITH_URI, { accountId, targetId, uri })) return;
  const username = localUsername(tx, accountId);
  endFollow(ctx, tx, accountId, targetId, { silently: username === null });
  endFollow(ctx, tx, targetId, accountId, { silently: username === null });
  const row = tx.get<{ id: number; uri: string | null }>(SAVE_BLOCK, {
    accountId,
    targetId,
    uri,
    now: ctx.clock.now(),
  })!;
  if (username === null) return;
  removeAccountFromHome(tx, accountId, targetId);
  deleteNotificationsFrom(tx, accountId, targetId);
  removeConversationsWith(tx, accountId, targetId);
  tx.run("DELETE FROM notification_permissions WHERE account_id = +$accountId AND from_account_id = +$targetId", {
    accountId,
    targetId,
  });
  if (row.uri === null && !isLocal(tx, targetId)) {
    const own = blockUri(ctx, username, row.id);
    tx.run("UPDATE blocks SET uri = $uri WHERE id = +$id", { id: row.id, uri: own });
    deliver(ctx, tx, { type: "block.created", accountId, targetId, uri: own });
  }
}

const SAVE_BLOCK = `
  INSERT INTO blocks (account_id, target_account_id, created_at, uri) VALUES ($accountId, $targetId, $now, $uri)
  ON CONFLICT (account_id, target_account_id) DO UPDATE SET uri = coalesce(excluded.uri, uri)
  RETURNING id, uri`;
const OTHER_WITH_URI =
  "SELECT 1 FROM blocks WHERE uri = +$uri AND (account_id <> +$accountId OR target_account_id <> +$targetId)";

export function unblock(ctx: Context, accountId: number, targetId: number | null): void {
  const target = findAccount(ctx, targetId);
  ctx.db.transaction((tx) => removeBlock(ctx, tx, accountId, target.id));
}

/** Removes a block, if there is one, and tells the server of an account that a local one had blocked. */
export function removeBlock(ctx: Context, tx: Tx, accountId: number, targetId: number): void {
  const removed = tx.get<{ uri: string | null }>(
    "DELETE FROM blocks WHERE account_id = +$accountId AND target_account_id = +$targetId RETURNING uri",
    { accountId, targetId },
  );
  const uri = removed?.uri ?? null;
  if (uri !== null && isLocal(tx, accountId)) deliver(ctx, tx, { type: "block.deleted", accountId, targetId, uri });
}

export interface MuteOptions {
  /** Whether to mute their notifications, too. */
  notifications: boolean;
  /** In seconds; 0 for no end. */
  duration: number;
}

/**
 * Mutes an account, or changes an existing mute. Earlier statuses stay in the home timeline and are excluded by its
 * query, so they appear again after the mute has ended.
 */
export function mute(ctx: Context, accountId: number, targetId: number | null, options: MuteOptions): void {
  const target = findAccount(ctx, targetId);
  if (target.id === accountId) return;
  const { notifications, duration } = options;
  const expiresAt = duration === 0 ? null : ctx.clock.now() + duration * 1000;
  ctx.db.transaction((tx) => storeMute(ctx, tx, { accountId, targetId: target.id, notifications, expiresAt }));
}

/** A mute to be stored. `expiresAt` is null for no end. */
interface NewMute {
  accountId: number;
  targetId: number;
  notifications: boolean;
  expiresAt: number | null;
}

const SAVE_MUTE = `
  INSERT INTO mutes (account_id, target_account_id, hide_notifications, expires_at, created_at)
  VALUES ($accountId, $targetId, $hideNotifications, $expiresAt, $now)
  ON CONFLICT (account_id, target_account_id)
  DO UPDATE SET hide_notifications = excluded.hide_notifications, expires_at = excluded.expires_at`;

/** Writes a mute, or changes an existing one, with its effects. */
export function storeMute(ctx: Context, tx: Tx, { notifications, ...mute }: NewMute): void {
  const { accountId, targetId } = mute;
  tx.run(SAVE_MUTE, { ...mute, hideNotifications: notifications ? 1 : 0, now: ctx.clock.now() });
  clearMentions(tx, accountId, targetId);
  if (notifications) deleteNotificationsFrom(tx, accountId, targetId);
}

export function unmute(ctx: Context, accountId: number, targetId: number | null): void {
  const target = findAccount(ctx, targetId);
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM mutes WHERE account_id = +$accountId AND target_account_id = +$targetId", {
      accountId,
      targetId: target.id,
    }),
  );
}

/**
 * Blocks a domain for one account. Follows and follow requests between the account and the domain end, and the account
 * gets a notification of this.
 */
export function blockDomain(ctx: Context, accountId: number, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) => {
    const { changes } = tx.run(
      "INSERT INTO account_domain_blocks (account_id, domain, created_at) VALUES ($accountId, $domain, $now) ON CONFLICT DO NOTHING",
      { accountId, domain, now: ctx.clock.now() },
    );
    if (changes === 0) return;
    removeConversationsFrom(tx, accountId, domain);
    const others = tx.all<{ id: number }>(TIED, { accountId, domain }).map(({ id }) => id);
    const events = sever(ctx, tx, others, { type: "user_domain_block", targetName: domain }, accountId);
    for (const table of ["notifications", "notification_permissions"]) {
      tx.run(
        `DELETE FROM ${table}
         WHERE account_id = +$accountId AND (SELECT domain FROM accounts WHERE id = from_account_id) = +$domain`,
        { accountId, domain },
      );
    }
    for (const aboutId of events) {
      notify(ctx, tx, accountId, { type: "severed_relationships", from: accountId, statusId: null, aboutId });
    }
  });
}

/** Accounts of a domain that the account follows or is followed by, including follow requests. */
const TIED = `
  SELECT a.id
  FROM (
    SELECT target_account_id AS id FROM follows WHERE account_id = +$accountId
    UNION SELECT account_id FROM follows WHERE target_account_id = +$accountId
    UNION SELECT target_account_id FROM follow_requests WHERE account_id = +$accountId
    UNION SELECT account_id FROM follow_requests WHERE target_account_id = +$accountId) ties
  JOIN accounts a ON a.id = ties.id WHERE a.domain = +$domain`;

export function unblockDomain(ctx: Context, accountId: number, given: string): void {
  const domain = domainOf(given);
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM account_domain_blocks WHERE account_id = +$accountId AND domain = +$domain", {
      accountId,
      domain,
    }),
  );
}

export function domainOf(given: string): string {
  const domain = parseDomain(given);
  if (domain === null) throw validationFailed("Domain is not a valid domain name");
  return domain;
}

const BLOCKS = new Keyset<ListItem>(
  `SELECT b.target_account_id AS id, b.id AS cursor FROM blocks b
   WHERE b.account_id = +$accountId AND NOT ${isSuspended("b.target_account_id")}`,
  "b.id",
);

export function blocksOf(ctx: Context, accountId: number, page: Page): ListItem[] {
  return BLOCKS.page(ctx.db, page, { accountId });
}

export interface MutePlace extends ListItem {
  hide_notifications: number;
  expires_at: number | null;
}

const MUTES = new Keyset<MutePlace>(
  `SELECT m.target_account_id AS id, m.id AS cursor, m.hide_notifications, m.expires_at FROM mutes m
   WHERE m.account_id = +$accountId AND (m.expires_at IS NULL OR m.expires_at > +$now) AND NOT ${isSuspended("m.target_account_id")}`,
  "m.id",
);

export function mutesOf(ctx: Context, accountId: number, page: Page): MutePlace[] {
  return MUTES.page(ctx.db, page, { accountId, now: ctx.clock.now() });
}

const DOMAIN_BLOCKS = new Keyset<{ domain: string; cursor: number }>(
  "SELECT d.domain, d.id AS cursor FROM account_domain_blocks d WHERE d.account_id = +$accountId",
  "d.id",
);

export function domainBlocksOf(ctx: Context, accountId: number, page: Page): { domain: string; cursor: number }[] {
  return DOMAIN_BLOCKS.page(ctx.db, page, { accountId });
}
