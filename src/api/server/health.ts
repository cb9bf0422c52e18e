import type { Router } from "../router.ts";

/** For monitoring, without a rate limit: 200 as long as the database responds. */
export function healthRoutes(routes: Router): void {
  routes.get("/health", { open: "always", limit: false, summary: "Check whether the server works" }, ({ ctx }) => {
    ctx.db.get("SELECT 1");
    return new Response("OK", { headers: { "content-type": "text/plain; charset=utf-8" } });
  });
}
