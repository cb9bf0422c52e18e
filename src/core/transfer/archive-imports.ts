import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue, type ArchiveChoices } from "../../db/queue.ts";
import { Refusal } from "../../errors.ts";
import { refuseOtherFiles } from "../../lib/archives/open-archive.ts";
import { renameDurably, type StoredFile, sync } from "../../lib/files.ts";
import { beginImport } from "./imports.ts";
import { importsFolder, uploadedArchive } from "./uploaded-archives.ts";

/** The largest archive that a browser may upload. A command imports larger ones. */
export const UPLOADED_ARCHIVE_BYTES = 1024 ** 3;

/**
 * Keeps an uploaded archive, and enqueues the job that imports it. Returns the id of the import.
 *
 * @throws Refusal if the file is no archive, if another archive of the user is being imported, or after too many
 */
export async function importUploadedArchive(
  ctx: Context,
  accountId: number,
  file: StoredFile,
  choices: ArchiveChoices,
): Promise<number> {
  if (ctx.uploadedArchives.take(String(accountId), ctx.clock.now()).exceeded) {
    throw new Refusal("too_many", "You have uploaded too many archives within an hour. Try again later.");
  }
  await refuseOtherFiles(file.path);
  await mkdir(join(importsFolder(ctx), "uploads"), { recursive: true, mode: 0o700 });
  // Here, because a transaction must not wait for the disk.
  await sync(file.path);
  return ctx.db.transaction((tx) => {
    const id = beginImport(ctx, tx, { accountId, kind: "archive", mode: "merge", fileName: file.name, total: null });
    // Without the row, the next import gets the same id, and replaces the file.
    renameDurably(file.path, uploadedArchive(ctx, id));
    enqueue(ctx, tx, "import.archive", { importId: id, ...choices }, { key: `import.archive ${id}` });
    return id;
  });
}

const COUNT = `
  UPDATE imports SET total = $total, done = $done, failed = $failed, for_followers = $forFollowers WHERE id = +$id`;

/** How far the import of an archive is. */
export interface ArchiveCounts {
  total: number | null;
  done: number;
  failed: number;
  /** 1 if public posts are imported for followers only. */
  forFollowers: number;
}

export function countArchive(tx: Tx, id: number, counts: ArchiveCounts): void {
  tx.run(COUNT, { id, ...counts });
}
