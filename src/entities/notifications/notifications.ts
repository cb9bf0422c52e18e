import type { Context } from "../../context.ts";
import { singleKey } from "../../core/notifications/groups.ts";
import {
  EMOJI_REACTION,
  isReaction,
  type ListedType,
  type NotificationRow,
} from "../../core/notifications/notifications.ts";
import { members, timestamp } from "../json.ts";
import { notificationSubjects } from "./notification-subjects.ts";

/** How an app wants notifications. */
export interface NotificationForm {
  /** Whether it knows the type of emoji reactions. Other apps get them as favourites. */
  knowsReactions?: boolean;
  /** The language of texts that are for the user; by default the user's own. */
  language?: string;
}

export function typeFor(row: NotificationRow, { knowsReactions = false }: NotificationForm): ListedType {
  return knowsReactions && isReaction(row) ? EMOJI_REACTION : row.type;
}

/**
 * Mastodon's Notification (entities/Notification) as JSON text, in the order of the rows; a fixed number of queries.
 * Leaves out notifications whose status or other subject is gone or hidden by now.
 */
export function notificationTexts(
  ctx: Context,
  viewerId: number,
  rows: readonly NotificationRow[],
  form: NotificationForm = {},
): string[] {
  const people = rows.map((row) => row.from_account_id);
  const { accounts, statuses, subjects } = notificationSubjects(ctx, viewerId, rows, people, form.language);
  return rows.flatMap((row, at) => {
    const own = members({
      id: String(row.id),
      type: typeFor(row, form),
      created_at: timestamp(row.created_at),
      group_key: row.group_key ?? singleKey(row.id),
      ...(row.filtered === 1 && { filtered: true }),
    });
    const account = accounts.get(row.from_account_id);
    const subject = subjects[at] ?? null;
    const status = row.status_id === null ? "" : statuses.get(row.status_id);
    if (subject === null || status === undefined) return [];
    return `{${own},"account":${account}${status && `,"status":${status}`}${subject}}`;
  });
}
