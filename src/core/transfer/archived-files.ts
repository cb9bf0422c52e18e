import type { Context } from "../../context.ts";
import { build, execute } from "../../db/builder.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { mediaAttachments } from "../../db/schema/index.ts";
import { DatabaseLockedRefusal, Refusal } from "../../errors.ts";
import type { User } from "../../lib/fair-queue.ts";
import { StoredFile } from "../../lib/files.ts";
import { inspectUpload } from "../media/inspect.ts";
import { processMedia } from "../media/process.ts";
import { type FileColumns, storeFiles } from "../media/store.ts";

/** A file of a post in an archive. */
export interface ArchivedFile {
  /** Its name in the archive. */
  name: string;
  description: string | null;
  focusX: number;
  focusY: number;
}

const WAITING = `
  SELECT i.name, m.state FROM imported_media i JOIN media_attachments m ON m.id = i.media_id
  WHERE i.account_id = +$accountId AND m.status_id IS NULL`;

/** The names of the files that an interrupted import has stored, and that wait for their posts. */
export function storedNames(db: Reads, accountId: number): Set<string> {
  const rows = db.all<{ name: string; state: string }>(WAITING, { accountId });
  return new Set(rows.filter(({ state }) => state === "ready").map(({ name }) => name));
}

/** The unpacked file of an archive. */
export interface UnpackedFile {
  name: string;
  path: string;
}

/**
 * Reads a file like an upload, and stores its files. `user` is its place in the queue of media work.
 *
 * @throws Refusal if it is beyond the limits, broken or not supported
 */
export async function storeArchivedFile(ctx: Context, user: User, { path }: UnpackedFile): Promise<FileColumns> {
  const file = new StoredFile(path, "file", "");
  return storeFiles(ctx, await inspectUpload(ctx, user, { file }));
}

/** A file whose own files are stored, without a row. */
export interface StoredArchivedFile {
  name: string;
  columns: FileColumns;
}

const FORGET = "DELETE FROM imported_media WHERE account_id = +$accountId AND name = +$name";
const NOTE = "INSERT INTO imported_media (media_id, account_id, name) VALUES ($mediaId, $accountId, $name)";

/** Adds the rows of stored files in one transaction, and converts those that need it. Returns the names of failed ones. */
export async function addArchivedFiles(
  ctx: Context,
  accountId: number,
  files: readonly StoredArchivedFile[],
): Promise<string[]> {
  if (files.length === 0) return [];
  const added = await writeWhenFree(ctx, (tx) =>
    files.map((file) => ({ ...file, id: addRow(ctx, tx, accountId, file) })),
  );
  const failed: string[] = [];
  for (const { id, name, columns } of added) {
    if (columns.state !== "processing") continue;
    await processMedia(ctx, id);
    if (!ctx.db.get("SELECT 1 FROM media_attachments WHERE id = +$id AND state = 'ready'", { id })) failed.push(name);
  }
  return failed;
}

function addRow(ctx: Context, tx: Tx, accountId: number, { name, columns }: StoredArchivedFile): number {
  const now = ctx.clock.now();
  const id = freeMediaId(ctx, tx);
  const row: typeof mediaAttachments.$inferInsert = { ...columns, id, account_id: accountId, created_at: now };
  execute(tx, build.insert(mediaAttachments).values(row));
  // An interrupted conversion.
  tx.run(FORGET, { accountId, name });
  tx.run(NOTE, { mediaId: id, accountId, name });
  return id;
}

/** Random within its millisecond: a server that runs beside this process gives ids, too. */
function freeMediaId(ctx: Context, tx: Tx): number {
  for (;;) {
    const id = ctx.ids.at(ctx.clock.now());
    if (!tx.get("SELECT 1 FROM media_attachments WHERE id = +$id", { id })) return id;
  }
}

const ATTACH = `
  UPDATE media_attachments SET status_id = $statusId, position = $position, description = $description,
    focus_x = $focusX, focus_y = $focusY
  WHERE status_id IS NULL AND state = 'ready' AND id = (
    SELECT media_id FROM imported_media WHERE account_id = +$accountId AND name = +$name)`;

/** Attaches stored files to their post, in this order. */
export function attachArchivedFiles(tx: Tx, accountId: number, statusId: number, files: readonly ArchivedFile[]): void {
  for (const [position, { name, description, focusX, focusY }] of files.entries()) {
    tx.run(ATTACH, { accountId, name, statusId, position, description, focusX, focusY });
    tx.run(FORGET, { accountId, name });
  }
}

/**
 * Runs a transaction, and waits for the lock as long as it takes: a backup must not end an import. A power failure may
 * undo the transaction; then the next run does it again.
 */
export async function writeWhenFree<Result>(ctx: Context, work: (tx: Tx) => Result): Promise<Result> {
  for (;;) {
    try {
      return await ctx.db.whenWritable(() => ctx.db.transaction(work, { isSynced: false }));
    } catch (error) {
      if (!(error instanceof DatabaseLockedRefusal) || ctx.isStopping) throw error;
    }
  }
}

/** Whether an error is about the file, and the import can go on without it. */
export function isAboutFile(error: unknown): error is Refusal {
  return error instanceof Refusal && !(error instanceof DatabaseLockedRefusal);
}
