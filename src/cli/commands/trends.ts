import { listTrends, reviewTrend, TREND_KINDS, type Trend } from "../../core/discovery/trends.ts";
import { command, word, type Command } from "../command.ts";
import { list } from "../list.ts";
import { withData } from "../open.ts";
import { idFrom, oneOf } from "../parsers.ts";

export const commands = {
  "trends list": list({
    summary: "Lists trends for review",
    details: `With LINNET_TRENDS=review, users see only approved trends; otherwise all but rejected ones.`,
    find: () => withData(listTrends),
    empty: () => "Nothing trends.",
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
  "trends approve": review("Allows a tag, post or link to trend", true),
  "trends reject": review("Keeps a tag, post or link from trending", false),
};

function stateOf({ approved }: Trend): string {
  return approved === null ? "new" : approved ? "approved" : "rejected";
}

function review(summary: string, approved: boolean): Command {
  return command({
    summary,
    words: { kind: word("tag, status or link", oneOf(TREND_KINDS)), id: word("as listed", idFrom("trends list")) },
    run: async ({ kind, id }) => {
      await withData((ctx) => reviewTrend(ctx, kind, id, approved));
      console.log(`The ${kind} ${id} is ${approved ? "approved" : "rejected"}.`);
    },
  });
}
