import type { Reads } from "./open.ts";

const STATE = "SELECT total_changes() AS changes, data_version AS version FROM pragma_data_version";
/** Maximum age of a cached text that depends on the time, in milliseconds. */
const LONGEST = 60_000;

interface State {
  changes: number;
  version: number;
}

/** Caches a text until any process writes to the database, for at most a minute. */
export function cacheUntilWrite(db: Reads, clock: { now(): number }, make: () => string): () => string {
  let kept: (State & { at: number; text: string }) | null = null;
  return () => {
    const now = clock.now();
    const { changes, version } = db.get<State>(STATE)!;
    const isFresh = kept && kept.changes === changes && kept.version === version && now - kept.at < LONGEST;
    // `make` may write to the database, such as keys, so keep the state from before: at worst the text is made twice.
    if (!kept || !isFresh) kept = { changes, version, at: now, text: make() };
    return kept.text;
  };
}
