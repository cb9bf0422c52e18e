/** 2010-01-01T00:00Z: late enough for ids of 16 digits, and earlier than nearly any post. */
const EPOCH = 1_262_304_000_000;
const PER_MILLISECOND = 4096;
/** 2006-01-01T00:00Z: no post in an archive of Twitter is older. */
const OLDEST = 1_136_073_600_000;
/** Squeezes the time from then to the epoch into the minute after it, so that older posts keep their order. */
const SQUEEZED = 2 ** 22;

/**
 * Generates ids that sort by time: milliseconds since 2010 × 4096 + a sequence or random number. They are safe integers in JavaScript
 * until 2079. They are also SQLite's row ids, so a timeline is in primary key order.
 */
export class Ids {
  private last: number;

  /** `last` is the highest id in use, so that no id repeats after the clock was set back. */
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

  /**
   * A random id of the millisecond `time`, for a row that was created on another server. Never in the future. Times before
   * the epoch share its first minute. The caller has to check that no row has it, and otherwise to ask for another.
   */
  at(time: number): number {
    const [random] = crypto.getRandomValues(new Uint16Array(1));
    // 0 is no id.
    return this.use(Math.max(1, this.firstAt(time) + (random! % PER_MILLISECOND)));
  }

  /** The lowest id that `at()` gives for a time. */
  firstAt(time: number): number {
    const after = time < EPOCH ? EPOCH + Math.max(0, Math.floor((time - OLDEST) / SQUEEZED)) : time;
    return idAt(Math.min(after, this.clock.now()));
  }

  /** Ids of this millisecond that `next()` returns later follow this one. */
  use(id: number): number {
    this.last = Math.max(this.last, id);
    return id;
  }
}

/** The lowest id for a time in milliseconds since 1970. */
export function idAt(time: number): number {
  return Math.max(0, time - EPOCH) * PER_MILLISECOND;
}

/** Parses an id from a request. Null if it is invalid; callers treat that as a record that doesn't exist. */
export function parseId(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,19}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** The valid ids of a list. */
export function parseIds(texts: readonly string[]): number[] {
  return texts.flatMap((text) => parseId(text) ?? []);
}
