import type { Context } from "../context.ts";
import { aloneKey } from "../core/notification-groups.ts";
import type { NotificationRow } from "../core/notifications.ts";
import { accountTexts } from "./accounts.ts";
import { subjectTexts } from "./notification-subjects.ts";
import { statusTextsById } from "./statuses.ts";
import { timestamp } from "./urls.ts";

/**
 * Mastodon's Notification (entities/Notification) as JSON text, in the order of the rows; a fixed number of queries.
 * One whose status or other subject is gone or hidden by now is left out.
 */
export function notificationTexts(ctx: Context, viewerId: number, rows: readonly NotificationRow[]): string[] {
  const accounts = accountTexts(
    ctx,
    rows.map((row) => row.from_account_id),
  );
  const statuses = statusTextsById(
    ctx,
    viewerId,
    rows.flatMap((row) => row.status_id ?? []),
  );
  const subjects = subjectTexts(ctx, viewerId, rows);
  return rows.flatMap((row, at) => {
    const own = JSON.stringify({
      id: String(row.id),
      type: row.type,
      created_at: timestamp(row.created_at),
      group_key: row.group_key ?? aloneKey(row.id),
      ...(row.filtered === 1 && { filtered: true }),
    }).slice(0, -1);
    const account = accounts.get(row.from_account_id);
    const subject = subjects[at] ?? null;
    const status = row.status_id === null ? "" : statuses.get(row.status_id);
    if (subject === null || status === undefined) return [];
    return `${own},"account":${account}${status && `,"status":${status}`}${subject}}`;
  });
}
