import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import type { Command } from "../../support/program.ts";
import { serve } from "../data-folder.ts";
import { CLOSED_NETWORK, createNeighbourhood, type Counts } from "./accounts.ts";
import { Posts } from "./activities.ts";
import { homeBeside } from "./beside.ts";
import { deliver } from "./deliveries.ts";
import { Intake, type IntakeScale } from "./intake.ts";
import { memoryRows } from "./memory.ts";
import { besideOlder } from "./older.ts";
import type { Row } from "./row.ts";
import { Sink } from "./sinks.ts";
import { waitingRows } from "./waiting.ts";

interface Scale {
  counts: Counts;
  hosts: number;
  intake: IntakeScale;
  /** Posts to all followers. */
  deliveries: number;
  /** Of a turn of the home timeline. */
  seconds: number;
  /** Activities of a round of the memory measurement. */
  activities: number;
}

const FULL: Scale = {
  counts: { senders: 500, keys: 100, known: 5000 },
  hosts: 1000,
  intake: { turns: 5, activities: 1500, seconds: 2, warmUpSeconds: 25 },
  deliveries: 5,
  seconds: 4,
  activities: 10_000,
};
const QUICK: Scale = {
  counts: { senders: 500, keys: 10, known: 5000 },
  hosts: 200,
  intake: { turns: 2, activities: 500, seconds: 0.5, warmUpSeconds: 1 },
  deliveries: 2,
  seconds: 0.5,
  activities: 1000,
};

interface Options {
  isQuick: boolean;
  /** An older executable, to compare the size and the start with. */
  older: string | null;
  report(what: string): void;
}

/** Measures every part of federation beside its reference. */
export async function measureFederation(command: Command, root: string, options: Options): Promise<Row[]> {
  const { isQuick, older, report } = options;
  const scale = isQuick ? QUICK : FULL;
  const sink = await Sink.start(scale.hosts);
  try {
    report("Writing accounts of other servers");
    const folder = join(root, "federation");
    mkdirSync(folder);
    const data = await createNeighbourhood(command, folder, scale.counts, sink.ports);
    const posts = new Posts(data.senders, sink.ports[0]!);
    report("Measuring memory");
    const sizes = { known: scale.counts.known, activities: scale.activities };
    const memory = await memoryRows(command, data, posts, sink, sizes);
    const server = await serve(command, data, "full", CLOSED_NETWORK);
    const intake = await Intake.open(server, data, posts, sink, scale.intake);
    const rows: Row[] = [];
    report("Receiving activities");
    const [processed, size] = await intake.processed();
    rows.push(await intake.accepted(), processed, await intake.discarded());
    await intake.close();
    report("Delivering posts");
    rows.push(await deliver(server, data, sink, scale.deliveries));
    await server.stop();
    report("Requesting the home timeline while activities arrive");
    rows.push(...(await homeBeside(data, posts, scale.seconds)));
    report("Running jobs beside waiting deliveries");
    rows.push(...(await waitingRows(root)), size, ...memory);
    if (older !== null) {
      report(`Comparing with ${older}`);
      rows.push(...(await besideOlder(older, command[0]!, root)));
    }
    return rows;
  } finally {
    await sink.stop();
  }
}

/** The load of the machine in the last minute: in a shared one, rates say less than ratios. */
export function loadAverage(): string {
  return loadavg()[0]!.toFixed(1);
}
