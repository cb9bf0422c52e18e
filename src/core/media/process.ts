import { dirname } from "node:path";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { DatabaseLockedRefusal, UnreadableFile } from "../../errors.ts";
import { moveDurably, withTemporaryFolder } from "../../lib/files.ts";
import type { Conversion } from "../../lib/media/media-queue.ts";
import { TYPES_BY_EXTENSION } from "../../lib/media/media-types.ts";
import { convert, type ConvertedMedia, type Work } from "./convert.ts";
import { incomingFolder } from "./receive.ts";
import { transition, TRANSITIONS, type MediaRow } from "./states.ts";
import { clipColumns } from "./store.ts";
import { discardFiles, storedFile, storeImage } from "./stored-files.ts";

/**
 * Converts an upload to a playable file, unless that is done already. Only one conversion runs at a time on the whole
 * server. Also resolves if the upload can't be converted; the row's state tells.
 */
export async function processMedia(ctx: Context, id: number): Promise<void> {
  // Uploads that are ready needn't wait in the queue.
  const pending = findProcessing(ctx.db, id);
  if (!pending) return;
  await ctx.media.convert(pending.account_id, id, async (conversion) => {
    const row = startTry(ctx, id);
    if (!row) return;
    try {
      await withTemporaryFolder(incomingFolder(ctx), async (folder) => {
        const work: Work = { row, source: storedFile(ctx, row.source!), folder, conversion };
        await finish(ctx, work, await convert(ctx, work));
      });
    } catch (error) {
      // A killed process reports a file that it can't read, too.
      if (conversion.signal.aborted || !(error instanceof UnreadableFile))
        throw interrupted(ctx, conversion, id, error);
      await refuse(ctx, conversion, id, error);
    }
  });
}

function findProcessing(db: Reads, id: number): MediaRow | null {
  return db.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id AND state = 'processing'", { id });
}

/** Null if the upload is processed or deleted already, or after too many tries. */
function startTry(ctx: Context, id: number): MediaRow | null {
  return ctx.db.transaction((tx) => {
    const row = transition(ctx, tx, id, TRANSITIONS.startTry);
    if (!row) giveUp(ctx, tx, id);
    return row;
  });
}

function interrupted(ctx: Context, { signal }: Conversion, id: number, error: unknown): unknown {
  if (signal.aborted) ctx.db.transaction((tx) => transition(ctx, tx, id, TRANSITIONS.interruptTry));
  return error;
}

async function refuse(ctx: Context, conversion: Conversion, id: number, { details }: UnreadableFile): Promise<void> {
  ctx.log.info("upload {id} could not be processed: {details}", { id, details: details || "it is broken" });
  await write(ctx, conversion, (tx) => giveUp(ctx, tx, id));
}

/** Does nothing if the upload isn't waiting for its conversion. */
function giveUp(ctx: Context, tx: Tx, id: number): void {
  for (const way of [TRANSITIONS.giveUpAnimation, TRANSITIONS.giveUpClip]) transition(ctx, tx, id, way);
}

/** Gives up on unpublished uploads that have been waiting since before this time. */
export function giveUpOlder(ctx: Context, tx: Tx, before: number): void {
  const rows = tx.all<{ id: number }>(
    "SELECT id FROM media_attachments WHERE status_id IS NULL AND state = 'processing' AND created_at < +$before",
    { before },
  );
  for (const { id } of rows) giveUp(ctx, tx, id);
}

/** Moves the converted file into place and updates the row. */
async function finish(ctx: Context, { row, conversion }: Work, { path, extension, preview }: ConvertedMedia) {
  const clip = await conversion.run("inspectClip", path);
  if (!clip) throw new UnreadableFile("the converted file can't be played");
  const { size } = Bun.file(path);
  const folder = dirname(row.source!);
  const file = `${folder}/original.${extension}`;
  await moveDurably(storedFile(ctx, file), path);
  const poster = preview && { file: await storeImage(ctx, `${folder}/poster`, preview.image), preview };
  const columns = { ...clipColumns(clip, size), file, file_size: size, content_type: TYPES_BY_EXTENSION[extension] };
  await write(ctx, conversion, (tx) => {
    const next = transition(ctx, tx, row.id, TRANSITIONS.finish, columns, poster);
    // The upload was deleted or given up meanwhile.
    if (!next) discardFiles(ctx, tx, [file]);
    // It also was if the upload has a thumbnail.
    if (poster && next?.small !== poster.file) discardFiles(ctx, tx, [poster.file]);
  });
}

/** Waits for the lock as long as it takes: the work behind it took minutes, and must not be done again. */
async function write(ctx: Context, { signal }: Conversion, work: (tx: Tx) => void): Promise<void> {
  for (;;) {
    try {
      return await ctx.db.whenWritable(() => ctx.db.transaction(work));
    } catch (error) {
      if (!(error instanceof DatabaseLockedRefusal) || signal.aborted) throw error;
    }
  }
}
