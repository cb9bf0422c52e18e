import type { Static } from "@sinclair/typebox";
import type { Context } from "../context.ts";
import { editStatus, mediaByIds, versionsOf, type Edit, type Version } from "../core/edits.ts";
import {
  bookmark,
  favourite,
  muteConversation,
  pin,
  unbookmark,
  unfavourite,
  unmuteConversation,
  unpin,
} from "../core/interactions.ts";
import { parseFocus, type MediaChanges } from "../core/media.ts";
import {
  ownStatus,
  publish,
  reblog,
  removeStatus,
  unreblog,
  visibleAmong,
  visibleStatus,
  VISIBILITIES,
} from "../core/statuses.ts";
import { contextOf } from "../core/threads.ts";
import { showAccount } from "../entities/accounts.ts";
import { showMedia } from "../entities/media.ts";
import { showStatus, showStatuses, statusText } from "../entities/statuses.ts";
import { timestamp } from "../entities/urls.ts";
import { notFound, validationFailed } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { bool, id, ids, list, object, oneOf, optional, text } from "../lib/input.ts";
import { hashSecret } from "../lib/secrets.ts";
import { jsonText } from "./paging.ts";
import type { Router } from "./router.ts";

/** In UTF-16 units: a bound against abuse, well above any limit that people are told of. */
const MAX_TEXT = 500_000;
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z]{2,4})?$/;

/** What can't be kept yet is refused: published without its poll, or at once, a status isn't what its author meant. */
const notYet = { poll: optional(object({})), scheduled_at: optional(text({ max: 100 })) };

const Publish = object({
  ...notYet,
  status: text({ max: MAX_TEXT, default: "" }),
  spoiler_text: text({ max: MAX_TEXT, default: "" }),
  sensitive: optional(bool()),
  visibility: optional(oneOf(VISIBILITIES)),
  language: optional(text({ max: 12, pattern: LANGUAGE })),
  in_reply_to_id: optional(id()),
  media_ids: ids(),
});

const EditInput = object({
  ...notYet,
  status: optional(text({ max: MAX_TEXT })),
  spoiler_text: optional(text({ max: MAX_TEXT })),
  sensitive: optional(bool()),
  language: optional(text({ max: 12, pattern: LANGUAGE })),
  media_ids: optional(list(id())),
  media_attributes: optional(
    list(object({ id: id(), description: optional(text({ max: 10_000 })), focus: optional(text({ max: 50 })) })),
  ),
});

/** Mastodon's documentation: methods/statuses. */
export function statusRoutes(routes: Router): void {
  routes
    .post("/api/v1/statuses", { scope: "write:statuses", input: Publish }, (call) => {
      const { ctx, viewerId, bearer, input, request } = call;
      const author = { accountId: viewerId, appId: bearer.appId };
      refuseNotYet(input);
      const key = request.headers.get("idempotency-key");
      return jsonText(statusText(ctx, viewerId, publish(ctx, author, draftOf(input), key && hashSecret(key))));
    })
    .get(
      "/api/v1/statuses",
      { open: true, scope: "read:statuses", input: object({ id: ids(40) }) },
      ({ ctx, viewerId, input }) =>
        showStatuses(
          ctx,
          viewerId,
          visibleAmong(
            ctx,
            viewerId,
            input.id.flatMap((text) => parseId(text) ?? []),
          ),
        ),
    )
    .get("/api/v1/statuses/:id", { open: true, scope: "read:statuses" }, ({ ctx, viewerId, params }) =>
      jsonText(statusText(ctx, viewerId, visibleStatus(ctx, viewerId, parseId(params.id)).id)),
    )
    .update(
      "/api/v1/statuses/:id",
      { scope: "write:statuses", input: EditInput },
      ({ ctx, viewerId, input, params }) => {
        const status = ownStatus(ctx, viewerId, parseId(params.id));
        if (status.reblog_of_id !== null) throw notFound();
        refuseNotYet(input);
        editStatus(ctx, status, editOf(input));
        return jsonText(statusText(ctx, viewerId, status.id));
      },
    )
    .delete(
      "/api/v1/statuses/:id",
      { scope: "write:statuses", limit: "deletes", input: object({ delete_media: bool({ default: false }) }) },
      ({ ctx, viewerId, input, params }) => {
        const status = ownStatus(ctx, viewerId, parseId(params.id));
        // With its source, so that it can be written anew.
        const shown = { ...showStatus(ctx, viewerId, status.id), text: status.text };
        removeStatus(ctx, status, input.delete_media);
        return shown;
      },
    );
  readingRoutes(routes);
  actionRoutes(routes);
}

function refuseNotYet(input: { poll?: object; scheduled_at?: string }): void {
  if (input.poll) throw validationFailed("Polls are not possible on this server yet");
  if (input.scheduled_at) throw validationFailed("Scheduled posts are not possible on this server yet");
}

function draftOf(input: Static<typeof Publish>) {
  return {
    text: input.status.trim(),
    spoilerText: input.spoiler_text.trim(),
    sensitive: input.sensitive ?? null,
    visibility: input.visibility ?? null,
    language: input.language ?? null,
    // An id that can't be one is a status that doesn't exist, not a missing parameter.
    inReplyToId: input.in_reply_to_id === undefined ? null : (parseId(input.in_reply_to_id) ?? -1),
    mediaIds: mediaIdsOf(input.media_ids),
  };
}

function editOf(input: Static<typeof EditInput>): Edit {
  const changes = new Map<number, MediaChanges>();
  for (const { id, description, focus } of input.media_attributes ?? []) {
    changes.set(parseId(id) ?? -1, { description, focus: focus === undefined ? undefined : parseFocus(focus) });
  }
  return {
    text: input.status?.trim(),
    spoilerText: input.spoiler_text?.trim(),
    sensitive: input.sensitive,
    language: input.language,
    mediaIds: input.media_ids && mediaIdsOf(input.media_ids),
    mediaChanges: changes,
  };
}

function mediaIdsOf(texts: readonly string[]): number[] {
  const parsed = texts.map((text) => parseId(text) ?? -1);
  if (new Set(parsed).size !== parsed.length) throw validationFailed("Media attachments can't be attached twice");
  return parsed;
}

function readingRoutes(routes: Router): void {
  const open = { open: true, scope: "read:statuses" } as const;
  routes
    .get("/api/v1/statuses/:id/context", open, ({ ctx, viewerId, params }) => {
      const thread = contextOf(ctx, viewerId, visibleStatus(ctx, viewerId, parseId(params.id)));
      const shown = showStatuses(ctx, viewerId, [...thread.ancestors, ...thread.descendants]);
      return { ancestors: shown.slice(0, thread.ancestors.length), descendants: shown.slice(thread.ancestors.length) };
    })
    .get("/api/v1/statuses/:id/history", open, ({ ctx, viewerId, params }) => {
      const status = visibleStatus(ctx, viewerId, parseId(params.id));
      return showVersions(ctx, status.account_id, versionsOf(ctx, status));
    })
    .get("/api/v1/statuses/:id/source", { scope: "read:statuses" }, ({ ctx, viewerId, params }) => {
      const status = ownStatus(ctx, viewerId, parseId(params.id));
      return { id: String(status.id), text: status.text, spoiler_text: status.spoiler_text };
    });
}

/** Mastodon's StatusEdit (entities/StatusEdit). */
function showVersions(ctx: Context, accountId: number, versions: readonly Version[]) {
  const account = showAccount(ctx, accountId);
  const media = mediaByIds(
    ctx,
    versions.flatMap((version) => version.media.map(({ id }) => id)),
  );
  return versions.map((version) => ({
    content: version.content,
    spoiler_text: version.spoiler_text,
    sensitive: version.sensitive === 1,
    created_at: timestamp(version.created_at),
    account,
    media_attachments: version.media.flatMap(({ id, description }) => {
      const row = media.get(id);
      return row ? [showMedia(ctx, { ...row, description })] : [];
    }),
    emojis: [],
  }));
}

const ACTIONS = [
  ["favourite", "write:favourites", favourite],
  ["unfavourite", "write:favourites", unfavourite],
  ["bookmark", "write:bookmarks", bookmark],
  ["unbookmark", "write:bookmarks", unbookmark],
  ["pin", "write:accounts", pin],
  ["unpin", "write:accounts", unpin],
  ["mute", "write:mutes", muteConversation],
  ["unmute", "write:mutes", unmuteConversation],
] as const;

function actionRoutes(routes: Router): void {
  for (const [name, scope, act] of ACTIONS) {
    routes.post(`/api/v1/statuses/:id/${name}`, { scope }, ({ ctx, viewerId, params }) =>
      jsonText(statusText(ctx, viewerId, act(ctx, viewerId, parseId(params.id)))),
    );
  }
  routes
    .post(
      "/api/v1/statuses/:id/reblog",
      { scope: "write:statuses", input: object({ visibility: optional(oneOf(VISIBILITIES)) }) },
      ({ ctx, viewerId, bearer, input, params }) => {
        const author = { accountId: viewerId, appId: bearer.appId };
        return jsonText(statusText(ctx, viewerId, reblog(ctx, author, parseId(params.id), input.visibility ?? null)));
      },
    )
    .post("/api/v1/statuses/:id/unreblog", { scope: "write:statuses", limit: "deletes" }, ({ ctx, viewerId, params }) =>
      jsonText(statusText(ctx, viewerId, unreblog(ctx, viewerId, parseId(params.id)))),
    );
}
