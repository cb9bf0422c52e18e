import type { Context } from "../../context.ts";
import type { NotificationGroup } from "../../core/notifications/groups.ts";
import type { AccountJson } from "../accounts.ts";
import { members, timestamp } from "../json.ts";
import { type NotificationForm, typeFor } from "./notifications.ts";
import { notificationSubjects } from "./notification-subjects.ts";

/**
 * Mastodon's GroupedNotificationsResults (entities/GroupedNotificationsResults) as JSON text: each account and status
 * appears once, even if several groups refer to it. With `partial_avatars`, only the latest account of each group is
 * complete.
 */
export function groupedText(
  ctx: Context,
  viewerId: number,
  groups: readonly NotificationGroup[],
  { expand = "full", ...form }: NotificationForm & { expand?: "full" | "partial_avatars" } = {},
): string {
  const rows = groups.map(({ row }) => row);
  const people = groups.flatMap(({ accountIds }) => accountIds);
  const { accounts, statuses, subjects } = notificationSubjects(ctx, viewerId, rows, people, form.language);
  const latest = new Set(groups.flatMap(({ accountIds }) => accountIds[0] ?? []));
  const [whole, rest] = [
    [...accounts].filter(([id]) => latest.has(id)),
    [...accounts].filter(([id]) => !latest.has(id)),
  ];
  const lists = {
    accounts: (expand === "full" ? [...accounts] : whole).map(([, text]) => text),
    ...(expand === "partial_avatars" && { partial_accounts: rest.map(([, text]) => partialText(text)) }),
    statuses: [...statuses.values()],
    notification_groups: groups.flatMap((group, at) => groupText(group, subjects[at] ?? null, form) ?? []),
  };
  const parts = Object.entries(lists).map(([name, texts]) => `"${name}":[${texts.join(",")}]`);
  return `{${parts.join(",")}}`;
}

/** Mastodon's NotificationGroup, including a subject other than a status; null if that subject is gone. */
function groupText(
  { key, row, count, newestId, accountIds, page }: NotificationGroup,
  subject: string | null,
  form: NotificationForm,
): string | null {
  if (subject === null) return null;
  const own = members({
    group_key: key,
    notifications_count: count,
    type: typeFor(row, form),
    most_recent_notification_id: newestId,
    ...(page && {
      page_min_id: String(page.oldestId),
      page_max_id: String(newestId),
      latest_page_notification_at: timestamp(page.newestAt),
    }),
    sample_account_ids: accountIds.map(String),
    ...(row.status_id !== null && { status_id: String(row.status_id) }),
  });
  return `{${own}${subject}}`;
}

/** Mastodon's PartialAccountWithAvatar: the fields that a row of avatars needs. */
function partialText(account: string): string {
  const { id, acct, locked, bot, url, avatar, avatar_static, avatar_description } = JSON.parse(account) as AccountJson;
  return JSON.stringify({ id, acct, locked, bot, url, avatar, avatar_static, avatar_description });
}
