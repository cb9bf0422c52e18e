/**
 * The decisions of one evaluation. The source says `isAll ? A : B`; the evaluation asks `choose()` which, and is
 * repeated until every combination has been chosen.
 */
export class Choices {
  private readonly chosen = new Map<string, { at: number; of: number }>();

  /** The same key gets the same option within one evaluation. */
  choose<Option>(key: string, options: readonly Option[]): Option {
    const choice = this.chosen.get(key) ?? { at: 0, of: options.length };
    this.chosen.set(key, choice);
    return options[choice.at]!;
  }

  /** Proceeds to the next combination; false after the last one. */
  advance(): boolean {
    for (const [key, choice] of [...this.chosen].toReversed()) {
      choice.at += 1;
      if (choice.at < choice.of) return true;
      this.chosen.delete(key);
    }
    return false;
  }
}

/** The results of an evaluation for every combination of choices. */
export async function everyWay<Result>(evaluate: (choices: Choices) => Promise<Result>): Promise<Result[]> {
  const choices = new Choices();
  const results: Result[] = [];
  do results.push(await evaluate(choices));
  while (choices.advance());
  return results;
}
