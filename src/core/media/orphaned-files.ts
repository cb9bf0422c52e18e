import { readdir, stat } from "node:fs/promises";
import type { Context } from "../../context.ts";
import { FILE_AREAS, unreferencedFiles } from "./file-references.ts";
import { removeFiles, storedFile } from "./stored-files.ts";

/** Older files without a row are orphans: an upload writes its row moments after its file. */
const MIN_AGE = 24 * 3600_000;
/** Folders per call. All files are spread over thousands of folders, so each has a few hundred at most. */
const FOLDERS_PER_CALL = 64;

/**
 * Removes files that no row references. They remain when the server crashes after writing a file and before writing its
 * row. Checks the next few folders after `after`. Returns the last checked folder, or null after the end.
 */
export async function removeOrphans(ctx: Context, after: string | null): Promise<string | null> {
  const folders: string[] = [];
  for (const area of FILE_AREAS) folders.push(...(await namesIn(ctx, area)));
  const left = folders.filter((folder) => after === null || folder > after).sort();
  const now = left.slice(0, FOLDERS_PER_CALL);
  for (const folder of now) await cleanFolder(ctx, folder);
  return left.length > now.length ? now.at(-1)! : null;
}

/** The entries of a folder, as paths that rows use. */
async function namesIn(ctx: Context, folder: string): Promise<string[]> {
  const names = await readdir(storedFile(ctx, folder)).catch(nullIfGone);
  return (names ?? []).map((name) => `${folder}/${name}`);
}

/** A folder may be removed meanwhile, or turn out to be a file. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

async function cleanFolder(ctx: Context, folder: string): Promise<void> {
  const files: string[] = [];
  for (const upload of await namesIn(ctx, folder)) files.push(...(await namesIn(ctx, upload)));
  const area = folder.slice(0, folder.lastIndexOf("/"));
  const unreferenced = unreferencedFiles(ctx.db, area, files);
  const orphans: string[] = [];
  for (const file of unreferenced) if (await isOldFile(ctx, file)) orphans.push(file);
  if (orphans.length === 0) return;
  await removeFiles(ctx, orphans);
  ctx.log.info("removed {count} unreferenced files in {folder}", { count: orphans.length, folder });
}

async function isOldFile(ctx: Context, file: string): Promise<boolean> {
  const found = await stat(storedFile(ctx, file)).catch(nullIfGone);
  return found !== null && found.isFile() && found.mtimeMs < ctx.clock.now() - MIN_AGE;
}
