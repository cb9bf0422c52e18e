import { listTrends, reviewTrend, TREND_KINDS } from "../core/trends.ts";
import { command, word, type Command } from "./command.ts";
import { withData } from "./open.ts";
import { idFrom, oneOf } from "./parsers.ts";

export const commands = {
  "trends list": command({
    summary: "Lists trends for review",
    details: `With LINNET_TRENDS=review, users see only approved trends; otherwise all but rejected ones.`,
    run: listAll,
  }),
  "trends approve": review("Allows a tag, post or link to trend", true),
  "trends reject": review("Keeps a tag, post or link from trending", false),
};

async function listAll(): Promise<void> {
  for (const { kind, subject_id, score, approved, title } of await withData(listTrends)) {
    const state = approved === null ? "new" : approved ? "approved" : "rejected";
    console.log(
      `${kind.padEnd(8)}${String(subject_id).padEnd(18)}${score.toFixed(2).padStart(8)}  ${state.padEnd(10)}${title}`,
    );
  }
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
