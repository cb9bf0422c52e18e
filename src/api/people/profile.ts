import type { Static } from "@sinclair/typebox";
import type { Context } from "../../context.ts";
import {
  checkProfile,
  DEFAULT_PRIVACIES,
  readingOf,
  updateProfile,
  type ProfileChanges,
} from "../../core/people/profile.ts";
import { QUOTE_POLICIES } from "../../core/quotes/policy.ts";
import { AVATAR_BYTES } from "../../core/media/limits.ts";
import { storePictures } from "../../core/media/profile-pictures.ts";
import { showCredentialAccount } from "../../entities/accounts.ts";
import { missingPictureUrl } from "../../core/addresses.ts";
import { bool, FileInput, list, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { CONTENT_TYPES } from "../../lib/text/formats.ts";
import { DEVICE_LOCALE, localeOf } from "../../lib/text/languages.ts";
import type { Router } from "../router.ts";

const MAX_BODY = 2 * AVATAR_BYTES + 1024 * 1024;
const flag = () => optional(bool());
const sentence = (max: number) => optional(text({ max }));

const profileFields = {
  display_name: sentence(10_000),
  note: sentence(50_000),
  avatar: optional(FileInput),
  header: optional(FileInput),
  avatar_description: sentence(10_000),
  header_description: sentence(10_000),
  locked: flag(),
  bot: flag(),
  discoverable: flag(),
  indexable: flag(),
  hide_collections: flag(),
  attribution_domains: optional(list(text({ max: 255 }))),
  fields_attributes: optional(
    list(object({ name: text({ max: 10_000, default: "" }), value: text({ max: 10_000, default: "" }) })),
  ),
};

const Profile = object({ ...profileFields, show_media: flag(), show_media_replies: flag(), show_featured: flag() });

const Credentials = object({
  ...profileFields,
  source: optional(
    object({
      privacy: optional(oneOf(DEFAULT_PRIVACIES)),
      sensitive: flag(),
      language: optional(text({ max: 35, pattern: new RegExp(`${DEVICE_LOCALE.source}|^$`) })),
      quote_policy: optional(oneOf(QUOTE_POLICIES)),
      status_content_type: optional(oneOf(CONTENT_TYPES)),
    }),
  ),
});

type Input = Static<typeof Profile> & Static<typeof Credentials>;

/** The user's own account: methods/accounts (verify_ and update_credentials), methods/profile, methods/preferences. */
export function profileRoutes(routes: Router): void {
  const read = { scope: ["read:accounts", "profile"] } as const;
  const write = { scope: "write:accounts", maxBytes: MAX_BODY } as const;
  routes
    .get("/api/v1/accounts/verify_credentials", { ...read, summary: "Get your own account" }, ({ ctx, viewerId }) =>
      showCredentialAccount(ctx, viewerId),
    )
    .update(
      "/api/v1/accounts/update_credentials",
      { ...write, input: Credentials, summary: "Update your profile and posting defaults" },
      async ({ ctx, viewerId, input }) => {
        await update(ctx, viewerId, input);
        return showCredentialAccount(ctx, viewerId);
      },
    )
    .get("/api/v1/profile", { ...read, summary: "Get your profile" }, ({ ctx, viewerId }) => showProfile(ctx, viewerId))
    .update(
      "/api/v1/profile",
      { ...write, input: Profile, summary: "Update your profile" },
      async ({ ctx, viewerId, input }) => {
        await update(ctx, viewerId, input);
        return showProfile(ctx, viewerId);
      },
    )
    .delete("/api/v1/profile/avatar", { ...write, summary: "Delete your avatar" }, ({ ctx, viewerId }) => {
      updateProfile(ctx, viewerId, { avatar: null });
      return showCredentialAccount(ctx, viewerId);
    })
    .delete("/api/v1/profile/header", { ...write, summary: "Delete your header image" }, ({ ctx, viewerId }) => {
      updateProfile(ctx, viewerId, { header: null });
      return showCredentialAccount(ctx, viewerId);
    })
    .get("/api/v1/preferences", { scope: "read:accounts", summary: "Get your preferences" }, ({ ctx, viewerId }) => {
      const { source } = showCredentialAccount(ctx, viewerId);
      const { expandMedia, expandSpoilers } = readingOf(ctx.db, viewerId);
      return {
        "posting:default:visibility": source.privacy,
        "posting:default:sensitive": source.sensitive,
        "posting:default:language": source.language,
        "posting:default:quote_policy": source.quote_policy,
        "reading:expand:media": expandMedia,
        "reading:expand:spoilers": expandSpoilers,
        "reading:autoplay:gifs": false,
      };
    });
}

async function update(ctx: Context, accountId: number, input: Input): Promise<void> {
  const changes = changesOf(input);
  // Checked before any file is written, so that a refusal leaves no files behind.
  checkProfile(changes);
  updateProfile(ctx, accountId, { ...changes, ...(await storePictures(ctx, accountId, input)) });
}

/** Mastodon's Profile (entities/Profile): the texts as the user wrote them, and null for a missing picture. */
function showProfile(ctx: Context, accountId: number) {
  const { source, ...account } = showCredentialAccount(ctx, accountId);
  const [noAvatar, noHeader] = [missingPictureUrl(ctx, "avatars"), missingPictureUrl(ctx, "headers")];
  const picture = (url: string, missing: string) => (url === missing ? null : url);
  return {
    id: account.id,
    display_name: account.display_name,
    note: source.note,
    fields: source.fields,
    avatar: picture(account.avatar, noAvatar),
    avatar_static: picture(account.avatar_static, noAvatar),
    avatar_description: account.avatar_description,
    header: picture(account.header, noHeader),
    header_static: picture(account.header_static, noHeader),
    header_description: account.header_description,
    locked: account.locked,
    bot: account.bot,
    hide_collections: account.hide_collections,
    discoverable: account.discoverable,
    indexable: account.indexable,
    show_media: account.show_media,
    show_media_replies: account.show_media_replies,
    show_featured: account.show_featured,
    attribution_domains: source.attribution_domains,
  };
}

function changesOf(input: Input): ProfileChanges {
  return {
    displayName: input.display_name?.trim(),
    note: input.note?.trim(),
    avatarDescription: input.avatar_description,
    headerDescription: input.header_description,
    locked: input.locked,
    bot: input.bot,
    discoverable: input.discoverable,
    indexable: input.indexable,
    hideCollections: input.hide_collections,
    attributionDomains: input.attribution_domains,
    showMedia: input.show_media,
    showMediaReplies: input.show_media_replies,
    showFeatured: input.show_featured,
    fields: input.fields_attributes
      ?.map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
      .filter(({ name, value }) => name !== "" || value !== ""),
    privacy: input.source?.privacy,
    sensitive: input.source?.sensitive,
    language: input.source?.language === "" ? null : input.source?.language && localeOf(input.source.language),
    quotePolicy: input.source?.quote_policy,
    contentType: input.source?.status_content_type,
  };
}
