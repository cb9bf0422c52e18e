import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Address } from "../../config.ts";
import { Refusal } from "../../errors.ts";
import type { Fingerprint } from "../../lib/copies.ts";
import { sync, writeDurably } from "../../lib/files.ts";
import { VERSION } from "../../version.ts";

/** Version of the manifest format. Increase it when the format changes. */
const FORMAT = 1;
const MANIFEST = "manifest.json";
/** Files of the data folder, by their path in it. All others are below `media/`. */
export const DATABASE = "linnet.db";
export const PUSH_KEY = "push.key";
/** Enough for a million files. */
const MAX_MANIFEST = 512 * 1024 * 1024;

/** A backup that is being written or removed. It never has the name of a complete one. */
const UNFINISHED = /^\.unfinished-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
const COMPLETE = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
/** The files that a backup may contain. A manifest must not name files outside of the data folder. */
const PATH = /^(?:linnet\.db|push\.key|media(?:\/\w[\w.-]*)+)$/;

/** A backup's manifest. */
export interface Manifest {
  /** Null while there was no account. */
  address: Address | null;
  /** Files that the database names but that did not exist, by their path below the data folder. */
  missing: string[];
  /** By path below the data folder. The database is `linnet.db`. */
  files: Map<string, Fingerprint>;
}

/** A complete backup. */
export interface Backup extends Manifest {
  path: string;
}

/** The names of the complete backups in a folder, oldest first. */
export function backupsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => COMPLETE.test(name));
  return names.filter((name) => existsSync(join(folder, name, MANIFEST))).sort();
}

/** The backup at a path, or the newest one in it. */
export function findBackup(path: string): Backup {
  if (!existsSync(path)) throw new Refusal("not_found", `There is no folder ${path}.`);
  if (!statSync(path).isDirectory()) throw new Refusal("not_found", `${path} is a file. Use the folder of a backup.`);
  if (existsSync(join(path, MANIFEST))) return readBackup(path);
  const newest = backupsIn(path).at(-1);
  if (newest === undefined) throw new Refusal("not_found", `There is no backup in ${path}.`);
  return readBackup(join(path, newest));
}

export function readBackup(path: string): Backup {
  const file = join(path, MANIFEST);
  if (statSync(file).size > MAX_MANIFEST) throw unreadable(path);
  try {
    const { format, address, missing, files } = JSON.parse(readFileSync(file, "utf8"));
    if (Number.isInteger(format) && format > FORMAT) {
      throw new Refusal("invalid", `The backup ${path} was written by a newer version of Linnet. Use that version.`);
    }
    const entries = Object.entries(files as object);
    if (format === FORMAT && Array.isArray(missing) && isAddress(address) && entries.every(isEntry)) {
      const backup = { path, address, missing, files: new Map(entries) };
      if (backup.files.has(DATABASE)) return backup;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
  }
  throw unreadable(path);
}

function unreadable(path: string): Refusal {
  return new Refusal("invalid", `The backup ${path} is damaged: its ${MANIFEST} can't be read. Try an older one.`);
}

function isAddress(value: unknown): value is Address | null {
  if (value === null) return true;
  const { origin, handleDomain } = value as Partial<Address>;
  return typeof origin === "string" && URL.canParse(origin) && typeof handleDomain === "string";
}

function isEntry(entry: [string, unknown]): entry is [string, Fingerprint] {
  const [path, value] = entry;
  const { size, modified, sha256 } = value as Partial<Fingerprint>;
  return (
    PATH.test(path) && Number.isInteger(size) && Number.isInteger(modified) && /^[0-9a-f]{64}$/.test(String(sha256))
  );
}

/** A folder for the next backup, and its name once complete: the time, adjusted to be later than all others. */
export function nextBackup(folder: string, now: number): { name: string; unfinished: string } {
  const newest = readdirSync(folder)
    .filter((name) => COMPLETE.test(name))
    .sort()
    .at(-1);
  const time = newest === undefined ? now : Math.max(now, timeOf(newest) + 1000);
  return { name: nameOf(time), unfinished: join(folder, `.unfinished-${nameOf(time)}`) };
}

/** `2026-11-22T08-00-00Z`: names without colons work on every file system. */
function nameOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

function timeOf(name: string): number {
  return Date.parse(name.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:"));
}

/** Writes the manifest of a backup. */
export async function writeManifest(folder: string, { address, missing, files }: Manifest): Promise<void> {
  const manifest = { format: FORMAT, linnet: VERSION, address, missing, files: Object.fromEntries(files) };
  await writeDurably(join(folder, MANIFEST), Buffer.from(JSON.stringify(manifest, null, 1)));
}

/** Renames a backup that is on disk, which marks it as complete. */
export async function complete(folder: string, unfinished: string, name: string): Promise<void> {
  await rename(unfinished, join(folder, name));
  await sync(folder);
}

/** Removes what interrupted backups and removals left behind. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (UNFINISHED.test(name)) await rm(join(folder, name), { recursive: true });
  }
}

/** Removes all complete backups except the newest; returns how many it removed. */
export async function removeOlder(folder: string, keep: number): Promise<number> {
  const older = backupsIn(folder).slice(0, -keep);
  for (const name of older) {
    const unfinished = join(folder, `.unfinished-${name}`);
    await rename(join(folder, name), unfinished);
    await rm(unfinished, { recursive: true });
  }
  return older.length;
}
