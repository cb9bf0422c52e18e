import type { Command } from "../../support/program.ts";
import type { Row } from "../federation/row.ts";
import { catchingUpRows, sendersFor } from "./catching-up.ts";
import { deliveryRows } from "./deliveries.ts";
import { Fetching } from "./fetching.ts";
import { relayRow } from "./relay.ts";
import { requestedRows } from "./requested.ts";
import { storedPostsRows } from "./stored-posts.ts";
import { threadRows } from "./threads.ts";
import { waveRows } from "./waves.ts";

const FULL = {
  warmUp: 3,
  turns: 5,
  catchingUp: { accounts: 300, warmUp: 1, turns: 3, seconds: 2 },
  requested: { count: 50, turns: 3 },
  relaySeconds: 60,
  waves: 10_000,
  deliveries: { posts: 5000, servers: 300, seconds: 1, turns: 5 },
  stored: { few: 10_000, many: 1_000_000, seconds: 2, turns: 5 },
};
const QUICK: typeof FULL = {
  warmUp: 1,
  turns: 2,
  catchingUp: { accounts: 60, warmUp: 1, turns: 2, seconds: 0.5 },
  requested: { count: 20, turns: 2 },
  relaySeconds: 8,
  waves: 1000,
  deliveries: { posts: 1000, servers: 300, seconds: 0.5, turns: 2 },
  stored: { few: 5000, many: 30_000, seconds: 0.5, turns: 2 },
};

/** Groups of rows that can be measured alone. */
export const GROUPS = ["threads", "outboxes", "requested", "relay", "waves", "deliveries", "stored"] as const;
export type Group = (typeof GROUPS)[number];

interface Options {
  isQuick: boolean;
  /** Which rows are measured; none for all. */
  groups: readonly string[];
  report(what: string): void;
}

type Scale = typeof FULL;
type Report = Options["report"];

/** Measures what makes small servers complete, and keeps them small, beside its references. */
export async function measureNeighbourhood(
  command: Command,
  root: string,
  { isQuick, groups, report }: Options,
): Promise<Row[]> {
  const scale = isQuick ? QUICK : FULL;
  const isWanted = (...names: Group[]) => groups.length === 0 || names.some((name) => groups.includes(name));
  const rows: Row[] = [];
  if (isWanted("threads", "outboxes", "requested", "relay"))
    rows.push(...(await fetchingRows(command, root, scale, isWanted, report)));
  if (isWanted("waves")) {
    report("Receiving many activities at once");
    rows.push(...(await waveRows(command, root, scale.waves)));
  }
  if (isWanted("deliveries")) {
    report("Requesting the deliveries of a post");
    rows.push(...(await deliveryRows(command, root, scale.deliveries)));
  }
  if (isWanted("stored")) {
    report(`Writing and pruning ${scale.stored.many.toLocaleString("en")} posts`);
    rows.push(...(await storedPostsRows(command, root, scale.stored)));
  }
  return rows;
}

/** The rows of one server that fetches from others. */
async function fetchingRows(
  command: Command,
  root: string,
  scale: Scale,
  isWanted: (...names: Group[]) => boolean,
  report: Report,
): Promise<Row[]> {
  const rows: Row[] = [];
  const fetching = await Fetching.start(command, root, sendersFor(scale.catchingUp));
  if (isWanted("threads")) {
    report("Fetching threads");
    rows.push(...(await threadRows(fetching, scale.warmUp, scale.turns)));
  }
  if (isWanted("outboxes")) {
    report("Catching up");
    rows.push(...(await catchingUpRows(fetching, scale.catchingUp)));
  }
  if (isWanted("requested")) {
    report("Requesting threads and profiles that are fetched");
    rows.push(...(await requestedRows(fetching, scale.requested.count, scale.requested.turns)));
  }
  if (isWanted("relay")) {
    report("Receiving posts of a relay");
    rows.push(await relayRow(fetching, scale.relaySeconds));
  }
  await fetching.stop();
  return rows;
}
