import type { Router } from "./router.ts";

/** For whoever watches over the server: 200 as long as the database answers. */
export function healthRoutes(routes: Router): void {
  routes.get("/health", { open: "always" }, ({ ctx }) => {
    ctx.db.get("SELECT 1");
    return new Response("OK", { headers: { "content-type": "text/plain; charset=utf-8" } });
  });
}
