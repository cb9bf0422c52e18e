import type { Db, Reads, Tx } from "../../db/open.ts";

/** Pages that one transaction moves to free places of the file: requests wait for some milliseconds at most. */
const SLICE = 50;
const INCREMENTAL = 2;

/**
 * Returns a slice of the database's free pages to the file system. Returns false if there are none left, or if the
 * database is not in incremental mode.
 */
export function returnPages(tx: Tx): boolean {
  if (!canReturnPages(tx) || freePages(tx) === 0) return false;
  tx.run(`PRAGMA incremental_vacuum(${SLICE})`);
  return freePages(tx) > 0;
}

function freePages(db: Reads): number {
  return db.get<{ freelist_count: number }>("PRAGMA freelist_count")!.freelist_count;
}

/** New databases can. An older one can after a VACUUM, see `allowReturningPages()`. */
export function canReturnPages(db: Reads): boolean {
  return db.get<{ auto_vacuum: number }>("PRAGMA auto_vacuum")!.auto_vacuum === INCREMENTAL;
}

/** Rewrites an older database, so that it can return pages. No server may be running: it takes minutes if it is large. */
export function allowReturningPages(db: Db): void {
  db.alone("PRAGMA auto_vacuum = INCREMENTAL");
  db.alone("VACUUM");
}
