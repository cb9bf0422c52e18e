import type { Context } from "../context.ts";
import type { NotificationRow } from "../core/notifications.ts";
import { accountTexts } from "./accounts.ts";
import { statusTexts } from "./statuses.ts";
import { timestamp } from "./urls.ts";

/**
 * Mastodon's Notification (entities/Notification) as JSON text, in the order of the rows; a fixed number of queries.
 * One whose status is gone or hidden by now is left out.
 */
export function notificationTexts(ctx: Context, viewerId: number, rows: readonly NotificationRow[]): string[] {
  const accounts = accountTexts(
    ctx,
    rows.map((row) => row.from_account_id),
  );
  const statusIds = [...new Set(rows.flatMap((row) => row.status_id ?? []))];
  const statuses = new Map(statusTexts(ctx, viewerId, statusIds).map((text, at) => [statusIds[at]!, text]));
  return rows.flatMap((row) => {
    const own = JSON.stringify({
      id: String(row.id),
      type: row.type,
      created_at: timestamp(row.created_at),
      group_key: `ungrouped-${row.id}`,
    }).slice(0, -1);
    const account = accounts.get(row.from_account_id);
    if (row.status_id === null) return `${own},"account":${account}}`;
    const status = statuses.get(row.status_id);
    return status === undefined ? [] : `${own},"account":${account},"status":${status}}`;
  });
}
