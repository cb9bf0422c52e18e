import { trendingCard } from "../../core/discovery/trends.ts";
import { isHomeFilling } from "../../core/timelines/home-backfill.ts";
import { listTimeline } from "../../core/timelines/list-timelines.ts";
import { ownList } from "../../core/timelines/lists.ts";
import {
  bookmarksOf,
  favouritesOf,
  home,
  linkTimeline,
  publicTimeline,
  tagTimeline,
} from "../../core/timelines/timelines.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, list, object, text } from "../../lib/http/input.ts";
import { homeRefreshHeader } from "./async-refreshes.ts";
import { pageOf, paging, statusPage } from "../paging.ts";
import type { Router } from "../router.ts";

const filters = {
  local: bool({ default: false }),
  remote: bool({ default: false }),
  only_media: bool({ default: false }),
};

const tagNames = () => list(text({ max: 200 }), { default: [] });

const Public = object({ ...paging(20, 40), ...filters });

const Tag = object({ ...paging(20, 40), ...filters, any: tagNames(), all: tagNames(), none: tagNames() });

const Link = object({ ...paging(20, 40), url: text({ max: 2048 }) });

const Paging = object(paging(20, 40));

/** Mastodon's documentation: methods/timelines, methods/favourites, methods/bookmarks. */
export function timelineRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/timelines/home",
      { scope: "read:statuses", input: Paging, summary: "Get the home timeline" },
      (call) => {
        const page = pageOf(call.input);
        const shown = home(call.ctx, call.viewerId, page);
        const isWhole = !isHomeFilling(call.ctx.db, call.viewerId);
        return statusPage(call, page, shown, isWhole ? {} : { status: 206, headers: homeRefreshHeader(call) });
      },
    )
    .get(
      "/api/v1/timelines/public",
      { open: "preview", scope: "read:statuses", input: Public, summary: "Get the public timeline" },
      (call) => {
        const page = pageOf(call.input);
        return statusPage(call, page, publicTimeline(call.ctx, call.viewerId, call.input, page));
      },
    )
    .get(
      "/api/v1/timelines/tag/:hashtag",
      { open: "preview", scope: "read:statuses", input: Tag, summary: "Get the timeline of a hashtag" },
      (call) => {
        const page = pageOf(call.input);
        const tag = call.params.hashtag!;
        return statusPage(call, page, tagTimeline(call.ctx, call.viewerId, tag, call.input, page));
      },
    )
    .get(
      "/api/v1/timelines/link",
      {
        open: "preview",
        scope: "read:statuses",
        input: Link,
        summary: "Get the statuses that link to a trending page",
      },
      (call) => {
        const page = pageOf(call.input);
        const rows = linkTimeline(call.ctx, call.viewerId, trendingCard(call.ctx, call.input.url), page);
        return statusPage(call, page, rows);
      },
    )
    .get(
      "/api/v1/timelines/list/:id",
      { scope: "read:lists", input: Paging, summary: "Get the timeline of a list" },
      (call) => {
        const list = ownList(call.ctx.db, call.viewerId, parseId(call.params.id));
        const page = pageOf(call.input);
        return statusPage(call, page, listTimeline(call.ctx, call.viewerId, list.id, page));
      },
    );
  savedStatusRoutes(routes);
}

/** The statuses that the user favourited or bookmarked. */
function savedStatusRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/favourites",
      { scope: "read:favourites", input: Paging, summary: "List favourited statuses" },
      (call) => {
        const page = pageOf(call.input);
        return statusPage(call, page, favouritesOf(call.ctx, call.viewerId, page));
      },
    )
    .get(
      "/api/v1/bookmarks",
      { scope: "read:bookmarks", input: Paging, summary: "List bookmarked statuses" },
      (call) => {
        const page = pageOf(call.input);
        return statusPage(call, page, bookmarksOf(call.ctx, call.viewerId, page));
      },
    );
}
