import { listSentFollows, type SentFollow } from "../../../core/people/sent-follows.ts";
import { withData } from "../../data-folder.ts";
import { iso, list, minute } from "../../list.ts";

export const commands = {
  "federation follows": list({
    summary: "Lists the follows that users sent to other servers, with the responses",
    details: `Follows without an answer come first, then those of the last 30 days that were answered. A follow that was delivered is
sent again after a day without an answer, three times in total. A locked account may take longer.`,
    find: () => withData(({ db }) => listSentFollows(db)),
    empty: () => "No follow waits for an answer, and none was answered lately.",
    columns: {
      USER: ({ username }) => username,
      ACCOUNT: ({ target }) => target,
      REQUESTED: ({ created_at }) => minute(created_at),
      DELIVERED: ({ delivered_at }) => minute(delivered_at),
      TIMES: ({ deliveries }) => deliveries,
      RESPONSE: responseOf,
    },
    json: ({ username, target, created_at, delivered_at, deliveries, problem, answer, answered_at }) => ({
      username,
      acct: target,
      created_at: iso(created_at),
      delivered_at: iso(delivered_at),
      deliveries,
      problem,
      answer,
      answered_at: iso(answered_at),
    }),
  }),
};

function responseOf({ answer, answered_at, problem, delivered_at }: SentFollow): string {
  if (answer !== null) return `${answer} ${minute(answered_at)}`;
  if (problem !== null) return `not delivered: ${problem}`;
  return delivered_at === null ? "not delivered yet" : "no answer yet";
}
