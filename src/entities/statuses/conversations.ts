import type { Context } from "../../context.ts";
import type { ConversationRow } from "../../core/notifications/conversations.ts";
import { accountTexts } from "../accounts.ts";
import { statusTextsById } from "./statuses.ts";

/** Mastodon's Conversation (entities/Conversation) as JSON text, in the order of the rows; a fixed number of queries. */
export function conversationTexts(ctx: Context, viewerId: number, rows: readonly ConversationRow[]): string[] {
  const participants = rows.map((row) => participantsOf(row, viewerId));
  const accounts = accountTexts(ctx, participants.flat());
  const statuses = statusTextsById(
    ctx,
    viewerId,
    rows.map((row) => row.last_status_id),
  );
  return rows.map((row, at) => {
    const others = participants[at]!.flatMap((id) => accounts.get(id) ?? []);
    const status = statuses.get(row.last_status_id) ?? "null";
    return `{"id":"${row.id}","unread":${row.unread === 1},"accounts":[${others.join(",")}],"last_status":${status}}`;
  });
}

/** In a conversation without other participants, the viewer is the only participant. */
function participantsOf(row: ConversationRow, viewerId: number): number[] {
  const others = JSON.parse(row.participants) as number[];
  return others.length === 0 ? [viewerId] : others;
}
