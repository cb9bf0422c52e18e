import type { Context } from "../../context.ts";
import { favouritedBy, rebloggedBy } from "../../core/accounts.ts";
import { withLanguage, withResolvedMentions } from "../../core/statuses/drafts.ts";
import { editStatus } from "../../core/statuses/edits.ts";
import {
  bookmark,
  favourite,
  muteConversation,
  pin,
  unbookmark,
  unfavourite,
  unmuteConversation,
  unpin,
} from "../../core/statuses/interactions.ts";
import { IMAGE_LIMITS, MAX_ATTACHMENTS } from "../../core/media/limits.ts";
import { schedule } from "../../core/statuses/scheduled.ts";
import { publish } from "../../core/statuses/publishing.ts";
import { reblog, unreblog } from "../../core/statuses/reblogs.ts";
import { removeStatus } from "../../core/statuses/removal.ts";
import { contextOf, fetchThreadLater } from "../../core/statuses/threads.ts";
import { ownStatus, visibleAmong, visibleStatus, VISIBILITIES, type StatusRow } from "../../core/visibility.ts";
import { showVersions } from "../../entities/statuses/status-edits.ts";
import { showStatusOrStub, showStatuses, statusText } from "../../entities/statuses/statuses.ts";
import { notFound } from "../../errors.ts";
import { parseId, parseIds } from "../../lib/ids.ts";
import { bool, ids, object, oneOf, optional } from "../../lib/http/input.ts";
import { hashSecret } from "../../lib/secrets.ts";
import { draftOf, EditInput, editOf, PublishInput } from "./drafts.ts";
import { accountPage, jsonText, pageOf, paging } from "../paging.ts";
import { fetchRefreshHeader } from "../timelines/async-refreshes.ts";
import type { Router } from "../router.ts";
import { parseScheduledAt, showScheduled } from "./scheduled-statuses.ts";

/** In bytes: a thumbnail for each attachment, with room for the other fields of the form. */
const MAX_EDIT = MAX_ATTACHMENTS * IMAGE_LIMITS.bytes + 1024 * 1024;

/** Mastodon's documentation: methods/statuses. */
export function statusRoutes(routes: Router): void {
  routes
    .post(
      "/api/v1/statuses",
      { scope: "write:statuses", input: PublishInput, summary: "Post or schedule a status" },
      async (call) => {
        const { ctx, viewerId, bearer, input, request } = call;
        const author = { accountId: viewerId, appId: bearer.appId };
        const header = request.headers.get("idempotency-key");
        const key = header && hashSecret(header);
        const draft = await withResolvedMentions(ctx, await withLanguage(ctx, viewerId, draftOf(input)));
        const result =
          input.scheduled_at === undefined
            ? await publish(ctx, author, draft, key)
            : schedule(ctx, author, draft, parseScheduledAt(input.scheduled_at), key);
        return "statusId" in result
          ? jsonText(statusText(ctx, viewerId, result.statusId))
          : showScheduled(ctx, viewerId, result.scheduledId);
      },
    )
    .update(
      "/api/v1/statuses/:id",
      { scope: "write:statuses", input: EditInput, maxBytes: MAX_EDIT, storeFiles: true, summary: "Edit a status" },
      async ({ ctx, viewerId, input, params }) => {
        const id = parseId(params.id);
        await editStatus(ctx, () => editable(ctx, viewerId, id), editOf(input));
        return jsonText(statusText(ctx, viewerId, editable(ctx, viewerId, id).id));
      },
    )
    .delete(
      "/api/v1/statuses/:id",
      {
        scope: "write:statuses",
        limit: "deletes",
        input: object({ delete_media: bool({ default: false }) }),
        summary: "Delete a status and return its source text",
      },
      ({ ctx, viewerId, input, params }) => {
        const status = ownStatus(ctx, viewerId, parseId(params.id));
        // With its source, so that the app can offer a new draft.
        const shown = {
          ...showStatusOrStub(ctx, viewerId, status.id),
          text: status.text,
          content_type: status.content_type,
        };
        removeStatus(ctx, status, input.delete_media);
        return shown;
      },
    );
  readingRoutes(routes);
  actionRoutes(routes);
  statusAccountRoutes(routes);
}

function editable(ctx: Context, viewerId: number, id: number | null): StatusRow {
  const status = ownStatus(ctx, viewerId, id);
  if (status.reblog_of_id !== null) throw notFound();
  return status;
}

function readingRoutes(routes: Router): void {
  const open = { open: true, scope: "read:statuses" } as const;
  routes
    .get(
      "/api/v1/statuses",
      { ...open, input: object({ id: ids(40) }), summary: "Get multiple statuses" },
      ({ ctx, viewerId, input }) => showStatuses(ctx, viewerId, visibleAmong(ctx, viewerId, parseIds(input.id))),
    )
    .get("/api/v1/statuses/:id", { ...open, summary: "Get a status" }, ({ ctx, viewerId, params }) =>
      jsonText(statusText(ctx, viewerId, visibleStatus(ctx, viewerId, parseId(params.id)).id)),
    )
    .get(
      "/api/v1/statuses/:id/context",
      { ...open, summary: "Get the thread of a status: its ancestors and descendants" },
      (call) => {
        const { ctx, viewerId } = call;
        const status = visibleStatus(ctx, viewerId, parseId(call.params.id));
        const thread = contextOf(ctx, viewerId, status);
        // Visitors cause no requests to other servers.
        if (viewerId !== 0) fetchThreadLater(ctx, status);
        const headers = fetchRefreshHeader(call, "thread.fetch", status.conversation_id);
        const shown = showStatuses(ctx, viewerId, [...thread.ancestors, ...thread.descendants]);
        const body = {
          ancestors: shown.slice(0, thread.ancestors.length),
          descendants: shown.slice(thread.ancestors.length),
        };
        return Response.json(body, { headers });
      },
    )
    .get(
      "/api/v1/statuses/:id/history",
      { ...open, summary: "Get the edit history of a status" },
      ({ ctx, viewerId, params }) => {
        const status = visibleStatus(ctx, viewerId, parseId(params.id));
        return showVersions(ctx, viewerId, status);
      },
    )
    .get(
      "/api/v1/statuses/:id/source",
      { scope: "read:statuses", summary: "Get the source text of a status" },
      ({ ctx, viewerId, params }) => {
        const status = visibleStatus(ctx, viewerId, parseId(params.id));
        // Only the HTML of a remote status is known; Mastodon returns that too.
        const [text, content_type] = status.local
          ? [status.text, status.content_type]
          : [status.content, "text/html" as const];
        return { id: String(status.id), text, spoiler_text: status.spoiler_text, content_type };
      },
    );
}

const ACTIONS = [
  ["favourite", "write:favourites", favourite, "Favourite a status"],
  ["bookmark", "write:bookmarks", bookmark, "Bookmark a status"],
  ["pin", "write:accounts", pin, "Pin a status to your profile"],
  ["unpin", "write:accounts", unpin, "Unpin a status from your profile"],
  ["mute", "write:mutes", muteConversation, "Mute the conversation of a status"],
] as const;

const UNDO_ACTIONS = [
  ["unfavourite", "write:favourites", unfavourite, "Undo a favourite"],
  ["unbookmark", "write:bookmarks", unbookmark, "Remove a bookmark"],
  ["unmute", "write:mutes", unmuteConversation, "Unmute the conversation of a status"],
] as const;

function actionRoutes(routes: Router): void {
  for (const [name, scope, act, summary] of ACTIONS) {
    routes.post(`/api/v1/statuses/:id/${name}`, { scope, summary }, ({ ctx, viewerId, params }) =>
      jsonText(statusText(ctx, viewerId, act(ctx, viewerId, parseId(params.id)))),
    );
  }
  for (const [name, scope, undo, summary] of UNDO_ACTIONS) {
    routes.post(`/api/v1/statuses/:id/${name}`, { scope, summary }, ({ ctx, viewerId, params }) =>
      showStatusOrStub(ctx, viewerId, undo(ctx, viewerId, parseId(params.id))),
    );
  }
  routes
    .post(
      "/api/v1/statuses/:id/reblog",
      {
        scope: "write:statuses",
        input: object({ visibility: optional(oneOf(VISIBILITIES)) }),
        summary: "Boost a status",
      },
      ({ ctx, viewerId, input, params }) =>
        jsonText(statusText(ctx, viewerId, reblog(ctx, viewerId, parseId(params.id), input.visibility ?? null))),
    )
    .post(
      "/api/v1/statuses/:id/unreblog",
      { scope: "write:statuses", limit: "deletes", summary: "Undo a boost" },
      ({ ctx, viewerId, params }) => showStatusOrStub(ctx, viewerId, unreblog(ctx, viewerId, parseId(params.id))),
    );
}

const AccountPage = object(paging(40, 80));

/** Lists the accounts that favourited or reblogged a status. */
function statusAccountRoutes(routes: Router): void {
  const options = { open: true, scope: "read:statuses", input: AccountPage } as const;
  routes
    .get(
      "/api/v1/statuses/:id/favourited_by",
      { ...options, summary: "List the accounts that favourited a status" },
      (call) => {
        const status = visibleStatus(call.ctx, call.viewerId, parseId(call.params.id));
        const page = pageOf(call.input);
        const rows = favouritedBy(call.ctx, call.viewerId, status.id, page);
        return accountPage(call, page, rows);
      },
    )
    .get(
      "/api/v1/statuses/:id/reblogged_by",
      { ...options, summary: "List the accounts that boosted a status" },
      (call) => {
        const status = visibleStatus(call.ctx, call.viewerId, parseId(call.params.id));
        const page = pageOf(call.input);
        const rows = rebloggedBy(call.ctx, call.viewerId, status.id, page);
        return accountPage(call, page, rows);
      },
    );
}
