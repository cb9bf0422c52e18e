import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Refusal } from "../../errors.ts";
import {
  copyDurably,
  fingerprint,
  forEachOf,
  hasContent,
  linkFile,
  shapeOf,
  type Fingerprint,
} from "../../lib/copies.ts";
import type { Backup } from "./backup-folder.ts";

/** Files to copy concurrently: enough to keep a disk busy, and few enough to fit in memory. */
const AT_ONCE = 4;
/** How often to copy the database again because a file was deleted after the last copy. */
const MAX_SNAPSHOTS = 20;

/** The contents of a backup. Files are named by their path below the data folder. */
export interface Source {
  /** The files that the database names now. */
  named(): string[];
  /** Copies the database as it is at one moment, in place of an earlier copy. Returns the files that the copy names. */
  snapshot(): string[];
}

/** The files of a backup that is being written. */
export class BackupFiles {
  readonly files = new Map<string, Fingerprint>();
  /** How many were copied, not linked. */
  copied = 0;
  copiedBytes = 0;
  /** Files whose content in the previous backup is not what its manifest says. */
  readonly damaged = new Set<string>();

  /** `previous` has files that need not be copied again. `onFile` is called after each file. */
  constructor(
    private readonly data: string,
    private readonly folder: string,
    private readonly previous: Backup | null,
    private readonly onFile: () => void = () => {},
  ) {}

  /**
   * Collects every file that one copy of the database names. Uploads and deletions continue meanwhile: a file that is
   * deleted after the copy was made and before it is collected makes that copy useless. So all files are collected
   * first, which is slow, and once more for the copy, which is fast.
   *
   * @returns files that the database names and that exist nowhere
   */
  async collect(source: Source): Promise<string[]> {
    await this.add(source.named());
    for (let attempt = 0; attempt < MAX_SNAPSHOTS; attempt += 1) {
      const named = source.snapshot();
      const absent = await this.add(named);
      const stillNamed = new Set(absent.length > 0 ? source.named() : []);
      if (!absent.every((path) => stillNamed.has(path))) continue;
      await this.removeAllBut(new Set(named));
      return this.addFromPrevious(absent);
    }
    throw new Refusal("unavailable", "Files are deleted faster than they can be backed up. Try again later.");
  }

  /** Adds the files that are not collected yet; returns those that are missing in the data folder. */
  async add(paths: readonly string[]): Promise<string[]> {
    const absent: string[] = [];
    const wanted = paths.filter((path) => !this.files.has(path));
    await forEachOf(wanted, AT_ONCE, async (path) => {
      const added = await this.addOne(path).catch(nullIfAbsent);
      if (added) this.files.set(path, added);
      else absent.push(path);
      this.onFile();
    });
    return absent;
  }

  private async addOne(path: string): Promise<Fingerprint> {
    const from = join(this.data, path);
    const known = this.previous?.files.get(path);
    const { size, modified } = await shapeOf(from);
    if (known?.size === size && known.modified === modified && (await this.link(path, known))) return known;
    return this.copy(from, path);
  }

  private async copy(from: string, path: string): Promise<Fingerprint> {
    const copy = await copyDurably(from, join(this.folder, path));
    this.copied += 1;
    this.copiedBytes += copy.size;
    return copy;
  }

  /**
   * Links a file of the previous backup, unless it is damaged there. All backups share a linked file, so each backup reads
   * it again: a bad sector would otherwise stay unnoticed until a restore.
   */
  private async link(path: string, known: Fingerprint): Promise<boolean> {
    const target = join(this.folder, path);
    if (!(await linkFile(join(this.previous!.path, path), target))) return false;
    if (await hasContent(target, known)) return true;
    this.damaged.add(path);
    await rm(target);
    return false;
  }

  /** Adds missing files from the previous backup; returns those that it does not have either. */
  private async addFromPrevious(paths: readonly string[]): Promise<string[]> {
    const missing: string[] = [];
    for (const path of paths) {
      const known = this.previous?.files.get(path);
      const taken = known ? await this.takeOver(path, known) : null;
      if (taken) this.files.set(path, taken);
      else missing.push(path);
    }
    return missing;
  }

  private async takeOver(path: string, known: Fingerprint): Promise<Fingerprint | null> {
    if (await this.link(path, known)) return known;
    const from = join(this.previous!.path, path);
    return (await hasContent(from, known)) ? this.copy(from, path) : null;
  }

  /** Removes what was deleted while the backup was written. */
  private async removeAllBut(wanted: ReadonlySet<string>): Promise<void> {
    for (const path of this.files.keys()) {
      if (wanted.has(path)) continue;
      this.files.delete(path);
      await rm(join(this.folder, path));
      // Fails if the folder is not empty, and should.
      await rmdir(dirname(join(this.folder, path))).catch(() => {});
    }
  }

  /** Adds a file that was written into the backup's own folder. */
  async include(path: string): Promise<void> {
    this.files.set(path, await fingerprint(join(this.folder, path)));
  }
}

function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}
