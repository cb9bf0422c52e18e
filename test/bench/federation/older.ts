import { cpSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../support/program.ts";
import { createDataFolder } from "../data-folder.ts";
import { coldStart } from "../start-up.ts";
import { median, type Row } from "./row.ts";

const TURNS = 5;
const MEGABYTE = 1_000_000;
const MOST = { bytes: 2 * MEGABYTE, start: 10 };

/** The size and the start of an executable, beside those of an older one. */
export async function besideOlder(older: string, newer: string, root: string): Promise<Row[]> {
  const commands: [Command, Command] = [[older], [newer]];
  const folder = join(root, "older");
  mkdirSync(folder);
  const data = await createDataFolder(commands[0], folder, 0);
  const copy = { ...data, folder: join(root, "newer") };
  cpSync(folder, copy.folder, { recursive: true });
  const times: [number[], number[]] = [[], []];
  // In the first turn, the newer version migrates its database.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    for (const at of [0, 1] as const) {
      const time = await coldStart(commands[at], at === 0 ? data : copy, "/health");
      if (turn > 0) times[at].push(time);
    }
  }
  const sizes = [older, newer].map((file) => statSync(file).size) as [number, number];
  const starts = times.map(median) as [number, number];
  return [
    row(
      "size of the executable",
      sizes.map((bytes) => bytes / MEGABYTE) as [number, number],
      "MB",
      MOST.bytes / MEGABYTE,
    ),
    row("first 200 of `/health`", starts, "ms", MOST.start),
  ];
}

function row(part: string, [before, after]: [number, number], unit: string, most: number): Row {
  return {
    part,
    figure: `${after.toFixed(1)} ${unit}`,
    processor: null,
    reference: `${before.toFixed(1)} ${unit}`,
    ratio: after / before,
    target: `≤ + ${most} ${unit}`,
    isMet: after - before <= most,
  };
}
