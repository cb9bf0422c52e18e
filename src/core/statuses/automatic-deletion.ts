import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";
import type { automaticDeletions } from "../../db/schema/index.ts";
import { ValidationRefusal } from "../../errors.ts";
import { idAt } from "../../lib/ids.ts";
import { isSuspended, ownStatus } from "../visibility.ts";
import { removeStatus } from "./removal.ts";

/* Users can have their old posts and boosts deleted, with the exceptions that Mastodon offers. */

/** Mastodon's choices, in days. */
export const DELETION_AGES = [7, 14, 30, 60, 90, 180, 365, 730] as const;

/** Flags are 0 or 1. */
export type DeletionRules = Omit<typeof automaticDeletions.$inferSelect, "account_id">;

/** Mastodon's. */
const DEFAULT_RULES: DeletionRules = {
  enabled: 0,
  min_age_days: 14,
  keep_direct: 1,
  keep_pinned: 1,
  keep_polls: 0,
  keep_media: 0,
  keep_favourited: 1,
  keep_bookmarked: 1,
  min_favourites: null,
  min_reblogs: null,
};

const RULES = `
  SELECT enabled, min_age_days, keep_direct, keep_pinned, keep_polls, keep_media, keep_favourited, keep_bookmarked,
    min_favourites, min_reblogs
  FROM automatic_deletions WHERE account_id = +$accountId`;

export function deletionRules(db: Reads, accountId: number): DeletionRules {
  return db.get<DeletionRules>(RULES, { accountId }) ?? DEFAULT_RULES;
}

/** @throws ValidationRefusal that names the fields */
export function checkDeletionRules({ min_favourites, min_reblogs }: DeletionRules): void {
  const counts = { favourites: min_favourites, boosts: min_reblogs };
  const wrong = Object.entries(counts).filter(
    ([, count]) => count !== null && !(Number.isSafeInteger(count) && count >= 1),
  );
  if (wrong.length === 0) return;
  const description = "must be greater than or equal to 1";
  throw new ValidationRefusal(wrong.map(([field]) => ({ field, error: "ERR_INVALID", description })));
}

const SAVE = `
  INSERT OR REPLACE INTO automatic_deletions (account_id, enabled, min_age_days, keep_direct, keep_pinned, keep_polls,
    keep_media, keep_favourited, keep_bookmarked, min_favourites, min_reblogs)
  VALUES ($accountId, $enabled, $min_age_days, $keep_direct, $keep_pinned, $keep_polls, $keep_media, $keep_favourited,
    $keep_bookmarked, $min_favourites, $min_reblogs)`;

/** @throws ValidationRefusal that names the fields */
export function saveDeletionRules(ctx: Context, accountId: number, rules: DeletionRules): void {
  checkDeletionRules(rules);
  ctx.db.transaction((tx) => tx.run(SAVE, { accountId, ...rules }));
}

/** The exceptions, on `statuses s`. A boost has no favourites of its own. */
const IS_KEPT = `(
  +$keep_direct AND s.visibility = 'direct'
  OR +$keep_pinned AND EXISTS (SELECT 1 FROM status_pins WHERE status_id = s.id)
  OR +$keep_polls AND EXISTS (SELECT 1 FROM polls WHERE status_id = s.id)
  OR +$keep_media AND s.has_media
  OR +$keep_favourited AND EXISTS (SELECT 1 FROM favourites WHERE account_id = s.account_id AND status_id = s.id)
  OR +$keep_bookmarked AND EXISTS (SELECT 1 FROM bookmarks WHERE account_id = s.account_id AND status_id = s.id)
  OR coalesce(s.favourites_count >= +$min_favourites, 0)
  OR coalesce(s.reblogs_count >= +$min_reblogs, 0))`;

const OLD = "s.account_id = +$accountId AND s.id < +$before";
const COUNT = `SELECT count(*) AS count FROM statuses s WHERE ${OLD} AND NOT ${IS_KEPT}`;
const FIRST = `SELECT s.id FROM statuses s WHERE ${OLD} AND NOT ${IS_KEPT} ORDER BY s.id LIMIT +$limit`;

const DAY = 24 * 3600_000;

function parametersOf(ctx: Context, accountId: number, rules: DeletionRules) {
  return {
    accountId,
    before: idAt(ctx.clock.now() - rules.min_age_days * DAY),
    keep_direct: rules.keep_direct,
    keep_pinned: rules.keep_pinned,
    keep_polls: rules.keep_polls,
    keep_media: rules.keep_media,
    keep_favourited: rules.keep_favourited,
    keep_bookmarked: rules.keep_bookmarked,
    min_favourites: rules.min_favourites,
    min_reblogs: rules.min_reblogs,
  };
}

const SHOWN = 5;

/** How many posts these rules would delete now, whether or not they are enabled, and the ids of the oldest of them. */
export function previewDeletion(
  ctx: Context,
  accountId: number,
  rules: DeletionRules,
): { count: number; oldest: number[] } {
  const parameters = parametersOf(ctx, accountId, rules);
  const { count } = ctx.db.get<{ count: number }>(COUNT, parameters)!;
  const oldest = ctx.db.all<{ id: number }>(FIRST, { ...parameters, limit: SHOWN });
  return { count, oldest: oldest.map(({ id }) => id) };
}

const ACCOUNTS = `
  SELECT account_id AS id FROM automatic_deletions WHERE enabled AND NOT ${isSuspended("account_id")}`;

/** The accounts whose old posts are to be deleted. */
export function accountsWithDeletion(db: Reads): number[] {
  return db.all<{ id: number }>(ACCOUNTS).map(({ id }) => id);
}

/** Posts examined in a slice, and those deleted: each deletion goes to every server that has the post. */
const EXAMINED = 200;
const DELETED = 5;

const EXAMINE = `
  SELECT s.id, ${IS_KEPT} AS is_kept FROM statuses s WHERE ${OLD} AND s.id > +$after ORDER BY s.id LIMIT ${EXAMINED}`;

export interface DeletedSlice {
  deleted: number;
  /** The id after which the next slice begins; null if there is none. */
  after: number | null;
}

/** Deletes a few old posts of an account, oldest first, as if the author did. */
export function deleteOldPosts(ctx: Context, accountId: number, after: number): DeletedSlice {
  const rules = deletionRules(ctx.db, accountId);
  if (!rules.enabled) return { deleted: 0, after: null };
  const parameters = { ...parametersOf(ctx, accountId, rules), after };
  const examined = ctx.db.all<{ id: number; is_kept: number }>(EXAMINE, parameters);
  const found = examined.filter(({ is_kept }) => !is_kept).slice(0, DELETED);
  for (const { id } of found) removeStatus(ctx, ownStatus(ctx, accountId, id), true);
  if (found.length === DELETED) return { deleted: DELETED, after: found.at(-1)!.id };
  return { deleted: found.length, after: examined.length < EXAMINED ? null : examined.at(-1)!.id };
}
