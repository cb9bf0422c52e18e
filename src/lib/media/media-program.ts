/*
 * The program of a process that reads media. It does one task at a time for its parent and ends with it.
 * media-processes.ts starts it.
 */
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { Refusal, UnreadableFile } from "../../errors.ts";
import type { Failure, Reply, Request } from "./media-processes.ts";
import { TASKS } from "./media-tasks.ts";
import { endWithParent } from "../process.ts";

/** The kernel ends this process first when it runs out of memory. */
const MAX_OOM_SCORE = "1000";

process.on("message", async (request: Request) => {
  process.send!(await replyTo(request));
  // After twenty photographs, the bytes of earlier ones would take 20 MB.
  Bun.gc(true);
});
process.on("disconnect", () => process.exit(0));
// Terminals and systemd send these signals to all processes of a server. The parent decides when its tasks end.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
endWithParent();
attempt(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL));
if (process.platform === "linux") attempt(() => writeFileSync("/proc/self/oom_score_adj", MAX_OOM_SCORE));

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // A sandbox may forbid it, and the tasks work without it.
  }
}

async function replyTo({ name, args }: Request): Promise<Reply> {
  // The caller's types guarantee that name and arguments match.
  const task = TASKS[name] as (...args: unknown[]) => unknown;
  try {
    return { value: await task(...args) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

function failureOf(error: unknown): Failure {
  const { message, stack, code } = error as Error & { code?: string };
  if (error instanceof UnreadableFile) return { message, unreadable: error.details };
  if (error instanceof Refusal) return { message, refused: error.kind };
  return { message: message ?? String(error), stack, code };
}
