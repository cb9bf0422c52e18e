/*
 * Programs that some tests need and that a machine may lack. Tests without their program are skipped, and the end of
 * the run gives the reason. With CI=true a missing program is a failure.
 */
import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";

/** The beginning of the line with the reason for skipped tests, which run.ts repeats at the end. */
export const SKIPPED = "Skipped: ";

/** The path of an ffmpeg that can create and inspect all clips of the tests; null if there is none. */
export function ffmpegOrSkip(): string | null {
  const ffmpeg = Bun.which("ffmpeg");
  const isWhole = ffmpeg !== null && Bun.which("ffprobe") !== null && encodersOf(ffmpeg).includes(" libx264 ");
  return isWhole
    ? ffmpeg
    : skip(
        "the tests of video and sound need ffmpeg (with libx264) and ffprobe in PATH. On Debian: apt install ffmpeg",
      );
}

function encodersOf(ffmpeg: string): string {
  return Bun.spawnSync([ffmpeg, "-hide_banner", "-encoders"]).stdout.toString();
}

/** The path of a browser for the tests of pages; null if there is none. */
export function browserOrSkip(): string | null {
  const browser = findBrowser(process.platform, process.env, (path) => existsSync(path));
  return (
    browser ??
    skip(
      "the tests of the pages need Chromium, Chrome or Edge, and none is in the usual places. " +
        "LINNET_TEST_BROWSER can name another one. On Debian: apt install chromium",
    )
  );
}

function skip(reason: string): null {
  if (process.env.CI === "true") throw new Error(`With CI=true nothing is skipped, but ${reason}`);
  console.error(SKIPPED + reason);
  return null;
}

type Environment = Record<string, string | undefined>;

/**
 * Where Chromium, Chrome or Edge is installed. LINNET_TEST_BROWSER goes first: a path, or `none`.
 * @throws when LINNET_TEST_BROWSER names a file that does not exist.
 */
export function findBrowser(
  platform: NodeJS.Platform,
  env: Environment,
  exists: (path: string) => boolean,
): string | null {
  const chosen = env.LINNET_TEST_BROWSER;
  if (chosen === "none") return null;
  if (chosen) {
    if (exists(chosen)) return chosen;
    throw new Error(`LINNET_TEST_BROWSER is ${chosen}, which does not exist`);
  }
  return browserPaths(platform, env).find(exists) ?? null;
}

const LINUX = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const MAC = ["Chromium", "Google Chrome", "Microsoft Edge"];
const WINDOWS = [
  "Chromium/Application/chrome",
  "Google/Chrome/Application/chrome",
  "Microsoft/Edge/Application/msedge",
];

function browserPaths(platform: NodeJS.Platform, env: Environment): string[] {
  if (platform === "darwin") {
    const folders = ["/Applications", ...(env.HOME ? [posix.join(env.HOME, "Applications")] : [])];
    return MAC.flatMap((name) => folders.map((folder) => `${folder}/${name}.app/Contents/MacOS/${name}`));
  }
  if (platform === "win32") {
    const folders = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].filter((folder) => folder);
    return WINDOWS.flatMap((name) => folders.map((folder) => win32.join(folder!, `${name}.exe`)));
  }
  const folders = [
    ...(env.PATH ?? "").split(":").filter((folder) => folder),
    "/usr/bin",
    "/usr/local/bin",
    "/snap/bin",
  ];
  return LINUX.flatMap((name) => folders.map((folder) => posix.join(folder, name)));
}
