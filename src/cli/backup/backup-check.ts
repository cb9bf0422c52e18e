import { join } from "node:path";
import { openReadOnly, type Db } from "../../db/open.ts";
import { diskFullIn, isDiskFull, Refusal } from "../../errors.ts";
import { forEachOf, shapeOf } from "../../lib/copies.ts";
import type { Backup } from "./backup-folder.ts";

/** Files to check concurrently. */
const AT_ONCE = 16;

/** Refuses a backup that lacks files, or has files of another size. Reads none of them. */
export async function checkSizes({ path, files }: Pick<Backup, "path" | "files">): Promise<void> {
  await forEachOf(files, AT_ONCE, async ([name, { size }]) => {
    const found = await shapeOf(join(path, name)).catch(() => null);
    if (!found) throw damaged(path, `${name} is missing`);
    if (found.size !== size) throw damaged(path, `${name} has ${found.size} bytes instead of ${size}`);
  });
}

/** Opens the database of a backup to read it. Refuses one that is damaged. */
export function openChecked(path: string): Db {
  let db: Db | null = null;
  try {
    db = openReadOnly(path);
    const [problem] = db.all<{ integrity_check: string }>("PRAGMA integrity_check(1)");
    const [lost] = db.all<{ table: string; rowid: number | null; parent: string; fkid: number }>(
      "PRAGMA foreign_key_check",
    );
    if (problem?.integrity_check !== "ok") throw damaged(path, String(problem?.integrity_check));
    if (lost) throw damaged(path, `a row of ${lost.table} refers to a missing row of ${lost.parent}`);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof Refusal) throw error;
    throw damaged(path, (error as Error).message);
  }
}

export function damaged(path: string, problem: string): Refusal {
  return new Refusal("invalid", `${path} is damaged: ${problem}.`);
}

/** Replaces the error of a full disk by a message that says what to do. */
export function explained(error: unknown, folder: string): unknown {
  return isDiskFull(error) ? new Refusal("unavailable", diskFullIn(folder)) : error;
}
