import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "./support/tools.ts";
import { ROOT } from "./support/program.ts";

// The nested test run is slow on a busy machine.
setDefaultTimeout(60_000);

const on = (platform: NodeJS.Platform, env: Record<string, string>, ...installed: string[]) =>
  findBrowser(platform, env, (path) => installed.includes(path));

describe("Tests of pages", () => {
  test.each<[NodeJS.Platform, Record<string, string>, string]>([
    ["linux", { PATH: "/bin:/opt/tools" }, "/opt/tools/chromium"],
    ["linux", {}, "/usr/bin/google-chrome"],
    ["linux", { PATH: "/bin" }, "/snap/bin/chromium"],
    ["linux", { PATH: "/usr/bin" }, "/usr/bin/microsoft-edge"],
    ["darwin", {}, "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    ["darwin", { HOME: "/Users/a" }, "/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium"],
    ["darwin", {}, "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
    ["win32", { PROGRAMFILES: "C:\\P" }, "C:\\P\\Google\\Chrome\\Application\\chrome.exe"],
    ["win32", { "PROGRAMFILES(X86)": "C:\\P86" }, "C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe"],
    ["win32", { LOCALAPPDATA: "C:\\L" }, "C:\\L\\Chromium\\Application\\chrome.exe"],
  ])("find the browser on %s with %j at %s", (platform, env, path) => {
    expect(on(platform, env, path)).toBe(path);
    expect(on(platform, env)).toBeNull();
  });

  test("use the browser set in LINNET_TEST_BROWSER, or none", () => {
    const env = { LINNET_TEST_BROWSER: "/opt/mine" };
    expect(on("linux", env, "/usr/bin/chromium", "/opt/mine")).toBe("/opt/mine");
    expect(() => on("linux", env, "/usr/bin/chromium")).toThrow("/opt/mine");
    expect(on("linux", { LINNET_TEST_BROWSER: "none" }, "/usr/bin/chromium")).toBeNull();
  });
});

describe("On a machine without a browser and ffmpeg", () => {
  /** Runs a test file that needs both through `bun run test`, and returns its exit code and last lines. */
  async function runTests(env: Record<string, string>): Promise<{ code: number; lines: string[] }> {
    const home = mkdtempSync(join(tmpdir(), "linnet-tools-"));
    try {
      const child = Bun.spawn([process.execPath, "test/run.ts", "test/e2e/browser.test.ts"], {
        cwd: ROOT,
        env: { HOME: home, PATH: home, LINNET_TEST_BROWSER: "none", ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
      });
      const text = await new Response(child.stdout).text();
      return { code: await child.exited, lines: text.trimEnd().split("\n").slice(-3) };
    } finally {
      rmSync(home, { recursive: true });
    }
  }

  test("the run passes, and ends with the reasons for skipped tests", async () => {
    const { code, lines } = await runTests({});
    expect(code).toBe(0);
    expect(lines.slice(0, 2).toSorted()).toEqual([
      expect.stringMatching(/^Skipped: the tests of the pages need Chromium/),
      expect.stringMatching(/^Skipped: the tests of video and sound need ffmpeg/),
    ]);
    expect(lines[2]).toBe("0 passed, 0 failed");
  });

  test("the run fails with CI=true", async () => {
    const { code, lines } = await runTests({ CI: "true" });
    expect([code, lines.at(-1)]).toEqual([1, "0 passed, 1 failed"]);
  });
});
