import { trendingCards, trendingStatuses, trendingTags, type OffsetPage } from "../../core/discovery/trends.ts";
import { showTrendLinks } from "../../entities/statuses/cards.ts";
import { statusTexts } from "../../entities/statuses/statuses.ts";
import { showTags } from "../../entities/tags.ts";
import { object } from "../../lib/http/input.ts";
import { offsetLinkHeader } from "../../lib/http/link-header.ts";
import { offsetPaging } from "../paging.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/trends. */
export function trendRoutes(routes: Router): void {
  for (const [path, summary] of [
    ["/api/v1/trends/tags", "List trending hashtags"],
    ["/api/v1/trends", "List trending hashtags (deprecated)"],
  ] as const) {
    routes.get(path, { open: true, input: object(offsetPaging(10, 20)), summary }, (call) => {
      const tags = showTags(call.ctx, call.viewerId, trendingTags(call.ctx, call.input));
      return ranked(
        call,
        tags.map((tag) => JSON.stringify(tag)),
      );
    });
  }
  routes
    .get(
      "/api/v1/trends/statuses",
      { open: true, input: object(offsetPaging(20, 40)), summary: "List trending statuses" },
      (call) => {
        const ids = trendingStatuses(call.ctx, call.viewerId, call.input);
        return ranked(call, statusTexts(call.ctx, call.viewerId, ids));
      },
    )
    .get(
      "/api/v1/trends/links",
      { open: true, input: object(offsetPaging(10, 20)), summary: "List trending links" },
      (call) => {
        const links = showTrendLinks(call.ctx, call.viewerId, trendingCards(call.ctx, call.input));
        return ranked(
          call,
          links.map((link) => JSON.stringify(link)),
        );
      },
    );
}

function ranked(call: Pick<Call, "ctx" | "request"> & { input: OffsetPage }, items: readonly string[]): Response {
  const { limit, offset } = call.input;
  const link = offsetLinkHeader(call.ctx.config.origin, call.request.url, {
    limit,
    offset,
    full: items.length >= limit,
  });
  const headers = { "content-type": "application/json", ...(link && { link }) };
  return new Response(`[${items.join(",")}]`, { headers });
}
