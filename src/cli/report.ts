import type { Context } from "../context.ts";
import { listReports, reopenReport, resolveReport, wholeReport, type NamedReport } from "../core/reports.ts";
import { readArguments } from "./arguments.ts";
import { reportIdOf } from "./moderate.ts";
import { withData } from "./open.ts";
import { quoted } from "./terminal.ts";

/** Nobody reads more at once. */
const MAX_LISTED = 1000;

/** Columns for the names of facts. */
const NAMES = 10;

/** A line a report: id, when, state, category, whom it is about and who made it. */
export async function listReportsCommand(args: string[]): Promise<void> {
  const { values } = readArguments(args, { all: { type: "boolean" } });
  const which = { all: values.all ?? false, limit: MAX_LISTED };
  for (const report of await withData(({ db }) => listReports(db, which))) {
    const { id, category, target, reporter } = report;
    const start = `${String(id).padEnd(6)}${dayOf(report)}  ${stateOf(report).padEnd(10)}${category.padEnd(11)}`;
    console.log(`${start}@${target}, by @${reporter}`);
  }
}

/** Everything that somebody who decides about it needs to know. */
export async function showReportCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["ID"]);
  const id = reportIdOf(words[0]!, "ID");
  const report = await withData(({ db }) => wholeReport(db, id));
  const facts: Record<string, string[]> = {
    About: [`@${report.target}`],
    By: [`@${report.reporter}, ${dayOf(report)}`],
    State: [stateOf(report)],
    Category: [report.category],
    Rule: report.rules,
    Comment: report.comment === "" ? [] : [report.comment],
    Post: report.urls,
  };
  for (const [name, values] of Object.entries(facts)) {
    for (const value of values) console.log(`${name}:`.padEnd(NAMES) + quoted(value, NAMES));
  }
}

export async function resolveReportCommand(args: string[]): Promise<void> {
  const id = await decide(args, (ctx, reportId) => resolveReport(ctx, reportId, null));
  console.log(`Report ${id} is resolved.`);
}

export async function reopenReportCommand(args: string[]): Promise<void> {
  const id = await decide(args, reopenReport);
  console.log(`Report ${id} is open again.`);
}

async function decide(args: string[], verb: (ctx: Context, id: number) => void): Promise<number> {
  const { words } = readArguments(args, {}, ["ID"]);
  const id = reportIdOf(words[0]!, "ID");
  await withData((ctx) => verb(ctx, id));
  return id;
}

function stateOf(report: NamedReport): string {
  return report.action_taken_at === null ? "open" : "resolved";
}

function dayOf(report: NamedReport): string {
  return new Date(report.created_at).toISOString().slice(0, 10);
}
