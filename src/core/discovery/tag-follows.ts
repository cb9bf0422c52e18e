import type { Context } from "../../context.ts";
import { Keyset, type Page, type ListItem } from "../../db/keyset.ts";
import { validationFailed } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { fillHomeLater } from "../timelines/home-backfill.ts";
import { clearTagFromHome } from "../timelines/home-fanout.ts";
import { ensureTag, findTag } from "./tags.ts";

/** Follows a hashtag: public statuses with it appear in the home timeline, including some recent ones. */
export function followTag(ctx: Context, accountId: number, written: string): void {
  if (!isHashtagName(written)) throw validationFailed("Tag is invalid");
  ctx.db.transaction((tx) => {
    const tagId = ensureTag(tx, written, ctx.clock.now());
    const { changes } = tx.run(
      "INSERT INTO tag_follows (account_id, tag_id, created_at) VALUES ($accountId, $tagId, $now) ON CONFLICT DO NOTHING",
      { accountId, tagId, now: ctx.clock.now() },
    );
    if (changes > 0) fillHomeLater(ctx, tx, accountId, { tagIds: [tagId] });
  });
}

export function unfollowTag(ctx: Context, accountId: number, written: string): void {
  const tagId = findTag(ctx.db, written);
  if (tagId === null) return;
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM tag_follows WHERE account_id = +$accountId AND tag_id = +$tagId", {
      accountId,
      tagId,
    });
    if (changes > 0) clearTagFromHome(tx, accountId, tagId);
  });
}

const FOLLOWED = new Keyset<ListItem>(
  "SELECT t.tag_id AS id, t.id AS cursor FROM tag_follows t WHERE t.account_id = +$accountId",
  "t.id",
);

export function followedTags(ctx: Context, accountId: number, page: Page): ListItem[] {
  return FOLLOWED.page(ctx.db, page, { accountId });
}
