import { listConversations, markConversation, removeConversation } from "../../core/notifications/conversations.ts";
import { conversationTexts } from "../../entities/statuses/conversations.ts";
import { parseId } from "../../lib/ids.ts";
import { object } from "../../lib/http/input.ts";
import { jsonText, pagedTexts, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/conversations. The cursor is the last status, so a new one moves it to the top. */
export function conversationRoutes(routes: Router): void {
  const write = { scope: "write:conversations" } as const;
  routes
    .get(
      "/api/v1/conversations",
      { scope: "read:statuses", input: object(paging(20, 40)), summary: "List conversations" },
      (call) => {
        const page = pageOf(call.input);
        const rows = listConversations(call.ctx, call.viewerId, page);
        return pagedTexts(call, page, rows, conversationTexts(call.ctx, call.viewerId, rows));
      },
    )
    .delete("/api/v1/conversations/:id", { ...write, summary: "Remove a conversation" }, ({ ctx, viewerId, params }) =>
      removeConversation(ctx, viewerId, parseId(params.id)),
    );
  for (const [name, unread, summary] of [
    ["read", false, "Mark a conversation as read"],
    ["unread", true, "Mark a conversation as unread"],
  ] as const) {
    routes.post(`/api/v1/conversations/:id/${name}`, { ...write, summary }, ({ ctx, viewerId, params }) => {
      const row = markConversation(ctx, viewerId, parseId(params.id), unread);
      return jsonText(conversationTexts(ctx, viewerId, [row])[0]!);
    });
  }
}
