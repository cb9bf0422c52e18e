/** What takes long to find out and may be somewhat old: found out at most once in so many milliseconds. */
export function keptFor<T>(clock: { now(): number }, milliseconds: number, findOut: () => T): () => T {
  let kept: { at: number; value: T } | null = null;
  return () => {
    const now = clock.now();
    if (!kept || now - kept.at >= milliseconds) kept = { at: now, value: findOut() };
    return kept.value;
  };
}
