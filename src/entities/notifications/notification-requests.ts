import type { Context } from "../../context.ts";
import { pendingRequests, type RequestRow } from "../../core/notifications/requests.ts";
import { policyOf } from "../../core/notifications/policy.ts";
import { accountTexts } from "../accounts.ts";
import { members, timestamp } from "../json.ts";
import { statusTextsById } from "../statuses/statuses.ts";

/** Mastodon's NotificationRequest (entities/NotificationRequest) as JSON text, in the order of the rows. */
export function requestTexts(ctx: Context, viewerId: number, rows: readonly RequestRow[]): string[] {
  const accounts = accountTexts(
    ctx,
    rows.map((row) => row.from_account_id),
  );
  const statuses = statusTextsById(
    ctx,
    viewerId,
    rows.flatMap((row) => row.last_status_id ?? []),
  );
  return rows.map((row) => {
    const own = members({
      id: String(row.id),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      notifications_count: String(row.notifications_count),
    });
    const status = row.last_status_id === null ? "null" : statuses.get(row.last_status_id)!;
    return `{${own},"account":${accounts.get(row.from_account_id)!},"last_status":${status}}`;
  });
}

/** Mastodon's NotificationPolicy (entities/NotificationPolicy). */
export function showPolicy(ctx: Context, accountId: number) {
  return { ...policyOf(ctx.db, accountId), summary: summaryOf(ctx, accountId) };
}

/** The older form (entities/V1_NotificationPolicy), which doesn't distinguish `filter` from `drop`. */
export function showPolicyV1(ctx: Context, accountId: number) {
  const policy = policyOf(ctx.db, accountId);
  return {
    filter_not_following: policy.for_not_following !== "accept",
    filter_not_followers: policy.for_not_followers !== "accept",
    filter_new_accounts: policy.for_new_accounts !== "accept",
    filter_private_mentions: policy.for_private_mentions !== "accept",
    summary: summaryOf(ctx, accountId),
  };
}

function summaryOf(ctx: Context, accountId: number) {
  const { requests, notifications } = pendingRequests(ctx.db, accountId);
  return { pending_requests_count: requests, pending_notifications_count: notifications };
}
