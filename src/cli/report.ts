import type { Context } from "../context.ts";
import { findReport, listReports, reopenReport, resolveReport, type ReportRow } from "../core/reports.ts";
import { readArguments } from "./arguments.ts";
import { reportIdOf } from "./moderate.ts";
import { withData } from "./open.ts";

/** Nobody reads more at once. */
const MAX_LISTED = 1000;

/** A line a report: id, when, state, category, whom it is about and who made it. */
export async function listReportsCommand(args: string[]): Promise<void> {
  const { values } = readArguments(args, { all: { type: "boolean" } });
  await withData((ctx) => {
    for (const report of listReports(ctx.db, { all: values.all ?? false, limit: MAX_LISTED })) {
      const [about, by] = [handleOf(ctx, report.target_account_id), handleOf(ctx, report.account_id)];
      const id = String(report.id).padEnd(6);
      console.log(
        `${id}${dayOf(report.created_at)}  ${stateOf(report).padEnd(10)}${report.category.padEnd(11)}@${about}, by @${by}`,
      );
    }
  });
}

/** Everything that somebody who decides about it needs to know. */
export async function showReportCommand(args: string[]): Promise<void> {
  const { words } = readArguments(args, {}, ["ID"]);
  const id = reportIdOf(words[0]!, "ID");
  await withData((ctx) => {
    const report = findReport(ctx.db, id);
    const facts: [string, string][] = [
      ["About", `@${handleOf(ctx, report.target_account_id)}`],
      ["By", `@${handleOf(ctx, report.account_id)}, ${dayOf(report.created_at)}`],
      ["State", stateOf(report)],
      ["Category", report.category],
      ...rulesOf(ctx, report).map((text): [string, string] => ["Rule", text]),
      ...(report.comment === "" ? [] : [["Comment", report.comment] as [string, string]]),
      ...statusesOf(ctx, report).map((url): [string, string] => ["Post", url]),
    ];
    for (const [name, fact] of facts) console.log(`${`${name}:`.padEnd(10)}${fact}`);
  });
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

function stateOf(report: ReportRow): string {
  return report.action_taken_at === null ? "open" : "resolved";
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function handleOf(ctx: Context, accountId: number): string {
  return ctx.db.get<{ acct: string }>(
    "SELECT username || coalesce('@' || domain, '') AS acct FROM accounts WHERE id = ?",
    accountId,
  )!.acct;
}

function rulesOf(ctx: Context, report: ReportRow): string[] {
  return ctx.db
    .all<{ text: string }>(
      "SELECT text FROM rules WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
      report.rule_ids,
    )
    .map(({ text }) => text);
}

function statusesOf(ctx: Context, report: ReportRow): string[] {
  return ctx.db
    .all<{ url: string }>(
      "SELECT url FROM statuses WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
      report.status_ids,
    )
    .map(({ url }) => url);
}
