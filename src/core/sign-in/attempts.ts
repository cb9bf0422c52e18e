import type { Context } from "../../context.ts";
import type { Rate } from "../../lib/rates.ts";

export interface Attempt {
  /** The limit that is reached; null if the attempt may go on. */
  refused: Rate | null;
  /** For an attempt that succeeds: only wrong ones count. */
  giveBack(): void;
}

/**
 * Counts an attempt to sign in for each of the keys, unless one has reached its limit. It counts before anything is
 * checked, so that concurrent attempts count too.
 */
export function countAttempt({ rates, clock }: Context, keys: readonly string[]): Attempt {
  if (!rates) return { refused: null, giveBack: () => {} };
  const now = clock.now();
  const refused = keys.map((key) => rates.sign_in.look(key, now)).find(({ exceeded }) => exceeded) ?? null;
  if (!refused) for (const key of keys) rates.sign_in.take(key, now);
  return { refused, giveBack: () => keys.forEach((key) => rates.sign_in.giveBack(key, now)) };
}
