/*
 * The first half of `bun run start`: installs the runtime packages, without the development ones. Packages that are
 * already installed stay.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Compressed size, for Linux on x64, as of version 0.1.0. */
const DOWNLOAD = "18 MB";

/** The peer packages are types and TypeScript, which are not needed at run time. */
const INSTALL = ["install", "--production", "--omit=peer", "--frozen-lockfile"];

/** Whether node_modules has every package in package.json's `dependencies`, in exactly that version. */
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
  // Runs even if all are installed, since their own dependencies may have changed. It takes a few milliseconds.
  const { exitCode } = Bun.spawnSync([process.execPath, ...INSTALL], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (exitCode !== 0) {
    console.error("The packages could not be installed. Is registry.npmjs.org within reach? Then try again.");
    process.exit(1);
  }
}
