import { readFileSync } from "node:fs";

/** How often it is looked whether npx is still there, in milliseconds. */
const INTERVAL = 250;

/**
 * Calls back when npx, with which this program was started, has ended. Told to stop by SIGTERM, npx ends without telling
 * what it has started, which would go on as nobody's; whoever stops npx means us.
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

/** What started us, `bun run`, stays when npx ends; what started that doesn't. */
function ancestors(): string {
  return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Null where the system doesn't tell in this way. */
function parentOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it is in parentheses, and may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]!;
  } catch {
    return null;
  }
}
