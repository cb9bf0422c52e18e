/*
 * `bun run test`: all tests, or those that the arguments name. At its end it says why tests were skipped, and in the last
 * line, for programs, too: "N passed, N failed". Ends with the exit code of the run.
 */
import { stripVTControlCharacters } from "node:util";
import { SKIPPED } from "./support/tools.ts";

const { isTTY } = process.stderr;
const run = Bun.spawn([process.execPath, "test", ...process.argv.slice(2)], {
  stdin: "ignore",
  stdout: "inherit",
  // Read here for what is repeated at the end, so the run cannot tell by itself that it writes to a terminal.
  stderr: "pipe",
  env: { ...process.env, ...(isTTY && { FORCE_COLOR: "1" }) },
});

/** The last lines, among them the figures of the run. */
let end = "";
const reasons = new Set<string>();
const decoder = new TextDecoder();
for await (const chunk of run.stderr) {
  process.stderr.write(chunk);
  const lines = (end + decoder.decode(chunk, { stream: true })).split("\n");
  for (const line of lines.slice(0, -1)) if (line.startsWith(SKIPPED)) reasons.add(line);
  end = lines.slice(-30).join("\n");
}
const code = await run.exited;
const summary = stripVTControlCharacters(end);
const passed = figure("pass");
// A run that failed without a test to blame, because it crashed or found none, counts as one that failed.
const failed = Math.max(figure("fail"), code === 0 ? 0 : 1);
for (const reason of reasons) console.log(reason);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code;

function figure(word: string): number {
  return Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, "m"))?.[1] ?? 0);
}
