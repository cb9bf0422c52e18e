export interface Rate {
  limit: number;
  remaining: number;
  /** When the window ends, in milliseconds since 1970. */
  reset: number;
  exceeded: boolean;
}

/** More callers than this within one window are strangers making up addresses: the count begins anew. */
const MAX_KEYS = 100_000;

/** Counts calls per key in windows that begin at the same moment for everyone, so that forgetting is one `clear()`. */
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

  /** What is left without counting; `exceeded` means that the next call will be refused. */
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
