import { forgetHost, type HostSize } from "../../../core/moderation/purge.ts";
import { Refusal } from "../../../errors.ts";
import { checkPeer } from "../../../federation/peers/check.ts";
import { knownPeer, listPeers, retryPeer } from "../../../federation/peers/list.ts";
import { parseDomain } from "../../../lib/text/domains.ts";
import { counted } from "../../backup/progress.ts";
import { argument, command } from "../../command.ts";
import { withData } from "../../data-folder.ts";
import { iso, list, minute, oneLine } from "../../list.ts";

export const commands = {
  "peer list": list({
    summary: "Lists the servers with which this one exchanges posts",
    details: `A server is named by the host of its addresses, and forgotten after 90 days without an exchange. The columns:

  SOFTWARE       its name and version, asked for once a week
  LAST RECEIVED  when it last sent something
  LAST REACHED   when it last responded to a delivery, to the hour
  WAITING        deliveries that it has not accepted yet
  DOWN SINCE     it has not responded since then; it is tried again at growing intervals`,
    find: () => withData(({ db }) => listPeers(db)),
    empty: () => "No other server is known.",
    columns: {
      HOST: ({ domain }) => domain,
      SOFTWARE: ({ software }) => software ?? "-",
      "LAST RECEIVED": ({ last_received_at }) => minute(last_received_at),
      "LAST REACHED": ({ last_reached_at }) => minute(last_reached_at),
      WAITING: ({ waiting }) => waiting,
      "DOWN SINCE": ({ down_since }) => minute(down_since),
    },
    json: ({ domain, software, last_received_at, last_reached_at, waiting, down_since }) => ({
      domain,
      software,
      last_received_at: iso(last_received_at),
      last_reached_at: iso(last_reached_at),
      waiting,
      down_since: iso(down_since),
    }),
  }),
  "peer check": command({
    summary: "Checks the connection to a server, and says what to do about each problem",
    details: `Checks a server through one of its accounts. A handle of it makes that possible if no account of it is known here. Each
line begins with OK, PROBLEM or UNKNOWN. Linnet may be running.`,
    args: { target: argument("a host like example.org, or a handle like @name@example.org") },
    run: async ({ target }) => {
      await withData(async (ctx) => {
        for await (const { check, state, text } of checkPeer(ctx, target)) {
          console.log(`${state.padEnd(7)}  ${oneLine(`${check}: ${text}`)}`);
        }
      });
    },
  }),
  "peer retry": command({
    summary: "Delivers what waits for a server now, without waiting for the next attempt",
    details: `Use it when a server is back. A running Linnet begins within a second, otherwise at its next start. If the server still
doesn't respond, the deliveries keep waiting.`,
    args: { host: argument('a host from "linnet peer list"') },
    run: async ({ host: given }) => {
      const host = hostNamed(given);
      const waiting = await withData((ctx) => retryPeer(ctx, host));
      if (waiting === 0) console.log(`Nothing waits for ${host}.`);
      else console.log(`${waiting === 1 ? "1 delivery is" : `${waiting} deliveries are`} due now.`);
    },
  }),
  "peer forget": command({
    summary: "Removes all data of another server: its accounts, posts and media",
    details: `All follows between local users and the server end, and Linnet notifies it once. Local posts stay, without its replies, boosts
and favourites. Accounts that a user blocks or mutes, and those that were reported or moderated, stay as empty rows, so
that they can't shake that off. The server is not blocked: what it sends from then on is received. See
"linnet domain block" for that.`,
    args: { host: argument('a host from "linnet peer list"') },
    confirm: ({ host: given }) =>
      withData(({ db }) => {
        const host = hostNamed(given);
        return `Forget ${host} with ${amountOf(knownPeer(db, host))}?`;
      }),
    run: async ({ host: given }) => {
      const host = hostNamed(given);
      const size = await withData((ctx) => {
        const known = knownPeer(ctx.db, host);
        forgetHost(ctx, host);
        return known;
      });
      console.log(`Forgetting ${host}: a running Linnet removes ${amountOf(size)} now, otherwise at its next start.`);
    },
  }),
};

function amountOf({ accounts, statuses }: HostSize): string {
  return `${counted(accounts, "account")} and ${counted(statuses, "post")}`;
}

function hostNamed(given: string): string {
  const host = parseDomain(given);
  if (host === null) throw new Refusal("invalid", `"${given}" is no host. Write it like example.org.`);
  return host;
}
