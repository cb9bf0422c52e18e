import type { Context } from "../../context.ts";
import { warningsWith, type WarningRow } from "../../core/moderation/moderation.ts";
import { timestamp } from "../json.ts";
import { idTexts, textsWithTarget } from "./reports.ts";

/** Mastodon's AccountWarning (entities/AccountWarning) as JSON text by id; a fixed number of queries. */
export function warningTexts(ctx: Context, ids: readonly number[]): Map<number, string> {
  return textsWithTarget(ctx, warningsWith(ctx.db, ids), warningJson);
}

function warningJson(row: WarningRow) {
  return {
    id: String(row.id),
    action: row.action,
    text: row.text,
    status_ids: row.status_ids === null ? null : idTexts(row.status_ids),
    // There are no appeals: users of a small server contact its owner.
    appeal: null,
    created_at: timestamp(row.created_at),
  };
}
