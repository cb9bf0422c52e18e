import { createECDH } from "node:crypto";
import { isIP } from "node:net";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notifications, pushSubscriptions } from "../../db/schema/index.ts";
import { notFound, refuseWhere } from "../../errors.ts";
import { isPublicAddress } from "../../lib/http/outbound.ts";
import { decodeBase64, seal, unseal } from "../../lib/secrets.ts";
import { sealingKey } from "../sealing-key.ts";
import { cannotSignIn } from "../visibility.ts";

/** Notifications without push: Mastodon has no alert for them. */
const QUIET = ["severed_relationships", "moderation_warning", "linnet.sign_in"] as const;

type NotificationType = (typeof notifications.$inferSelect)["type"];
export type PushAlert = Exclude<NotificationType, (typeof QUIET)[number]>;
/** The alerts that an app can subscribe to. */
export const PUSH_ALERTS = notifications.type.enumValues.filter(
  (type): type is PushAlert => !QUIET.includes(type as (typeof QUIET)[number]),
);

export const PUSH_POLICIES = pushSubscriptions.policy.enumValues;

export type PushRow = typeof pushSubscriptions.$inferSelect;

/** The push endpoint, and the keys for encryption to the app. */
export interface PushTarget {
  endpoint: string;
  p256dh: string;
  auth: string;
  /** Whether to use the RFCs, or the earlier drafts, which old apps expect. */
  standard: boolean;
}

export interface PushPreferences {
  alerts: readonly PushAlert[];
  /** Whose notifications to push. */
  policy: PushRow["policy"];
}

const POINT_BYTES = 65;
const AUTH_BYTES = 16;

/**
 * Subscribes a token, replacing its previous subscription. The token's text is stored (encrypted), because every
 * message contains it.
 */
export function subscribe(
  ctx: Context,
  holder: { accountId: number; tokenId: number; token: string },
  target: PushTarget,
  preferences: PushPreferences,
): PushRow {
  const [point, auth] = [decodeBase64(target.p256dh), decodeBase64(target.auth)];
  refuseWhere([
    [!isReachable(ctx, target.endpoint), "Endpoint must be a public https:// address"],
    [!point || !isPoint(point), "Key p256dh must be an uncompressed point of the curve P-256 in Base64"],
    [auth?.length !== AUTH_BYTES, `Key auth must be ${AUTH_BYTES} bytes in Base64`],
  ]);
  const { accountId, tokenId, token } = holder;
  const sealed = seal(token, sealingKey(ctx), purposeOf(tokenId));
  return ctx.db.transaction((tx) => {
    unsubscribe(tx, tokenId);
    tx.run(
      `INSERT INTO push_subscriptions
         (token_id, account_id, sealed_token, endpoint, p256dh, auth, standard, alerts, policy, created_at)
       VALUES ($tokenId, $accountId, $sealed, $endpoint, $p256dh, $auth, $standard, $alerts, $policy, $now)`,
      {
        tokenId,
        accountId,
        sealed,
        endpoint: target.endpoint,
        p256dh: point!.toString("base64url"),
        auth: auth!.toString("base64url"),
        standard: target.standard ? 1 : 0,
        alerts: JSON.stringify(preferences.alerts),
        policy: preferences.policy,
        now: ctx.clock.now(),
      },
    );
    return subscriptionOf(tx, tokenId);
  });
}

/**
 * Whether the server may send requests to this endpoint at all. The addresses of a host name are checked when it
 * connects.
 */
function isReachable(ctx: Context, endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, username, password, hostname } = new URL(endpoint);
  if (username || password) return false;
  if (ctx.config.allowPrivateAddresses) return protocol === "https:" || protocol === "http:";
  const host = hostname.replace(/^\[|\]$/g, "");
  return protocol === "https:" && (isIP(host) === 0 || isPublicAddress(host));
}

function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== POINT_BYTES) return false;
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    own.computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Changes the given properties of a token's subscription. */
export function changePushPreferences(ctx: Context, tokenId: number, preferences: Partial<PushPreferences>): PushRow {
  return ctx.db.transaction((tx) => {
    const before = subscriptionOf(tx, tokenId);
    tx.run("UPDATE push_subscriptions SET alerts = $alerts, policy = $policy WHERE id = +$beforeId", {
      alerts: preferences.alerts ? JSON.stringify(preferences.alerts) : before.alerts,
      policy: preferences.policy ?? before.policy,
      beforeId: before.id,
    });
    return subscriptionOf(tx, tokenId);
  });
}

/** Ends a token's subscription, if it has one. */
export function unsubscribe(tx: Tx, tokenId: number): void {
  tx.run("DELETE FROM push_subscriptions WHERE token_id = +$tokenId", { tokenId });
}

/**
 * A token's subscription.
 *
 * @throws Refusal if it has none
 */
export function subscriptionOf(db: Reads, tokenId: number): PushRow {
  const row = db.get<PushRow>("SELECT * FROM push_subscriptions WHERE token_id = +$tokenId", { tokenId });
  if (!row) throw notFound();
  return row;
}

export function endSubscription(ctx: Context, id: number): void {
  ctx.db.transaction((tx) => tx.run("DELETE FROM push_subscriptions WHERE id = +$id", { id }));
}

export function findSubscription(db: Reads, id: number): PushRow | null {
  return db.get<PushRow>("SELECT * FROM push_subscriptions WHERE id = +$id", { id });
}

export function alertsOf(row: PushRow): PushAlert[] {
  return JSON.parse(row.alerts) as PushAlert[];
}

/** The text of the subscription's token; null if the key that it was encrypted with is lost. */
export function tokenOf(ctx: Context, row: PushRow): string | null {
  return unseal(row.sealed_token, sealingKey(ctx), purposeOf(row.token_id));
}

function purposeOf(tokenId: number): string {
  return `push of token ${tokenId}`;
}

/**
 * The notification about the end of the user's own poll comes from their own account, so only the policy "none"
 * excludes it. Suspended or disabled users and expired tokens get no pushes.
 */
const WANTING = `
  SELECT p.id FROM notifications n JOIN push_subscriptions p ON p.account_id = n.account_id
    JOIN oauth_tokens t ON t.id = p.token_id
  WHERE n.id = +$notificationId AND (t.expires_at IS NULL OR t.expires_at > +$now)
    AND EXISTS (SELECT 1 FROM json_each(p.alerts) WHERE value = n.type)
    AND NOT ${cannotSignIn("n.account_id")}
    AND CASE p.policy
      WHEN 'all' THEN 1
      WHEN 'none' THEN 0
      WHEN 'followed' THEN n.from_account_id = n.account_id OR EXISTS (
        SELECT 1 FROM follows WHERE account_id = n.account_id AND target_account_id = n.from_account_id)
      ELSE n.from_account_id = n.account_id OR EXISTS (
        SELECT 1 FROM follows WHERE account_id = n.from_account_id AND target_account_id = n.account_id)
    END`;
const STILL_WANTING = `${WANTING} AND p.id = +$subscriptionId`;

/** Enqueues a job for each subscription that wants a new notification, so that each is retried separately. */
export function queuePushes(ctx: Context, tx: Tx, notificationId: number): void {
  const wanting = tx.all<{ id: number }>(WANTING, { notificationId, now: ctx.clock.now() });
  for (const { id: subscriptionId } of wanting) {
    enqueue(ctx, tx, "push.deliver", { subscriptionId, notificationId });
  }
}

/** Whether a subscription still wants a notification when the job runs, which may be days later. */
export function isStillWanted(ctx: Context, subscriptionId: number, notificationId: number): boolean {
  return ctx.db.get(STILL_WANTING, { notificationId, now: ctx.clock.now(), subscriptionId }) !== null;
}
