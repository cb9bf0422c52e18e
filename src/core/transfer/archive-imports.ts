import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { refuseOtherFiles } from "../../lib/archives/open-archive.ts";
import { renameDurably, type StoredFile, sync } from "../../lib/files.ts";
import { beginImport } from "./imports.ts";

/** The largest archive that a browser may upload. A command imports larger ones. */
export const UPLOADED_ARCHIVE_BYTES = 1024 ** 3;

/** The folder for uploaded archives, and for files that are being imported. */
export function importsFolder(ctx: Context): string {
  return join(ctx.config.data, "imports");
}

/** Where the uploaded archive of an import is, until the import has ended. */
export function uploadedArchive(ctx: Context, importId: number): string {
  return join(importsFolder(ctx), "uploads", String(importId));
}

/**
 * Keeps an uploaded archive, and enqueues the job that imports it. Returns the id of the import.
 *
 * @throws Refusal if the file is no archive, or if another archive of the user is being imported
 */
export async function importUploadedArchive(ctx: Context, accountId: number, file: StoredFile): Promise<number> {
  await refuseOtherFiles(file.path);
  await mkdir(join(importsFolder(ctx), "uploads"), { recursive: true, mode: 0o700 });
  // Here, because a transaction must not wait for the disk.
  await sync(file.path);
  return ctx.db.transaction((tx) => {
    const id = beginImport(ctx, tx, { accountId, kind: "archive", mode: "merge", fileName: file.name, total: null });
    // Without the row, the next import gets the same id, and replaces the file.
    renameDurably(file.path, uploadedArchive(ctx, id));
    enqueue(ctx, tx, "import.archive", { importId: id }, { key: `import.archive ${id}` });
    return id;
  });
}

const COUNT = "UPDATE imports SET total = $total, done = $done, failed = $failed WHERE id = +$id";

/** How far the import of an archive is. */
export interface ArchiveCounts {
  total: number | null;
  done: number;
  failed: number;
}

export function countArchive(tx: Tx, id: number, counts: ArchiveCounts): void {
  tx.run(COUNT, { id, ...counts });
}

/** Removes the uploaded file of an import that has ended. */
export async function removeUploadedArchive(ctx: Context, importId: number): Promise<void> {
  await rm(uploadedArchive(ctx, importId), { force: true });
}

/** Whether the uploaded file is there. A backup doesn't contain it. */
export function hasUploadedArchive(ctx: Context, importId: number): boolean {
  return existsSync(uploadedArchive(ctx, importId));
}
