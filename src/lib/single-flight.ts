/** Runs work once for callers that want the same thing at the same time. */
export class SingleFlight {
  private readonly running = new Map<string, Promise<unknown>>();

  /** Runs `work`, or waits for the work that runs with the same key. The key names all work with the same type of result. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.running.get(key);
    if (before) return before as Promise<Result>;
    const promise = work().finally(() => this.running.delete(key));
    this.running.set(key, promise);
    return promise;
  }
}
