import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import type { imports } from "../../db/schema/index.ts";
import { notFound, Refusal } from "../../errors.ts";
import { removeUploadedArchive } from "./uploaded-archives.ts";

/*
 * Imports of a user's files: their progress, which pages and commands show, and their end. The work itself is a chain of
 * jobs, whose slices count what they have done here in the same transaction.
 */

export type ImportRow = typeof imports.$inferSelect;
export type ImportKind = ImportRow["kind"];
export type ImportMode = ImportRow["mode"];

/** How long the result of an import can be seen, in ms. */
const KEPT_FOR = 30 * 24 * 3600_000;
/** Imports that are shown. */
const SHOWN = 20;
/** Rows that one clean-up removes. */
const SLICE = 2000;

const BEGIN = `
  INSERT INTO imports (account_id, kind, mode, state, file_name, total, created_at)
  VALUES ($accountId, $kind, $mode, 'running', $fileName, $total, $now)
  ON CONFLICT DO NOTHING`;
const MAX_FILE_NAME = 200;

export interface NewImport {
  accountId: number;
  kind: ImportKind;
  mode: ImportMode;
  fileName: string;
  /** Null if the items are not counted yet. */
  total: number | null;
}

/** Returns the id of the new import. @throws Refusal if one of the kind is running */
export function beginImport(ctx: Context, tx: Tx, { fileName, ...begun }: NewImport): number {
  const { changes, lastInsertRowid } = tx.run(BEGIN, {
    ...begun,
    fileName: fileName.slice(0, MAX_FILE_NAME),
    now: ctx.clock.now(),
  });
  if (changes > 0) return lastInsertRowid;
  throw new Refusal("conflict", "An import of this kind is running already. Wait until it ends, or cancel it.");
}

/** The latest imports of an account. */
export function importsOf(db: Reads, accountId: number): ImportRow[] {
  return db.all<ImportRow>(`SELECT * FROM imports WHERE account_id = +$accountId ORDER BY id DESC LIMIT ${SHOWN}`, {
    accountId,
  });
}

/** @throws Refusal if the account has no such import */
export function ownImport(db: Reads, accountId: number, id: number | null): ImportRow {
  const row = db.get<ImportRow>("SELECT * FROM imports WHERE id = +$id AND account_id = +$accountId", {
    id,
    accountId,
  });
  if (!row) throw notFound();
  return row;
}

export function importWithId(db: Reads, id: number): ImportRow | null {
  return db.get<ImportRow>("SELECT * FROM imports WHERE id = +$id", { id });
}

/** Counts items of an import. */
export function countItems(tx: Tx, id: number, { done = 0, failed = 0 }: { done?: number; failed?: number }): void {
  tx.run("UPDATE imports SET done = done + $done, failed = failed + $failed WHERE id = +$id", { id, done, failed });
}

const END = "UPDATE imports SET state = $state, error = $error, ended_at = $now WHERE id = +$id AND state = 'running'";

/** Ends a running import; an ended one stays as it is. */
export function endImport(
  ctx: Context,
  tx: Tx,
  id: number,
  state: "finished" | "cancelled" | "failed",
  error: string | null = null,
): void {
  tx.run(END, { id, state, error, now: ctx.clock.now() });
}

/**
 * Stops a running import, and removes its uploaded file at once: its job may wait for hours. What it has done so far stays.
 *
 * @throws Refusal if the account has no such import
 */
export async function cancelImport(ctx: Context, accountId: number, id: number | null): Promise<void> {
  const own = ctx.db.transaction((tx) => {
    const found = ownImport(tx, accountId, id);
    endImport(ctx, tx, found.id, "cancelled");
    return found;
  });
  await removeUploadedArchive(ctx, own.id);
}

const REMOVE_ROWS = `
  DELETE FROM import_rows WHERE id IN (
    SELECT r.id FROM imports i CROSS JOIN import_rows r ON r.import_id = i.id
    WHERE i.ended_at < +$before LIMIT ${SLICE})`;

/** Removes the results of old imports, a slice at a time. */
export function removeOldImports(ctx: Context, tx: Tx): void {
  const before = ctx.clock.now() - KEPT_FOR;
  if (tx.run(REMOVE_ROWS, { before }).changes < SLICE)
    tx.run("DELETE FROM imports WHERE ended_at < +$before", { before });
}
