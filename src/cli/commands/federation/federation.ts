import { showProgress } from "../../../api/statuses/deliveries.ts";
import type { Context } from "../../../context.ts";
import { localStatusNamed } from "../../../core/addresses.ts";
import { resyncFollows } from "../../../federation/local-followers.ts";
import { listSentFollows, type SentFollow } from "../../../core/people/sent-follows.ts";
import { Refusal } from "../../../errors.ts";
import {
  allWaitingServers,
  type Progress,
  progressOf,
  type WaitingServer,
} from "../../../federation/delivery/progress.ts";
import { counted } from "../../backup/progress.ts";
import { argument, command, flag, optionalArgument } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { userNamed } from "../../users.ts";
import { iso, list, minute, printJson, tableOf } from "../../list.ts";

export const commands = {
  "federation status": command({
    summary: "Shows what waits for other servers, or which of them have a post",
    details: `With a post, it shows how many servers accepted the post and its latest edit, and which ones still wait or refused it.
A server that doesn't respond is tried for seven days. Refusals are listed for 30 days, then only counted.`,
    args: { post: optionalArgument("the address or id of a post of this server") },
    options: { json: flag("prints JSON, for a post as the API does") },
    run: ({ post }, { json }) =>
      withData((ctx) => (post === undefined ? printWaiting(ctx, json) : printPost(ctx, post, json))),
  }),
  "federation resync": command({
    summary: "Repairs the follows of a user after a backup was restored",
    details: `Sends all follows of the user to the other servers again, and has the servers of the user's followers compare their
lists with this one's. A running Linnet begins within a second, otherwise at its next start. Followers that are unknown
here are not restored: they have to follow again, or their server resends their follows.`,
    args: { name: argument("the name of a user of this server") },
    run: async ({ name }) => {
      const { follows, followers } = await withData((ctx) => resyncFollows(ctx, userNamed(ctx, name).account_id));
      const [sent, compared] = [
        `${counted(follows, "follow")} ${follows === 1 ? "is" : "are"}`,
        counted(followers, "follower"),
      ];
      console.log(`${sent} sent again, and the servers of ${compared} compare their lists.`);
    },
  }),
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

const WAITING_COLUMNS = {
  SINCE: ({ since }: WaitingServer) => minute(since),
  "NEXT ATTEMPT": ({ nextAttemptAt }: WaitingServer) => minute(nextAttemptAt),
  "LAST RESPONSE": ({ lastResponse }: WaitingServer) => lastResponse ?? "-",
};

function printWaiting({ db }: Context, json: boolean): void {
  const servers = allWaitingServers(db);
  if (json) printJson(servers.map(waitingJson));
  else if (servers.length === 0) console.log("Nothing waits for other servers.");
  else {
    const columns = {
      HOST: ({ host }: WaitingServer) => host,
      WAITING: ({ deliveries }: WaitingServer) => deliveries,
      ...WAITING_COLUMNS,
    };
    console.log(tableOf(servers, columns).join("\n"));
  }
}

function waitingJson({ host, deliveries, since, lastResponse, nextAttemptAt }: WaitingServer) {
  return {
    domain: host,
    waiting: deliveries,
    since: iso(since),
    last_response: lastResponse,
    next_attempt_at: iso(nextAttemptAt),
  };
}

function printPost(ctx: Context, post: string, json: boolean): void {
  const statusId = localStatusNamed(ctx, post);
  if (statusId === null)
    throw new Refusal("not_found", `"${post}" is no post of this server. Use the address of its page, or its id.`);
  const progress = progressOf(ctx.db, statusId);
  if (json) return printJson(showProgress(progress));
  const { published, edited } = progress;
  if (!published && !edited) return console.log("No delivery of this post to another server is known.");
  if (published) console.log(versionLines("Delivered to", published).join("\n"));
  if (edited) console.log(versionLines("Latest edit: delivered to", edited).join("\n"));
}

function versionLines(begin: string, { accepted, waiting, refused, refusing }: Progress): string[] {
  const servers = counted(accepted, "server");
  const others = [waiting.length > 0 && `${waiting.length} waiting`, refused > 0 && `${refused} refused`];
  const line = `${[`${begin} ${servers}`, ...others].filter(Boolean).join(", ")}.`;
  const late = tableOf(waiting, { "WAITING HOST": ({ host }) => host, ...WAITING_COLUMNS });
  const final = tableOf(refusing, {
    "REFUSING HOST": ({ host }) => host,
    AT: ({ at }) => minute(at),
    RESPONSE: ({ response }) => response,
  });
  return [line, ...(waiting.length > 0 ? late : []), ...(refusing.length > 0 ? final : [])];
}
