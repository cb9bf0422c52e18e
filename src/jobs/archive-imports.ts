import type { Context } from "../context.ts";
import { countArchive } from "../core/transfer/archive-imports.ts";
import { endImport, importWithId } from "../core/transfer/imports.ts";
import { hasUploadedArchive, removeUploadedArchive, uploadedArchive } from "../core/transfer/uploaded-archives.ts";
import { Postpone, type ArchiveChoices } from "../db/queue.ts";
import { Refusal } from "../errors.ts";
import { importArchive, type ImportProgress, type Pace } from "../federation/archives/import.ts";
import { ReadingCancelled } from "../lib/archives/archive.ts";

/** The thread also answers requests: nine in ten of them must not notice the import. */
const PACE: Pace = { files: 1, posts: 5, rest: 4 };
/** In ms, while another archive is being imported. */
const WAIT = 30_000;
/** How often the progress is written, in ms. */
const INTERVAL = 500;

/**
 * Imports an archive that a user has uploaded, in the same slices as the command. A user who cancels it ends it after the
 * slice, or the part of the archive that is being read; when the server stops, it continues after the next start.
 */
export async function importUploaded(ctx: Context, importId: number, choices: ArchiveChoices): Promise<void> {
  const found = importWithId(ctx.db, importId);
  if (found?.state === "running") await run(ctx, importId, found.account_id, choices);
  await removeUploadedArchive(ctx, importId);
}

function isRunning(ctx: Context, importId: number): boolean {
  return importWithId(ctx.db, importId)?.state === "running";
}

async function run(ctx: Context, importId: number, accountId: number, choices: ArchiveChoices): Promise<void> {
  let writtenAt = 0;
  const write = (progress: ImportProgress) => {
    writtenAt = performance.now();
    ctx.db.transaction((tx) => countArchive(tx, importId, countsOf(progress)), { isSynced: false });
  };
  try {
    if (!hasUploadedArchive(ctx, importId)) {
      throw new Refusal("gone", "The uploaded archive is gone. Upload it again.");
    }
    const progress = await importArchive(ctx, uploadedArchive(ctx, importId), {
      accountId,
      isDryRun: false,
      ...choices,
      pace: PACE,
      isCancelled: () => !isRunning(ctx, importId),
      onProgress: (now) => {
        if (performance.now() - writtenAt >= INTERVAL) write(now);
      },
    });
    write(progress);
    end(ctx, importId, null);
  } catch (error) {
    // A user who cancels the import has removed its file, so any step may have failed.
    if (!isRunning(ctx, importId)) return;
    if (error instanceof ReadingCancelled) throw new Postpone(ctx.clock.now());
    if (!(error instanceof Refusal)) throw error;
    if (error.kind === "unavailable") throw new Postpone(ctx.clock.now() + WAIT);
    end(ctx, importId, error.message);
  }
}

function end(ctx: Context, importId: number, error: string | null): void {
  ctx.db.transaction((tx) => endImport(ctx, tx, importId, error === null ? "finished" : "failed", error));
}

function countsOf({ plan, files, posts }: ImportProgress) {
  const skipped = Object.values({ ...plan?.skipped, ...plan?.skippedFiles }).reduce((sum, count) => sum + count, 0);
  return {
    total: plan && plan.files.size + plan.posts,
    done: files + posts,
    failed: skipped,
    forFollowers: plan?.forFollowers ? 1 : 0,
  };
}
