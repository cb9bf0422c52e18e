/** Yields to the event loop, so that pending requests are handled. */
export function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
