import { changePolicy, POLICY_LEVELS, type Policy } from "../../core/notifications/policy.ts";
import {
  acceptRequests,
  areMerged,
  dismissRequests,
  listRequests,
  ownRequest,
} from "../../core/notifications/requests.ts";
import { requestTexts, showPolicy, showPolicyV1 } from "../../entities/notifications/notification-requests.ts";
import { parseId, parseIds } from "../../lib/ids.ts";
import { bool, id, list, object, oneOf, optional } from "../../lib/http/input.ts";
import { jsonText, pagedTexts, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

const read = { scope: "read:notifications" } as const;
const write = { scope: "write:notifications" } as const;

/** Mastodon's documentation: methods/notifications, from the policy on. */
export function notificationRequestRoutes(routes: Router): void {
  policyRoutes(routes);
  const path = "/api/v1/notifications/requests";
  const Several = object({ id: list(id(), { default: [] }) });
  routes
    .get(path, { ...read, input: object(paging(40, 80)), summary: "List notification requests" }, (call) => {
      const page = pageOf(call.input);
      const rows = listRequests(call.ctx.db, call.viewerId, page);
      return pagedTexts(call, page, rows, requestTexts(call.ctx, call.viewerId, rows));
    })
    .get(
      `${path}/merged`,
      { ...read, summary: "Check whether accepted notification requests are merged" },
      ({ ctx, viewerId }) => ({ merged: areMerged(ctx.db, viewerId) }),
    )
    .get(`${path}/:id`, { ...read, summary: "Get a notification request" }, ({ ctx, viewerId, params }) =>
      jsonText(requestTexts(ctx, viewerId, [ownRequest(ctx.db, viewerId, parseId(params.id))])[0]!),
    );
  for (const [verb, decide, summary, summaryOfSeveral] of [
    ["accept", acceptRequests, "Accept a notification request", "Accept multiple notification requests"],
    ["dismiss", dismissRequests, "Dismiss a notification request", "Dismiss multiple notification requests"],
  ] as const) {
    routes
      .post(`${path}/${verb}`, { ...write, input: Several, summary: summaryOfSeveral }, ({ ctx, viewerId, input }) =>
        decide(ctx, viewerId, parseIds(input.id)),
      )
      .post(`${path}/:id/${verb}`, { ...write, summary }, ({ ctx, viewerId, params }) =>
        decide(ctx, viewerId, [ownRequest(ctx.db, viewerId, parseId(params.id)).id]),
      );
  }
}

function policyRoutes(routes: Router): void {
  const level = () => optional(oneOf(POLICY_LEVELS));
  const Levels = object({
    for_not_following: level(),
    for_not_followers: level(),
    for_new_accounts: level(),
    for_private_mentions: level(),
    for_limited_accounts: level(),
  });
  const Filters = object({
    filter_not_following: optional(bool()),
    filter_not_followers: optional(bool()),
    filter_new_accounts: optional(bool()),
    filter_private_mentions: optional(bool()),
  });
  routes
    .get(
      "/api/v2/notifications/policy",
      { ...read, summary: "Get the policy for filtering notifications" },
      ({ ctx, viewerId }) => showPolicy(ctx, viewerId),
    )
    .update(
      "/api/v2/notifications/policy",
      { ...write, input: Levels, summary: "Update the policy for filtering notifications" },
      ({ ctx, viewerId, input }) => {
        changePolicy(ctx, viewerId, input);
        return showPolicy(ctx, viewerId);
      },
    )
    .get(
      "/api/v1/notifications/policy",
      { ...read, summary: "Get the policy for filtering notifications (deprecated)" },
      ({ ctx, viewerId }) => showPolicyV1(ctx, viewerId),
    )
    .update(
      "/api/v1/notifications/policy",
      { ...write, input: Filters, summary: "Update the policy for filtering notifications (deprecated)" },
      ({ ctx, viewerId, input }) => {
        const changes = Object.entries(input).map(([name, held]) => [
          name.replace("filter_", "for_"),
          held ? "filter" : "accept",
        ]);
        changePolicy(ctx, viewerId, Object.fromEntries(changes) as Partial<Policy>);
        return showPolicyV1(ctx, viewerId);
      },
    );
}
