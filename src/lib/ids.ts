/** 2010-01-01T00:00Z: late enough for ids of 16 digits, early enough for anything the fediverse has written. */
const EPOCH = 1_262_304_000_000;
const PER_MILLISECOND = 4096;

/**
 * Ids are integers that sort by time: milliseconds since 2010 × 4096 + a sequence. They are safe in JavaScript until
 * 2079, and SQLite's row ids, so that the primary key is the timeline's order.
 */
export class Ids {
  private last: number;

  /** `last` is the highest id in use, so that a clock set back never gives one twice. */
  constructor(
    private readonly clock: { now(): number },
    last = 0,
  ) {
    this.last = last;
  }

  next(): number {
    this.last = Math.max(this.last + 1, idAt(this.clock.now()));
    return this.last;
  }
}

/** The lowest id that a moment (milliseconds since 1970) can have. */
export function idAt(time: number): number {
  return Math.max(0, time - EPOCH) * PER_MILLISECOND;
}

/** An id as it came over the wire; null for what can't be one, which is treated as a record that doesn't exist. */
export function parseId(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,19}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** Those of a list that can be ids. */
export function parseIds(texts: readonly string[]): number[] {
  return texts.flatMap((text) => parseId(text) ?? []);
}
