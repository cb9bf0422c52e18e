import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { Refusal, validationFailed } from "../../errors.ts";
import type { ProcessedPreview } from "../../lib/media/images.ts";
import { IMAGE_LIMITS, imageSource, keepImage, newFolder } from "./media-files.ts";
import { discardFiles, type MediaRow } from "./media.ts";
import { writeSmall } from "./processing.ts";

/** An attachment's custom thumbnail: the file is stored, no row references it yet. */
export interface Thumbnail {
  file: string;
  preview: ProcessedPreview;
}

/**
 * Reads and checks a custom thumbnail.
 *
 * @throws Refusal if it isn't an image, or is too large
 */
export async function readThumbnail(ctx: Context, accountId: number, file: File): Promise<ProcessedPreview> {
  try {
    return await ctx.media.run(accountId, "processPreview", await imageSource(file), IMAGE_LIMITS);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.kind === "too_large")
      throw validationFailed(`Thumbnail size must be less than ${IMAGE_LIMITS.bytes / 1024 / 1024} MB`);
    throw validationFailed("Thumbnail is not a picture that can be taken");
  }
}

export async function keepThumbnail(ctx: Context, preview: ProcessedPreview): Promise<Thumbnail> {
  return { file: await keepImage(ctx, `${newFolder("attachments")}/thumbnail`, preview.image), preview };
}

/** Replaces the attachment's small image with a thumbnail. */
export function setThumbnail(ctx: Context, tx: Tx, row: MediaRow, thumbnail: Thumbnail): void {
  // A clip that isn't converted yet has nothing else to show.
  const file = row.state === "processing" && row.type !== "gifv" ? thumbnail.file : row.file;
  writeSmall(tx, row, thumbnail);
  tx.run("UPDATE media_attachments SET file = $file, has_thumbnail = 1 WHERE id = +$id", { file, id: row.id });
  if (row.small !== file) discardFiles(ctx, tx, [row.small]);
}
