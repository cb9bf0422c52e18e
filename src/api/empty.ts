import type { Router } from "./router.ts";

/**
 * What apps ask for when they start and this server has none of: an empty list is the truth, and a 404 would make
 * some of them give up. Nothing can be put into these lists, so nothing that was put there is kept back.
 */
export function emptyRoutes(routes: Router): void {
  routes.get("/api/v1/announcements", { scope: "read:accounts" }, () => []);
}
