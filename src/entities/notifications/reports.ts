import type { Context } from "../../context.ts";
import { reportsWith, type ReportRow } from "../../core/moderation/reports.ts";
import { accountTexts } from "../accounts.ts";
import { members, timestamp } from "../json.ts";

/** Mastodon's Report (entities/Report) as JSON text by id; a fixed number of queries. */
export function reportTexts(ctx: Context, ids: readonly number[]): Map<number, string> {
  return textsWithTarget(ctx, reportsWith(ctx.db, ids), reportJson);
}

/** Rows about an account as JSON text by id: what `show` returns, and `target_account`. */
export function textsWithTarget<Row extends { id: number; target_account_id: number }>(
  ctx: Context,
  rows: readonly Row[],
  show: (row: Row) => object,
): Map<number, string> {
  const accounts = accountTexts(
    ctx,
    rows.map((row) => row.target_account_id),
  );
  return new Map(
    rows.map((row) => [row.id, `{${members(show(row))},"target_account":${accounts.get(row.target_account_id)}}`]),
  );
}

function reportJson(row: ReportRow) {
  return {
    id: String(row.id),
    action_taken: row.action_taken_at !== null,
    action_taken_at: timestamp(row.action_taken_at),
    category: row.category,
    comment: row.comment,
    forwarded: row.forwarded === 1,
    created_at: timestamp(row.created_at),
    status_ids: idTexts(row.status_ids),
    rule_ids: row.rule_ids === null ? null : idTexts(row.rule_ids),
    // Linnet has no collections.
    collection_ids: [],
  };
}

/** Stored ids, a JSON list of numbers, as the strings that are sent. */
export function idTexts(json: string): string[] {
  return (JSON.parse(json) as number[]).map(String);
}
