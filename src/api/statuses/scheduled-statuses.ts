import type { Context } from "../../context.ts";
import type { Draft } from "../../core/statuses/drafts.ts";
import type { MediaRow } from "../../core/media/states.ts";
import {
  findScheduled,
  listScheduled,
  removeScheduled,
  reschedule,
  reservedMedia,
  type ScheduledRow,
} from "../../core/statuses/scheduled.ts";
import { showUpload } from "../../entities/statuses/media.ts";
import { timestamp } from "../../entities/json.ts";
import { validationFailed } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { object, text } from "../../lib/http/input.ts";
import { parseDate } from "../../lib/dates.ts";
import { paged, pageOf, paging } from "../paging.ts";
import type { Router } from "../router.ts";

/** Mastodon's documentation: methods/scheduled_statuses. */
export function scheduledStatusRoutes(routes: Router): void {
  const read = { scope: "read:statuses" } as const;
  const write = { scope: "write:statuses" } as const;
  const Change = object({ scheduled_at: text({ max: 100 }) });
  routes
    .get(
      "/api/v1/scheduled_statuses",
      { ...read, input: object(paging(20, 40)), summary: "List scheduled statuses" },
      (call) => {
        const page = pageOf(call.input);
        const rows = listScheduled(call.ctx, call.viewerId, page);
        return paged(call, page, rows, showAll(call.ctx, rows));
      },
    )
    .get(
      "/api/v1/scheduled_statuses/:id",
      { ...read, summary: "Get a scheduled status" },
      ({ ctx, viewerId, params }) => showScheduled(ctx, viewerId, parseId(params.id)),
    )
    .update(
      "/api/v1/scheduled_statuses/:id",
      { ...write, input: Change, summary: "Change the publication time of a scheduled status" },
      ({ ctx, viewerId, input, params }) => {
        reschedule(ctx, viewerId, parseId(params.id), parseScheduledAt(input.scheduled_at));
        return showScheduled(ctx, viewerId, parseId(params.id));
      },
    )
    .delete(
      "/api/v1/scheduled_statuses/:id",
      { ...write, summary: "Cancel a scheduled status" },
      ({ ctx, viewerId, params }) => removeScheduled(ctx, viewerId, parseId(params.id)),
    );
}

/** The requested time in milliseconds since 1970; a validation error if it can't be parsed. */
export function parseScheduledAt(scheduledAt: string): number {
  const date = parseDate(scheduledAt);
  if (date === null) throw validationFailed("Scheduled at is invalid");
  return date;
}

/** Mastodon's ScheduledStatus (entities/ScheduledStatus). */
export function showScheduled(ctx: Context, accountId: number, id: number | null) {
  return showAll(ctx, [findScheduled(ctx, accountId, id)])[0]!;
}

function showAll(ctx: Context, rows: readonly ScheduledRow[]) {
  const media = reservedMedia(
    ctx,
    rows.map((row) => row.id),
  );
  return rows.map((row) => showRow(ctx, row, media.get(row.id) ?? []));
}

function showRow(ctx: Context, row: ScheduledRow, media: readonly MediaRow[]) {
  const draft = JSON.parse(row.draft) as Draft;
  return {
    id: String(row.id),
    scheduled_at: timestamp(row.scheduled_at),
    params: {
      text: draft.text,
      content_type: draft.contentType,
      spoiler_text: draft.spoilerText,
      sensitive: draft.sensitive,
      visibility: draft.visibility,
      local_only: draft.localOnly,
      language: draft.language,
      // A number, unlike other ids.
      in_reply_to_id: draft.inReplyToId,
      media_ids: draft.mediaIds.length === 0 ? null : draft.mediaIds.map(String),
      poll: draft.poll && {
        options: draft.poll.options,
        expires_in: draft.poll.expiresIn,
        multiple: draft.poll.multiple,
        hide_totals: draft.poll.hideTotals,
      },
      quoted_status_id: draft.quotedStatusId === null ? null : String(draft.quotedStatusId),
      quote_approval_policy: draft.quotePolicy,
      // Always a number in Mastodon. Posts from the pages of this server have no app.
      application_id: row.app_id ?? 0,
      scheduled_at: null,
      idempotency: null,
      with_rate_limit: false,
    },
    media_attachments: media.map((upload) => showUpload(ctx, upload)),
  };
}
