import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import { validationFailed } from "../../errors.ts";
import { unicodeEmoji } from "../../lib/text/unicode-emoji.ts";
import { shownAnnouncement } from "./announcements.ts";
import { ownEmoji } from "../media/emojis.ts";
import { publishAfterCommit, allUserTopics } from "../events.ts";

/** Mastodon's limit on different emoji per announcement. */
const MAX_DIFFERENT = 8;

interface Reaction {
  name: string;
  customEmojiId: number | null;
}

/** The number of users who reacted with this emoji, and whether the viewer is one of them (1 or 0). */
export interface ReactionRow {
  announcement_id: number;
  name: string;
  count: number;
  me: number;
}

/** The reactions to these announcements, in the order of each emoji's first use. */
export function reactionsTo(ctx: Context, viewerId: number, ids: readonly number[]): ReactionRow[] {
  return ctx.db.all<ReactionRow>(
    `SELECT announcement_id, name, count(*) AS count, max(account_id = +$viewer) AS me FROM announcement_reactions
     WHERE announcement_id IN (SELECT value FROM json_each($ids)) GROUP BY announcement_id, name ORDER BY min(id)`,
    { ids: idList(ids), viewer: viewerId },
  );
}

/** Adds a reaction: a Unicode emoji or the shortcode of a local custom emoji. Repeating a reaction has no effect. */
export function react(ctx: Context, accountId: number, id: number | null, name: string): void {
  ctx.db.transaction((tx) => {
    const announcement = shownAnnouncement(ctx, tx, id);
    const reaction = parseReaction(tx, name);
    const own =
      "SELECT 1 FROM announcement_reactions WHERE announcement_id = +$announcementId AND name = +$name AND account_id = +$accountId";
    if (tx.get(own, { announcementId: announcement.id, name: reaction.name, accountId })) return;
    checkLimit(tx, announcement.id, reaction.name);
    tx.run(
      `INSERT INTO announcement_reactions (announcement_id, name, account_id, custom_emoji_id, created_at)
       VALUES ($announcementId, $name, $accountId, $customEmojiId, $now)`,
      {
        announcementId: announcement.id,
        name: reaction.name,
        accountId,
        customEmojiId: reaction.customEmojiId,
        now: ctx.clock.now(),
      },
    );
    publishReaction(ctx, tx, announcement.id, reaction.name);
  });
}

/** Removes the account's reaction, if there is one. */
export function unreact(ctx: Context, accountId: number, id: number | null, name: string): void {
  ctx.db.transaction((tx) => {
    const announcement = shownAnnouncement(ctx, tx, id);
    const reaction = parseReaction(tx, name);
    const { changes } = tx.run(
      "DELETE FROM announcement_reactions WHERE announcement_id = +$announcementId AND name = +$name AND account_id = +$accountId",
      { announcementId: announcement.id, name: reaction.name, accountId },
    );
    if (changes > 0) publishReaction(ctx, tx, announcement.id, reaction.name);
  });
}

/** Removes up to `limit` reactions of an account, and returns how many. */
export function deleteReactions(ctx: Context, tx: Tx, accountId: number, limit: number): number {
  const removed = tx.all<{ announcement_id: number; name: string }>(
    `DELETE FROM announcement_reactions
     WHERE id IN (SELECT id FROM announcement_reactions WHERE account_id = +$accountId LIMIT +$limit) RETURNING announcement_id, name`,
    { accountId, limit },
  );
  for (const { announcement_id, name } of removed) publishReaction(ctx, tx, announcement_id, name);
  return removed.length;
}

function parseReaction(tx: Tx, name: string): Reaction {
  const custom = ownEmoji(tx, name);
  if (custom) return { name, customEmojiId: custom.id };
  const emoji = unicodeEmoji(name);
  if (emoji === null) throw validationFailed("Name is not a recognized emoji");
  return { name: emoji, customEmojiId: null };
}

function checkLimit(tx: Tx, announcementId: number, name: string): void {
  const others = tx.get<{ count: number }>(
    "SELECT count(DISTINCT name) AS count FROM announcement_reactions WHERE announcement_id = +$announcementId AND name <> +$name",
    { announcementId, name },
  )!;
  if (others.count >= MAX_DIFFERENT) throw validationFailed("Limit of different reactions reached");
}

function publishReaction(ctx: Context, tx: Tx, announcementId: number, name: string): void {
  publishAfterCommit(ctx, tx, allUserTopics(tx), { event: "announcement.reaction", announcementId, name });
}
