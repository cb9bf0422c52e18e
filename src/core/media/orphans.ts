import { readdir, stat } from "node:fs/promises";
import type { Context } from "../../context.ts";
import { FILE_AREAS, unreferencedFiles } from "./file-references.ts";
import { removeFiles, storedFile } from "./media-files.ts";

/** Between a file and the row that speaks of it lie moments; nothing that somebody waits for is this old. */
const OLD = 24 * 3600_000;
/** So many folders are looked through in one go: they share out what there is, a few hundred files each at most. */
const FOLDERS = 64;

/**
 * Removes files that no row names, as a crash leaves them that comes after a file and before its row. Looks through the
 * next few folders after the one that is named; gives back the last of them, and null when there are no more.
 */
export async function removeOrphans(ctx: Context, after: string | null): Promise<string | null> {
  const folders: string[] = [];
  for (const area of FILE_AREAS) folders.push(...(await namesIn(ctx, area)));
  const left = folders.filter((folder) => after === null || folder > after).sort();
  const now = left.slice(0, FOLDERS);
  for (const folder of now) await clean(ctx, folder);
  return left.length > now.length ? now.at(-1)! : null;
}

/** What lies in a folder, as rows would name it. */
async function namesIn(ctx: Context, folder: string): Promise<string[]> {
  const names = await readdir(storedFile(ctx, folder)).catch(nullIfGone);
  return (names ?? []).map((name) => `${folder}/${name}`);
}

/** What is looked at may be removed meanwhile, or be something else than it should. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

async function clean(ctx: Context, folder: string): Promise<void> {
  const files: string[] = [];
  for (const upload of await namesIn(ctx, folder)) files.push(...(await namesIn(ctx, upload)));
  const area = folder.slice(0, folder.lastIndexOf("/"));
  const unnamed = unreferencedFiles(ctx.db, area, files);
  const orphans: string[] = [];
  for (const file of unnamed) if (await isOldFile(ctx, file)) orphans.push(file);
  if (orphans.length === 0) return;
  await removeFiles(ctx, orphans);
  ctx.log.info("removed {count} files of which nothing speaks, in {folder}", { count: orphans.length, folder });
}

async function isOldFile(ctx: Context, file: string): Promise<boolean> {
  const found = await stat(storedFile(ctx, file)).catch(nullIfGone);
  return found !== null && found.isFile() && found.mtimeMs < ctx.clock.now() - OLD;
}
