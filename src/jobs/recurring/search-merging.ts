import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";

/** The argument with which the executable runs `search-merge-program.ts` instead of a command. */
export const MERGE_PROCESS = "merge-process";

/** In a database of this size, in bytes, the commonest word takes about 30 ms. */
const LARGE = 100_000_000;

/**
 * Whether merging the search index could block the thread for long: FTS5 rewrites all entries of a word at once, which takes
 * 0.4 s for a word in a million statuses.
 */
export function isMergingSlow(db: Reads): boolean {
  const { bytes } = db.get<{ bytes: number }>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  )!;
  return bytes > LARGE;
}

/**
 * Rewrites those parts of the search index in which many statuses were deleted, in another process. This process can read
 * all the time, and its writes wait for a slice without blocking it.
 *
 * @throws Error if the process fails, or ends because the server stops
 */
export async function mergeElsewhere(ctx: Context): Promise<void> {
  const program = join(import.meta.dir, "search-merge-program.ts");
  const child = Bun.spawn([process.execPath, existsSync(program) ? program : MERGE_PROCESS, ctx.db.raw.filename], {
    stdio: ["ignore", "ignore", "inherit"],
    signal: ctx.stopping.signal,
    killSignal: "SIGKILL",
  });
  const code = await child.exited;
  if (code !== 0) throw new Error(`the process that merges the search index ended with ${child.signalCode ?? code}`);
}
