import type { Context, Event } from "../context.ts";
import type { Reads, Tx } from "../db/open.ts";
import { isLimited } from "./visibility.ts";

/** The columns that determine which streams get a status. */
export interface StreamedStatus {
  id: number;
  account_id: number;
  visibility: string;
  local: number;
  reblog_of_id: number | null;
  in_reply_to_account_id: number | null;
  has_media: number;
}

/** Events for the streaming server itself and for no timeline: revoked tokens, shutdown. */
export const SERVER_TOPIC = "server";

/** A user's own stream: home timeline and notifications. */
export function userTopic(accountId: number): string {
  return `user:${accountId}`;
}

/** The own stream of every user. */
export function allUserTopics(db: Reads): string[] {
  return db.all<{ account_id: number }>("SELECT account_id FROM users").map(({ account_id }) => userTopic(account_id));
}

const LIMITED = `SELECT 1 WHERE ${isLimited("+$accountId")}`;

/**
 * The public streams that get a status; none if it isn't public, is a reblog or its author is limited. A reply to
 * another account only goes to hashtag streams, as it only appears in hashtag timelines.
 */
export function publicTopics(tx: Tx, status: StreamedStatus, tags: readonly string[]): string[] {
  if (
    status.visibility !== "public" ||
    status.reblog_of_id !== null ||
    tx.get(LIMITED, { accountId: status.account_id })
  )
    return [];
  const hashtags = tags.flatMap((tag) =>
    status.local ? [`hashtag:${tag}`, `hashtag:local:${tag}`] : [`hashtag:${tag}`],
  );
  if (status.in_reply_to_account_id !== null && status.in_reply_to_account_id !== status.account_id) return hashtags;
  const origin = status.local ? "public:local" : "public:remote";
  const media = status.has_media ? ["public:media", `${origin}:media`] : [];
  return ["public", origin, ...media, ...hashtags];
}

/** Publishes an event to these topics after the transaction has been committed. */
export function publishAfterCommit(ctx: Context, tx: Tx, topics: readonly string[], event: Event): void {
  tx.afterCommit(() => {
    for (const topic of topics) ctx.eventBus.publish(topic, event);
  });
}

export function tagNamesOf(tx: Tx, statusId: number): string[] {
  return tx
    .all<{ name: string }>(
      "SELECT t.name FROM status_tags st JOIN tags t ON t.id = st.tag_id WHERE st.status_id = +$statusId",
      { statusId },
    )
    .map(({ name }) => name);
}
