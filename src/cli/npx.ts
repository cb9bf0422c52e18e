import { readFileSync } from "node:fs";

/** Milliseconds between checks whether npx is still running. */
const INTERVAL = 250;

/**
 * Calls back when the npx that started this program has ended. On SIGTERM, npx ends without stopping its child processes,
 * so the server would keep running although the user stopped it.
 */
export function whenNpxEnds(callback: () => void): void {
  const { npm_lifecycle_event: script, npm_config_user_agent: manager } = Bun.env;
  if (script !== "start" || !manager?.startsWith("npm/")) return;
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    callback();
  }, INTERVAL);
  timer.unref();
}

/** The parent (`bun run`) keeps running when npx ends, but then has another parent itself. */
function ancestors(): string {
  return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Null on systems without /proc. */
function parentOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it is in parentheses, and may contain any character.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]!;
  } catch {
    return null;
  }
}
