import { directoryRoutes } from "./discovery/directory.ts";
import { featuredTagRoutes } from "./discovery/featured-tags.ts";
import { searchRoutes } from "./discovery/search.ts";
import { suggestionRoutes } from "./discovery/suggestions.ts";
import { tagRoutes } from "./discovery/tags.ts";
import { trendRoutes } from "./discovery/trends.ts";
import { customEmojiRoutes } from "./media/custom-emojis.ts";
import { mediaRoutes } from "./media/media.ts";
import { reportRoutes } from "./moderation/reports.ts";
import { conversationRoutes } from "./notifications/conversations.ts";
import { notificationGroupRoutes } from "./notifications/groups.ts";
import { notificationRoutes } from "./notifications/notifications.ts";
import { pushRoutes } from "./notifications/push.ts";
import { notificationRequestRoutes } from "./notifications/requests.ts";
import { accountRoutes } from "./people/accounts.ts";
import { blockRoutes } from "./people/blocks.ts";
import { instanceDomainBlockRoutes } from "./people/domain-blocks.ts";
import { emailRoutes } from "./people/emails.ts";
import { endorsementRoutes } from "./people/endorsements.ts";
import { followRequestRoutes } from "./people/follow-requests.ts";
import { moveRoutes } from "./people/moves.ts";
import { profileRoutes } from "./people/profile.ts";
import { registrationRoutes } from "./people/registrations.ts";
import { relationRoutes } from "./people/relations.ts";
import { announcementRoutes } from "./server/announcements.ts";
import { appRoutes } from "./server/apps.ts";
import { healthRoutes } from "./server/health.ts";
import { hostMetaRoutes } from "./server/host-meta.ts";
import { instanceRoutes } from "./server/instance.ts";
import { oauthRoutes } from "./server/oauth.ts";
import { openApiRoutes } from "./server/openapi.ts";
import { deliveryRoutes } from "./statuses/deliveries.ts";
import { oembedRoutes } from "./statuses/oembed.ts";
import { interactionPolicyRoutes } from "./statuses/interaction-policies.ts";
import { pollRoutes } from "./statuses/polls.ts";
import { quoteRoutes } from "./quotes/quotes.ts";
import { scheduledStatusRoutes } from "./statuses/scheduled-statuses.ts";
import { statusRoutes } from "./statuses/statuses.ts";
import { translationRoutes } from "./statuses/translations.ts";
import { streamingRoutes } from "./streaming/streaming.ts";
import { asyncRefreshRoutes } from "./timelines/async-refreshes.ts";
import { oldFilterRoutes } from "./timelines/filters-v1.ts";
import { filterRoutes } from "./timelines/filters.ts";
import { listRoutes } from "./timelines/lists.ts";
import { markerRoutes } from "./timelines/markers.ts";
import { timelineRoutes } from "./timelines/timelines.ts";
import type { Router } from "./router.ts";

/** Adds all routes of the API, in the order of its description. */
export function apiRoutes(routes: Router): void {
  routes
    .area("Apps and sign-in", appRoutes, oauthRoutes, registrationRoutes, emailRoutes)
    .area("Accounts", accountRoutes, relationRoutes, endorsementRoutes, followRequestRoutes)
    .area("Profile", profileRoutes, moveRoutes)
    .area("Blocks, mutes and reports", blockRoutes, reportRoutes)
    .area(
      "Statuses",
      statusRoutes,
      quoteRoutes,
      interactionPolicyRoutes,
      pollRoutes,
      translationRoutes,
      scheduledStatusRoutes,
      oembedRoutes,
    )
    .area("Deliveries", deliveryRoutes)
    .area("Media", mediaRoutes)
    .area("Timelines", timelineRoutes, conversationRoutes, markerRoutes, asyncRefreshRoutes)
    .area("Lists", listRoutes)
    .area("Hashtags", tagRoutes, featuredTagRoutes)
    .area("Filters", filterRoutes, oldFilterRoutes)
    .area("Notifications", notificationGroupRoutes, notificationRoutes, notificationRequestRoutes)
    .area("Push notifications", pushRoutes)
    .area("Streaming", streamingRoutes)
    .area("Search and discovery", searchRoutes, trendRoutes, suggestionRoutes, directoryRoutes)
    .area("Announcements and emoji", announcementRoutes, customEmojiRoutes)
    .area("Server", instanceRoutes, instanceDomainBlockRoutes, hostMetaRoutes, openApiRoutes, healthRoutes);
}
