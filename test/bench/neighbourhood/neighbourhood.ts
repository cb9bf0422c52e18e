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

interface Options {
  isQuick: boolean;
  report(what: string): void;
}

/** Measures what makes small servers complete, and keeps them small, beside its references. */
export async function measureNeighbourhood(command: Command, root: string, options: Options): Promise<Row[]> {
  const { isQuick, report } = options;
  const scale = isQuick ? QUICK : FULL;
  report("Fetching threads");
  const fetching = await Fetching.start(command, root, sendersFor(scale.catchingUp));
  const rows = await threadRows(fetching, scale.warmUp, scale.turns);
  report("Catching up");
  rows.push(...(await catchingUpRows(fetching, scale.catchingUp)));
  report("Requesting threads and profiles that are fetched");
  rows.push(...(await requestedRows(fetching, scale.requested.count, scale.requested.turns)));
  report("Receiving posts of a relay");
  rows.push(await relayRow(fetching, scale.relaySeconds));
  await fetching.stop();
  report("Receiving many activities at once");
  rows.push(...(await waveRows(command, root, scale.waves)));
  report("Requesting the deliveries of a post");
  rows.push(...(await deliveryRows(command, root, scale.deliveries)));
  report(`Writing and pruning ${scale.stored.many.toLocaleString("en")} posts`);
  rows.push(...(await storedPostsRows(command, root, scale.stored)));
  return rows;
}
