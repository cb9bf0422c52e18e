import type { Context } from "../../context.ts";
import { changeUpload, ownUploads, removeMedia } from "../../core/media/attachments.ts";
import { inspectUpload } from "../../core/media/inspect.ts";
import { IMAGE_LIMITS, MAX_ATTACHMENTS, VIDEO_BYTES } from "../../core/media/limits.ts";
import { processMedia } from "../../core/media/process.ts";
import { type MediaChanges, parseChanges, receiveUpload } from "../../core/media/receive.ts";
import type { MediaRow } from "../../core/media/states.ts";
import { storeUpload } from "../../core/media/store.ts";
import { validationFailed } from "../../errors.ts";
import { takeRate } from "../page/page-rates.ts";
import type { UserPage } from "../page/page-request.tsx";

/** For the files of a whole post, with room for the other fields. */
export const FORM_BYTES = VIDEO_BYTES + MAX_ATTACHMENTS * IMAGE_LIMITS.bytes + 1024 * 1024;

/** How long a submission waits for video and audio, in ms: less than the timeouts of proxies. */
const PATIENCE = 45_000;

/**
 * Stores the files that were chosen, and adds their ids to `media`, which keeps those before a file that is refused.
 * Of too many files, the first ones are stored.
 */
export async function addUploads(page: UserPage, media: number[]): Promise<void> {
  const { ctx, session } = page;
  const chosen = page.params["files"];
  const files = (Array.isArray(chosen) ? chosen : []).filter((file) => file instanceof File && file.size > 0);
  const room = Math.max(0, MAX_ATTACHMENTS - media.length);
  for (const file of files.slice(0, room) as File[]) {
    takeRate(page, "media");
    const upload = receiveUpload({ file });
    media.push(await storeUpload(ctx, session.accountId, upload, await inspectUpload(ctx, session.accountId, upload)));
  }
  if (files.length > room) throw validationFailed(`Cannot attach more than ${MAX_ATTACHMENTS} files`);
}

/** Removes an upload from a form, and from the server unless a post has it. */
export function removeUpload({ ctx, session }: UserPage, id: number): void {
  const [row] = ownUploads(ctx, session.accountId, [id]);
  if (row?.status_id === null && row.scheduled_status_id === null) removeMedia(ctx, session.accountId, id);
}

/** The typed descriptions of these uploads, as far as it differs from what is stored. */
export function changesOf(page: UserPage, rows: readonly MediaRow[]): Map<number, MediaChanges> {
  const changes = new Map<number, MediaChanges>();
  for (const row of rows) {
    const [typed, focus] = [page.params[`description_${row.id}`], page.params[`focus_${row.id}`]];
    const description = typeof typed === "string" ? withoutReturns(typed) : undefined;
    const isNew = description !== undefined && description !== withoutReturns(row.description ?? "");
    const isMoved = typeof focus === "string" && focus !== focusOf(row);
    if (!isNew && !isMoved) continue;
    changes.set(
      row.id,
      parseChanges({ description: isNew ? description : undefined, focus: isMoved ? focus : undefined }),
    );
  }
  return changes;
}

/** Browsers send a line break as two characters, most apps as one. Without this, an unchanged text would look changed. */
export function withoutReturns(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Stores what was typed about uploads that no post has yet. */
export async function describeUploads(page: UserPage, ids: readonly number[]): Promise<void> {
  const { ctx, session } = page;
  const rows = ownUploads(ctx, session.accountId, ids);
  for (const [id, changes] of changesOf(page, rows)) {
    await changeUpload(ctx, session.accountId, id, changes, undefined);
  }
}

/** Waits until video and audio are processed. If that takes too long, checkMedia() refuses them. */
export async function waitUntilProcessed(ctx: Context, accountId: number, ids: readonly number[]): Promise<void> {
  const waiting = ownUploads(ctx, accountId, ids).filter(({ state }) => state === "processing");
  if (waiting.length === 0) return;
  // The job reports failures and retries.
  const processed = Promise.all(waiting.map(({ id }) => processMedia(ctx, id).catch(() => {})));
  await Promise.race([processed, Bun.sleep(PATIENCE)]);
}

/** The middles of the thirds of a picture, from left to right, and from the bottom to the top. */
const PLACES = [-0.67, 0, 0.67];

/** The nine positions of a form as the API writes them, from the top left to the bottom right. */
export const FOCUSES = PLACES.toReversed().flatMap((y) => PLACES.map((x) => `${x},${y}`));

/** The position that is nearest to the focus of an upload. */
export function focusOf({ focus_x, focus_y }: Pick<MediaRow, "focus_x" | "focus_y">): string {
  const nearest = (value: number) => PLACES[Math.min(2, Math.floor((value + 1) * 1.5))]!;
  return `${nearest(focus_x)},${nearest(focus_y)}`;
}
