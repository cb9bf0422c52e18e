import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import type { remoteFiles } from "../../db/schema/index.ts";
import { TYPES_BY_EXTENSION, type Extension } from "../../lib/media/media-types.ts";
import { discardFiles, removeFiles, storedFile } from "../media/stored-files.ts";
import { reserveSpace } from "./cache-space.ts";
import type { RemoteForm } from "./remote-names.ts";
import { cardSource, findSource, type RemoteSource } from "./remote-sources.ts";

/** How long a failed file is not requested again. */
const RETRY_AFTER = 3600_000;

/** A row of the cache. */
export type RemoteFileRow = typeof remoteFiles.$inferSelect;

/** Files that were fetched and stored, but have no row yet. */
export interface StoredCopy {
  file: string | null;
  /** The first frame of an animation; null for anything else. */
  still: string | null;
  bytes: number;
  /** The source could not be fetched: `file` is null or a placeholder. */
  failed: boolean;
  /** Facts about a preview that its server may not have sent. */
  preview: { width: number; height: number; blurhash: string } | null;
}

const FIND = "SELECT * FROM remote_files WHERE owner_id = +$ownerId AND kind = +$kind AND form = +$form";

/** The copy of a file, or its failure within the last hour; null if it has to be fetched. */
export function findCopy(ctx: Context, { ownerId, kind, form, version }: RemoteSource): RemoteFileRow | null {
  const row = ctx.db.get<RemoteFileRow>(FIND, { ownerId, kind, form });
  if (!row || row.version !== version) return null;
  return row.failed_at !== null && retryTime(row.failed_at) <= ctx.clock.now() ? null : row;
}

/** When a file that failed then may be fetched again, in milliseconds since 1970. */
export function retryTime(failedAt: number): number {
  return failedAt + RETRY_AFTER;
}

export interface CopiedFile {
  /** Differs for each copy, also of the same source. */
  name: string;
  path: string;
  type: string;
  size: number;
}

/** The file of a copy; null if there is none, or if the cache was emptied by hand. */
export function fileOfCopy(ctx: Context, row: RemoteFileRow, form: RemoteForm): CopiedFile | null {
  const name = form === "static" ? (row.still ?? row.file) : row.file;
  if (name === null) return null;
  const path = resolve(storedFile(ctx, name));
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry?.isFile()) return null;
  const extension = name.slice(name.lastIndexOf(".") + 1) as Extension;
  return { name, path, type: TYPES_BY_EXTENSION[extension], size: entry.size };
}

/** Writes the row of a stored copy, in place of an earlier one, unless the source has changed or is gone. */
export async function saveCopy(ctx: Context, source: RemoteSource, copy: StoredCopy): Promise<void> {
  await reserveSpace(ctx, copy.bytes);
  const unused = await ctx.db.whenWritable(() => {
    const isCurrent = findSource(ctx, { ...source, id: source.ownerId }) !== null;
    return isCurrent ? ctx.db.groupCommit((tx) => writeCopy(ctx, tx, source, copy)) : copy;
  });
  ctx.mediaCache.bytes! -= unused.bytes;
  await removeFiles(
    ctx,
    [unused.file, unused.still].filter((file) => file !== null),
  );
}

/** Writes the row of a card's image that `fetchCardImage()` has fetched, in the transaction that writes the card. */
export function saveCardImage(ctx: Context, tx: Tx, cardId: number, url: string, copy: StoredCopy): void {
  const unused = writeCopy(ctx, tx, cardSource(cardId, url), copy);
  discardFiles(ctx, tx, [unused.file, unused.still]);
  tx.afterCommit(() => (ctx.mediaCache.bytes! -= unused.bytes));
}

type Files = Pick<StoredCopy, "file" | "still" | "bytes">;
const NOTHING: Files = { file: null, still: null, bytes: 0 };

/** Writes the row of a stored copy. Returns the files of the earlier one, which no row names any more. */
function writeCopy(ctx: Context, tx: Tx, { kind, ownerId, form, version }: RemoteSource, copy: StoredCopy): Files {
  const before = tx.get<RemoteFileRow>(FIND, { ownerId, kind, form });
  const now = ctx.clock.now();
  tx.run(
    `INSERT INTO remote_files (kind, owner_id, form, version, file, still, bytes, used_at, failed_at)
     VALUES ($kind, $ownerId, $form, $version, $file, $still, $bytes, $now, $failedAt)
     ON CONFLICT (owner_id, kind, form) DO UPDATE SET version = excluded.version, file = excluded.file,
       still = excluded.still, bytes = excluded.bytes, used_at = excluded.used_at, failed_at = excluded.failed_at`,
    {
      kind,
      ownerId,
      form,
      version,
      file: copy.file,
      still: copy.still,
      bytes: copy.bytes,
      now,
      failedAt: copy.failed ? now : null,
    },
  );
  if (copy.preview && kind === "attachments") completeAttachment(tx, ownerId, copy.preview);
  return before ?? NOTHING;
}

/** Adds what the server of an attachment did not send. */
function completeAttachment(tx: Tx, id: number, { width, height, blurhash }: NonNullable<StoredCopy["preview"]>): void {
  tx.run(
    `UPDATE media_attachments SET small_width = $width, small_height = $height, blurhash = coalesce(blurhash, $blurhash)
     WHERE id = +$id AND (small_width <> +$width OR small_height <> +$height OR blurhash IS NULL)`,
    { id, width, height, blurhash },
  );
}
