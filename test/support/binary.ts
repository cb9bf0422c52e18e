import { readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { compile } from "../../src/build/compile.ts";
import { ROOT, type Command } from "./program.ts";

/** The sources of the executable. */
const SOURCES = ["src", "assets", "migrations", "package.json", "bun.lock"];

/**
 * The executable to test: that of TEST_BINARY, or dist/linnet, which is built if it is missing or older than its
 * source.
 */
export async function binary(): Promise<Command> {
  return [process.env.TEST_BINARY ?? (await built("src/main.ts", join(ROOT, "dist", "linnet")))];
}

/** Builds `outfile` like the product unless it is up to date. `entry` is a path in the repository. */
export async function built(entry: string, outfile: string): Promise<string> {
  const begin = new Date();
  const newest = Math.max(...[...SOURCES, dirname(entry)].map((source) => changedAt(join(ROOT, source))));
  const isCurrent = () => (statSync(outfile, { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest;
  if (isCurrent()) return outfile;
  // Built under another name, because another test run may be starting or building the same executable.
  const fresh = `${outfile}.${process.pid}`;
  await compile(join(ROOT, entry), fresh);
  // The executable counts as old as its build's start, since later changes may not be in it.
  utimesSync(fresh, begin, begin);
  // A server that runs from a replaced executable can't start its media processes.
  if (isCurrent()) rmSync(fresh);
  else renameSync(fresh, outfile);
  return outfile;
}

/** When the file, or the newest file in the folder, was changed. */
function changedAt(path: string): number {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
