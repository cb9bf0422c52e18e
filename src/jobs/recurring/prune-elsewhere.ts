import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Reads } from "../../db/open.ts";

/** The argument with which the executable runs `prune-program.ts` instead of a command. */
export const PRUNE_PROCESS = "prune-process";

/** The last argument of that program, as JSON. */
export interface PruneOrder {
  /** The data folder. */
  data: string;
  /** How long posts of other servers are kept. */
  days: number;
  /** Between two slices, in ms. */
  pause: number;
}

/** In bytes. In a database of this size, the slowest slice takes about 30 ms of CPU time. */
const LARGE = 100_000_000;
/** Between two slices, in ms: the server writes meanwhile. Each also empties the caches of the server. */
const PAUSE = 250;

/**
 * Whether a slice of pruning could block the thread for long: its pages are all over the file, for which a slow disk takes half a
 * second, and FTS5 rewrites all entries of a word at once, which takes as long for a word in a million statuses.
 */
export function isPruningSlow(db: Reads): boolean {
  const { bytes } = db.get<{ bytes: number }>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  )!;
  return bytes > LARGE;
}

/**
 * Runs a whole pruning in another process. This one can read all the time, and its writes wait for a slice without
 * blocking it.
 *
 * @param pause between two slices, in ms
 * @throws Error if the process fails, or ends because the server stops
 */
export async function pruneElsewhere(ctx: Context, pause = PAUSE): Promise<void> {
  const program = join(import.meta.dir, "prune-program.ts");
  const { data, remotePostsDays } = ctx.config;
  const order: PruneOrder = { data, days: remotePostsDays, pause };
  const child = Bun.spawn([process.execPath, existsSync(program) ? program : PRUNE_PROCESS, JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "inherit"],
    signal: ctx.stopping.signal,
    killSignal: "SIGKILL",
  });
  const code = await child.exited;
  if (code !== 0) throw new Error(`the process that prunes ended with ${child.signalCode ?? code}`);
}
