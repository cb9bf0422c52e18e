import type { Context } from "../../context.ts";
import { severancesWith, type SeveranceRow } from "../../core/people/severances.ts";
import { timestamp } from "../json.ts";

/** Mastodon's RelationshipSeveranceEvent (entities/RelationshipSeveranceEvent) as JSON text by id; one query. */
export function severanceTexts(ctx: Context, ids: readonly number[]): Map<number, string> {
  return new Map(severancesWith(ctx.db, ids).map((row) => [row.id, JSON.stringify(severanceJson(row))]));
}

function severanceJson(row: SeveranceRow) {
  return {
    id: String(row.id),
    type: row.type,
    // Nothing is ever purged: the affected accounts are still known.
    purged: false,
    target_name: row.target_name,
    followers_count: row.followers_count,
    following_count: row.following_count,
    created_at: timestamp(row.created_at),
  };
}
