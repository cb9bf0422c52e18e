/** Caches the result of a slow function: calls `findOut` at most once per `milliseconds`. */
export function cachedFor<T>(clock: { now(): number }, milliseconds: number, findOut: () => T): () => T {
  let kept: { at: number; value: T } | null = null;
  return () => {
    const now = clock.now();
    if (!kept || now - kept.at >= milliseconds) kept = { at: now, value: findOut() };
    return kept.value;
  };
}
