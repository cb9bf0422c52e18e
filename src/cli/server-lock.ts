import { type FileLock, lockFile } from "../db/file-lock.ts";
import { lockUpdate } from "../db/migrate.ts";
import { Refusal } from "../errors.ts";

/** The lock that a running server holds on its data folder; null while another process holds it. */
export function lockServer(folder: string): FileLock | null {
  return lockFile(folder, "linnet.lock", 0);
}

/** Whether a server runs on the data folder. */
export function isRunning(folder: string): boolean {
  const lock = lockServer(folder);
  lock?.release();
  return lock === null;
}

/** Locks the data folder, so that no second server uses it. Throws a Refusal if another process has the lock. */
export function lockFolder(folder: string): FileLock {
  const lock = lockServer(folder) ?? lockAfterUpdate(folder);
  if (lock) return lock;
  throw new Refusal("conflict", `Another Linnet is running on ${folder}. Stop it first, or set LINNET_DATA.`);
}

/** A command also holds the lock of a server while it migrates the database. */
function lockAfterUpdate(folder: string): FileLock | null {
  lockUpdate(folder)?.release();
  return lockServer(folder);
}
