/*
 * The first half of `bun run start`: installs the packages that running needs, without those for development. Packages
 * that are there already stay, whatever they are for.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Compressed, for Linux on x64, as of version 0.1.0. */
const DOWNLOAD = "18 MB";

/** Peer packages are types and TypeScript, which nothing needs that runs. */
const INSTALL = ["install", "--production", "--omit=peer", "--frozen-lockfile"];

/** Whether each package that package.json names for running is in node_modules, in that version. */
export function isInstalled(root: string): boolean {
  const { dependencies } = readPackage(root)!;
  return Object.entries(dependencies ?? {}).every(
    ([name, version]) => readPackage(join(root, "node_modules", name))?.version === version,
  );
}

function readPackage(folder: string): { version?: string; dependencies?: Record<string, string> } | null {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const root = resolve(import.meta.dir, "../..");
  if (!isInstalled(root)) console.log(`Downloading the packages that Linnet needs, about ${DOWNLOAD} ...`);
  // Even if they are there: packages that they need may have changed. That takes a few milliseconds.
  const { exitCode } = Bun.spawnSync([process.execPath, ...INSTALL], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (exitCode !== 0) {
    console.error("The packages could not be installed. Is registry.npmjs.org within reach? Then try again.");
    process.exit(1);
  }
}
