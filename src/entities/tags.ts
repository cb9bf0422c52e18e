import type { Context } from "../context.ts";
import { tagUrl } from "../core/compose.ts";
import { tagHistories } from "./histories.ts";

interface Row {
  id: number;
  name: string;
  display_name: string;
}

const TAGS = "SELECT t.id, t.name, t.display_name FROM json_each(?1) j JOIN tags t ON t.id = j.value ORDER BY j.key";

/** Mastodon's Tag (entities/Tag), in the order of the ids; a fixed number of queries for any number of them. */
export function showTags(ctx: Context, ids: readonly number[]) {
  const histories = tagHistories(ctx, ids);
  return ctx.db.all<Row>(TAGS, JSON.stringify(ids)).map((row) => ({
    id: String(row.id),
    name: row.display_name,
    url: tagUrl(ctx, row.name),
    history: histories.get(row.id)!,
  }));
}
