import { type FetchKind, isFetching } from "../../core/fetches.ts";
import { isHomeFilling } from "../../core/timelines/home-backfill.ts";
import { notFound } from "../../errors.ts";
import type { Call } from "../route.ts";
import type { Router } from "../router.ts";

/** Seconds after which an app may check the progress. */
const RETRY = 5;

/** Mastodon's documentation: methods/async_refreshes. */
export function asyncRefreshRoutes(routes: Router): void {
  routes.get(
    "/api/v1_alpha/async_refreshes/:id",
    { scope: "read", summary: "Get the progress of a background refresh" },
    ({ ctx, viewerId, params }) => {
      const id = params.id!;
      const status = ctx.asyncRefreshes.statusOf(viewerId, id);
      if (!status) throw notFound();
      return { async_refresh: { id, status, result_count: null } };
    },
  );
}

/** The header with the id by which an app can check whether its home timeline is complete. */
export function homeRefreshHeader(call: Viewer): Record<string, string> {
  const { ctx, viewerId } = call;
  return refreshHeader(call, "home", () => isHomeFilling(ctx.db, viewerId));
}

/** The same header while a job fetches the rest of a profile or thread; none otherwise. */
export function fetchRefreshHeader(call: Viewer, kind: FetchKind, id: number): Record<string, string> {
  const isRunning = () => isFetching(call.ctx, kind, id);
  return isRunning() ? refreshHeader(call, `${kind} ${id}`, isRunning) : {};
}

export type Viewer = Pick<Call, "ctx" | "viewerId">;

function refreshHeader({ ctx, viewerId }: Viewer, subject: string, isRunning: () => boolean): Record<string, string> {
  const id = ctx.asyncRefreshes.idOf(viewerId, subject, isRunning);
  return { "mastodon-async-refresh": `id="${id}", retry=${RETRY}` };
}
