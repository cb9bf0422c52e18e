import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./support/program.ts";

// Each test starts another run of the tests.
setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "linnet-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs tests as `bun run test` does. Gives its exit code and what it adds to their output. */
async function run(files: Record<string, string>, ...args: string[]): Promise<{ code: number; lines: string[] }> {
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), `import { describe, expect, test } from "bun:test";\n${text}`);
    return join(folder, name);
  });
  const child = Bun.spawn([process.execPath, "test/run.ts", ...paths, ...args], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const text = await new Response(child.stdout).text();
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line === "The slowest tests:" || /^\d+ passed/.test(line));
  return { code: await child.exited, lines: lines.slice(begin, -1) };
}

/** A test that takes its time. */
const slow = (title: string, milliseconds: number) =>
  `test(${JSON.stringify(title)}, () => Bun.sleepSync(${milliseconds}));`;

test("A run ends with the ten slowest tests and the number of tests", async () => {
  const many = Array.from({ length: 9 }, (_, at) => slow(`number ${at}`, 110)).join("\n");
  const { code, lines } = await run({
    "a.test.ts": `describe("<a> & b", () => { ${slow("c", 1000)} });\n${many}`,
    "b.test.ts": `${slow("d", 500)}\ntest("fast", () => {});\ntest.skip("skipped", () => {});`,
  });
  const [title, first, second, ...others] = lines;
  expect([code, title, others.length]).toEqual([0, "The slowest tests:", 9]);
  expect(first).toMatch(/^ +\d\.\d s {2}.*a\.test\.ts: <a> & b > c$/);
  expect(second).toMatch(/^ +\d\.\d s {2}.*b\.test\.ts: d$/);
  expect(others.filter((line) => /number \d$/.test(line))).toHaveLength(8);
  expect(others.at(-1)).toBe("12 passed, 0 failed");
});

test("A run fails when a test fails, when a file ends its process, and when there is no such test", async () => {
  const passing = `test("passes", () => {});`;
  const failing = { "c.test.ts": `${passing}\ntest("fails", () => { expect(1).toBe(2); });` };
  expect(await run(failing)).toEqual({ code: 1, lines: ["1 passed, 1 failed"] });
  const ending = { "d.test.ts": `test("ends", () => process.exit(3));`, "e.test.ts": passing };
  expect(await run(ending)).toEqual({ code: 1, lines: ["1 passed, 1 failed"] });
  expect(await run({ "e.test.ts": passing }, "-t", "nothing")).toEqual({ code: 1, lines: ["0 passed, 1 failed"] });
});
