import { constants, existsSync, rmSync, statSync } from "node:fs";
import { access, mkdir, rm } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import type { Context } from "../../context.ts";
import { referencedMedia } from "../../core/media/file-references.ts";
import { fixedAddress } from "../../core/server/server-address.ts";
import { lockFile } from "../../db/file-lock.ts";
import { openReadOnly, type Db } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import { syncFolders } from "../../lib/copies.ts";
import { sync } from "../../lib/files.ts";
import { checkSizes, explained, openChecked } from "./backup-check.ts";
import { BackupFiles } from "./backup-files.ts";
import {
  backupsIn,
  complete,
  DATABASE,
  nextBackup,
  PUSH_KEY,
  readBackup,
  removeOlder,
  removeUnfinished,
  writeManifest,
  type Backup,
} from "./backup-folder.ts";
import { command, option, argument } from "../command.ts";
import { withData } from "../data-folder.ts";
import { unsuitable } from "../parsers.ts";
import { bytesText, counted, Progress } from "./progress.ts";

export const commands = {
  backup: command({
    summary: "Writes a backup to a new folder inside FOLDER; the server can keep running",
    details:
      "A backup contains the database, the uploads and push.key. Unchanged uploads are hard-linked to the previous backup.",
    args: { folder: argument("the folder for all backups; created if missing") },
    options: {
      keep: option("N", "keeps the newest N backups and removes the others (default: keeps all)", backupCount),
    },
    run: ({ folder }, { keep }) => backup(folder, keep ?? null),
  }),
};

function backupCount(given: string, name: string): number {
  if (/^[1-9]\d{0,5}$/.test(given)) return Number(given);
  return unsuitable(name, given, "the number of backups to keep, 1 or more");
}

/** Writes a backup into a folder of its own, and then removes all but the newest `keep`; null keeps all. */
async function backup(path: string, keep: number | null): Promise<void> {
  await withData(async (ctx) => {
    const folder = resolve(path);
    await prepareFolder(ctx, folder);
    const lock = lockFile(folder, ".backup.lock", 0);
    if (!lock) throw new Refusal("conflict", `Another backup to ${folder} is running. Wait for it to finish.`);
    try {
      await writeInto(ctx, folder, keep);
    } finally {
      lock.release();
    }
  });
}

async function prepareFolder(ctx: Context, folder: string): Promise<void> {
  const { data } = ctx.config;
  if (`${folder}${sep}`.startsWith(`${data}${sep}`)) {
    throw new Refusal(
      "invalid",
      `${folder} is inside the data folder and would be lost with it. Choose another folder.`,
    );
  }
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new Refusal("conflict", `${folder} is a file. Choose a folder: each backup gets its own folder in it.`);
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as { code?: string }).code ?? String(error);
    throw new Refusal("unavailable", `Can't write to the folder ${folder} (${why}). Choose another one.`);
  }
}

async function writeInto(ctx: Context, folder: string, keep: number | null): Promise<void> {
  await removeUnfinished(folder);
  const previous = previousBackup(ctx, folder);
  const { name, unfinished } = nextBackup(folder, ctx.clock.now());
  const progress = new Progress();
  progress.say(`Backing up ${ctx.config.data} to ${join(folder, name)}.`);
  await mkdir(unfinished);
  try {
    await write(ctx, unfinished, previous, progress);
    await complete(folder, unfinished, name);
  } catch (error) {
    progress.clear();
    await rm(unfinished, { recursive: true, force: true });
    throw explained(error, folder);
  }
  progress.say("The backup is complete.");
  const removed = keep === null ? 0 : await removeOlder(folder, keep);
  if (removed > 0) progress.say(`Removed ${counted(removed, "older backup")}.`);
}

/** The newest backup, whose files can be linked. Backups of different servers must not share a folder. */
function previousBackup(ctx: Context, folder: string): Backup | null {
  const newest = backupsIn(folder).at(-1);
  if (newest === undefined) return null;
  let previous: Backup;
  try {
    previous = readBackup(join(folder, newest));
  } catch (error) {
    console.error(`linnet: ${(error as Error).message} All files will be copied again.`);
    return null;
  }
  const address = fixedAddress(ctx.db, ctx.config);
  if (address && previous.address && address.origin !== previous.address.origin) {
    throw new Refusal(
      "conflict",
      `${folder} contains backups of ${previous.address.origin}, but this server is ${address.origin}. Choose another folder.`,
    );
  }
  return previous;
}

/** Writes everything, syncs it to disk and verifies it. */
async function write(ctx: Context, folder: string, previous: Backup | null, progress: Progress): Promise<void> {
  const files = new BackupFiles(ctx.config.data, folder, previous, () =>
    progress.update(() => `Files: ${files.files.size}, ${bytesText(files.copiedBytes)} copied`),
  );
  const missing = await files.collect({
    named: () => mediaOf(ctx.db),
    snapshot: () => snapshot(ctx, join(folder, DATABASE), progress),
  });
  const added = files.copied === files.files.size ? "all copied" : `${files.copied} copied, the others linked`;
  progress.say(`Files: ${files.files.size}, ${added} (${bytesText(files.copiedBytes)}).`);
  for (const path of missing)
    console.error(`linnet: ${path} is missing from the data folder, although the database names it.`);
  for (const path of files.damaged) {
    const found = files.files.has(path)
      ? "It was copied again from the data folder."
      : "The data folder lacks it, too.";
    console.error(`linnet: ${path} is damaged in ${previous!.path}. ${found}`);
  }
  // The server creates the key before it writes a row for which the key is needed.
  await files.add([PUSH_KEY]);
  await sync(join(folder, DATABASE));
  await files.include(DATABASE);
  await writeManifest(folder, { address: fixedAddress(ctx.db, ctx.config), missing, files: files.files });
  await syncFolders(folder);
  await check(folder, progress);
}

function snapshot(ctx: Context, path: string, progress: Progress): string[] {
  progress.stage("Copying the database");
  rmSync(path, { force: true });
  ctx.db.alone("VACUUM INTO $path", { path });
  const copy = openReadOnly(path);
  try {
    return mediaOf(copy);
  } finally {
    copy.close();
  }
}

/** Verifies what is on disk now, in the same way as restoring. */
async function check(folder: string, progress: Progress): Promise<void> {
  progress.stage("Checking the backup");
  const written = readBackup(folder);
  await checkSizes(written);
  const db = openChecked(join(folder, DATABASE));
  try {
    const missing = new Set(written.missing);
    const absent = mediaOf(db).filter((path) => !written.files.has(path) && !missing.has(path));
    if (absent.length > 0) throw new Refusal("unavailable", `${absent[0]} is missing from the backup. Try again.`);
  } finally {
    db.close();
  }
  progress.say(`Database: ${bytesText(written.files.get(DATABASE)!.size)}, checked.`);
}

function mediaOf(db: Db): string[] {
  return referencedMedia(db).map((file) => `media/${file}`);
}
