import { Database } from "bun:sqlite";
import { join } from "node:path";

export interface FileLock {
  release(): void;
}

/**
 * A lock between processes, held until `release()`; null if another process holds it for longer than `patience`
 * milliseconds. It is SQLite's own lock on an empty file: the system releases it when the process ends, however it
 * ends, so there is never a stale one to remove by hand.
 */
export function lockFile(folder: string, name: string, patience: number): FileLock | null {
  const file = new Database(join(folder, name), { create: true });
  try {
    file.run(`PRAGMA busy_timeout = ${patience}`);
    // A journal file needs disk space, and the server must start even if the disk is full.
    file.run("PRAGMA journal_mode = MEMORY");
    file.run("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    return null;
  }
  return { release: () => file.close() };
}
