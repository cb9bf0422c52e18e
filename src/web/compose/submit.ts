import { ownUploads } from "../../core/media/attachments.ts";
import { type Draft, withLanguage, withResolvedMentions } from "../../core/statuses/drafts.ts";
import { type Edit, editStatus } from "../../core/statuses/edits.ts";
import { type PublishResult, resultOfKey } from "../../core/statuses/idempotency.ts";
import { pollOf } from "../../core/statuses/polls.ts";
import { publish } from "../../core/statuses/publishing.ts";
import { changeScheduled, schedule, scheduledDraft } from "../../core/statuses/scheduled.ts";
import { validationFailed } from "../../errors.ts";
import { showStatus, type StatusJson } from "../../entities/statuses/statuses.ts";
import { hashSecret } from "../../lib/secrets.ts";
import type { UserPage } from "../page/page-request.tsx";
import { policyOf } from "./interaction.tsx";
import { keepsPoll, pollDraftOf } from "./poll.tsx";
import { timeOf } from "./schedule.tsx";
import { changesOf, describeUploads, waitUntilProcessed } from "./uploads.ts";
import { editable, type Values } from "./values.ts";

/** The result of an earlier submission of the same form; null if this is the first. */
export function publishedBefore({ ctx, session }: UserPage, values: Values): PublishResult | null {
  return resultOfKey(ctx, session.accountId, keyOf(values));
}

/** As a header of the API would be stored, but never the same. */
function keyOf({ key }: Values): string {
  return hashSecret(`form ${key}`);
}

/** Publishes or schedules a new post. The uploads are stored already. */
export async function publishPost(page: UserPage, values: Values): Promise<PublishResult> {
  const { ctx, session } = page;
  const author = { accountId: session.accountId, appId: null };
  const scheduledAt = timeOf(page, values);
  await describeUploads(page, values.media);
  await waitUntilProcessed(ctx, session.accountId, values.media);
  const draft = await completed(page, draftOf(values));
  return scheduledAt === null
    ? publish(ctx, author, draft, keyOf(values))
    : schedule(ctx, author, draft, scheduledAt, keyOf(values));
}

/** Replaces a scheduled post, and keeps all of the old one that the form leaves unchanged or doesn't have. */
export async function changeLater(page: UserPage, id: number, values: Values): Promise<PublishResult> {
  const { ctx, session } = page;
  const before = () => scheduledDraft(ctx, session.accountId, id);
  const scheduledAt = timeOf(page, values, before().scheduledAt);
  if (scheduledAt === null) throw validationFailed("Scheduled at is invalid");
  await describeUploads(page, values.media);
  await waitUntilProcessed(ctx, session.accountId, values.media);
  const draft = await completed(page, draftOf(values));
  changeScheduled(ctx, session.accountId, id, changed(before().draft, draft), scheduledAt);
  return { scheduledId: id };
}

function changed(before: Draft, draft: Draft): Draft {
  return {
    ...draft,
    poll: draft.poll && { ...draft.poll, hideTotals: before.poll?.hideTotals ?? false },
    quotePolicy: draft.quotePolicy ?? before.quotePolicy,
    policy: { ...before.policy, ...draft.policy },
    allowedMentions: before.allowedMentions,
  };
}

/** With its language, and with the handles of accounts that are unknown until now. */
async function completed({ ctx, session }: UserPage, draft: Draft): Promise<Draft> {
  return withResolvedMentions(ctx, await withLanguage(ctx, session.accountId, draft));
}

function draftOf(values: Values): Draft {
  return {
    text: values.text.trim(),
    contentType: values.contentType,
    spoilerText: values.spoilerText.trim(),
    sensitive: values.sensitive,
    visibility: values.visibility,
    localOnly: values.localOnly,
    language: values.language || null,
    inReplyToId: values.replyTo,
    mediaIds: values.media,
    poll: pollDraftOf(values.poll),
    quotedStatusId: values.quoted,
    quotePolicy: values.interaction.quote,
    policy: policyOf(values.interaction),
    allowedMentions: null,
  };
}

/** Changes a post. Returns its id. */
export async function editPost(page: UserPage, id: number, values: Values): Promise<number> {
  const { ctx, session } = page;
  const find = () => editable(ctx, session.accountId, id);
  find();
  await waitUntilProcessed(ctx, session.accountId, values.media);
  await editStatus(ctx, find, editOf(page, showStatus(ctx, session.accountId, id), values));
  return id;
}

/** An edit that names attachments replaces the poll, too, so one that keeps the poll names neither. */
function editOf(page: UserPage, { id, poll }: StatusJson, values: Values): Edit {
  const { ctx, session } = page;
  const texts: Edit = {
    text: values.text.trim(),
    contentType: values.contentType,
    spoilerText: values.spoilerText.trim(),
    language: values.language || undefined,
    quotePolicy: values.interaction.quote ?? undefined,
    policy: policyOf(values.interaction),
  };
  if (poll && keepsPoll(poll, values.poll)) return texts;
  const nextPoll = pollDraftOf(values.poll, secondsLeft(page, poll));
  return {
    ...texts,
    sensitive: values.sensitive,
    mediaIds: values.media,
    mediaChanges: changesOf(page, ownUploads(ctx, session.accountId, values.media)),
    poll: nextPoll ? { ...nextPoll, hideTotals: pollOf(ctx.db, Number(id))?.hideTotals ?? false } : undefined,
  };
}

function secondsLeft({ ctx }: UserPage, poll: StatusJson["poll"]): number | null {
  if (!poll || poll.expired || poll.expires_at === null) return null;
  return Math.ceil((Date.parse(poll.expires_at) - ctx.clock.now()) / 1000);
}
