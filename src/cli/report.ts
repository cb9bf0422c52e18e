import { listReports, reopenReport, resolveReport, wholeReport, type NamedReport } from "../core/reports.ts";
import { command, flag, word } from "./command.ts";
import { withData } from "./open.ts";
import { idFrom } from "./parsers.ts";
import { quoted } from "./terminal.ts";

/** No one reads more at once. */
const MAX_LISTED = 1000;

/** Columns for the names of facts. */
const NAMES = 10;

const ID = word("", idFrom("report list"));

export const commands = {
  "report list": command({
    summary: "Lists open reports, the newest first",
    options: { all: flag("also resolved reports") },
    run: (_, { all }) => listAll(all),
  }),
  "report show": command({
    summary: "Shows a report with its comment, its rules and its posts",
    words: { id: ID },
    run: ({ id }) => show(id),
  }),
  "report resolve": command({
    summary: "Closes a report that needs no further action",
    words: { id: ID },
    run: async ({ id }) => {
      await withData((ctx) => resolveReport(ctx, id, null));
      console.log(`Report ${id} is resolved.`);
    },
  }),
  "report reopen": command({
    summary: "Opens a report again",
    words: { id: ID },
    run: async ({ id }) => {
      await withData((ctx) => reopenReport(ctx, id));
      console.log(`Report ${id} is open again.`);
    },
  }),
};

async function listAll(all: boolean): Promise<void> {
  for (const report of await withData(({ db }) => listReports(db, { all, limit: MAX_LISTED }))) {
    const { id, category, target, reporter } = report;
    const start = `${String(id).padEnd(6)}${dayOf(report)}  ${stateOf(report).padEnd(10)}${category.padEnd(11)}`;
    console.log(`${start}@${target}, by @${reporter}`);
  }
}

/** Prints everything that a decision about the report needs. */
async function show(id: number): Promise<void> {
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

function stateOf(report: NamedReport): string {
  return report.action_taken_at === null ? "open" : "resolved";
}

function dayOf(report: NamedReport): string {
  return new Date(report.created_at).toISOString().slice(0, 10);
}
