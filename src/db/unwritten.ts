import type { Reads } from "./open.ts";

const STATE = "SELECT total_changes() AS changes, data_version AS version FROM pragma_data_version";
/** What depends on the time may be so many milliseconds old. */
const LONGEST = 60_000;

interface State {
  changes: number;
  version: number;
}

/** Makes a text anew only when something has been written since, by whichever process, or a minute has passed. */
export function whileUnwritten(db: Reads, clock: { now(): number }, make: () => string): () => string {
  let kept: (State & { at: number; text: string }) | null = null;
  return () => {
    const now = clock.now();
    const { changes, version } = db.get<State>(STATE)!;
    const isFresh = kept && kept.changes === changes && kept.version === version && now - kept.at < LONGEST;
    // The text may write something itself, such as keys, so the state is that from before: at worst it is made twice.
    if (!kept || !isFresh) kept = { changes, version, at: now, text: make() };
    return kept.text;
  };
}
