import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import { emojisJson } from "../emojis.ts";
import { members } from "../json.ts";

const REACTIONS = `
  SELECT f.id, f.emoji, a.domain FROM json_each($ids) j JOIN favourites f ON f.id = j.value
  JOIN accounts a ON a.id = f.account_id
  WHERE f.emoji IS NOT NULL`;

/**
 * The emoji of reactions as Pleroma's notifications have it, by the favourite's id: `emoji`, and for a custom one
 * `emoji_url`, if its image is known here.
 */
export function reactionMembers(ctx: Context, favouriteIds: readonly number[]): Map<number, string> {
  const rows = ctx.db.all<{ id: number; emoji: string; domain: string | null }>(REACTIONS, {
    ids: idList(favouriteIds),
  });
  return new Map(
    rows.map(({ id, emoji, domain }) => {
      const [custom] = emojisJson(ctx, domain, [emoji]);
      return [id, members({ emoji, emoji_url: custom?.url ?? null })];
    }),
  );
}
