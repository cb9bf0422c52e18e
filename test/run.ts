/*
 * `bun run test`: runs all tests, or those named by the arguments. The output ends with the slowest tests, the reasons
 * for skipped tests and, as its last line, "N passed, N failed", which programs can read. The exit code is that of the
 * run.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { slowestTests } from "./support/slowest.ts";
import { SKIPPED } from "./support/tools.ts";

/** Each process that runs tests starts others: servers, browsers, ffmpeg. More of them would only wait for memory. */
const MAX_PROCESSES = 4;
const SLOWEST = 10;
/** In seconds. Faster tests are never listed as slow. */
const SLOW = 0.1;

const { isTTY } = process.stderr;
const folder = mkdtempSync(join(tmpdir(), "linnet-run-"));
const report = join(folder, "report.xml");
const run = Bun.spawn(
  [
    process.execPath,
    "test",
    `--parallel=${Math.min(availableParallelism(), MAX_PROCESSES)}`,
    // The files that a process runs share its modules: loading them again for each would take as long as the tests.
    "--no-isolate",
    // Whether a test hangs, not whether the machine is busy.
    "--timeout=30000",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...process.argv.slice(2),
  ],
  {
    stdin: "ignore",
    stdout: "inherit",
    // Piped, because the end repeats parts of it. Without a terminal, the run needs FORCE_COLOR.
    stderr: "pipe",
    env: { ...process.env, ...(isTTY && { FORCE_COLOR: "1" }) },
  },
);

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
const timed = existsSync(report) ? slowestTests(readFileSync(report, "utf8"), SLOWEST) : [];
const slowest = timed.filter(({ seconds }) => seconds >= SLOW);
rmSync(folder, { recursive: true });
if (slowest.length > 0) console.log("\nThe slowest tests:");
for (const { seconds, file, title } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${file}: ${title}`);
for (const reason of reasons) console.log(reason);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code;

function figure(word: string): number {
  return Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, "m"))?.[1] ?? 0);
}
