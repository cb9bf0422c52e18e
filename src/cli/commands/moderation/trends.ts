import { listTrends, reviewTrend, TREND_KINDS, type Trend } from "../../../core/discovery/trends.ts";
import { command, argument, type Command } from "../../command.ts";
import { list } from "../../list.ts";
import { withData } from "../../data-folder.ts";
import { idFrom, oneOf } from "../../parsers.ts";

export const commands = {
  "trends list": list({
    summary: "Lists trends for review",
    details: "With LINNET_TRENDS=review, users only see approved trends, otherwise all except rejected ones.",
    find: () => withData(listTrends),
    empty: () => "There are no trends.",
    columns: {
      KIND: ({ kind }) => kind,
      ID: ({ subject_id }) => subject_id,
      SCORE: ({ score }) => score.toFixed(2),
      STATE: stateOf,
      TITLE: ({ title }) => title,
    },
    json: (trend) => ({
      kind: trend.kind,
      id: String(trend.subject_id),
      score: trend.score,
      state: stateOf(trend),
      title: trend.title,
    }),
  }),
  "trends approve": review("Allows a hashtag, post or link to trend", true),
  "trends reject": review("Prevents a hashtag, post or link from trending", false),
};

function stateOf({ approved }: Trend): string {
  return approved === null ? "new" : approved ? "approved" : "rejected";
}

function review(summary: string, approved: boolean): Command {
  return command({
    summary,
    args: {
      kind: argument("tag, status or link", oneOf(TREND_KINDS)),
      id: argument('an id from "linnet trends list"', idFrom("trends list")),
    },
    run: async ({ kind, id }) => {
      await withData((ctx) => reviewTrend(ctx, kind, id, approved));
      console.log(`${approved ? "Approved" : "Rejected"} ${kind} ${id}.`);
    },
  });
}
