/** Lets requests that have come in meanwhile be answered. */
export function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
