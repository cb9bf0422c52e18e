import { readdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { compile } from "../../src/build/compile.ts";
import { ROOT, type Command } from "./program.ts";

/** What the executable is made of. */
const SOURCES = ["src", "assets", "migrations", "package.json", "bun.lock"];

/**
 * The executable as it is handed to people: the one that TEST_BINARY names, or dist/linnet, which is built when it is
 * missing or older than its source.
 */
export async function binary(): Promise<Command> {
  return [process.env.TEST_BINARY ?? (await built("src/main.ts", join(ROOT, "dist", "linnet")))];
}

/** Builds `outfile` like the product unless it is there and up to date. `entry` is a path in the repository. */
export async function built(entry: string, outfile: string): Promise<string> {
  const begin = new Date();
  const newest = Math.max(...[...SOURCES, dirname(entry)].map((source) => changedAt(join(ROOT, source))));
  const since = statSync(outfile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (since > newest) return outfile;
  // Under another name first: another run of the tests may start or build the same one right now.
  const fresh = `${outfile}.${process.pid}`;
  await compile(join(ROOT, entry), fresh);
  // What was changed meanwhile may not be in it.
  utimesSync(fresh, begin, begin);
  renameSync(fresh, outfile);
  return outfile;
}

/** When the file, or the newest file in the folder, was changed. */
function changedAt(path: string): number {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
