import { cpSync } from "node:fs";
import type { Command, Running } from "../support/program.ts";
import { createDataFolder, serve } from "./data-folder.ts";
import { type BenchRequest, type Pace, processorEach } from "./measure.ts";

/** Each measurement is the median of this many turns of both versions. */
const TURNS = 8;

/**
 * Compares two versions of the program by the CPU time of their responses. Both run at the same time and are measured
 * in turns, because the speed of the machine varies by more than most changes do. Returns a row for each request: its
 * name, milliseconds of the older and of the newer version, and their ratio.
 */
export async function sideBySide(
  [older, newer]: [Command, Command],
  folder: string,
  count: number,
  requestsOf: (token: string) => BenchRequest[],
  pace: Pace,
): Promise<string[][]> {
  // The older version creates the folder: the newer one migrates its copy.
  const data = await createDataFolder(older, folder, count);
  const copy = { ...data, folder: `${folder}-copy` };
  cpSync(folder, copy.folder, { recursive: true });
  const servers = [await serve(older, data), await serve(newer, copy)] as const;
  const rows: string[][] = [];
  for (const request of requestsOf(data.token))
    rows.push([request.name, ...(await compareOne(servers, request, pace))]);
  for (const server of servers) await server.stop();
  return rows;
}

async function compareOne(servers: readonly [Running, Running], request: BenchRequest, pace: Pace): Promise<string[]> {
  for (const server of servers) await processorEach(server, request, pace.warmUpSeconds);
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[which].push(await processorEach(servers[which], request, pace.seconds / 2));
    }
  }
  const [before, after] = times.map(median) as [number, number];
  return [before.toFixed(4), after.toFixed(4), (after / before).toFixed(2)];
}

function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return (sorted[(TURNS >> 1) - 1]! + sorted[TURNS >> 1]!) / 2;
}
