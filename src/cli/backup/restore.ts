import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { refuseOtherAddress } from "../../core/server/server-address.ts";
import { NEWEST_VERSION } from "../../db/migrate.ts";
import { Refusal } from "../../errors.ts";
import { copyDurably, fingerprint, forEachOf, hasContent, syncFolders, type Fingerprint } from "../../lib/copies.ts";
import { sync } from "../../lib/files.ts";
import { checkSizes, damaged, explained, openChecked } from "./backup-check.ts";
import { DATABASE, findBackup, PUSH_KEY, type Backup } from "./backup-folder.ts";
import { lockFolder } from "../server-lock.ts";
import { command, argument } from "../command.ts";
import { configOfProcess, makeFolder, RESTORING } from "../data-folder.ts";
import { bytesText, counted, Progress } from "./progress.ts";

/** Files to copy concurrently. */
const AT_ONCE = 4;

/** Files that `lockFolder()` and opening a database leave in an empty data folder. */
const LOCKS = ["linnet.lock", "update.lock"];
/** The entries that restoring puts into a data folder. */
const RESTORED = ["media", PUSH_KEY, DATABASE];

export const commands = {
  restore: command({
    summary: "Restores a backup to an empty data folder",
    details:
      "LINNET_DATA names the data folder. Every file is verified against its checksum. A damaged database is refused; other damaged files are left out and listed.",
    args: { folder: argument("a backup, or a folder of backups to restore the newest one") },
    run: ({ folder }) => restore(folder),
  }),
};

/** Fills the empty data folder with a backup, or with the newest one in a folder. */
async function restore(folder: string): Promise<void> {
  const config = configOfProcess();
  const backup = findBackup(resolve(folder));
  if (backup.address) refuseOtherAddress(config, backup.address);
  refuseFilled(config.data);
  const progress = new Progress();
  progress.say(`Restoring ${backup.path} to ${config.data}.`);
  await check(backup, progress);
  makeFolder(config);
  const lock = lockFolder(config.data);
  let lost: string[];
  try {
    // Another process may have filled the folder in the meantime.
    refuseFilled(config.data);
    lost = await fill(config.data, backup, progress);
  } finally {
    progress.clear();
    lock.release();
  }
  for (const path of backup.missing)
    console.error(`linnet: ${path} is not in the backup: it was already missing from the data folder then.`);
  refuseLost(lost);
  progress.say(
    `Everything is restored. Start the server${backup.address ? ` at ${backup.address.origin}` : ""} with "linnet serve".`,
  );
}

/** Makes the command fail after a restore that could not be complete. */
function refuseLost(lost: readonly string[]): void {
  if (lost.length === 0) return;
  for (const path of lost) console.error(`linnet: ${path} is damaged or missing in the backup.`);
  const [files, them] = lost.length === 1 ? ["this file", "it"] : [`these ${lost.length} files`, "them"];
  throw new Refusal(
    "invalid",
    `Everything else is restored, and "linnet serve" works. An older backup may have ${files} intact: copy ${them} from there.`,
  );
}

/** A folder with the files of an interrupted restore counts as empty. */
function refuseFilled(data: string): void {
  const names = existsSync(data) ? readdirSync(data) : [];
  const known = new Set(names.includes(RESTORING) ? [RESTORING, ...RESTORED, ...LOCKS] : LOCKS);
  const other = names.find((name) => !known.has(name));
  if (other === undefined) return;
  throw new Refusal(
    "conflict",
    `${data} is not empty: it contains ${other}. Move this folder away, or set LINNET_DATA to an empty one.`,
  );
}

/** Refuses a damaged database before anything is copied. The other files are checked as they are copied. */
async function check(backup: Backup, progress: Progress): Promise<void> {
  progress.stage("Checking the backup");
  const expected = backup.files.get(DATABASE)!;
  await checkSizes({ path: backup.path, files: new Map([[DATABASE, expected]]) });
  const path = join(backup.path, DATABASE);
  compare(path, await fingerprint(path), expected);
  const db = openChecked(path);
  try {
    const { user_version: version } = db.get<{ user_version: number }>("PRAGMA user_version")!;
    if (version <= NEWEST_VERSION) return;
    throw new Refusal(
      "invalid",
      `${backup.path} was written by a newer version of Linnet. Restore it with that version.`,
    );
  } finally {
    db.close();
  }
}

/**
 * Copies the database last. Until everything is on disk, other commands refuse the folder.
 *
 * @returns files that are damaged or missing in the backup
 */
async function fill(data: string, backup: Backup, progress: Progress): Promise<string[]> {
  const mark = join(data, RESTORING);
  // A folder, since creating one is atomic.
  await mkdir(mark, { recursive: true });
  await sync(data);
  let lost: string[];
  try {
    await removeRestored(data);
    lost = await copyFiles(data, backup, progress);
    await syncFolders(data);
  } catch (error) {
    await removeRestored(data);
    await rm(mark, { recursive: true });
    throw explained(error, data);
  }
  await rm(mark, { recursive: true });
  await sync(data);
  return lost;
}

async function removeRestored(data: string): Promise<void> {
  for (const name of RESTORED) await rm(join(data, name), { recursive: true, force: true });
}

async function copyFiles(data: string, { path: from, files }: Backup, progress: Progress): Promise<string[]> {
  let [done, bytes] = [0, 0];
  const lost: string[] = [];
  const copy = async ([path, expected]: [string, Fingerprint]) => {
    const size = await copyIntact(join(from, path), join(data, path), expected);
    if (size === null) return void lost.push(path);
    done += 1;
    bytes += size;
    progress.update(() => `Files: ${done} of ${files.size}, ${bytesText(bytes)}`);
  };
  const [database, others] = [files.get(DATABASE)!, [...files].filter(([path]) => path !== DATABASE)];
  await forEachOf(others, AT_ONCE, copy);
  await copy([DATABASE, database]);
  if (lost.includes(DATABASE)) throw damaged(join(from, DATABASE), "it can't be read");
  progress.say(`Restored ${counted(done, "file")} (${bytesText(bytes)}).`);
  return lost.sort();
}

/** Copies a file of the backup; its size, or null and no copy if it is damaged, missing or unreadable there. */
async function copyIntact(from: string, to: string, expected: Fingerprint): Promise<number | null> {
  try {
    const { size, sha256 } = await copyDurably(from, to, expected.modified);
    if (sha256 === expected.sha256) return size;
  } catch (error) {
    // With an intact original, the cause is the disk of the data folder.
    if (await hasContent(from, expected)) throw error;
  }
  await rm(to, { recursive: true, force: true });
  return null;
}

function compare(path: string, found: Fingerprint, expected: Fingerprint): void {
  if (found.sha256 !== expected.sha256) throw damaged(path, "its content has changed since the backup was written");
}
