import { healthRoutes } from "./health.ts";
import type { Router } from "./router.ts";

/** Every route of the API, area by area. */
export function apiRoutes(routes: Router): void {
  healthRoutes(routes);
}
