/** Below the ports that the system hands out by itself (Linux from 32768, macOS and Windows from 49152). */
const FIRST = 15_000;
const COUNT = 17_000;

/** Processes that run tests at the same time begin at different ports. */
let taken = Math.floor(Math.random() * COUNT);

/**
 * A port of the loopback interface that is free, and stays free until the test listens on it: neither `port: 0` nor an
 * outgoing connection of another process can take it meanwhile.
 */
export function freePort(): number {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + (taken++ % COUNT);
    if (isFree(port)) return port;
  }
  throw new Error("No port is free");
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
