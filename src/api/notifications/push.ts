import {
  changePushPreferences,
  PUSH_ALERTS,
  PUSH_POLICIES,
  subscribe,
  subscriptionOf,
  unsubscribe,
  type PushAlert,
  type PushPreferences,
} from "../../core/notifications/push.ts";
import { pushSubscriptionJson } from "../../entities/notifications/push.ts";
import { bool, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { bearerToken } from "../../oauth/guard.ts";
import type { Router } from "../router.ts";

const alerts = Object.fromEntries(PUSH_ALERTS.map((alert) => [alert, optional(bool())]));
const policy = optional(oneOf(PUSH_POLICIES));

/** The documentation has `policy` inside `data` when subscribing and beside it in updates; apps send it inside. */
const PreferencesInput = object({ data: optional(object({ alerts: optional(object(alerts)), policy })), policy });

const Subscription = object({
  ...PreferencesInput.properties,
  subscription: object({
    endpoint: text({ max: 2048 }),
    standard: bool({ default: false }),
    keys: object({ p256dh: text({ max: 200 }), auth: text({ max: 200 }) }),
  }),
});

/** A request sets all alerts at once: one that is missing is off. */
function preferencesOf({ data, policy }: (typeof PreferencesInput)["static"]): Partial<PushPreferences> {
  const given: Partial<Record<PushAlert, boolean>> | undefined = data?.alerts;
  return {
    alerts: given && PUSH_ALERTS.filter((alert) => given[alert]),
    policy: data?.policy ?? policy,
  };
}

/** Mastodon's documentation: methods/push. A token has at most one subscription, and sees only its own. */
export function pushRoutes(routes: Router): void {
  const path = "/api/v1/push/subscription";
  const push = { scope: "push" } as const;
  routes
    .post(
      path,
      { ...push, input: Subscription, summary: "Subscribe to push notifications" },
      ({ ctx, viewerId, bearer, request, input }) => {
        const token = bearerToken(request.headers.get("authorization"))!;
        const { keys, ...target } = input.subscription;
        const { alerts = [], policy = "all" } = preferencesOf(input);
        const holder = { accountId: viewerId, tokenId: bearer.tokenId, token };
        return pushSubscriptionJson(ctx, subscribe(ctx, holder, { ...target, ...keys }, { alerts, policy }));
      },
    )
    .get(path, { ...push, summary: "Get the push subscription" }, ({ ctx, bearer }) =>
      pushSubscriptionJson(ctx, subscriptionOf(ctx.db, bearer.tokenId)),
    )
    .update(
      path,
      { ...push, input: PreferencesInput, summary: "Change the types of push notifications" },
      ({ ctx, bearer, input }) =>
        pushSubscriptionJson(ctx, changePushPreferences(ctx, bearer.tokenId, preferencesOf(input))),
    )
    .delete(path, { ...push, summary: "Delete the push subscription" }, ({ ctx, bearer }) =>
      ctx.db.transaction((tx) => unsubscribe(tx, bearer.tokenId)),
    );
}
