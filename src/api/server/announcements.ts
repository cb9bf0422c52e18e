import { react, unreact } from "../../core/server/announcement-reactions.ts";
import { dismissAnnouncement, shownAnnouncements } from "../../core/server/announcements.ts";
import { showAnnouncements } from "../../entities/announcements.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, object } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/announcements. */
export function announcementRoutes(routes: Router): void {
  // Dismissed announcements are marked as read; apps that don't know the mark can leave them out.
  const input = object({ with_dismissed: bool({ default: true }) });
  const reaction = "/api/v1/announcements/:id/reactions/:name";
  const write = { scope: "write:favourites" } as const;
  routes
    .get("/api/v1/announcements", { input, summary: "List announcements" }, ({ ctx, viewerId, input }) => {
      const announcements = showAnnouncements(ctx, viewerId, shownAnnouncements(ctx));
      return input.with_dismissed ? announcements : announcements.filter(({ read }) => !read);
    })
    .post(
      "/api/v1/announcements/:id/dismiss",
      { scope: "write:accounts", summary: "Mark an announcement as read" },
      ({ ctx, viewerId, params }) => dismissAnnouncement(ctx, viewerId, parseId(params.id)),
    )
    .update(reaction, { ...write, summary: "React to an announcement" }, ({ ctx, viewerId, params }) =>
      react(ctx, viewerId, parseId(params.id), params.name!),
    )
    .delete(reaction, { ...write, summary: "Remove a reaction to an announcement" }, ({ ctx, viewerId, params }) =>
      unreact(ctx, viewerId, parseId(params.id), params.name!),
    );
}
