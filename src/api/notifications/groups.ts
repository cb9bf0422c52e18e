import {
  accountsInGroup,
  countUnreadGroups,
  dismissGroup,
  findGroup,
  type GroupFilter,
  listGroups,
} from "../../core/notifications/groups.ts";
import { GROUPABLE_TYPES, type ListedType } from "../../core/notifications/notifications.ts";
import { groupedText } from "../../entities/notifications/notification-groups.ts";
import { notFound } from "../../errors.ts";
import { object, oneOf } from "../../lib/http/input.ts";
import { countLimit, filterOf, filters, formOf, types } from "./notifications.ts";
import { accountPage, jsonText, pageHeaders, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

const groupFilters = { ...filters, grouped_types: types() };

/** Without `grouped_types`, all types that can be grouped are. */
function groupFilterOf(input: Parameters<typeof filterOf>[0] & { grouped_types?: ListedType[] }): GroupFilter {
  return { ...filterOf(input), groupedTypes: input.grouped_types ?? GROUPABLE_TYPES };
}

/** Mastodon's documentation: methods/grouped_notifications. */
export function notificationGroupRoutes(routes: Router): void {
  const read = { scope: "read:notifications" } as const;
  const write = { scope: "write:notifications" } as const;
  const List = object({
    ...paging(40, 80),
    ...groupFilters,
    expand_accounts: oneOf(["full", "partial_avatars"], { default: "full" }),
  });
  routes
    .get("/api/v2/notifications", { ...read, input: List, summary: "List notifications in groups" }, (call) => {
      const { ctx, viewerId, input } = call;
      const page = pageOf(input);
      const groups = listGroups(ctx.db, viewerId, groupFilterOf(input), page);
      const headers = pageHeaders(
        call,
        page,
        groups.map(({ row }) => row),
      );
      const form = { ...formOf(input), expand: input.expand_accounts };
      return new Response(groupedText(ctx, viewerId, groups, form), { headers });
    })
    .get(
      "/api/v2/notifications/unread_count",
      { ...read, input: object({ ...groupFilters, limit: countLimit() }), summary: "Count unread notification groups" },
      ({ ctx, viewerId, input }) => ({
        count: countUnreadGroups(ctx.db, viewerId, groupFilterOf(input), input.limit),
      }),
    )
    .get(
      "/api/v2/notifications/:group_key",
      { ...read, summary: "Get a notification group" },
      ({ ctx, viewerId, params }) => {
        const group = findGroup(ctx.db, viewerId, params.group_key!);
        if (!group) throw notFound();
        return jsonText(groupedText(ctx, viewerId, [group]));
      },
    )
    .post(
      "/api/v2/notifications/:group_key/dismiss",
      { ...write, summary: "Dismiss a notification group" },
      ({ ctx, viewerId, params }) => dismissGroup(ctx, viewerId, params.group_key!),
    );
  // The documentation and Mastodon's code disagree about the scope, so either is accepted.
  const either = { scope: ["read:notifications", "write:notifications"], input: object(paging(40, 80)) } as const;
  routes.get(
    "/api/v2/notifications/:group_key/accounts",
    { ...either, summary: "List the accounts of a notification group" },
    (call) => {
      const { ctx, viewerId, params, input } = call;
      const page = pageOf(input);
      const rows = accountsInGroup(ctx.db, viewerId, params.group_key!, page);
      return accountPage(call, page, rows);
    },
  );
}
