/*
 * `bun run test`: all tests, or those that the arguments name, and a last line that can be read at a glance and by a
 * program: "N passed, N failed". Ends with the exit code of the run.
 */
import { stripVTControlCharacters } from "node:util";

const { isTTY } = process.stderr;
const run = Bun.spawn([process.execPath, "test", ...process.argv.slice(2)], {
  stdin: "ignore",
  stdout: "inherit",
  // Through us, for the figures at its end; so it doesn't see that a person is looking.
  stderr: "pipe",
  env: { ...process.env, ...(isTTY && { FORCE_COLOR: "1" }) },
});

let end = "";
const decoder = new TextDecoder();
for await (const chunk of run.stderr) {
  process.stderr.write(chunk);
  end = (end + decoder.decode(chunk, { stream: true })).slice(-2000);
}
const code = await run.exited;
const summary = stripVTControlCharacters(end);
const passed = figure("pass");
// A run that failed without a test to blame, because it crashed or found none, counts as one that failed.
const failed = Math.max(figure("fail"), code === 0 ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code;

function figure(word: string): number {
  return Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, "m"))?.[1] ?? 0);
}
