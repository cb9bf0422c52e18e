import {
  listReports,
  reopenReport,
  resolveReport,
  reportDetails,
  type NamedReport,
} from "../../../core/moderation/reports.ts";
import { command, flag, argument } from "../../command.ts";
import { day, iso, list, show } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { idFrom } from "../../parsers.ts";

/** More than anyone reads at once. */
const MAX_LISTED = 1000;

const ID = argument("", idFrom("report list"));

export const commands = {
  "report list": list({
    summary: "Lists open reports, newest first",
    options: { all: flag("includes resolved reports") },
    find: (_, { all }) => withData(({ db }) => listReports(db, { all, limit: MAX_LISTED })),
    empty: ({ all }) => (all ? "There are no reports." : "There are no open reports."),
    columns: {
      ID: ({ id }) => id,
      DATE: ({ created_at }) => day(created_at),
      STATE: stateOf,
      CATEGORY: ({ category }) => category,
      ABOUT: ({ target }) => `@${target}`,
      BY: reporterOf,
    },
    json: toJson,
  }),
  "report show": show({
    summary: "Shows a report with its comment, rules and posts",
    args: { id: ID },
    find: ({ id }) => withData(({ db }) => reportDetails(db, id)),
    facts: (report) => ({
      About: [`@${report.target}`],
      By: [`${reporterOf(report)}, ${day(report.created_at)}`],
      State: [stateOf(report)],
      Category: [report.category],
      Rule: report.rules,
      Comment: [report.comment],
      Post: report.urls,
    }),
    json: (report) => ({ ...toJson(report), rules: report.rules, urls: report.urls }),
  }),
  "report resolve": command({
    summary: "Closes a report",
    details: "If this server made it because of a flood of mentions, the account is no longer limited.",
    args: { id: ID },
    run: async ({ id }) => {
      await withData((ctx) => resolveReport(ctx, id, null));
      console.log(`Resolved report ${id}.`);
    },
  }),
  "report reopen": command({
    summary: "Reopens a report",
    args: { id: ID },
    run: async ({ id }) => {
      await withData((ctx) => reopenReport(ctx, id));
      console.log(`Reopened report ${id}.`);
    },
  }),
};

function stateOf(report: NamedReport): string {
  return report.action_taken_at === null ? "open" : "resolved";
}

function reporterOf({ reporter }: NamedReport): string {
  return reporter === null ? "this server" : `@${reporter}`;
}

function toJson(report: NamedReport) {
  const { id, created_at, action_taken_at, category, comment, target, reporter } = report;
  return {
    id: String(id),
    created_at: iso(created_at),
    state: stateOf(report),
    action_taken_at: iso(action_taken_at),
    category,
    comment,
    target,
    reporter,
  };
}
