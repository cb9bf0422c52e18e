import type { Static } from "@sinclair/typebox";
import type { Draft } from "../../core/statuses/drafts.ts";
import type { Edit } from "../../core/statuses/edits.ts";
import { parseChanges, type MediaChanges } from "../../core/media/receive.ts";
import type { PollDraft } from "../../core/statuses/polls.ts";
import { STATUS_QUOTE_POLICIES } from "../../core/quotes/policy.ts";
import { PolicyInput, policyChanges } from "./interaction-policies.ts";
import { VISIBILITIES } from "../../core/visibility.ts";
import { validationFailed } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { bool, FileInput, id, ids, int, list, object, oneOf, optional, text } from "../../lib/http/input.ts";
import { CONTENT_TYPES } from "../../lib/text/formats.ts";
import { DEVICE_LOCALE, localeOf } from "../../lib/text/languages.ts";

/** In UTF-16 units: a bound against abuse, well above any limit that users see. */
const MAX_TEXT = 500_000;
const MAX_OPTION = 10_000;

const Poll = object({
  options: list(text({ max: MAX_OPTION }), { default: [] }),
  expires_in: optional(int()),
  multiple: bool({ default: false }),
  hide_totals: bool({ default: false }),
});

export const PublishInput = object({
  status: text({ max: MAX_TEXT, default: "" }),
  content_type: optional(oneOf(CONTENT_TYPES)),
  spoiler_text: text({ max: MAX_TEXT, default: "" }),
  sensitive: optional(bool()),
  visibility: optional(oneOf(VISIBILITIES)),
  local_only: optional(bool()),
  language: optional(text({ max: 35, pattern: DEVICE_LOCALE })),
  in_reply_to_id: optional(id()),
  media_ids: ids(),
  poll: optional(Poll),
  quoted_status_id: optional(id()),
  quote_approval_policy: optional(oneOf(STATUS_QUOTE_POLICIES)),
  interaction_policy: optional(PolicyInput),
  scheduled_at: optional(text({ min: 1, max: 100 })),
  allowed_mentions: optional(list(id(), { max: 500 })),
});

export const EditInput = object({
  status: optional(text({ max: MAX_TEXT })),
  content_type: optional(oneOf(CONTENT_TYPES)),
  spoiler_text: optional(text({ max: MAX_TEXT })),
  sensitive: optional(bool()),
  language: optional(text({ max: 35, pattern: DEVICE_LOCALE })),
  media_ids: optional(list(id())),
  media_attributes: optional(
    list(
      object({
        id: id(),
        description: optional(text({ max: 10_000 })),
        focus: optional(text({ max: 50 })),
        thumbnail: optional(FileInput),
      }),
    ),
  ),
  poll: optional(Poll),
  quote_approval_policy: optional(oneOf(STATUS_QUOTE_POLICIES)),
  interaction_policy: optional(PolicyInput),
});

export function draftOf(input: Static<typeof PublishInput>): Draft {
  return {
    text: input.status.trim(),
    contentType: input.content_type ?? null,
    spoilerText: input.spoiler_text.trim(),
    sensitive: input.sensitive ?? null,
    visibility: input.visibility ?? null,
    localOnly: input.local_only ?? null,
    language: input.language ? localeOf(input.language) : null,
    inReplyToId: namedId(input.in_reply_to_id),
    mediaIds: mediaIdsOf(input.media_ids),
    poll: input.poll ? pollOf(input.poll) : null,
    quotedStatusId: namedId(input.quoted_status_id),
    quotePolicy: input.quote_approval_policy ?? null,
    policy: policyChanges(input.interaction_policy),
    allowedMentions: input.allowed_mentions?.map((id) => namedId(id)!) ?? null,
  };
}

export function editOf(input: Static<typeof EditInput>): Edit {
  const changes = new Map<number, MediaChanges>();
  const thumbnails = new Map<number, File>();
  for (const { id, description, focus, thumbnail } of input.media_attributes ?? []) {
    changes.set(parseId(id) ?? -1, parseChanges({ description, focus }));
    if (thumbnail) thumbnails.set(parseId(id) ?? -1, thumbnail);
  }
  return {
    text: input.status?.trim(),
    contentType: input.content_type,
    spoilerText: input.spoiler_text?.trim(),
    sensitive: input.sensitive,
    language: input.language && localeOf(input.language),
    mediaIds: input.media_ids && mediaIdsOf(input.media_ids),
    mediaChanges: changes,
    thumbnails,
    poll: input.poll && pollOf(input.poll),
    quotePolicy: input.quote_approval_policy,
    policy: policyChanges(input.interaction_policy),
  };
}

function pollOf(input: Static<typeof Poll>): PollDraft {
  return {
    options: input.options.map((title) => title.trim()).filter((title) => title !== ""),
    expiresIn: input.expires_in ?? null,
    multiple: input.multiple,
    hideTotals: input.hide_totals,
  };
}

/** A malformed id means a status that doesn't exist, not a missing parameter. */
function namedId(text: string | undefined): number | null {
  return text === undefined ? null : (parseId(text) ?? -1);
}

function mediaIdsOf(texts: readonly string[]): number[] {
  const parsed = texts.map((text) => parseId(text) ?? -1);
  if (new Set(parsed).size !== parsed.length) throw validationFailed("Media attachments can't be attached twice");
  return parsed;
}
