import { searchRoutes } from "./search.ts";
import { accountRoutes } from "./accounts.ts";
import { emptyRoutes } from "./empty.ts";
import { featuredTagRoutes } from "./featured-tags.ts";
import { filterRoutes } from "./filters.ts";
import { oldFilterRoutes } from "./filters-v1.ts";
import { followRequestRoutes } from "./follow-requests.ts";
import { instanceRoutes } from "./instance.ts";
import { listRoutes } from "./lists.ts";
import { markerRoutes } from "./markers.ts";
import { mediaRoutes } from "./media.ts";
import { notificationRoutes } from "./notifications.ts";
import { profileRoutes } from "./profile.ts";
import { statusRoutes } from "./statuses.ts";
import { streamingRoutes } from "./streaming.ts";
import { tagRoutes } from "./tags.ts";
import { timelineRoutes } from "./timelines.ts";
import { trendRoutes } from "./trends.ts";
import { appRoutes } from "./apps.ts";
import { healthRoutes } from "./health.ts";
import { oauthRoutes } from "./oauth.ts";
import type { Router } from "./router.ts";

/** Every route of the API, area by area. */
export function apiRoutes(routes: Router): void {
  healthRoutes(routes);
  appRoutes(routes);
  oauthRoutes(routes);
  instanceRoutes(routes);
  profileRoutes(routes);
  accountRoutes(routes);
  followRequestRoutes(routes);
  statusRoutes(routes);
  mediaRoutes(routes);
  timelineRoutes(routes);
  listRoutes(routes);
  tagRoutes(routes);
  featuredTagRoutes(routes);
  filterRoutes(routes);
  oldFilterRoutes(routes);
  notificationRoutes(routes);
  markerRoutes(routes);
  streamingRoutes(routes);
  searchRoutes(routes);
  trendRoutes(routes);
  emptyRoutes(routes);
}
