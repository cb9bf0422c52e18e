import {
  clearNotifications,
  countUnread,
  dismissNotification,
  EMOJI_REACTION,
  findNotification,
  LISTED_TYPES,
  listNotifications,
  NOTIFICATION_TYPES,
  SIGN_IN,
  type ListedType,
  type NotificationFilter,
} from "../../core/notifications/notifications.ts";
import { type NotificationForm, notificationTexts } from "../../entities/notifications/notifications.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, id, list, object, oneOf, optional } from "../../lib/http/input.ts";
import { jsonText, limit, pagedTexts, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

/** Unknown types are ignored: apps also ask for types that only other servers have. */
export const types = () => optional(list(oneOf(LISTED_TYPES, { lenient: true })));

/** The parameters that select notifications, for lists and counts. */
export const filters = {
  types: types(),
  exclude_types: types(),
  supported_types: types(),
  account_id: optional(id()),
  include_filtered: bool({ default: false }),
};

/** Unread notifications are counted up to this limit. */
export const countLimit = () => limit(100, 1000);

interface FilterInput {
  types?: ListedType[];
  exclude_types?: ListedType[];
  supported_types?: ListedType[];
  account_id?: string;
  include_filtered: boolean;
}

/** Apps that don't name the type of emoji reactions get them as favourites. */
export function formOf({ types = [], exclude_types = [] }: FilterInput): NotificationForm {
  return { knowsReactions: [...types, ...exclude_types].includes(EMOJI_REACTION) };
}

export function filterOf(input: FilterInput): NotificationFilter {
  const excluded = input.exclude_types ?? [];
  const all = NOTIFICATION_TYPES.filter((type) => type !== SIGN_IN || input.supported_types !== undefined);
  const types = (input.types ?? all).filter((type) => !excluded.includes(type));
  const asFavourites = !formOf(input).knowsReactions && types.includes("favourite");
  return {
    types: asFavourites ? [...types, EMOJI_REACTION] : types,
    fromAccountId: input.account_id === undefined ? null : (parseId(input.account_id) ?? 0),
    includeFiltered: input.include_filtered,
  };
}

/** Mastodon's documentation: methods/notifications. */
export function notificationRoutes(routes: Router): void {
  const read = { scope: "read:notifications" } as const;
  const write = { scope: "write:notifications" } as const;
  const Count = object({ ...filters, limit: countLimit() });
  routes
    .get(
      "/api/v1/notifications",
      { ...read, input: object({ ...paging(40, 80), ...filters }), summary: "List notifications" },
      (call) => {
        const page = pageOf(call.input);
        const rows = listNotifications(call.ctx.db, call.viewerId, filterOf(call.input), page);
        return pagedTexts(call, page, rows, notificationTexts(call.ctx, call.viewerId, rows, formOf(call.input)));
      },
    )
    .get(
      "/api/v1/notifications/unread_count",
      { ...read, input: Count, summary: "Count unread notifications" },
      ({ ctx, viewerId, input }) => ({
        count: countUnread(ctx.db, viewerId, filterOf(input), input.limit),
      }),
    )
    .get("/api/v1/notifications/:id", { ...read, summary: "Get a notification" }, ({ ctx, viewerId, params }) => {
      const row = findNotification(ctx.db, viewerId, parseId(params.id) ?? 0);
      const text = row && notificationTexts(ctx, viewerId, [row])[0];
      if (!text) throw notFound();
      return jsonText(text);
    })
    .post("/api/v1/notifications/clear", { ...write, summary: "Dismiss all notifications" }, ({ ctx, viewerId }) =>
      clearNotifications(ctx, viewerId),
    )
    .post(
      "/api/v1/notifications/:id/dismiss",
      { ...write, summary: "Dismiss a notification" },
      ({ ctx, viewerId, params }) => {
        if (!dismissNotification(ctx, viewerId, parseId(params.id) ?? 0)) throw notFound();
      },
    );
}
