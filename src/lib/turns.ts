/**
 * Work that is heavy for the machine: one piece after another, and whoever asks for a piece that waits or runs already
 * waits for the same one.
 */
export class Turns {
  private readonly pending = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private last: Promise<void> = Promise.resolve();

  /** Aborted once the server stops: the work is then to be left for another day. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  take(key: number, work: () => Promise<void>): Promise<void> {
    const waiting = this.pending.get(key);
    if (waiting) return waiting;
    const turn = this.last.then(work).finally(() => this.pending.delete(key));
    this.pending.set(key, turn);
    this.last = turn.catch(() => {});
    return turn;
  }

  stop(): void {
    this.stopping.abort();
  }
}
