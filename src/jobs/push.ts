import type { Context } from "../context.ts";
import { findNotification } from "../core/notifications/notifications.ts";
import { endSubscription, findSubscription, isStillWanted, tokenOf, type PushRow } from "../core/notifications/push.ts";
import { vapidKeys } from "../core/notifications/vapid.ts";
import { TryLater, type JobPayloads } from "../db/queue.ts";
import { pushMessage } from "../entities/notifications/push.ts";
import { OutboundError, type OutboundRequest } from "../lib/http/outbound.ts";
import { retryTime } from "../lib/dates.ts";

const HOUR = 3600_000;
/** How long a push service keeps a message for a device that is off, and Linnet one for a service that is down. */
const LIFETIME = 48 * HOUR;
/** Only the status matters: an unreadable body must not cause the message to be sent again. */
const BOUNDS = { method: "POST", accept: [], maxBytes: 0, truncate: true, timeout: 10_000, redirects: 0 } as const;

/** Sends one notification to one subscription, if both still exist and the user still wants it. */
export async function deliverPush(
  ctx: Context,
  { subscriptionId, notificationId }: JobPayloads["push.deliver"],
): Promise<void> {
  const subscription = findSubscription(ctx.db, subscriptionId);
  const notification = subscription && findNotification(ctx.db, subscription.account_id, notificationId);
  if (!notification || !isStillWanted(ctx, subscriptionId, notificationId)) return;
  const until = notification.created_at + LIFETIME;
  if (ctx.clock.now() > until) return;
  const token = tokenOf(ctx, subscription);
  if (token === null) {
    ctx.log.warn("a push subscription was removed, because it was created with another push.key");
    return endSubscription(ctx, subscription.id);
  }
  const message = pushMessage(ctx, notification, subscription.account_id, token);
  try {
    await ctx.fetchOutside(subscription.endpoint, { ...BOUNDS, ...(await encrypted(ctx, subscription, message)) });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    handlePushError(ctx, subscription, error, until);
  }
}

/** The body, encrypted for the app, and the headers that describe the encryption and authenticate the server. */
async function encrypted(
  ctx: Context,
  subscription: PushRow,
  message: string,
): Promise<Pick<OutboundRequest, "headers" | "body">> {
  // Slow to load, and only needed once an app has subscribed.
  const { default: webPush } = await import("web-push");
  const { endpoint, p256dh, auth, standard } = subscription;
  const contentEncoding = standard ? "aes128gcm" : "aesgcm";
  const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
    contentEncoding,
    TTL: LIFETIME / 1000,
    urgency: "normal",
  });
  // generateRequestDetails() could also sign the request, but in a way that makes Bun log a warning.
  const { publicKey, privateKey } = vapidKeys(ctx);
  const { origin } = new URL(endpoint);
  const signature = webPush.getVapidHeaders(origin, contactOf(ctx), publicKey, privateKey, contentEncoding);
  const headers = { ...request.headers, ...signature };
  if (!standard) headers["Crypto-Key"] = `${request.headers["Crypto-Key"]};${signature["Crypto-Key"]}`;
  return { headers, body: new Uint8Array(request.body) };
}

/** The contact for push services. They don't accept http URLs, which only servers without internet access have. */
function contactOf({ config }: Context): string {
  return config.contactEmail ? `mailto:${config.contactEmail}` : config.origin.replace(/^http:/, "https:");
}

/** Handles a push service's error. The endpoint is a secret between it and the app, so only its host is logged. */
function handlePushError(ctx: Context, subscription: PushRow, error: OutboundError, until: number): void {
  const { kind, status, retryAfter } = error;
  if (status === 404 || status === 410) return endSubscription(ctx, subscription.id);
  const { host } = new URL(subscription.endpoint);
  const problem = `the push service ${host} ${status === null ? `gave no answer (${kind})` : `answered ${status}`}`;
  const passes = status === null ? kind !== "refused" : status === 408 || status === 429 || status >= 500;
  if (passes) throw new TryLater(problem, { notBefore: retryTime(retryAfter, ctx.clock.now()) ?? 0, until });
  ctx.log.warn("a notification was not pushed: {problem}", { problem });
}
