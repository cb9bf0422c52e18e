/*
 * `bun run test`: all tests, or those that the arguments name, and a last line that can be read at a glance and by a
 * program: "N passed, N failed". Ends with the exit code of the run.
 *
 * Tests of the program as a process wait for it most of the time, so they run beside the others: two cores are enough.
 */
import { readdirSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const WAITING = ["test/cli", "test/e2e"];

const given = process.argv.slice(2);
const wanted = given.length > 0 ? given : everything();
const isTogether = wanted.some((argument) => argument.startsWith("-"));
const groups = isTogether
  ? [wanted]
  : [true, false]
      .map((waiting) => wanted.filter((path) => WAITING.some((folder) => path.includes(folder)) === waiting))
      .filter((group) => group.length > 0);

const outcomes = await Promise.all(groups.map(run));
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
console.log(`${sum(outcomes.map(({ passed }) => passed))} passed, ${sum(outcomes.map(({ failed }) => failed))} failed`);
process.exitCode = outcomes.find(({ code }) => code !== 0)?.code ?? 0;

function everything(): string[] {
  return readdirSync("test", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(".test.ts"))
    .map(({ name }) => `test/${name}`)
    .filter((path) => path.endsWith(".ts") || readdirSync(path).some((name) => name.endsWith(".test.ts")));
}

async function run(args: string[]) {
  const { isTTY } = process.stderr;
  const child = Bun.spawn([process.execPath, "test", ...args], {
    stdin: "ignore",
    stdout: "inherit",
    // Through us, for the figures at its end; so it doesn't see that a person is looking.
    stderr: "pipe",
    env: { ...process.env, ...(isTTY && { FORCE_COLOR: "1" }) },
  });
  let end = "";
  let line = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    const text = line + decoder.decode(chunk, { stream: true });
    // By whole lines, as two may speak at once.
    const cut = text.lastIndexOf("\n") + 1;
    process.stderr.write(text.slice(0, cut));
    line = text.slice(cut);
    end = (end + text.slice(0, cut)).slice(-2000);
  }
  process.stderr.write(line);
  const code = await child.exited;
  const summary = stripVTControlCharacters(end + line);
  const figure = (word: string) => Number(summary.match(new RegExp(`^ *(\\d+) ${word}$`, "m"))?.[1] ?? 0);
  // A run that failed without a test to blame, because it crashed or found none, counts as one that failed.
  return { code, passed: figure("pass"), failed: Math.max(figure("fail"), code === 0 ? 0 : 1) };
}
