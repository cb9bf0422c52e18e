import type { Context } from "../../context.ts";
import { findAccount } from "../../core/accounts.ts";
import {
  featuredTagsOf,
  featureTag,
  removeFeaturedTag,
  suggestedTags,
  type FeaturedTagRow,
} from "../../core/discovery/featured-tags.ts";
import { showAccount } from "../../entities/accounts.ts";
import { showTags } from "../../entities/tags.ts";
import { timestamp } from "../../entities/json.ts";
import { parseId } from "../../lib/ids.ts";
import { object, text } from "../../lib/http/input.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/featured_tags, and methods/accounts#featured_tags. */
export function featuredTagRoutes(routes: Router): void {
  const write = { scope: "write:accounts" } as const;
  routes
    .get(
      "/api/v1/featured_tags",
      { scope: "read:accounts", summary: "List your featured hashtags" },
      ({ ctx, viewerId }) => showFeatured(ctx, viewerId),
    )
    .get(
      "/api/v1/featured_tags/suggestions",
      { scope: "read:accounts", summary: "List hashtags that you use often" },
      ({ ctx, viewerId }) => showTags(ctx, viewerId, suggestedTags(ctx.db, viewerId)),
    )
    .get(
      "/api/v1/accounts/:id/featured_tags",
      { open: true, scope: "read:accounts", summary: "List an account's featured hashtags" },
      ({ ctx, params }) => {
        const account = findAccount(ctx, parseId(params.id));
        return account.suspended_at === null ? showFeatured(ctx, account.id) : [];
      },
    )
    .post(
      "/api/v1/featured_tags",
      { ...write, input: object({ name: text({ max: 250 }) }), summary: "Feature a hashtag on your profile" },
      ({ ctx, viewerId, input }) => {
        const row = featureTag(ctx, viewerId, input.name);
        return featuredTagJson(showAccount(ctx, viewerId).url, row);
      },
    )
    .delete(
      "/api/v1/featured_tags/:id",
      { ...write, summary: "Stop featuring a hashtag" },
      ({ ctx, viewerId, params }) => removeFeaturedTag(ctx, viewerId, parseId(params.id)),
    );
}

function showFeatured(ctx: Context, accountId: number) {
  const { url } = showAccount(ctx, accountId);
  return featuredTagsOf(ctx.db, accountId).map((row) => featuredTagJson(url, row));
}

/** Mastodon's FeaturedTag (entities/FeaturedTag), with the count as text. */
function featuredTagJson(accountUrl: string, row: FeaturedTagRow) {
  return {
    id: String(row.id),
    name: row.name,
    url: `${accountUrl}/tagged/${encodeURIComponent(row.key)}`,
    statuses_count: String(row.statuses_count),
    last_status_at: timestamp(row.last_status_at)?.slice(0, 10) ?? null,
  };
}
