import { showListedEmojis } from "../../entities/emojis.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/custom_emojis. */
export function customEmojiRoutes(routes: Router): void {
  routes.get("/api/v1/custom_emojis", { open: true, summary: "List custom emoji" }, ({ ctx }) => showListedEmojis(ctx));
}
