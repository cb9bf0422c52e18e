import type { Context } from "../../context.ts";
import { isReaction, type NotificationRow } from "../../core/notifications/notifications.ts";
import { alertsOf, PUSH_ALERTS, type PushAlert, type PushRow } from "../../core/notifications/push.ts";
import { vapidKeys } from "../../core/notifications/vapid.ts";
import { htmlToText } from "../../lib/text/html.ts";
import { showAccount } from "../accounts.ts";
import { titlesIn } from "./push-text.ts";

/**
 * Mastodon's WebPushSubscription (entities/WebPushSubscription). Its id is a number, contrary to the documentation:
 * Ice Cubes and Tusky decode nothing else.
 */
export function pushSubscriptionJson(ctx: Context, row: PushRow) {
  const wanted = new Set<string>(alertsOf(row));
  return {
    id: row.id,
    endpoint: row.endpoint,
    standard: row.standard === 1,
    alerts: Object.fromEntries(PUSH_ALERTS.map((alert) => [alert, wanted.has(alert)])),
    policy: row.policy,
    server_key: vapidKeys(ctx).publicKey,
  };
}

interface Material {
  locale: string;
  spoiler_text: string | null;
  content: string | null;
  /** Of a reaction. */
  emoji: string | null;
}

/** Mastodon's limit, in characters. */
const MAX_BODY = 140;
/** A message holds 4 KB, and remote names can have any length. */
const MAX_NAME = 100;

/**
 * The message that apps expect, before encryption: the token tells them which of their accounts it is for, and the id
 * leads to the rest. The token is safe in it, because only the app can decrypt the message.
 */
export function pushMessage(ctx: Context, row: NotificationRow, accountId: number, token: string): string {
  const { locale, spoiler_text, content, emoji } = ctx.db.get<Material>(
    `SELECT u.locale, s.spoiler_text, s.content, f.emoji
     FROM users u LEFT JOIN statuses s ON s.id = +$statusId LEFT JOIN favourites f ON f.id = +$favouriteId
     WHERE u.account_id = +$accountId`,
    { accountId, statusId: row.status_id, favouriteId: isReaction(row) ? row.about_id : null },
  )!;
  const sender = showAccount(ctx, row.from_account_id);
  const name = cut(sender.display_name || sender.username, MAX_NAME);
  return JSON.stringify({
    access_token: token,
    preferred_locale: locale,
    notification_id: row.id,
    notification_type: row.type,
    icon: sender.avatar_static,
    title: emoji === null ? titlesIn(locale)[row.type as PushAlert](name) : titlesIn(locale).reaction(name, emoji),
    body: cut(spoiler_text || htmlToText(content ?? sender.note), MAX_BODY),
  });
}

/** Counts Unicode characters, so that none is split. */
function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
