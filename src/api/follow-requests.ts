import { authorizeFollow, followRequestsTo, rejectFollow } from "../core/follows.ts";
import { showAccounts } from "../entities/accounts.ts";
import { showRelationship } from "../entities/relationships.ts";
import { notFound } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { object } from "../lib/input.ts";
import { paged, pageOf, paging } from "./paging.ts";
import type { Router } from "./router.ts";

/** Mastodon's documentation: methods/follow_requests. */
export function followRequestRoutes(routes: Router): void {
  routes.get("/api/v1/follow_requests", { scope: "read:follows", input: object(paging(40, 80)) }, (call) => {
    const page = pageOf(call.input);
    const places = followRequestsTo(call.ctx, call.viewerId, page);
    const ids = places.map((place) => place.id);
    return paged(call, page, places, showAccounts(call.ctx, ids));
  });
  for (const [name, answer] of [
    ["authorize", authorizeFollow],
    ["reject", rejectFollow],
  ] as const) {
    routes.post(`/api/v1/follow_requests/:id/${name}`, { scope: "write:follows" }, ({ ctx, viewerId, params }) => {
      const requester = parseId(params.id);
      if (requester === null) throw notFound();
      answer(ctx, viewerId, requester);
      return showRelationship(ctx, viewerId, requester);
    });
  }
}
