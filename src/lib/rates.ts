export interface Rate {
  limit: number;
  remaining: number;
  /** When the window ends, in milliseconds since 1970. */
  reset: number;
  exceeded: boolean;
}

/** More keys than this in one window must be forged addresses. Then counting starts over. */
const MAX_KEYS = 100_000;

/** Counts calls per key in windows that start at the same time for all keys, so that one `clear()` resets them. */
export class Windows {
  private readonly counts = new Map<string, number>();
  private window = 0;

  constructor(
    private readonly calls: number,
    private readonly seconds: number,
  ) {}

  /** Counts one call. */
  take(key: string, now: number): Rate {
    const rate = this.look(key, now);
    const used = this.calls - rate.remaining + 1;
    if (!rate.exceeded) this.counts.set(key, used);
    return { ...rate, remaining: Math.max(0, this.calls - used), exceeded: used > this.calls };
  }

  /** The remaining calls, without counting one; `exceeded` means that the next call will be refused. */
  look(key: string, now: number): Rate {
    const length = this.seconds * 1000;
    const window = Math.floor(now / length);
    if (window !== this.window || this.counts.size > MAX_KEYS) {
      this.counts.clear();
      this.window = window;
    }
    const remaining = this.calls - (this.counts.get(key) ?? 0);
    return { limit: this.calls, remaining, reset: (window + 1) * length, exceeded: remaining <= 0 };
  }
}

/**
 * Counts calls per key within the last `seconds`. It stores the time of each call, so it is for low limits, which
 * must not allow twice as many calls around the border of two fixed windows.
 */
export class SlidingWindow {
  /** The times of calls by key, oldest first. Keys are in the order of their last call. */
  private readonly times = new Map<string, number[]>();

  constructor(
    private readonly calls: number,
    private readonly seconds: number,
  ) {}

  /** Counts one call, unless the limit is reached. */
  take(key: string, now: number): Rate {
    const rate = this.look(key, now);
    if (rate.exceeded) return rate;
    const times = [...this.recent(key, now), now];
    this.times.delete(key);
    this.times.set(key, times);
    return { ...rate, remaining: rate.remaining - 1, reset: times[0]! + this.length };
  }

  /** The remaining calls, without counting one; `exceeded` means that the next call will be refused. */
  look(key: string, now: number): Rate {
    this.forget(now);
    const times = this.recent(key, now);
    const remaining = Math.max(0, this.calls - times.length);
    return { limit: this.calls, remaining, reset: (times[0] ?? now) + this.length, exceeded: remaining === 0 };
  }

  /** Takes back a call that was counted at `time`. */
  giveBack(key: string, time: number): void {
    const times = this.times.get(key);
    const at = times?.indexOf(time) ?? -1;
    if (at >= 0) times!.splice(at, 1);
  }

  private get length(): number {
    return this.seconds * 1000;
  }

  private recent(key: string, now: number): number[] {
    return (this.times.get(key) ?? []).filter((time) => time > now - this.length);
  }

  private forget(now: number): void {
    if (this.times.size > MAX_KEYS) this.times.clear();
    for (const [key, times] of this.times) {
      if (times.length > 0 && times.at(-1)! > now - this.length) break;
      this.times.delete(key);
    }
  }
}
