/**
 * A serial queue for heavy work. A call with the key of a piece that is queued or running returns the promise of that
 * piece.
 */
export class SerialQueue {
  private readonly pending = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private last: Promise<void> = Promise.resolve();

  /** Aborted when the server stops. The work should then stop, to be resumed after the next start. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  run(key: number, work: () => Promise<void>): Promise<void> {
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
