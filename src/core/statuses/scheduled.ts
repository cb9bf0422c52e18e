import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import { Keyset, type Page } from "../../db/keyset.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { notFound, Refusal, refuseWhere } from "../../errors.ts";
import { checkDraft, checkLength, type CheckedDraft, type Draft, recheckDraft } from "./drafts.ts";
import { type PublishResult, resultOfKey, moveKey, rememberKey } from "./idempotency.ts";
import { releaseMedia, reserveMedia } from "../media/attachments.ts";
import type { MediaRow } from "../media/states.ts";
import { isPermitted, newPolicy } from "../interaction-policies.ts";
import { isQuotable } from "../quotes/quotable.ts";
import { type Author, writeStatus } from "./publishing.ts";
import { cannotSignIn, visibleAmong } from "../visibility.ts";

/** Mastodon's limits: how far ahead at least (in milliseconds), how many in total, and how many per day in UTC. */
const LEAST_AHEAD = 5 * 60_000;
const MAX_TOTAL = 300;
const MAX_DAILY = 25;

const DAY = 24 * 3600_000;

export interface ScheduledRow {
  id: number;
  cursor: number;
  account_id: number;
  app_id: number | null;
  /** A Draft as JSON, with the defaults from the time of scheduling. */
  draft: string;
  scheduled_at: number;
}

/** Schedules a draft and reserves its uploads. Everything that would be refused at publication is refused now. */
export function schedule(
  ctx: Context,
  author: Author,
  draft: Draft,
  scheduledAt: number,
  idempotencyKey: string | null,
): PublishResult {
  const { accountId } = author;
  const repeated = idempotencyKey && resultOfKey(ctx, accountId, idempotencyKey);
  if (repeated) return repeated;
  const checked = checkDraft(ctx, accountId, draft);
  return ctx.db.transaction((tx) => {
    const stored = storedDraft(draft, recheckDraft(ctx, accountId, checked));
    checkTime(ctx, tx, accountId, scheduledAt, null);
    const { lastInsertRowid: scheduledId } = tx.run(
      "INSERT INTO scheduled_statuses (account_id, app_id, draft, scheduled_at, created_at) VALUES ($accountId, $appId, $draft, $scheduledAt, $now)",
      {
        accountId,
        appId: author.appId,
        draft: stored,
        scheduledAt,
        now: ctx.clock.now(),
      },
    );
    reserveMedia(tx, scheduledId, draft.mediaIds);
    enqueuePublishing(ctx, tx, scheduledId, scheduledAt);
    if (idempotencyKey) rememberKey(ctx, tx, accountId, idempotencyKey, { scheduledId });
    return { scheduledId };
  });
}

/** A draft as JSON, with the author's present defaults. */
function storedDraft(draft: Draft, checked: CheckedDraft): string {
  const { contentType, sensitive, visibility, localOnly, language, quotePolicy, defaultPolicies } = checked;
  const policy = newPolicy(defaultPolicies, visibility, checked.policy);
  const stored: Draft = {
    ...draft,
    contentType,
    sensitive,
    visibility,
    localOnly,
    language,
    quotePolicy,
    policy,
  };
  return JSON.stringify(stored);
}

/** Each new time enqueues a job; a job whose time isn't the row's finds nothing to do. */
function enqueuePublishing(ctx: Context, tx: Tx, scheduledId: number, runAt: number): void {
  const key = `status.publish ${scheduledId} ${runAt}`;
  enqueue(ctx, tx, "status.publish", { scheduledId }, { runAt, key });
}

function checkTime(ctx: Context, tx: Tx, accountId: number, time: number, besides: number | null): void {
  const day = Math.floor(time / DAY) * DAY;
  const counts = tx.get<{ total: number; daily: number }>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE scheduled_at >= +$day AND scheduled_at < +$day + ${DAY}) AS daily
     FROM scheduled_statuses WHERE account_id = +$accountId AND id IS NOT +$besides`,
    { accountId, day, besides },
  )!;
  refuseWhere([
    [time <= ctx.clock.now() + LEAST_AHEAD, "Scheduled at The scheduled date must be in the future"],
    [counts.total >= MAX_TOTAL, `You have exceeded the limit of ${MAX_TOTAL} scheduled posts`],
    [counts.daily >= MAX_DAILY, `You have exceeded the limit of ${MAX_DAILY} scheduled posts for today`],
  ]);
}

const COLUMNS = "s.id, s.id AS cursor, s.account_id, s.app_id, s.draft, s.scheduled_at";
const LIST = new Keyset<ScheduledRow>(
  `SELECT ${COLUMNS} FROM scheduled_statuses s WHERE s.account_id = +$accountId`,
  "s.id",
);

export function listScheduled(ctx: Context, accountId: number, page: Page): ScheduledRow[] {
  return LIST.page(ctx.db, page, { accountId });
}

/** The account's own scheduled status. */
export function findScheduled(ctx: Context, accountId: number, id: number | null): ScheduledRow {
  const row = ctx.db.get<ScheduledRow>(
    `SELECT ${COLUMNS} FROM scheduled_statuses s WHERE s.id = +$id AND s.account_id = +$accountId`,
    { id, accountId },
  );
  if (!row) throw notFound();
  return row;
}

/** The uploads reserved for these scheduled statuses, in order. */
export function reservedMedia(ctx: Context, scheduledIds: readonly number[]): Map<number, MediaRow[]> {
  const rows = ctx.db.all<MediaRow>(
    `SELECT * FROM media_attachments WHERE scheduled_status_id IN (SELECT value FROM json_each($scheduledIds))
     ORDER BY scheduled_status_id, position`,
    { scheduledIds: idList(scheduledIds) },
  );
  return Map.groupBy(rows, (row) => row.scheduled_status_id!);
}

export function reschedule(ctx: Context, accountId: number, id: number | null, scheduledAt: number): void {
  const row = findScheduled(ctx, accountId, id);
  ctx.db.transaction((tx) => {
    checkTime(ctx, tx, accountId, scheduledAt, row.id);
    tx.run("UPDATE scheduled_statuses SET scheduled_at = $scheduledAt WHERE id = +$id", { scheduledAt, id: row.id });
    enqueuePublishing(ctx, tx, row.id, scheduledAt);
  });
}

export function isScheduled(ctx: Context, accountId: number, id: number): boolean {
  const sql = "SELECT 1 FROM scheduled_statuses WHERE id = +$id AND account_id = +$accountId";
  return ctx.db.get(sql, { id, accountId }) !== null;
}

/** The account's own scheduled status, with its draft and its time. */
export function scheduledDraft(ctx: Context, accountId: number, id: number | null) {
  const row = findScheduled(ctx, accountId, id);
  return { id: row.id, draft: JSON.parse(row.draft) as Draft, scheduledAt: row.scheduled_at };
}

/** Replaces the draft and the time of a scheduled status; all or nothing. */
export function changeScheduled(
  ctx: Context,
  accountId: number,
  id: number | null,
  draft: Draft,
  scheduledAt: number,
): void {
  const row = findScheduled(ctx, accountId, id);
  checkLength(ctx, draft);
  const checked = checkDraft(ctx, accountId, draft, row.id);
  ctx.db.transaction((tx) => {
    const stored = storedDraft(draft, recheckDraft(ctx, accountId, checked, row.id));
    checkTime(ctx, tx, accountId, scheduledAt, row.id);
    const { changes } = tx.run(
      "UPDATE scheduled_statuses SET draft = $draft, scheduled_at = $scheduledAt WHERE id = +$id",
      { draft: stored, scheduledAt, id: row.id },
    );
    // It was published or cancelled since it was found.
    if (changes === 0) throw notFound();
    releaseMedia(ctx, tx, row.id);
    reserveMedia(tx, row.id, draft.mediaIds);
    enqueuePublishing(ctx, tx, row.id, scheduledAt);
  });
}

/** Cancels a scheduled status and releases its uploads. */
export function removeScheduled(ctx: Context, accountId: number, id: number | null): void {
  const row = findScheduled(ctx, accountId, id);
  ctx.db.transaction((tx) => {
    releaseMedia(ctx, tx, row.id);
    tx.run("DELETE FROM scheduled_statuses WHERE id = +$id", { id: row.id });
  });
}

/**
 * Publishes a scheduled status if it is due. The transaction that writes the status also deletes the row, so a job that
 * runs twice or is interrupted publishes once. A status to reply to, a quote or uploads that don't exist any more are
 * left out, because the text is still meant to be read. A status that can't be published at all, or whose author is
 * suspended or disabled, stays in the author's list, to be rescheduled or cancelled.
 */
export function publishScheduled(ctx: Context, id: number): void {
  const row = ctx.db.get<ScheduledRow>(
    `SELECT ${COLUMNS} FROM scheduled_statuses s WHERE s.id = +$id AND s.scheduled_at <= +$now`,
    { id, now: ctx.clock.now() },
  );
  if (!row) return;
  if (ctx.db.get(CANNOT_SIGN_IN, { accountId: row.account_id })) return;
  const media = reservedMedia(ctx, [row.id]).get(row.id) ?? [];
  const draft = withoutMissing(ctx, row.account_id, JSON.parse(row.draft) as Draft, media);
  const checked = recheck(ctx, row, draft, media);
  if (!checked) return;
  ctx.db.transaction((tx) => {
    const rechecked = recheckDraft(ctx, row.account_id, checked, row.id);
    const statusId = writeStatus(ctx, tx, { accountId: row.account_id, appId: row.app_id }, rechecked);
    moveKey(tx, row.id, statusId);
    tx.run("DELETE FROM scheduled_statuses WHERE id = +$id", { id: row.id });
  });
}

/** Null if a retry wouldn't help. */
function recheck(ctx: Context, row: ScheduledRow, draft: Draft, media: readonly MediaRow[]): CheckedDraft | null {
  try {
    return checkDraft(ctx, row.account_id, draft, row.id);
  } catch (error) {
    const isPassing = media.some(({ state }) => state === "processing");
    if (!(error instanceof Refusal) || isPassing) throw error;
    ctx.log.warn("scheduled status {id} can't be published: {reason}", { id: row.id, reason: error.message });
    return null;
  }
}

const CANNOT_SIGN_IN = `SELECT 1 WHERE ${cannotSignIn("+$accountId")}`;

function withoutMissing(ctx: Context, accountId: number, draft: Draft, media: readonly MediaRow[]): Draft {
  const { inReplyToId, quotedStatusId, mediaIds, localOnly } = draft;
  const isAnswerable =
    inReplyToId !== null &&
    visibleAmong(ctx, accountId, [inReplyToId]).length > 0 &&
    isPermitted(ctx.db, "reply", accountId, inReplyToId);
  const isStillQuotable = quotedStatusId !== null && isQuotable(ctx, accountId, quotedStatusId, localOnly === true);
  return {
    ...draft,
    inReplyToId: isAnswerable ? inReplyToId : null,
    quotedStatusId: isStillQuotable ? quotedStatusId : null,
    mediaIds: mediaIds.filter((id) => media.some((row) => row.id === id && row.state !== "failed")),
  };
}
