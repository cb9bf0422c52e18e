import { Database } from "bun:sqlite";
import { cpSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../support/program.ts";
import { createDataFolder, type DataFolder, serve } from "../data-folder.ts";
import { median, type Row } from "../federation/row.ts";
import { Child } from "../federation/child.ts";
import { pageTime } from "../measure.ts";
import type { Pruned } from "./pruning.ts";

/** Of the authors, so that four fifths of the posts are from other servers. */
const LOCAL_OF = 6;
const MOST = { home: 1.2, processor: 4, stall: 50 };
const LEAST_SHRINK = 0.4;
const MINUTES_PER_DAY = 24 * 60;
/** The part of the time that posts are kept, so that half of all are old and of no use to the viewer. */
const KEPT = 0.19;
const MEGABYTE = 1_000_000;

interface Scale {
  few: number;
  many: number;
  /** Of a turn of the home timeline. */
  seconds: number;
  turns: number;
}

/** The home timeline in a large database, and pruning half of that. */
export async function storedPostsRows(command: Command, root: string, scale: Scale): Promise<Row[]> {
  const folders: DataFolder[] = [];
  for (const count of [scale.few, scale.many]) {
    const folder = join(root, `stored-${count}`);
    mkdirSync(folder);
    folders.push(await createDataFolder(command, folder, count, LOCAL_OF));
    removeRemoteFiles(folder);
  }
  const [few, many] = folders as [DataFolder, DataFolder];
  return [await homeRow(command, few, many, scale), ...(await pruningRows(root, many, scale.many))];
}

/** Media of other servers have an address instead of a file, and removing them causes no jobs. */
function removeRemoteFiles(folder: string): void {
  const db = new Database(join(folder, "linnet.db"));
  db.run(
    `UPDATE media_attachments SET file = NULL, small = NULL, remote_url = 'https://files.example/' || id || '.jpg'
     WHERE account_id IN (SELECT id FROM accounts WHERE domain IS NOT NULL)`,
  );
  db.close();
}

async function homeRow(command: Command, few: DataFolder, many: DataFolder, scale: Scale): Promise<Row> {
  const servers = [await serve(command, few), await serve(command, many)];
  const times: [number, number][] = [];
  for (let turn = 0; turn <= scale.turns; turn += 1) {
    const pair: number[] = [];
    for (const [at, { token }] of [few, many].entries()) {
      const request = { name: "", method: "GET", path: "/api/v1/timelines/home", token } as const;
      pair.push(await pageTime(servers[at]!, [request], scale.seconds));
    }
    if (turn > 0) times.push(pair as [number, number]);
  }
  for (const server of servers) await server.stop();
  const [small, large] = ([0, 1] as const).map((at) => median(times.map((pair) => pair[at])));
  const remote = countOf(many, "statuses WHERE local = 0").toLocaleString("en");
  return {
    part: `home timeline at ${scale.many.toLocaleString("en")} posts, ${remote} of them remote: median`,
    figure: `${large!.toFixed(3)} ms`,
    processor: null,
    reference: `${small!.toFixed(3)} ms at ${scale.few.toLocaleString("en")}`,
    ratio: large! / small!,
    target: `≤ ${MOST.home}`,
    isMet: large! / small! <= MOST.home,
  };
}

async function pruningRows(root: string, data: DataFolder, count: number): Promise<Row[]> {
  const file = join(data.folder, "linnet.db");
  const copy = join(root, "bare.db");
  cpSync(file, copy);
  const before = statSync(file).size;
  // Otherwise the first slice waits until the disk has the copy.
  Bun.spawnSync(["sync"]);
  const { processor, stall } = await prune(data, Math.round((count / MINUTES_PER_DAY) * KEPT));
  const after = statSync(file).size;
  const child = Child.start("../neighbourhood/bare-deletion.ts", copy, file);
  const bare = await child.hear<number>();
  await child.stop();
  const removed = count - countOf(data, "statuses");
  const ratio = processor / bare;
  const shrunk = 1 - after / before;
  const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(0)} MB`;
  return [
    {
      part: `pruning ${removed.toLocaleString("en")} of ${count.toLocaleString("en")} posts: CPU time`,
      figure: `${(processor / 1000).toFixed(1)} s`,
      processor: processor / removed,
      reference: `${(bare / 1000).toFixed(1)} s, ${(bare / removed).toFixed(3)} ms: one DELETE`,
      ratio,
      target: `≤ ${MOST.processor}`,
      isMet: ratio <= MOST.processor,
    },
    {
      part: "longest stall meanwhile",
      figure: `${stall.toFixed(1)} ms`,
      processor: null,
      reference: "",
      ratio: null,
      target: `≤ ${MOST.stall} ms`,
      isMet: stall <= MOST.stall,
    },
    {
      part: "size of the database after it",
      figure: megabytes(after),
      processor: null,
      reference: megabytes(before),
      ratio: after / before,
      target: `≤ ${1 - LEAST_SHRINK}`,
      isMet: shrunk >= LEAST_SHRINK,
    },
  ];
}

async function prune({ folder }: DataFolder, days: number): Promise<Pruned> {
  const child = Child.start("../neighbourhood/pruning.ts", folder, String(days));
  const pruned = await child.hear<Pruned>();
  await child.stop();
  return pruned;
}

function countOf({ folder }: DataFolder, rows: string): number {
  const db = new Database(join(folder, "linnet.db"), { readonly: true });
  const { count } = db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${rows}`).get()!;
  db.close();
  return count;
}
