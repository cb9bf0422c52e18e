import type { Context } from "../context.ts";
import type { NotificationRow } from "../core/notifications.ts";
import { accountsById } from "./accounts.ts";
import { showStatuses } from "./statuses.ts";
import { timestamp } from "./urls.ts";

/** Mastodon's Notification (entities/Notification), in the order of the rows; a fixed number of queries. */
export function showNotifications(ctx: Context, viewerId: number, rows: readonly NotificationRow[]) {
  const accounts = accountsById(
    ctx,
    rows.map((row) => row.from_account_id),
  );
  const statusIds = [...new Set(rows.flatMap((row) => row.status_id ?? []))];
  const statuses = new Map(showStatuses(ctx, viewerId, statusIds).map((status) => [status.id, status]));
  return rows.map((row) => ({
    id: String(row.id),
    type: row.type,
    created_at: timestamp(row.created_at),
    group_key: `ungrouped-${row.id}`,
    account: accounts.get(row.from_account_id)!,
    ...(row.status_id === null ? null : { status: statuses.get(String(row.status_id)) ?? null }),
  }));
}
