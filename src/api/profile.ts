import type { Context } from "../context.ts";
import { updateProfile } from "../core/profile.ts";
import { VISIBILITIES } from "../core/statuses.ts";
import { AVATAR_BYTES, uploadPicture } from "../core/uploads.ts";
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
      privacy: optional(oneOf(VISIBILITIES)),
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
        const [avatar, header] = [
          await picture(ctx, "avatar", input.avatar),
          await picture(ctx, "header", input.header),
        ];
        updateProfile(ctx, viewerId, {
          displayName: input.display_name?.trim(),
          note: input.note?.trim(),
          avatar,
          header,
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
        });
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

async function picture(ctx: Context, kind: "avatar" | "header", file: File | undefined) {
  return file === undefined ? undefined : uploadPicture(ctx, kind, file);
}
