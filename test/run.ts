/*
 * `bun run test`: runs all tests, or those named by the arguments. The output ends with the reasons for skipped tests
 * and, as its last line, "N passed, N failed", which programs can read. The exit code is that of the run.
 */
import { stripVTControlCharacters } from "node:util";
import { SKIPPED } from "./support/tools.ts";

const { isTTY } = process.stderr;
const run = Bun.spawn([process.execPath, "test", ...process.argv.slice(2)], {
  stdin: "ignore",
  stdout: "inherit",
  // Piped, because the end repeats parts of it. Without a terminal, the run needs FORCE_COLOR.
  stderr: "pipe",
  env: { ...process.env, ...(isTTY && { FORCE_COLOR: "1" }) },
});

/** The last lines, which contain the summary. */
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
// A run that crashed or found no tests counts as one failure.
const failed = Math.max(figure("fail"), code === 0 ? 0 : 1);
for (const reason of reasons) console.log(reason);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code;

function figure(word: string): number {
  return Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, "m"))?.[1] ?? 0);
}
