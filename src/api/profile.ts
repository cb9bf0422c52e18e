import type { Static } from "@sinclair/typebox";
import type { Context } from "../context.ts";
import { checkProfile, DEFAULT_PRIVACIES, updateProfile, type ProfileChanges } from "../core/profile.ts";
import { AVATAR_BYTES, keepPicture, preparePicture } from "../core/uploads.ts";
import { showCredentialAccount } from "../entities/accounts.ts";
import { bool, FileInput, list, object, oneOf, optional, text } from "../lib/input.ts";
import type { Router } from "./router.ts";

const MAX_BODY = 2 * AVATAR_BYTES + 1024 * 1024;
const flag = () => optional(bool());
const sentence = (max: number) => optional(text({ max }));

const Update = object({
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
  source: optional(
    object({
      privacy: optional(oneOf(DEFAULT_PRIVACIES)),
      sensitive: flag(),
      language: optional(text({ max: 12, pattern: /^([a-z]{2,3}(-[A-Za-z]{2,4})?)?$/ })),
    }),
  ),
});

/** One's own account: methods/accounts (verify_credentials, update_credentials) and methods/preferences. */
export function profileRoutes(routes: Router): void {
  routes
    .get("/api/v1/accounts/verify_credentials", { scope: ["read:accounts", "profile"] }, ({ ctx, viewerId }) =>
      showCredentialAccount(ctx, viewerId),
    )
    .update(
      "/api/v1/accounts/update_credentials",
      { scope: "write:accounts", input: Update, maxBytes: MAX_BODY },
      async ({ ctx, viewerId, input }) => {
        const changes = changesOf(input);
        // Before any file is written, so that a refusal leaves none behind.
        checkProfile(changes);
        updateProfile(ctx, viewerId, { ...changes, ...(await keepPictures(ctx, input)) });
        return showCredentialAccount(ctx, viewerId);
      },
    )
    .get("/api/v1/preferences", { scope: "read:accounts" }, ({ ctx, viewerId }) => {
      const { source } = showCredentialAccount(ctx, viewerId);
      return {
        "posting:default:visibility": source.privacy,
        "posting:default:sensitive": source.sensitive,
        "posting:default:language": source.language,
        "reading:expand:media": "default",
        "reading:expand:spoilers": false,
        "reading:autoplay:gifs": false,
      };
    });
}

function changesOf(input: Static<typeof Update>): ProfileChanges {
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
    fields: input.fields_attributes
      ?.map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
      .filter(({ name, value }) => name !== "" || value !== ""),
    privacy: input.source?.privacy,
    sensitive: input.source?.sensitive,
    language: input.source?.language === "" ? null : input.source?.language,
  };
}

async function keepPictures(
  ctx: Context,
  files: { avatar?: File; header?: File },
): Promise<Pick<ProfileChanges, "avatar" | "header">> {
  const avatar = files.avatar && (await preparePicture("avatar", files.avatar));
  const header = files.header && (await preparePicture("header", files.header));
  return {
    avatar: avatar && (await keepPicture(ctx, "avatar", avatar)),
    header: header && (await keepPicture(ctx, "header", header)),
  };
}
