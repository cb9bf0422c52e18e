import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Command } from "../../support/program.ts";
import { serve } from "../data-folder.ts";
import { memory } from "../machine.ts";
import { CLOSED_NETWORK, type Neighbourhood } from "./accounts.ts";
import type { Posts } from "./activities.ts";
import { post } from "./deliveries.ts";
import { emptied, sendOnce } from "./intake.ts";
import type { Row } from "./row.ts";
import type { Sink } from "./sinks.ts";

/** In milliseconds: the collector frees memory in steps, the last of them about twelve seconds after the load. */
const PAUSE = 15_000;
/** Half of the longest queue. */
const AT_ONCE = 5000;
const MOST = { idle: 95, loaded: 170, growth: 5 };

/** Resident memory: idle, after activities in and deliveries out, and after as many again. */
export async function memoryRows(
  command: Command,
  data: Neighbourhood,
  posts: Posts,
  sink: Sink,
  { known, activities }: { known: number; activities: number },
): Promise<Row[]> {
  const server = await serve(command, data, "full", CLOSED_NETWORK);
  await fetch(`${server.origin}/api/v2/instance`);
  const resident = async () => {
    await Bun.sleep(PAUSE);
    return memory(server.pid);
  };
  const idle = await resident();
  const round = async () => {
    for (let left = activities; left > 0; left -= AT_ONCE) {
      await sendOnce(server.origin, server.pid, await posts.requests(Math.min(left, AT_ONCE)));
      await settled(data);
    }
    await post(server, data, sink);
    return resident();
  };
  const first = await round();
  const second = await round();
  await server.stop();
  const count = (n: number) => n.toLocaleString("en");
  const load = `${count(activities)} in and ${count(data.inboxes.length)} out`;
  return [
    row(`memory, idle with ${count(known)} known accounts`, idle, MOST.idle),
    row(`memory after ${load}`, first, MOST.loaded),
    {
      ...row("memory after the same again", second, first + MOST.growth),
      reference: `${first.toFixed(0)} MB`,
      target: `≤ + ${MOST.growth} MB`,
    },
  ];
}

async function settled({ folder }: Neighbourhood): Promise<void> {
  const db = new Database(join(folder, "linnet.db"), { readonly: true });
  await emptied(db, "incoming_activities", 20);
  db.close();
}

function row(part: string, megabytes: number, most: number): Row {
  return {
    part,
    figure: `${megabytes.toFixed(0)} MB`,
    processor: null,
    reference: "",
    ratio: null,
    target: `≤ ${most} MB`,
    isMet: megabytes <= most,
  };
}
