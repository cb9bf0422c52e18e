import { join } from "node:path";
import { SOURCE } from "../../support/program.ts";
import { serve } from "../data-folder.ts";
import type { Measured } from "../load.ts";
import { rawRequest, runLoad } from "../measure.ts";
import { CLOSED_NETWORK, type Neighbourhood } from "./accounts.ts";
import type { Posts } from "./activities.ts";
import { median, type Row } from "./row.ts";

const PER_SECOND = 100;
const TURNS = 5;
const LONGEST_STALL = 50;

interface Turn extends Measured {
  /** The longest delay of a timer in the server, in ms. */
  stall: number;
}

/**
 * The home timeline, requested again and again over one connection: alone, and while activities arrive. From source,
 * since a timer in the server is part of it.
 */
export async function homeBeside(data: Neighbourhood, posts: Posts, seconds: number): Promise<Row[]> {
  const file = join(data.folder, "stall");
  await Bun.write(file, new Uint8Array(8));
  const longest = new Float64Array(Bun.mmap(file).buffer);
  const [bun, program] = SOURCE as [string, string];
  const command = [bun, "--preload", join(import.meta.dir, "stall-probe.ts"), program];
  const server = await serve(command, data, "full", { ...CLOSED_NETWORK, STALL_FILE: file });
  const request = rawRequest({ name: "", method: "GET", path: "/api/v1/timelines/home", token: data.token });
  const load = { requests: [request], connections: 1, warmUpSeconds: 0, seconds };
  const measure = async (activities: string[]): Promise<Turn> => {
    longest[0] = 0;
    const [measured] = await Promise.all([runLoad(server.origin, load), arrive(server.origin, activities)]);
    return { ...measured, stall: longest[0] };
  };
  const count = Math.round(seconds * PER_SECOND);
  await measure(await posts.requests(count));
  const turns: [Turn, Turn][] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const activities = await posts.requests(count);
    turns.push([await measure([]), await measure(activities)]);
  }
  await server.stop();
  return rowsOf(turns);
}

/** Sends activities at a steady pace. */
async function arrive(origin: string, activities: string[]): Promise<void> {
  const begin = performance.now();
  const sent = activities.map(async (raw, n) => {
    await Bun.sleep(begin + (n * 1000) / PER_SECOND - performance.now());
    const { status } = await fetch(`${origin}/inbox`, initOf(raw));
    if (status !== 202) throw new Error(`An activity was answered with ${status}`);
  });
  await Promise.all(sent);
}

export function initOf(raw: string): RequestInit {
  const end = raw.indexOf("\r\n\r\n");
  const headers = raw.slice(0, end).split("\r\n").slice(1);
  return {
    method: "POST",
    headers: headers.map((header) => header.split(/: (.*)/s).slice(0, 2) as [string, string]),
    body: raw.slice(end + 4),
  };
}

function rowsOf(turns: [Turn, Turn][]): Row[] {
  const row = (name: string, figure: (turn: Turn) => number, most: number): Row => {
    const [alone, beside] = ([0, 1] as const).map((at) => median(turns.map((pair) => figure(pair[at]))));
    const ratio = beside! / alone!;
    return {
      part: `home timeline while ${PER_SECOND} activities/s arrive: ${name}`,
      figure: `${beside!.toFixed(2)} ms`,
      processor: null,
      reference: `${alone!.toFixed(2)} ms`,
      ratio,
      target: `≤ ${most}`,
      isMet: ratio <= most,
    };
  };
  const [alone, stall] = ([0, 1] as const).map((at) => Math.max(...turns.map((pair) => pair[at].stall)));
  return [
    row("median", ({ p50 }) => p50, 1.25),
    row("p99", ({ p99 }) => p99, 2),
    {
      part: "longest stall meanwhile",
      figure: `${stall!.toFixed(1)} ms`,
      processor: null,
      reference: `${alone!.toFixed(1)} ms`,
      ratio: null,
      target: `≤ ${LONGEST_STALL} ms`,
      isMet: stall! <= LONGEST_STALL,
    },
  ];
}
