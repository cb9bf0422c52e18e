import type { Context } from "../context.ts";
import { reactionsTo } from "../core/server/announcement-reactions.ts";
import {
  dismissedAmong,
  linkedStatuses,
  type AnnouncementRow,
  type LinkedStatus,
} from "../core/server/announcements.ts";
import { tagUrl } from "../core/addresses.ts";
import { composeAll, type Composed } from "../core/statuses/compose.ts";
import { emojisOf } from "../core/media/emojis.ts";
import { showAccounts, type AccountJson } from "./accounts.ts";
import { emojiJson, emojisJson } from "./emojis.ts";
import { timestamp } from "./json.ts";

/** Mastodon's Announcement (entities/Announcement), for a viewer; a fixed number of queries. */
export function showAnnouncements(ctx: Context, viewerId: number, rows: readonly AnnouncementRow[]) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const texts = rows.map(({ text }) => text);
  const composed = composeAll(ctx, texts);
  const linked = linkedStatuses(ctx, viewerId, texts);
  const people = showAccounts(ctx, [...new Set(composed.flatMap(({ mentions }) => mentions))]);
  const reactions = Map.groupBy(reactionsTo(ctx, viewerId, ids), (reaction) => reaction.announcement_id);
  const read = dismissedAmong(ctx, viewerId, ids);
  return rows.map((row, at) => ({
    id: String(row.id),
    ...contentJson(ctx, row.text, composed[at]!, people, linked[at]!),
    starts_at: timestamp(row.starts_at),
    ends_at: timestamp(row.ends_at),
    all_day: row.all_day === 1,
    published_at: timestamp(row.published_at),
    updated_at: timestamp(row.updated_at),
    read: read.has(row.id),
    reactions: (reactions.get(row.id) ?? []).map(({ name, count, me }) => ({
      name,
      count,
      me: me === 1,
      ...pictureJson(ctx, name),
    })),
  }));
}

function contentJson(
  ctx: Context,
  text: string,
  { content, mentions, tags }: Composed,
  people: readonly AccountJson[],
  linked: readonly LinkedStatus[],
) {
  const mentioned = new Set(mentions.map(String));
  return {
    content,
    mentions: people
      .filter(({ id }) => mentioned.has(id))
      .map(({ id, username, url, acct }) => ({ id, username, url, acct })),
    statuses: linked.map(({ id, url }) => ({ id: String(id), url })),
    tags: tags.map(({ name }) => ({ name, url: tagUrl(ctx, name) })),
    emojis: emojisJson(ctx, null, [text]),
  };
}

/** The payload of a reaction's event in streams, with its current count, which may be 0. */
export function showReactionCount(ctx: Context, viewerId: number, announcementId: number, name: string) {
  const reaction = reactionsTo(ctx, viewerId, [announcementId]).find((known) => known.name === name);
  return {
    name,
    count: reaction?.count ?? 0,
    ...pictureJson(ctx, name),
    announcement_id: String(announcementId),
  };
}

/** The URLs of a custom emoji of this server; null for a Unicode emoji. */
function pictureJson(ctx: Context, name: string): { url: string; static_url: string } | null {
  const emoji = emojisOf(ctx, null).get(name);
  if (!emoji) return null;
  const { url, static_url } = emojiJson(ctx, emoji);
  return { url, static_url };
}
