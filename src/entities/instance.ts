import type { Context } from "../context.ts";
import { countActiveUsers } from "../core/server/weekly-stats.ts";
import { MAX_FEATURED_TAGS } from "../core/discovery/featured-tags.ts";
import { MAX_PINS } from "../core/statuses/interactions.ts";
import {
  IMAGE_LIMITS,
  MAX_ATTACHMENTS,
  MAX_DESCRIPTION,
  VIDEO_BYTES,
  VIDEO_FRAME_RATE,
  VIDEO_PIXELS,
} from "../core/media/limits.ts";
import { MAX_FIELD_LENGTH, MAX_FIELDS, MAX_NOTE, MAX_PICTURE_DESCRIPTION } from "../core/people/profile.ts";
import { POLL_LIMITS } from "../core/statuses/polls.ts";
import { registrationMode } from "../core/people/registrations.ts";
import { listRules } from "../core/server/rules.ts";
import { findSitePicture, SITE_PICTURES } from "../core/server/site-pictures.ts";
import { hasTerms } from "../core/server/terms.ts";
import { findUser, MAX_DISPLAY_NAME } from "../core/people/users.ts";
import { vapidKeys } from "../core/notifications/vapid.ts";
import { isSuspended } from "../core/visibility.ts";
import { IMAGE_TYPES } from "../lib/media/image-types.ts";
import { CLIP_TYPES } from "../lib/media/media-types.ts";
import { CONTENT_TYPES } from "../lib/text/formats.ts";
import { CHARACTERS_PER_URL } from "../lib/text/text.ts";
import { MASTODON_VERSION, SOURCE_URL, VERSION } from "../version.ts";
import { showAccount } from "./accounts.ts";
import { localUrl, mediaUrl, missingPictureUrl } from "../core/addresses.ts";

const COMPATIBLE_VERSION = `${MASTODON_VERSION}+linnet-${VERSION}`;
/**
 * The version of Mastodon's API (entities/Instance) up to which everything is implemented: 2 grouped notifications,
 * 3 attribution domains, 4 removal of media, 5 blurring filters, 6 featured tags, 7 quotes, 8 /api/v1/profile,
 * 9 descriptions of avatars. Not yet 10: collections.
 */
const API_VERSIONS = { mastodon: 9 };

/** Mastodon's Instance (entities/Instance). */
export function showInstance(ctx: Context) {
  const { config } = ctx;
  const shared = limits();
  const mode = registrationMode(ctx);
  return {
    domain: config.handleDomain,
    title: config.title,
    version: COMPATIBLE_VERSION,
    source_url: SOURCE_URL,
    description: config.description,
    usage: { users: { active_month: activeUsers(ctx, 4) } },
    thumbnail: thumbnail(ctx),
    icon: icons(ctx),
    languages: config.languages,
    configuration: {
      urls: {
        streaming: streamingUrl(ctx),
        status: null,
        about: localUrl(ctx, "/about"),
        privacy_policy: localUrl(ctx, "/privacy-policy"),
        terms_of_service: hasTerms(ctx.db) ? localUrl(ctx, "/terms-of-service") : null,
      },
      vapid: { public_key: vapidKeys(ctx).publicKey },
      accounts: {
        max_featured_tags: MAX_FEATURED_TAGS,
        max_pinned_statuses: MAX_PINS,
        max_display_name_length: MAX_DISPLAY_NAME,
        max_note_length: MAX_NOTE,
        max_avatar_description_length: MAX_PICTURE_DESCRIPTION,
        max_header_description_length: MAX_PICTURE_DESCRIPTION,
        max_profile_fields: MAX_FIELDS,
        profile_field_name_limit: MAX_FIELD_LENGTH,
        profile_field_value_limit: MAX_FIELD_LENGTH,
      },
      statuses: statusLimits(ctx),
      media_attachments: { ...shared.media_attachments, description_limit: MAX_DESCRIPTION },
      polls: shared.polls,
      translation: { enabled: ctx.translator !== null },
      timelines_access: timelinesAccess(ctx),
      limited_federation: config.limitedFederation,
    },
    registrations: {
      enabled: mode !== "closed",
      approval_required: mode === "approval",
      reason_required: mode === "approval",
      message: null,
      min_age: null,
      url: null,
    },
    api_versions: API_VERSIONS,
    contact: showContact(ctx, !config.limitedFederation),
    rules: showRules(ctx),
  };
}

/** The older form (entities/V1_Instance), which some apps still request first. */
export function showInstanceV1(ctx: Context, domainCount: number) {
  const { config } = ctx;
  const shared = limits();
  const mode = registrationMode(ctx);
  return {
    uri: config.handleDomain,
    title: config.title,
    short_description: config.description,
    description: config.description,
    email: config.contactEmail,
    version: COMPATIBLE_VERSION,
    urls: { streaming_api: streamingUrl(ctx) },
    stats: { ...stats(ctx), domain_count: ctx.config.limitedFederation ? 0 : domainCount },
    thumbnail: thumbnail(ctx).url,
    languages: config.languages,
    registrations: mode !== "closed",
    approval_required: mode === "approval",
    invites_enabled: false,
    configuration: {
      accounts: { max_featured_tags: MAX_FEATURED_TAGS },
      statuses: statusLimits(ctx),
      media_attachments: shared.media_attachments,
      polls: shared.polls,
    },
    contact_account: showContact(ctx, !config.limitedFederation).account,
    rules: showRules(ctx),
  };
}

/** Mastodon's Rules (entities/Rule). */
export function showRules(ctx: Context) {
  return listRules(ctx.db).map(({ id, text, hint, translations }) => ({ id: String(id), text, hint, translations }));
}

/** Counts of users and their statuses; 0 with limited federation, which hides them from anonymous visitors. */
export function stats(ctx: Context) {
  if (ctx.config.limitedFederation) return { user_count: 0, status_count: 0 };
  return ctx.db.get<{ user_count: number; status_count: number }>(
    `SELECT
       (SELECT count(*) FROM users WHERE approved AND NOT ${isSuspended("account_id")}) AS user_count,
       (SELECT coalesce(sum(a.statuses_count), 0) FROM users u JOIN accounts a ON a.id = u.account_id) AS status_count`,
  )!;
}

/** The number of local users active in the last `weeks` weeks; 0 with limited federation. */
export function activeUsers(ctx: Context, weeks: number): number {
  return ctx.config.limitedFederation ? 0 : countActiveUsers(ctx, weeks);
}

/** How to reach the owner. `maySeeAccounts` says whether the viewer may see accounts (LINNET_LIMITED_FEDERATION). */
export function showContact(ctx: Context, maySeeAccounts: boolean) {
  return { email: ctx.config.contactEmail, account: maySeeAccounts ? contactAccount(ctx) : null };
}

function contactAccount(ctx: Context) {
  const contact = ctx.config.contactAccount
    ? findUser(ctx, ctx.config.contactAccount)
    : ctx.db.get<{ account_id: number }>("SELECT account_id FROM users WHERE role = 'owner' ORDER BY id LIMIT 1");
  return contact && showAccount(ctx, contact.account_id);
}

function thumbnail(ctx: Context) {
  const own = findSitePicture(ctx.db, "thumbnail");
  if (!own) return { url: missingPictureUrl(ctx, "headers"), blurhash: null, description: null, versions: {} };
  const [once, twice] = own.files.map((file) => mediaUrl(ctx, file));
  return {
    url: once!,
    blurhash: own.blurhash,
    description: own.description,
    versions: { "@1x": once!, "@2x": twice! },
  };
}

/** The owner's icon, or else the default one, a bird. */
function icons(ctx: Context) {
  const own = findSitePicture(ctx.db, "icon");
  const sizes = own ? SITE_PICTURES.icon.map(({ width }) => width) : [192, 512];
  return sizes.map((size, at) => ({
    src: own ? mediaUrl(ctx, own.files[at]!) : localUrl(ctx, `/icons/${size}.png`),
    size: `${size}x${size}`,
  }));
}

/** The access rules of the timelines. There is one setting for local and remote statuses. */
function timelinesAccess({ config }: Context) {
  const access = config.publicPreview && !config.limitedFederation ? "public" : "authenticated";
  const feeds = { local: access, remote: access };
  return { live_feeds: feeds, hashtag_feeds: feeds, trending_link_feeds: feeds };
}

function streamingUrl(ctx: Context): string {
  return ctx.config.origin.replace(/^http/, "ws");
}

function statusLimits(ctx: Context) {
  return {
    max_characters: ctx.config.maxCharacters,
    max_media_attachments: MAX_ATTACHMENTS,
    characters_reserved_per_url: CHARACTERS_PER_URL,
    supported_mime_types: CONTENT_TYPES,
  };
}

/** Limits that are the same on every Linnet server. */
function limits() {
  return {
    media_attachments: {
      supported_mime_types: [...IMAGE_TYPES, ...CLIP_TYPES],
      image_size_limit: IMAGE_LIMITS.bytes,
      image_matrix_limit: IMAGE_LIMITS.pixels,
      video_size_limit: VIDEO_BYTES,
      video_frame_rate_limit: VIDEO_FRAME_RATE,
      video_matrix_limit: VIDEO_PIXELS,
    },
    polls: {
      max_options: POLL_LIMITS.options,
      max_characters_per_option: POLL_LIMITS.characters,
      min_expiration: POLL_LIMITS.minSeconds,
      max_expiration: POLL_LIMITS.maxSeconds,
    },
  };
}
