import type { Context } from "../../context.ts";
import { defaultsOf } from "../../core/statuses/drafts.ts";
import { POLL_LIMITS } from "../../core/statuses/polls.ts";
import { isScheduled, scheduledDraft } from "../../core/statuses/scheduled.ts";
import { ownStatus, type Visibility, visibleAmong, visibleOriginal, VISIBILITIES } from "../../core/visibility.ts";
import { showStatus, type StatusJson } from "../../entities/statuses/statuses.ts";
import { notFound } from "../../errors.ts";
import { localTimeAt } from "../../lib/dates.ts";
import { parseId } from "../../lib/ids.ts";
import { isLocale } from "../../lib/text/languages.ts";
import { newSecret } from "../../lib/secrets.ts";
import { CONTENT_TYPES, type ContentType } from "../../lib/text/formats.ts";
import { UTC } from "../page/dates.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { NO_CHOICES, typedInteraction, type InteractionValues } from "./interaction.tsx";
import { withoutReturns } from "./uploads.ts";

/** The fields of a post's form, as they were typed or as they start. */
export interface Values {
  text: string;
  contentType: ContentType;
  spoilerText: string;
  sensitive: boolean;
  visibility: Visibility;
  localOnly: boolean;
  /** Empty to detect it or, in an edit, to keep it. */
  language: string;
  interaction: InteractionValues;
  poll: PollValues;
  /** As a browser sends a date and time; empty to publish at once. */
  scheduledAt: string;
  /** The ids of uploads, in their order. */
  media: number[];
  replyTo: number | null;
  quoted: number | null;
  /** The status to edit; null for a new one. */
  edited: number | null;
  /** The scheduled status to change; null for any other. */
  scheduled: number | null;
  /** Sent with each submission of this form, so that two of them publish once. */
  key: string;
}

export interface PollValues {
  choices: string[];
  /** In seconds; empty in an edit that keeps it. */
  duration: string;
  multiple: boolean;
}

const DAY = 24 * 3600;
const NO_POLL: PollValues = { choices: [], duration: String(DAY), multiple: false };

/** The fields of a form that was sent. */
export function typedValues(page: UserPage): Values {
  const language = page.text("language");
  const { privacy, contentType } = defaultsOf(page.ctx, page.session.accountId);
  return {
    text: withoutReturns(page.text("text")),
    contentType: CONTENT_TYPES.find((each) => each === page.text("content_type")) ?? contentType,
    spoilerText: page.text("spoiler_text"),
    sensitive: page.isChecked("sensitive"),
    visibility: VISIBILITIES.find((each) => each === page.text("visibility")) ?? privacy,
    localOnly: page.isChecked("local_only"),
    language: isLocale(language) ? language : "",
    interaction: typedInteraction(page),
    poll: {
      choices: Array.from({ length: POLL_LIMITS.options }, (_, at) => page.text(`choice_${at}`)),
      duration: page.text("duration"),
      multiple: page.isChecked("multiple"),
    },
    scheduledAt: page.text("scheduled_at"),
    media: [
      ...new Set(
        page
          .text("media")
          .split(",")
          .flatMap((id) => parseId(id) ?? []),
      ),
    ],
    replyTo: parseId(page.text("in_reply_to")),
    quoted: parseId(page.text("quote")),
    edited: parseId(page.text("edit")),
    scheduled: parseId(page.text("scheduled")),
    key: page.text("key"),
  };
}

/** The fields of a new form: the author's defaults, or what the address asks for. */
export function initialValues(page: UserPage): Values {
  const { edit, scheduled } = page.params;
  if (edit !== undefined) return editedValues(page, parseId(page.text("edit")));
  return scheduled === undefined ? newValues(page) : scheduledValues(page, parseId(page.text("scheduled")));
}

/** `text` and `url` are what other apps and pages share. */
function newValues(page: UserPage): Values {
  const { ctx, session } = page;
  const [replyTo, quoted] = [parentOf(page), quotedOf(page)];
  const localOnly = [replyTo, quoted].some((id) => id !== null && showStatus(ctx, session.accountId, id).local_only);
  const shared = [page.text("text"), page.text("url")].filter(Boolean).join("\n");
  const values = { ...emptyValues(page), localOnly };
  if (replyTo === null) return { ...values, text: shared, quoted };
  const parent = showStatus(ctx, session.accountId, replyTo);
  return {
    ...values,
    text: mentionsFor(parent, session.username) + shared,
    spoilerText: parent.spoiler_text,
    visibility: stricter(values.visibility, parent.visibility),
    replyTo,
    quoted,
  };
}

function emptyValues({ ctx, session }: UserPage): Values {
  const { privacy, sensitive, hasLanguage, language, contentType } = defaultsOf(ctx, session.accountId);
  return {
    text: "",
    contentType,
    spoilerText: "",
    sensitive,
    visibility: privacy,
    localOnly: false,
    language: hasLanguage ? language : "",
    interaction: NO_CHOICES,
    poll: NO_POLL,
    scheduledAt: "",
    media: [],
    replyTo: null,
    quoted: null,
    edited: null,
    scheduled: null,
    key: newSecret(),
  };
}

function parentOf(page: UserPage): number | null {
  return originalOf(page, page.text("in_reply_to"));
}

function quotedOf(page: UserPage): number | null {
  return originalOf(page, page.text("quote"));
}

/** @throws Refusal if the author of the new post can't see the status */
function originalOf({ ctx, session }: UserPage, id: string): number | null {
  return id === "" ? null : visibleOriginal(ctx, session.accountId, parseId(id)).id;
}

/** The accounts that a reply mentions, as in Mastodon: the author and all that the parent mentions. */
function mentionsFor({ account, mentions }: StatusJson, own: string): string {
  const handles = new Set([account.acct, ...mentions.map(({ acct }) => acct)]);
  handles.delete(own);
  return [...handles].map((acct) => `@${acct} `).join("");
}

/** VISIBILITIES are in the order of their strictness. */
function stricter(a: Visibility, b: Visibility): Visibility {
  return VISIBILITIES.indexOf(a) > VISIBILITIES.indexOf(b) ? a : b;
}

function editedValues(page: UserPage, edited: number | null): Values {
  const { ctx, session } = page;
  const { id, text, content_type, spoiler_text } = editable(ctx, session.accountId, edited);
  const status = showStatus(ctx, session.accountId, id);
  const quote = status.quote?.quoted_status?.id;
  return {
    ...emptyValues(page),
    text,
    contentType: content_type,
    spoilerText: spoiler_text,
    sensitive: status.sensitive && spoiler_text === "",
    visibility: status.visibility,
    localOnly: status.local_only,
    language: status.language ?? "",
    poll: status.poll
      ? { choices: status.poll.options.map(({ title }) => title), duration: "", multiple: status.poll.multiple }
      : NO_POLL,
    media: status.media_attachments.map((attachment) => Number(attachment.id)),
    replyTo: status.in_reply_to_id === null ? null : Number(status.in_reply_to_id),
    quoted: quote === undefined ? null : Number(quote),
    edited: id,
  };
}

function scheduledValues(page: UserPage, scheduled: number | null): Values {
  const { ctx, session } = page;
  const { id, draft, scheduledAt } = scheduledDraft(ctx, session.accountId, scheduled);
  const empty = emptyValues(page);
  return {
    ...empty,
    text: draft.text,
    contentType: draft.contentType ?? empty.contentType,
    spoilerText: draft.spoilerText,
    sensitive: draft.sensitive ?? empty.sensitive,
    visibility: draft.visibility ?? empty.visibility,
    localOnly: draft.localOnly ?? false,
    language: draft.language ?? "",
    poll: draft.poll
      ? { choices: [...draft.poll.options], duration: String(draft.poll.expiresIn), multiple: draft.poll.multiple }
      : NO_POLL,
    scheduledAt: localTimeAt(scheduledAt, page.timeZone ?? UTC),
    media: [...draft.mediaIds],
    replyTo: draft.inReplyToId,
    quoted: draft.quotedStatusId,
    scheduled: id,
  };
}

/** The fields with which a draft refers to posts. */
type Reference = "edited" | "scheduled" | "replyTo" | "quoted";

/**
 * The draft without what was deleted since its form was shown, so that it can be published without that, and the names of
 * these fields. An edit becomes a new post.
 */
export function withoutGone({ ctx, session }: UserPage, values: Values): { kept: Values; gone: Reference[] } {
  const { accountId } = session;
  const isGone = {
    edited: (id: number) => visibleAmong(ctx, accountId, [id]).length === 0,
    scheduled: (id: number) => !isScheduled(ctx, accountId, id),
    replyTo: (id: number) => visibleAmong(ctx, accountId, [id]).length === 0,
    quoted: (id: number) => visibleAmong(ctx, accountId, [id]).length === 0,
  };
  const isEdit = values.edited !== null && !isGone.edited(values.edited);
  // An edit changes neither of the two others, and is possible without them.
  const references: Reference[] = isEdit ? ["scheduled"] : ["edited", "scheduled", "replyTo", "quoted"];
  const gone = references.filter((name) => values[name] !== null && isGone[name](values[name]));
  const poll = { ...values.poll, duration: values.poll.duration || NO_POLL.duration };
  const removed = Object.fromEntries(gone.map((name) => [name, null]));
  return { kept: gone.includes("edited") ? { ...values, ...removed, poll } : { ...values, ...removed }, gone };
}

/** The author's own status. A boost has nothing to edit. */
export function editable(ctx: Context, accountId: number, id: number | null) {
  const status = ownStatus(ctx, accountId, id);
  if (status.reblog_of_id !== null) throw notFound();
  return status;
}
