import type { Context } from "../../context.ts";
import type { Rate } from "../../lib/rates.ts";

export interface Attempt {
  /** The limit that is reached; null if the attempt may go on. */
  refused: Rate | null;
  /** Whether the attempt must fail as a wrong one does, since the limit of the hidden key is reached. */
  mustFail: boolean;
  /** For an attempt that succeeds: only wrong ones count. */
  giveBack(): void;
}

/**
 * Counts an attempt to sign in for each of the keys, unless one has reached its limit. It counts before anything is
 * checked, so that concurrent attempts count too. `hidden` is a key whose limit no response may reveal.
 */
export function countAttempt(
  { rates, clock }: Context,
  keys: readonly string[],
  hidden: string | null = null,
): Attempt {
  if (!rates) return { refused: null, mustFail: false, giveBack: () => {} };
  const now = clock.now();
  const refused = keys.map((key) => rates.sign_in.look(key, now)).find(({ exceeded }) => exceeded) ?? null;
  const mustFail = hidden !== null && rates.sign_in.look(hidden, now).exceeded;
  const counted = hidden === null ? keys : [...keys, hidden];
  if (!refused) for (const key of counted) rates.sign_in.take(key, now);
  return { refused, mustFail, giveBack: () => counted.forEach((key) => rates.sign_in.giveBack(key, now)) };
}
