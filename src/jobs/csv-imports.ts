import type { Context } from "../context.ts";
import { contextWithin, mustWait } from "../core/fetches.ts";
import { isRefusedHost } from "../core/refused-hosts.ts";
import {
  type CsvImport,
  csvImport,
  dueRows,
  finishSlice,
  type Found,
  keyOf,
  nextDue,
  settleRow,
  tidySlice,
} from "../core/transfer/csv-import.ts";
import { knownSubject, noAccount, noStatus, type Subject, subjectOf } from "../core/transfer/csv-rows.ts";
import type { Tx } from "../db/open.ts";
import { enqueue } from "../db/queue.ts";
import { Refusal } from "../errors.ts";
import { accountOrProblem, statusOrProblem } from "../federation/fetching/remote.ts";
import { pause } from "../lib/pause.ts";

/** Between slices, in ms: leaves the disk and other jobs their time. */
const PAUSE = 100;
/** For the unknown accounts and statuses of one slice. An account takes two requests, a status some more. */
const BUDGET = { requests: 200, bytes: 20 * 1024 * 1024 };

/**
 * Imports the next rows of a CSV file. Their unknown accounts and statuses are fetched at once, within the limits of all
 * background fetches. The outcome of each row is written with its effects, so a killed import continues after the last one.
 */
export async function importSlice(ctx: Context, importId: number): Promise<((tx: Tx) => void) | void> {
  const csv = csvImport(ctx.db, importId);
  if (!csv) return;
  if (csv.state !== "running") {
    const isMore = tidySlice(ctx, importId);
    return isMore ? (tx) => continueImport(ctx, tx, importId, 0) : undefined;
  }
  const rows = dueRows(ctx, importId);
  const limited = contextWithin(ctx, { ...BUDGET });
  const found = await Promise.all(rows.map(({ cells }) => findSubject(limited, csv, cells)));
  for (const [at, row] of rows.entries()) {
    settleRow(ctx, csv, row, found[at]!);
    await pause();
  }
  const due = nextDue(ctx.db, importId);
  if (due === null) finishSlice(ctx, csv);
  return (tx) => continueImport(ctx, tx, importId, due ?? 0);
}

function continueImport(ctx: Context, tx: Tx, importId: number, due: number): void {
  const runAt = Math.max(ctx.clock.now() + PAUSE, due);
  enqueue(ctx, tx, "import.csv", { importId }, { key: keyOf(importId), runAt });
}

async function findSubject(
  ctx: Context,
  { kind, account_id: accountId }: CsvImport,
  cells: readonly string[],
): Promise<Found> {
  try {
    const subject = subjectOf(ctx, kind, cells);
    const id = knownSubject(ctx, accountId, subject);
    return id !== null || subject.type === "other" ? { id } : await fetchSubject(ctx, subject);
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
}

async function fetchSubject(ctx: Context, subject: Exclude<Subject, { type: "other" }>): Promise<Found> {
  const host = subject.type === "account" ? subject.handle.domain : URL.parse(subject.address)!.host;
  const refusal = subject.type === "account" ? noAccount(subject.address) : noStatus(subject.address);
  if (host === null) return { refusal };
  if (isRefusedHost(ctx, host)) {
    return { refusal: new Refusal("invalid", `This server exchanges nothing with ${host}.`) };
  }
  const unresponsive = new Refusal(
    "unavailable",
    `The server of ${subject.address} does not respond: try again later.`,
  );
  const address = new URL(`${ctx.config.allowPrivateAddresses ? "http" : "https"}://${host}`);
  if (mustWait(ctx, address)) return { unresponsive, isAttempt: false };
  const found =
    subject.type === "account"
      ? await accountOrProblem(ctx, { username: subject.handle.username, domain: host })
      : await statusOrProblem(ctx, subject.address);
  if (typeof found === "number") return { id: found };
  // The limits of background fetches refuse requests to a server that has just failed.
  if (found === "unavailable") return { unresponsive, isAttempt: true };
  return found === "refused" && mustWait(ctx, address) ? { unresponsive, isAttempt: false } : { refusal };
}
