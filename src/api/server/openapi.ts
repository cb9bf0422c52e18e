import type { Router } from "../router.ts";

const HEADERS = { "content-type": "application/json" };

/** The OpenAPI description of the API, built from the routes on the first request. */
export function openApiRoutes(routes: Router): void {
  let text: string | null = null;
  routes.get("/api/openapi.json", { open: "always", summary: "Get this description" }, async () => {
    text ??= JSON.stringify(await routes.describe());
    return new Response(text, { headers: HEADERS });
  });
}
