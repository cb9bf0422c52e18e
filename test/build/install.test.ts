import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled } from "../../src/build/install.ts";
import { ROOT } from "../support/program.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-install-"));
  writePackage(".", { dependencies: { a: "1.0.0", "@b/c": "2.0.0" }, devDependencies: { d: "3.0.0" } });
});
afterAll(() => rmSync(folder, { recursive: true }));

function writePackage(path: string, json: object): void {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, "package.json"), JSON.stringify(json));
}

test("the download is announced until every runtime package has its version", () => {
  expect(isInstalled(folder)).toBe(false);
  writePackage("node_modules/a", { version: "1.0.0" });
  writePackage("node_modules/@b/c", { version: "1.9.9" });
  expect(isInstalled(folder)).toBe(false);
  writePackage("node_modules/@b/c", { version: "2.0.0" });
  expect(isInstalled(folder)).toBe(true);
});

test("starting in a development checkout prints nothing and keeps its packages", () => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join(ROOT, "src/build/install.ts")]);
  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([0, "", ""]);
  expect(existsSync(join(ROOT, "node_modules/typescript"))).toBe(true);
});

test("a failed download is reported", () => {
  const root = join(folder, "checkout");
  mkdirSync(join(root, "src/build"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ dependencies: { "fast-check": "4.10.2" } }));
  const copy = join(root, "src/build/install.ts");
  copyFileSync(join(ROOT, "src/build/install.ts"), copy);
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, copy], {
    // Nothing listens on port 9.
    env: { HOME: folder, BUN_INSTALL_CACHE_DIR: join(folder, "cache"), BUN_CONFIG_REGISTRY: "http://127.0.0.1:9/" },
  });
  expect(exitCode).toBe(1);
  expect(stdout.toString()).toStartWith("Downloading the packages that Linnet needs, about ");
  expect(stderr.toString()).toEndWith("Is registry.npmjs.org within reach? Then try again.\n");
});
