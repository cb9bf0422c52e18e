import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import { Refusal } from "../../errors.ts";
import { type CsvItems, readItems, type Upload } from "./csv-file.ts";
import { type CsvKind, FORMATS } from "./csv-kinds.ts";
import { applyRow, type ReadyRow, targetOf } from "./csv-rows.ts";
import { beginImport, countItems, endImport, type ImportMode, type ImportRow, importWithId } from "./imports.ts";
import { removeOthers } from "./csv-replacing.ts";

/** Rows that one slice works on. */
const SLICE = 20;
/** Rows without a failure that are removed together after the end. */
const TIDY_SLICE = 500;
/** A row waits for an unresponsive server this long at first, in ms, then twice as long each time. */
const FIRST_DELAY = 60_000;
const MAX_ATTEMPTS = 5;
/** How long a row waits for a server that asked to wait, in ms. */
const MAX_WAIT = 6 * 3600_000;

/** An import of a CSV file. */
export type CsvImport = ImportRow & { kind: CsvKind };

export interface WaitingRow {
  id: number;
  cells: string[];
  attempts: number;
}

const ADD_ROWS = `
  INSERT INTO import_rows (import_id, cells, due_at) SELECT $id, value, $now FROM json_each($rows)`;

export interface NewCsvImport {
  accountId: number;
  mode: ImportMode;
  /** Null if the file decides. */
  kind: CsvKind | null;
}

/**
 * Stores the rows of one of Mastodon's export files, and enqueues the job that imports them. Returns the id of the import.
 *
 * @throws Refusal if the file can't be read as a whole: then nothing is stored
 */
export async function importCsv(
  ctx: Context,
  upload: Upload,
  { accountId, mode, kind }: NewCsvImport,
): Promise<number> {
  const items = await readItems(upload, kind);
  return ctx.db.transaction((tx) => {
    const id = storeItems(ctx, tx, items, { accountId, mode, fileName: upload.name });
    enqueue(ctx, tx, "import.csv", { importId: id }, { key: keyOf(id) });
    return id;
  });
}

export function keyOf(importId: number): string {
  return `import.csv ${importId}`;
}

function storeItems(
  ctx: Context,
  tx: Tx,
  { kind, rows }: CsvItems,
  begun: { accountId: number; mode: ImportMode; fileName: string },
): number {
  const id = beginImport(ctx, tx, { ...begun, kind, total: rows.length });
  tx.run(ADD_ROWS, { id, now: ctx.clock.now(), rows: JSON.stringify(rows) });
  return id;
}

/** Null if the import is gone. */
export function csvImport(db: Reads, id: number): CsvImport | null {
  const found = importWithId(db, id);
  return found && found.kind !== "archive" ? { ...found, kind: found.kind } : null;
}

const DUE = `
  SELECT id, cells, attempts FROM import_rows
  WHERE import_id = +$id AND due_at <= +$now ORDER BY due_at, id LIMIT ${SLICE}`;

/** The next rows whose time has come. */
export function dueRows(ctx: Context, id: number): WaitingRow[] {
  const rows = ctx.db.all<Omit<WaitingRow, "cells"> & { cells: string }>(DUE, { id, now: ctx.clock.now() });
  return rows.map(({ cells, ...row }) => ({ ...row, cells: JSON.parse(cells) as string[] }));
}

const NEXT_DUE = "SELECT min(due_at) AS at FROM import_rows WHERE import_id = +$id AND due_at IS NOT NULL";

/** When the next row is due; null if none waits. */
export function nextDue(db: Reads, id: number): number | null {
  return db.get<{ at: number | null }>(NEXT_DUE, { id })!.at;
}

/** The state of a row's subject here. A host that asked to wait causes no attempt. */
export type Found = { id: number | null } | { refusal: Refusal } | { unresponsive: Refusal; isAttempt: boolean };

/** Writes the outcome of a row together with its effects and the count. */
export function settleRow(ctx: Context, csv: CsvImport, row: WaitingRow, found: Found): void {
  if ("unresponsive" in found) return postponeRow(ctx, csv, row, found);
  if ("refusal" in found) return failRow(ctx, csv, row, found.refusal, null);
  const { account_id: accountId, kind, mode } = csv;
  const ready: ReadyRow = { accountId, kind, mode, cells: row.cells, subjectId: found.id };
  try {
    ctx.db.transaction(
      (tx) => {
        if (!isWaiting(tx, row.id)) return;
        applyRow(ctx, ready);
        endRow(tx, csv, row, { error: null, targetId: targetOf(tx, ready) });
      },
      // The job's row is on disk, so the slice would run again.
      { isSynced: false },
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    failRow(ctx, csv, row, error, ready);
  }
}

/** Cancelling the import ends the rows, too. */
function isWaiting(tx: Tx, rowId: number): boolean {
  const sql = `
    SELECT 1 FROM import_rows r JOIN imports i ON i.id = r.import_id
    WHERE r.id = +$rowId AND r.due_at IS NOT NULL AND i.state = 'running'`;
  return tx.get(sql, { rowId }) !== null;
}

function failRow(ctx: Context, csv: CsvImport, row: WaitingRow, { message }: Refusal, ready: ReadyRow | null): void {
  ctx.db.transaction(
    (tx) => {
      if (!isWaiting(tx, row.id)) return;
      endRow(tx, csv, row, { error: message, targetId: ready && targetOf(tx, ready) });
    },
    { isSynced: false },
  );
}

const END_ROW = "UPDATE import_rows SET due_at = NULL, error = $error, target_id = $targetId WHERE id = +$id";

function endRow(
  tx: Tx,
  csv: CsvImport,
  { id }: WaitingRow,
  result: { error: string | null; targetId: number | null },
): void {
  tx.run(END_ROW, { id, ...result });
  countItems(tx, csv.id, result.error === null ? { done: 1 } : { failed: 1 });
}

const POSTPONE = "UPDATE import_rows SET due_at = $dueAt, attempts = $attempts WHERE id = +$id AND due_at IS NOT NULL";

function postponeRow(
  ctx: Context,
  csv: CsvImport,
  row: WaitingRow,
  { unresponsive, isAttempt }: { unresponsive: Refusal; isAttempt: boolean },
): void {
  const now = ctx.clock.now();
  const attempts = row.attempts + (isAttempt ? 1 : 0);
  const isOver = attempts >= MAX_ATTEMPTS || now > csv.created_at + MAX_WAIT;
  if (isOver) return failRow(ctx, csv, row, unresponsive, null);
  const dueAt = now + FIRST_DELAY * 2 ** Math.max(attempts - 1, 0);
  ctx.db.transaction((tx) => tx.run(POSTPONE, { id: row.id, dueAt, attempts }), { isSynced: false });
}

/** After the last row: removes what a replacement doesn't name, a slice at a time, and ends the import. */
export function finishSlice(ctx: Context, csv: CsvImport): void {
  ctx.db.transaction(
    (tx) => {
      const removed = csv.mode === "replace" ? removeOthers(ctx, tx, csv) : 0;
      if (removed === 0) endImport(ctx, tx, csv.id, "finished");
    },
    { isSynced: false },
  );
}

const TIDY = `
  DELETE FROM import_rows WHERE id IN (
    SELECT id FROM import_rows WHERE import_id = +$id AND +error IS NULL LIMIT ${TIDY_SLICE})`;

/** Removes rows of an ended import that have not failed. Returns whether more may be there. */
export function tidySlice(ctx: Context, id: number): boolean {
  return ctx.db.transaction((tx) => tx.run(TIDY, { id }).changes === TIDY_SLICE, { isSynced: false });
}

interface FailedRow {
  cells: string;
  error: string;
}

const FAILED =
  "SELECT cells, coalesce(error, '') AS error FROM import_rows WHERE import_id = +$id AND error IS NOT NULL ORDER BY id";

/**
 * The rows that failed, as a CSV file in the format of the import, with the reason in a column of its own: other servers
 * ignore it. `translate` translates a reason.
 */
export async function failuresOf(
  db: Reads,
  { id, kind }: CsvImport,
  translate: (reason: string) => string,
): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  const { columns } = FORMATS[kind];
  const shown = kind === "filters" ? columns.slice(0, 1) : columns;
  const failed = db.all<FailedRow>(FAILED, { id });
  const rows = failed.map(({ cells, error }) => [
    ...(JSON.parse(cells) as string[]).slice(0, shown.length),
    translate(error),
  ]);
  return stringify([[...shown, "Reason"], ...rows]);
}
