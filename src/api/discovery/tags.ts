import { featureTag, unfeatureTag } from "../../core/discovery/featured-tags.ts";
import { followedTags, followTag, unfollowTag } from "../../core/discovery/tag-follows.ts";
import { showTag, showTags } from "../../entities/tags.ts";
import { notFound } from "../../errors.ts";
import { isHashtagName } from "../../lib/text/hashtags.ts";
import { object } from "../../lib/http/input.ts";
import { idsOf, paged, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

const ACTIONS = [
  ["follow", "write:follows", followTag, "Follow a hashtag"],
  ["unfollow", "write:follows", unfollowTag, "Unfollow a hashtag"],
  ["feature", "write:accounts", featureTag, "Feature a hashtag on your profile"],
  ["unfeature", "write:accounts", unfeatureTag, "Stop featuring a hashtag"],
] as const;

/** Mastodon's documentation: methods/tags, methods/followed_tags. */
export function tagRoutes(routes: Router): void {
  routes
    .get(
      "/api/v1/tags/:name",
      { open: true, summary: "Get a hashtag and its usage statistics" },
      ({ ctx, viewerId, params }) => showTag(ctx, viewerId, nameOf(params.name)),
    )
    .get(
      "/api/v1/followed_tags",
      { scope: "read:follows", input: object(paging(100, 200)), summary: "List followed hashtags" },
      (call) => {
        const page = pageOf(call.input);
        const rows = followedTags(call.ctx, call.viewerId, page);
        return paged(call, page, rows, showTags(call.ctx, call.viewerId, idsOf(rows)));
      },
    );
  for (const [action, scope, act, summary] of ACTIONS) {
    routes.post(`/api/v1/tags/:name/${action}`, { scope, summary }, ({ ctx, viewerId, params }) => {
      const name = nameOf(params.name);
      act(ctx, viewerId, name);
      return showTag(ctx, viewerId, name);
    });
  }
}

/** The name of a hashtag from a path; not found if it cannot be a hashtag. */
function nameOf(param = ""): string {
  if (!isHashtagName(param)) throw notFound();
  return param;
}
