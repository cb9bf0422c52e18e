import { ownStatus } from "../../core/visibility.ts";
import { timestamp } from "../../entities/json.ts";
import { type Progress, progressOf } from "../../federation/delivery/progress.ts";
import { parseId } from "../../lib/ids.ts";
import type { Router } from "../router.ts";

/** Not part of Mastodon's API. */
export function deliveryRoutes(routes: Router): void {
  routes.get(
    "/api/v1/linnet/statuses/:id/deliveries",
    {
      scope: "read:statuses",
      summary: "List the servers that have your status, wait for it or refused it (Linnet only)",
    },
    ({ ctx, viewerId, params }) => showProgress(progressOf(ctx.db, ownStatus(ctx, viewerId, parseId(params.id)).id)),
  );
}

/** The deliveries of a status and of its latest edit; null where there were none. */
export function showProgress({ published, edited }: ReturnType<typeof progressOf>) {
  return { published: published && versionJson(published), edited: edited && versionJson(edited) };
}

function versionJson({ startedAt, accepted, waiting, refused, refusing }: Progress) {
  return {
    created_at: timestamp(startedAt),
    accepted,
    waiting: waiting.length,
    refused,
    waiting_servers: waiting.map(({ host, since, lastResponse, nextAttemptAt }) => ({
      domain: host,
      since: timestamp(since),
      last_response: lastResponse,
      next_attempt_at: timestamp(nextAttemptAt),
    })),
    refused_servers: refusing.map(({ host, response, at }) => ({ domain: host, response, created_at: timestamp(at) })),
  };
}
