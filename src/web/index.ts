import type { AnyElysia } from "elysia";
import type { Context } from "../context.ts";
import { addRoute } from "../lib/http/elysia.ts";
import { targetOf } from "../lib/http/params.ts";
import type { Description } from "../lib/http/openapi.ts";
import { ASSETS, type Asset } from "./assets.ts";
import { apiPages } from "./public/server/api.tsx";
import { aboutPages } from "./public/server/about.tsx";
import { composePages } from "./compose/compose.tsx";
import { scheduledPages } from "./compose/scheduled.tsx";
import { accountActionPages } from "./reading/account-actions.ts";
import { homePages } from "./reading/home.tsx";
import { livePages } from "./reading/live.ts";
import { listTimelinePages } from "./reading/list-timeline.tsx";
import { notificationPages } from "./reading/notifications.tsx";
import { postActionPages } from "./reading/post-actions.tsx";
import { savedPages } from "./reading/saved.tsx";
import { searchPages } from "./reading/search.tsx";
import { confirmEmailPages } from "./mail/confirm-email.tsx";
import { passwordResetPages } from "./mail/password-reset.tsx";
import { invitationPages } from "./settings/account/invitations.tsx";
import { appearancePages } from "./settings/account/appearance.tsx";
import { deleteAccountPages } from "./settings/account/delete-account.tsx";
import { privacyPages } from "./settings/account/privacy.tsx";
import { storagePages } from "./settings/account/storage.tsx";
import { appPages } from "./settings/apps.tsx";
import { homeFeedSettingsPages } from "./settings/feed.tsx";
import { emailSettingsPages } from "./settings/email.tsx";
import { postingSettingsPages } from "./settings/posting.tsx";
import { automatedDeletionPages } from "./settings/posts/automated-deletion.tsx";
import { interactionSettingsPages } from "./settings/posts/interactions.tsx";
import { profileSettingsPages } from "./settings/profile.tsx";
import { blockSettingsPages } from "./settings/people/blocks.tsx";
import { filterSettingsPages } from "./settings/reading/filters.tsx";
import { hashtagSettingsPages } from "./settings/reading/hashtags.tsx";
import { listSettingsPages } from "./settings/reading/lists.tsx";
import { notificationPolicyPages } from "./settings/reading/notification-policy.tsx";
import { settingsPages } from "./settings/settings.tsx";
import { confirmPages, obstacleTo } from "./security/confirm.tsx";
import { securityPages } from "./security/security.tsx";
import { authorizePages } from "./sign-in/authorize.tsx";
import { interactionPages } from "./sign-in/interaction.tsx";
import { invitePages } from "./sign-in/invite.tsx";
import { landingPages } from "./public/server/landing.tsx";
import { feedPages } from "./feeds/feeds.ts";
import { notFoundPages } from "./not-found.ts";
import { Pages } from "./page/page-routes.ts";
import { providerPages } from "./providers/sign-in-with.tsx";
import { signInLinkPages } from "./providers/sign-in-link.tsx";
import { postPages } from "./public/posts/post.tsx";
import { profilePages } from "./public/profile/profile.tsx";
import { setupPages } from "./sign-in/setup.tsx";
import { siteFilePages } from "./public/server/site-files.ts";
import { serverSettingsPages } from "./settings/server.tsx";
import { tagPages } from "./public/posts/tags.tsx";
import { signInPage, signInPages } from "./sign-in/sign-in.tsx";
import { welcomePages } from "./sign-in/welcome.tsx";
import { exportPages } from "./transfer/export.tsx";
import { importPages } from "./transfer/import.tsx";
import { migrationPages } from "./transfer/migration.tsx";
import { tokenRoutes } from "./sign-in/token.ts";

/**
 * Adds all pages, the files that they load, and the OAuth endpoints that belong to them. `describe` returns the OpenAPI
 * description.
 */
export function webRoutes(app: AnyElysia, ctx: Context, describe: () => Promise<Description>): void {
  const pages = new Pages(app, ctx, (page) => signInPage(page, { returnTo: targetOf(page.request.url) }), obstacleTo);
  landingPages(pages);
  aboutPages(pages);
  profilePages(pages);
  tagPages(pages);
  feedPages(pages);
  siteFilePages(pages);
  serverSettingsPages(pages);
  postPages(pages);
  setupPages(pages);
  invitePages(pages);
  welcomePages(pages);
  signInPages(pages);
  providerPages(pages);
  signInLinkPages(pages);
  passwordResetPages(pages);
  confirmEmailPages(pages);
  authorizePages(pages);
  settingsPages(pages);
  profileSettingsPages(pages);
  privacyPages(pages);
  appearancePages(pages);
  storagePages(pages);
  invitationPages(pages);
  deleteAccountPages(pages);
  notificationPolicyPages(pages);
  filterSettingsPages(pages);
  listSettingsPages(pages);
  hashtagSettingsPages(pages);
  blockSettingsPages(pages);
  postingSettingsPages(pages);
  homeFeedSettingsPages(pages);
  interactionSettingsPages(pages);
  automatedDeletionPages(pages);
  appPages(pages);
  confirmPages(pages);
  securityPages(pages);
  importPages(pages);
  exportPages(pages);
  migrationPages(pages);
  emailSettingsPages(pages);
  interactionPages(pages);
  composePages(pages);
  scheduledPages(pages);
  postActionPages(pages);
  accountActionPages(pages);
  homePages(pages);
  listTimelinePages(pages);
  livePages(pages);
  savedPages(pages);
  notificationPages(pages);
  searchPages(pages);
  apiPages(pages, describe);
  tokenRoutes(app, ctx);
  for (const asset of ASSETS) assetRoute(app, asset);
  notFoundPages(pages);
}

function assetRoute(app: AnyElysia, { path, type, content }: Asset): void {
  const headers = {
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  };
  addRoute(app, "GET", path, () => new Response(content, { headers }));
}
