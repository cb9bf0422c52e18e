import {
  trendingCard,
  trendingCards,
  trendingStatuses,
  trendingTags,
  type Stretch,
} from "../../core/discovery/trends.ts";
import { linkTimeline } from "../../core/timelines/timelines.ts";
import { showTrendLinks } from "../../entities/cards.ts";
import { statusTexts } from "../../entities/statuses.ts";
import { showTags } from "../../entities/tags.ts";
import { object, text } from "../../lib/http/input.ts";
import { offsetLinkHeader } from "../../lib/http/link-header.ts";
import { pageOf, paging, statusPage, stretch } from "../paging.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

const LinkTimeline = object({ ...paging(20, 40), url: text({ max: 2048 }) });

/** Mastodon's documentation: methods/trends, methods/timelines#link. */
export function trendRoutes(routes: Router): void {
  for (const path of ["/api/v1/trends/tags", "/api/v1/trends"]) {
    routes.get(path, { open: true, input: object(stretch(10, 20)) }, (call) => {
      const tags = showTags(call.ctx, call.viewerId, trendingTags(call.ctx, call.input));
      return ranked(
        call,
        tags.map((tag) => JSON.stringify(tag)),
      );
    });
  }
  routes
    .get("/api/v1/trends/statuses", { open: true, input: object(stretch(20, 40)) }, (call) => {
      const ids = trendingStatuses(call.ctx, call.viewerId, call.input);
      return ranked(call, statusTexts(call.ctx, call.viewerId, ids));
    })
    .get("/api/v1/trends/links", { open: true, input: object(stretch(10, 20)) }, (call) => {
      const links = showTrendLinks(call.ctx, call.viewerId, trendingCards(call.ctx, call.input));
      return ranked(
        call,
        links.map((link) => JSON.stringify(link)),
      );
    })
    .get("/api/v1/timelines/link", { open: "preview", scope: "read:statuses", input: LinkTimeline }, (call) => {
      const page = pageOf(call.input);
      const places = linkTimeline(call.ctx, call.viewerId, trendingCard(call.ctx, call.input.url), page);
      return statusPage(call, page, places);
    });
}

function ranked(call: Pick<Call, "ctx" | "request"> & { input: Stretch }, items: readonly string[]): Response {
  const { limit, offset } = call.input;
  const link = offsetLinkHeader(call.ctx.config.origin, call.request.url, {
    limit,
    offset,
    full: items.length >= limit,
  });
  const headers = { "content-type": "application/json", ...(link && { link }) };
  return new Response(`[${items.join(",")}]`, { headers });
}
