import { authorizeFollow, followRequestsTo, rejectFollow } from "../../core/people/follows.ts";
import { showRelationship } from "../../entities/relationships.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { object } from "../../lib/http/input.ts";
import { accountPage, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/follow_requests. */
export function followRequestRoutes(routes: Router): void {
  routes.get(
    "/api/v1/follow_requests",
    { scope: "read:follows", input: object(paging(40, 80)), summary: "List pending follow requests" },
    (call) => {
      const page = pageOf(call.input);
      const rows = followRequestsTo(call.ctx, call.viewerId, page);
      return accountPage(call, page, rows);
    },
  );
  for (const [name, answer, summary] of [
    ["authorize", authorizeFollow, "Accept a follow request"],
    ["reject", rejectFollow, "Reject a follow request"],
  ] as const) {
    routes.post(
      `/api/v1/follow_requests/:id/${name}`,
      { scope: "write:follows", summary },
      ({ ctx, viewerId, params }) => {
        const requester = parseId(params.id);
        if (requester === null) throw notFound();
        answer(ctx, viewerId, requester);
        return showRelationship(ctx, viewerId, requester);
      },
    );
  }
}
