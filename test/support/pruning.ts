import { expect } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import type { TestServer } from "./server.ts";

const CHAIN = "SELECT 1 FROM jobs WHERE kind = 'remote.prune' AND key = 'remote.prune next'";

/** Advances the clock by some milliseconds, and runs a complete pruning, slice by slice. */
export async function pruneAfter(server: TestServer, later: number): Promise<void> {
  const { ctx, clock } = server;
  clock.advance(later);
  ctx.db.transaction((tx) => schedule(ctx, tx, "remote.prune", clock.now()));
  await server.drain();
  while (ctx.db.get(CHAIN)) {
    clock.advance(1000);
    await server.drain();
  }
  expect(ctx.db.all("SELECT kind, error FROM jobs WHERE error IS NOT NULL")).toEqual([]);
}
