import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { featuredTags } from "../../db/schema/index.ts";
import { notFound, validationFailed } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { ensureTag, findTag } from "./tags.ts";
import { isForEveryone } from "../visibility.ts";

/** As many as with Mastodon; clients read it from the instance's configuration. */
export const MAX_FEATURED_TAGS = 10;

export type FeaturedTagRow = Pick<
  typeof featuredTags.$inferSelect,
  "id" | "tag_id" | "name" | "statuses_count" | "last_status_at"
> & {
  /** The hashtag's key, for addresses. */
  key: string;
};

const SELECT = `
  SELECT f.id, f.tag_id, f.name, f.statuses_count, f.last_status_at, t.name AS key
  FROM featured_tags f JOIN tags t ON t.id = f.tag_id`;

/** What somebody features on their profile, the most used first. */
export function featuredTagsOf(db: Reads, accountId: number): FeaturedTagRow[] {
  return db.all<FeaturedTagRow>(`${SELECT} WHERE f.account_id = ? ORDER BY f.statuses_count DESC, f.id`, accountId);
}

/** Statuses `s` of an account that everybody may see, and that have the hashtag of `featured_tags`. */
const COUNTED = `
  s.account_id = featured_tags.account_id AND s.visibility IN ('public', 'unlisted')
  AND EXISTS (SELECT 1 FROM status_tags WHERE tag_id = featured_tags.tag_id AND status_id = s.id)`;

/** Shows a hashtag on the profile; the row that was there already when it is featured again. */
export function featureTag(ctx: Context, accountId: number, written: string): FeaturedTagRow {
  const name = written.trim().replace(/^#/, "");
  if (name === "") throw validationFailed("Name can't be blank");
  if (!isHashtagName(name)) throw validationFailed("Tag is invalid");
  return ctx.db.transaction((tx) => {
    const tagId = ensureTag(tx, name, ctx.clock.now());
    const featured = featuredTagsOf(tx, accountId);
    const before = featured.find((row) => row.tag_id === tagId);
    if (before) return before;
    if (featured.length >= MAX_FEATURED_TAGS) {
      throw validationFailed("You have already featured the maximum number of hashtags");
    }
    const { lastInsertRowid: id } = tx.run(
      "INSERT INTO featured_tags (account_id, tag_id, name, statuses_count, created_at) VALUES (?, ?, ?, 0, ?)",
      accountId,
      tagId,
      name,
      ctx.clock.now(),
    );
    tx.run(
      `UPDATE featured_tags SET statuses_count = (SELECT count(*) FROM statuses s WHERE ${COUNTED}),
         last_status_at = (SELECT s.created_at FROM statuses s WHERE ${COUNTED} ORDER BY s.id DESC LIMIT 1)
       WHERE id = ?`,
      id,
    );
    return tx.get<FeaturedTagRow>(`${SELECT} WHERE f.id = ?`, id)!;
  });
}

/** Takes a hashtag off the profile again, if it is there. */
export function unfeatureTag(ctx: Context, accountId: number, written: string): void {
  ctx.db.transaction((tx) =>
    tx.run("DELETE FROM featured_tags WHERE account_id = ? AND tag_id = ?", accountId, findTag(tx, written)),
  );
}

export function removeFeaturedTag(ctx: Context, accountId: number, id: number | null): void {
  ctx.db.transaction((tx) => {
    const { changes } = tx.run("DELETE FROM featured_tags WHERE account_id = ? AND id = ?", accountId, id);
    if (changes === 0) throw notFound();
  });
}

/** How much of somebody's own writing is looked through for suggestions. */
const LOOKED_THROUGH = 1000;
const MAX_SUGGESTIONS = 10;

/** The hashtags that somebody has used most lately and doesn't feature, by id. */
export function suggestedTags(db: Reads, accountId: number): number[] {
  return db
    .all<{ id: number }>(
      `SELECT st.tag_id AS id
       FROM (SELECT id FROM statuses WHERE account_id = ?1 AND reblog_of_id IS NULL
             ORDER BY id DESC LIMIT ${LOOKED_THROUGH}) s
       JOIN status_tags st ON st.status_id = s.id
       WHERE NOT EXISTS (SELECT 1 FROM featured_tags WHERE account_id = ?1 AND tag_id = st.tag_id)
       GROUP BY st.tag_id ORDER BY count(*) DESC, max(s.id) DESC LIMIT ${MAX_SUGGESTIONS}`,
      accountId,
    )
    .map(({ id }) => id);
}

interface Tagged {
  id: number;
  account_id: number;
  visibility: string;
}

const OF_STATUS = "account_id = ?1 AND tag_id IN (SELECT tag_id FROM status_tags WHERE status_id = ?2)";

/** After a status has been filed under its hashtags. `at` is when it was written. */
export function countFeatured(tx: Tx, status: Tagged, at: number): void {
  if (!isForEveryone(status.visibility)) return;
  tx.run(
    `UPDATE featured_tags SET statuses_count = statuses_count + 1, last_status_at = max(coalesce(last_status_at, 0), ?3)
     WHERE ${OF_STATUS}`,
    status.account_id,
    status.id,
    at,
  );
}

/** Before a status goes, or its hashtags change. */
export function uncountFeatured(tx: Tx, status: Tagged & { created_at: number }): void {
  if (!isForEveryone(status.visibility)) return;
  tx.run(
    `UPDATE featured_tags SET statuses_count = max(0, statuses_count - 1),
       last_status_at = CASE WHEN last_status_at > ?3 THEN last_status_at ELSE (
         SELECT s.created_at FROM statuses s WHERE ${COUNTED} AND s.id <> ?2 ORDER BY s.id DESC LIMIT 1) END
     WHERE ${OF_STATUS}`,
    status.account_id,
    status.id,
    status.created_at,
  );
}
