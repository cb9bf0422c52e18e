import { listTrends, reviewTrend, TREND_KINDS } from "../core/trends.ts";
import { UsageError } from "../errors.ts";
import { parseId } from "../lib/ids.ts";
import { readArguments } from "./arguments.ts";
import { withData } from "./open.ts";

/** A line a trend: kind, id, score, what was decided, and what it is. */
export async function listTrendsCommand(args: string[]): Promise<void> {
  readArguments(args, {});
  for (const { kind, subject_id, score, approved, title } of await withData(listTrends)) {
    const review = approved === null ? "new" : approved ? "approved" : "rejected";
    console.log(
      `${kind.padEnd(8)}${String(subject_id).padEnd(18)}${score.toFixed(2).padStart(8)}  ${review.padEnd(10)}${title}`,
    );
  }
}

export function approveTrendCommand(args: string[]): Promise<void> {
  return review(args, true);
}

export function rejectTrendCommand(args: string[]): Promise<void> {
  return review(args, false);
}

async function review(args: string[], approved: boolean): Promise<void> {
  const { words } = readArguments(args, {}, ["KIND", "ID"]);
  const kind = TREND_KINDS.find((known) => known === words[0]);
  if (!kind) throw new UsageError(`KIND is "${words[0]}", but should be one of ${TREND_KINDS.join(", ")}.`);
  const id = parseId(words[1]);
  if (id === null)
    throw new UsageError(`ID is "${words[1]}", but should be a number, as "linnet trends list" prints it.`);
  await withData((ctx) => reviewTrend(ctx, kind, id, approved));
  console.log(`The ${kind} ${id} is ${approved ? "approved" : "rejected"}.`);
}
