import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { featuredTags } from "../../db/schema/index.ts";
import { notFound, validationFailed } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { deliver } from "../deliveries.ts";
import { ensureTag, findTag, type TagName } from "./tags.ts";
import { isOpen } from "../visibility.ts";

/** Mastodon's limit; clients read it from the instance configuration. */
export const MAX_FEATURED_TAGS = 10;

export type FeaturedTagRow = Pick<
  typeof featuredTags.$inferSelect,
  "id" | "tag_id" | "name" | "statuses_count" | "last_status_at"
> & {
  /** The normalised name, for URLs. */
  key: string;
};

const SELECT = `
  SELECT f.id, f.tag_id, f.name, f.statuses_count, f.last_status_at, t.name AS key
  FROM featured_tags f JOIN tags t ON t.id = f.tag_id`;

/** The hashtags featured on a profile, the most used first. */
export function featuredTagsOf(db: Reads, accountId: number): FeaturedTagRow[] {
  return db.all<FeaturedTagRow>(`${SELECT} WHERE f.account_id = +$accountId ORDER BY f.statuses_count DESC, f.id`, {
    accountId,
  });
}

/** Statuses `s` of an account for everyone that have the hashtag of `featured_tags`. */
const COUNTED = `
  s.account_id = featured_tags.account_id AND s.visibility IN ('public', 'unlisted') AND s.local_only = 0
  AND EXISTS (SELECT 1 FROM status_tags WHERE tag_id = featured_tags.tag_id AND status_id = s.id)`;

/** Features a hashtag on the profile. If it is featured already, returns the existing row. */
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
    const id = insertFeatured(ctx, tx, accountId, tagId, name);
    deliver(ctx, tx, { type: "featured_tag.created", accountId, name });
    return tx.get<FeaturedTagRow>(`${SELECT} WHERE f.id = +$id`, { id })!;
  });
}

function insertFeatured(ctx: Context, tx: Tx, accountId: number, tagId: number, name: string): number {
  const { lastInsertRowid: id } = tx.run(
    "INSERT INTO featured_tags (account_id, tag_id, name, statuses_count, created_at) VALUES ($accountId, $tagId, $name, 0, $now)",
    { accountId, tagId, name, now: ctx.clock.now() },
  );
  tx.run(
    `UPDATE featured_tags SET statuses_count = (SELECT count(*) FROM statuses s WHERE ${COUNTED}),
       last_status_at = (SELECT s.created_at FROM statuses s WHERE ${COUNTED} ORDER BY s.id DESC LIMIT 1)
     WHERE id = +$id`,
    { id },
  );
  return id;
}

/** A remote account features one more hashtag, unless it has the most already. */
export function addRemoteFeaturedTag(ctx: Context, tx: Tx, accountId: number, { name, written }: TagName): void {
  const featured = featuredTagsOf(tx, accountId);
  if (featured.length >= MAX_FEATURED_TAGS || featured.some(({ key }) => key === name)) return;
  insertFeatured(ctx, tx, accountId, ensureTag(tx, name, ctx.clock.now()), written);
}

const REMOVE = "DELETE FROM featured_tags WHERE account_id = +$accountId AND tag_id = +$tagId RETURNING name";

/** Stops featuring a hashtag, if it is featured. */
export function unfeatureTag(ctx: Context, accountId: number, written: string): void {
  ctx.db.transaction((tx) => {
    const removed = deleteFeaturedTag(tx, accountId, written);
    if (removed) deliver(ctx, tx, { type: "featured_tag.deleted", accountId, name: removed.name });
  });
}

/** Ends that a local or remote account features a hashtag. Null if it did not. */
export function deleteFeaturedTag(tx: Tx, accountId: number, written: string): { name: string } | null {
  return tx.get<{ name: string }>(REMOVE, { accountId, tagId: findTag(tx, written) });
}

export function removeFeaturedTag(ctx: Context, accountId: number, id: number | null): void {
  ctx.db.transaction((tx) => {
    const removed = tx.get<{ name: string }>(
      "DELETE FROM featured_tags WHERE account_id = +$accountId AND id = +$id RETURNING name",
      { accountId, id },
    );
    if (!removed) throw notFound();
    deliver(ctx, tx, { type: "featured_tag.deleted", accountId, name: removed.name });
  });
}

/** How many of the account's newest statuses are searched for suggestions. */
const LOOKED_THROUGH = 1000;
const MAX_SUGGESTIONS = 10;

/** Ids of the hashtags that the account used most in its recent statuses and doesn't feature. */
export function suggestedTags(db: Reads, accountId: number): number[] {
  return db
    .all<{ id: number }>(
      `SELECT st.tag_id AS id
       FROM (SELECT id FROM statuses WHERE account_id = +$accountId AND reblog_of_id IS NULL
             ORDER BY id DESC LIMIT ${LOOKED_THROUGH}) s
       JOIN status_tags st ON st.status_id = s.id
       WHERE NOT EXISTS (SELECT 1 FROM featured_tags WHERE account_id = +$accountId AND tag_id = st.tag_id)
       GROUP BY st.tag_id ORDER BY count(*) DESC, max(s.id) DESC LIMIT ${MAX_SUGGESTIONS}`,
      { accountId },
    )
    .map(({ id }) => id);
}

interface Tagged {
  id: number;
  account_id: number;
  visibility: string;
  local_only: number;
}

const OF_STATUS =
  "account_id = +$accountId AND tag_id IN (SELECT tag_id FROM status_tags WHERE status_id = +$statusId)";

/** Call it after `saveTags()`. `at` is the status's creation time. */
export function countFeatured(tx: Tx, status: Tagged, at: number): void {
  if (!isOpen(status)) return;
  tx.run(
    `UPDATE featured_tags SET statuses_count = statuses_count + 1, last_status_at = max(coalesce(last_status_at, 0), $at)
     WHERE ${OF_STATUS}`,
    { accountId: status.account_id, statusId: status.id, at },
  );
}

/** Call it before a status is deleted or its hashtags change. */
export function uncountFeatured(tx: Tx, status: Tagged & { created_at: number }): void {
  if (!isOpen(status)) return;
  tx.run(
    `UPDATE featured_tags SET statuses_count = max(0, statuses_count - 1),
       last_status_at = CASE WHEN last_status_at > +$createdAt THEN last_status_at ELSE (
         SELECT s.created_at FROM statuses s WHERE ${COUNTED} AND s.id <> +$statusId ORDER BY s.id DESC LIMIT 1) END
     WHERE ${OF_STATUS}`,
    { accountId: status.account_id, statusId: status.id, createdAt: status.created_at },
  );
}
