import type { Context } from "../context.ts";
import { tagUrl } from "../core/addresses.ts";
import { findTag } from "../core/discovery/tags.ts";
import { normaliseHashtag } from "../lib/text/hashtags.ts";
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
    EXISTS (SELECT 1 FROM tag_follows WHERE account_id = +$viewer AND tag_id = t.id) AS following,
    EXISTS (SELECT 1 FROM featured_tags WHERE account_id = +$viewer AND tag_id = t.id) AS featuring
  FROM json_each($ids) j JOIN tags t ON t.id = j.value
  ORDER BY j.key`;

/** Mastodon's Tag (entities/Tag), in the order of the ids; two queries for any number of them. */
export function showTags(ctx: Context, viewerId: number, ids: readonly number[]) {
  const histories = tagHistories(ctx, ids);
  return rowsOf(ctx, viewerId, ids).map((row) => tagJson(ctx, viewerId, row, histories.get(row.id)!));
}

/** A hashtag by name. It looks the same whether it is unused or used only in statuses that the viewer may not see. */
export function showTag(ctx: Context, viewerId: number, written: string) {
  const id = findTag(ctx.db, written) ?? 0;
  const [row = { id, name: normaliseHashtag(written), display_name: "", following: 0, featuring: 0 }] = rowsOf(
    ctx,
    viewerId,
    [id],
  );
  const history = tagHistories(ctx, [id]).get(id)!;
  return tagJson(ctx, viewerId, { ...row, display_name: row.display_name || written }, history);
}

function rowsOf(ctx: Context, viewerId: number, ids: readonly number[]): Row[] {
  return ctx.db.all<Row>(TAGS, { ids: JSON.stringify(ids), viewer: viewerId });
}

function tagJson(ctx: Context, viewerId: number, row: Row, history: DayJson[]) {
  return {
    id: idOf(row.name),
    name: row.display_name || row.name,
    url: tagUrl(ctx, row.name),
    history,
    // Omitted without a viewer.
    ...(viewerId ? { following: row.following === 1, featuring: row.featuring === 1 } : null),
  };
}

/** A hash of the name: the id of a row would show whether the hashtag was used before. No route takes it. */
function idOf(name: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex");
  return String(Number.parseInt(hash.slice(0, 12), 16));
}
