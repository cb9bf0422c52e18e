import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Refusal } from "../errors.ts";

/**
 * Keeps a second server away from the data folder. The lock is SQLite's own on an empty file: the system lets go of it
 * when the process ends, however it ends, so there is never a stale one to remove by hand.
 */
export function lockFolder(folder: string): { release(): void } {
  const file = new Database(join(folder, "linnet.lock"), { create: true });
  try {
    file.run("PRAGMA busy_timeout = 0");
    file.run("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new Refusal("conflict", `Another Linnet is running on ${folder}. Stop it first, or set LINNET_DATA.`);
  }
  return { release: () => file.close() };
}
