import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { deliverUpdate } from "../deliveries.ts";
import { applyMediaChanges, attachMedia, checkMedia, setThumbnail } from "../media/attachments.ts";
import { inspectThumbnail } from "../media/inspect.ts";
import type { MediaChanges } from "../media/receive.ts";
import type { MediaRow, StoredPreview } from "../media/states.ts";
import { storeThumbnail } from "../media/store.ts";
import { discardFiles } from "../media/stored-files.ts";
import { announceChange } from "../timelines/home-fanout.ts";
import type { ContentType } from "../../lib/text/formats.ts";
import type { StatusRow } from "../visibility.ts";
import { compose, type Composed, resolveMentions } from "./compose.ts";
import { checkContent, checkRendered } from "./drafts.ts";
import { newPoll, type PollDraft, replacePoll } from "./polls.ts";
import { type InteractionPolicy, setInteractionPolicy } from "../interaction-policies.ts";
import { setQuotePolicy, type StatusQuotePolicy } from "../quotes/policy.ts";
import { isQuote } from "../quotes/quotes.ts";
import { type Attached, attachedTo, hasOtherMedia, type NewVersion, storeVersion } from "./versions.ts";

/**
 * Undefined properties stay unchanged, with two exceptions. An edit with uploads or a poll replaces all attachments, so
 * that setting one removes the other. And an edit from a composer (see isComposed) replaces everything.
 */
export interface Edit {
  text?: string;
  contentType?: ContentType;
  spoilerText?: string;
  sensitive?: boolean;
  language?: string | null;
  mediaIds?: number[];
  mediaChanges?: Map<number, MediaChanges>;
  /** Custom thumbnails, by the attachment's id. */
  thumbnails?: Map<number, File>;
  poll?: PollDraft;
  quotePolicy?: StatusQuotePolicy;
  policy?: Partial<InteractionPolicy>;
}

/** A validated edit. */
interface CheckedEdit extends Edit {
  text: string;
  contentType: ContentType;
  spoilerText: string;
  mediaIds: number[];
  /** Null removes the poll, undefined keeps it. */
  nextPoll: PollDraft | null | undefined;
  media: MediaRow[];
  composed: Composed;
}

/**
 * Changes a status and stores the new version. An edit that changes nothing stores none. `find` returns the status; it
 * is called again after each wait (for mentioned accounts and thumbnails), because the status may have changed or been
 * deleted meanwhile. The new text
 * is parsed and rendered before the transaction; nothing awaits in between, so no other request can change the status.
 */
export async function editStatus(ctx: Context, find: () => StatusRow, given: Edit): Promise<void> {
  find();
  const edit = given.text === undefined ? given : { ...given, text: await resolveMentions(ctx, given.text) };
  const thumbnails = await storeThumbnails(ctx, find(), edit);
  try {
    changeStatus(ctx, find(), edit, thumbnails);
  } catch (error) {
    const files = [...thumbnails.values()].map(({ file }) => file);
    if (files.length > 0) ctx.db.transaction((tx) => discardFiles(ctx, tx, files));
    throw error;
  }
}

/** Reads all thumbnails before storing any, and none if the edit would be refused anyway. */
async function storeThumbnails(ctx: Context, status: StatusRow, edit: Edit): Promise<Map<number, StoredPreview>> {
  const stored = new Map<number, StoredPreview>();
  if (!edit.thumbnails?.size) return stored;
  const before = attachedTo(ctx.db, status.id);
  const { mediaIds } = checkEdit(ctx, status, before, edit);
  const wanted = [...edit.thumbnails].filter(([id]) => mediaIds.includes(id));
  const previews = await Promise.all(wanted.map(([, file]) => inspectThumbnail(ctx, status.account_id, file)));
  for (const [at, [id]] of wanted.entries()) stored.set(id, await storeThumbnail(ctx, previews[at]!));
  return stored;
}

function changeStatus(ctx: Context, status: StatusRow, edit: Edit, thumbnails: Map<number, StoredPreview>): void {
  const before = attachedTo(ctx.db, status.id);
  const checked = checkEdit(ctx, status, before, edit);
  const { text, contentType, spoilerText, composed } = checked;
  ctx.db.transaction((tx) => {
    const hasNewQuoters = edit.quotePolicy !== undefined && setQuotePolicy(tx, status, edit.quotePolicy);
    const hasNewPolicy = setInteractionPolicy(tx, status.id, edit.policy ?? {}) || hasNewQuoters;
    const version: NewVersion = {
      ...composed,
      text,
      contentType,
      spoilerText,
      sensitive: (edit.sensitive ?? staysSensitive(status, checked)) || spoilerText !== "",
      language: edit.language === undefined ? status.language : edit.language,
      addressees: [],
      editedAt: ctx.clock.now(),
      hasMedia: checked.media.length > 0,
      changeAttached: () => changeAttached(ctx, tx, status.id, before, { ...checked, stored: thumbnails }),
    };
    const isChanged = storeVersion(ctx, tx, status, before, version);
    if (!hasNewPolicy || isChanged) return;
    announceChange(ctx, tx, status);
    deliverUpdate(ctx, tx, status.id);
  });
}

/**
 * Whether the edit comes from an app's composer and replaces everything, unlike a script's partial edit. Apps send the
 * content of their composer and omit what is empty there: a removed warning, poll or attachments. All apps send the
 * text, and `sensitive` or the attachments. Mastodon treats every edit like this.
 */
function isComposed({ text, sensitive, mediaIds, poll }: Edit): boolean {
  return text !== undefined && (sensitive !== undefined || mediaIds !== undefined || poll !== undefined);
}

/** If only the warning made it sensitive, removing the warning clears the flag. */
function staysSensitive(status: StatusRow, { spoilerText }: CheckedEdit): boolean {
  return status.sensitive === 1 && (status.spoiler_text === "" || spoilerText !== "");
}

function checkEdit(ctx: Context, status: StatusRow, before: Attached, edit: Edit): CheckedEdit {
  const saysAll = isComposed(edit);
  const isWhole = saysAll || edit.mediaIds !== undefined || edit.poll !== undefined;
  // An edit that only describes attachments keeps them.
  const withoutMedia = isWhole && !edit.mediaChanges?.size;
  const mediaIds = edit.mediaIds ?? (withoutMedia ? [] : before.media.map(({ id }) => id));
  const text = edit.text ?? status.text;
  const contentType = edit.contentType ?? status.content_type;
  const spoilerText = edit.spoilerText ?? (saysAll ? "" : status.spoiler_text);
  const poll = edit.poll ?? null;
  const content = { text, spoilerText, mediaIds, isQuote: isQuote(ctx.db, status.id), poll };
  checkContent(content, ctx.config.maxCharacters);
  const media = checkMedia(ctx, status.account_id, mediaIds, { statusId: status.id });
  const composed = compose(ctx, text, contentType);
  checkRendered(content, composed);
  return {
    ...edit,
    text,
    contentType,
    spoilerText,
    mediaIds,
    nextPoll: isWhole ? poll : undefined,
    media,
    composed,
  };
}

/** Changes attachments and poll. Returns whether anything changed; a new poll always does, because it starts again. */
function changeAttached(
  ctx: Context,
  tx: Tx,
  statusId: number,
  before: Attached,
  edit: CheckedEdit & { stored: Map<number, StoredPreview> },
): boolean {
  for (const row of edit.media) {
    applyMediaChanges(tx, row, edit.mediaChanges?.get(row.id) ?? {});
    const thumbnail = edit.stored.get(row.id);
    if (thumbnail) setThumbnail(ctx, tx, row.id, thumbnail);
  }
  detachRemoved(tx, before.media, edit.mediaIds);
  attachMedia(tx, statusId, edit.mediaIds);
  const { nextPoll } = edit;
  if (nextPoll !== undefined) replacePoll(ctx, tx, statusId, before.poll, nextPoll && newPoll(ctx, nextPoll));
  const hasOtherPoll = nextPoll ? true : nextPoll === null && before.poll !== null;
  return hasOtherPoll || hasOtherMedia(tx, statusId, before);
}

/** Removed attachments stay with the status at position -1, because its earlier versions show them. */
function detachRemoved(tx: Tx, before: readonly { id: number }[], kept: readonly number[]): void {
  for (const { id } of before) {
    if (!kept.includes(id)) tx.run("UPDATE media_attachments SET position = -1 WHERE id = +$id", { id });
  }
}
