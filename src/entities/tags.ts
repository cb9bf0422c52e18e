import type { Context } from "../context.ts";
import { tagUrl } from "../core/compose.ts";
import { tagHistories, type DayJson } from "./histories.ts";

interface Row {
  id: number;
  name: string;
  display_name: string;
  following: number;
  featuring: number;
}

const TAGS = `
  SELECT t.id, t.name, t.display_name,
    EXISTS (SELECT 1 FROM tag_follows WHERE account_id = ?2 AND tag_id = t.id) AS following,
    EXISTS (SELECT 1 FROM featured_tags WHERE account_id = ?2 AND tag_id = t.id) AS featuring
  FROM json_each(?1) j JOIN tags t ON t.id = j.value
  ORDER BY j.key`;

/** Mastodon's Tag (entities/Tag), in the order of the ids; two queries for any number of them. */
export function showTags(ctx: Context, viewerId: number, ids: readonly number[]) {
  const histories = tagHistories(ctx, ids);
  return ctx.db
    .all<Row>(TAGS, JSON.stringify(ids), viewerId)
    .map((row) => tagJson(ctx, viewerId, row, histories.get(row.id)!));
}

/** One that nobody has used yet, as if it were there: ids are not given to what strangers ask for. */
export function showUnusedTag(ctx: Context, viewerId: number, name: string, written: string) {
  const row = { id: 0, name, display_name: written, following: 0, featuring: 0 };
  return tagJson(ctx, viewerId, row, tagHistories(ctx, [row.id]).get(row.id)!);
}

function tagJson(ctx: Context, viewerId: number, row: Row, history: DayJson[]) {
  return {
    id: String(row.id),
    name: row.display_name,
    url: tagUrl(ctx, row.name),
    history,
    // What only a person has; 0 is nobody.
    ...(viewerId ? { following: row.following === 1, featuring: row.featuring === 1 } : null),
  };
}
