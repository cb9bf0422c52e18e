import type { Context } from "../context.ts";
import { warningsWith, type WarningRow } from "../core/moderation.ts";
import { accountTexts } from "./accounts.ts";
import { idTexts } from "./reports.ts";
import { timestamp } from "./urls.ts";

/** Mastodon's AccountWarning (entities/AccountWarning) as JSON text by id; a fixed number of queries. */
export function warningTexts(ctx: Context, ids: readonly number[]): Map<number, string> {
  const rows = warningsWith(ctx.db, ids);
  const accounts = accountTexts(
    ctx,
    rows.map((row) => row.target_account_id),
  );
  return new Map(
    rows.map((row) => {
      const own = JSON.stringify(warningJson(row)).slice(0, -1);
      return [row.id, `${own},"target_account":${accounts.get(row.target_account_id)}}`];
    }),
  );
}

function warningJson(row: WarningRow) {
  return {
    id: String(row.id),
    action: row.action,
    text: row.text,
    status_ids: row.status_ids === null ? null : idTexts(row.status_ids),
    // People speak with the owner of a small server; there is no form for it.
    appeal: null,
    created_at: timestamp(row.created_at),
  };
}
