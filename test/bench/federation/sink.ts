import { loopbackAddress } from "./sinks.ts";

/*
 * The other servers: one process that listens on as many ports as the argument says, each a site of its own. It accepts
 * every delivery. Prints the ports; then, for each number in the input, the next deliveries once there are so many.
 */
export interface Delivered {
  /** When the last one arrived, in milliseconds since 1970. */
  at: number;
  /** The body of the first one. */
  body: string;
  /** Requests for actors, keys and the like, since the last line. */
  fetches: number;
}

/** The page behind the links in posts. */
const PAGE = '<!doctype html><title>A story</title><meta property="og:description" content="Three boats come home.">';

let expected = 0;
let deliveries = 0;
let fetches = 0;
let first = "";

function report(): void {
  const delivered: Delivered = { at: performance.timeOrigin + performance.now(), body: first, fetches };
  console.log(JSON.stringify(delivered));
  [expected, deliveries, fetches, first] = [-1, 0, 0, ""];
}

async function receive(request: Request): Promise<Response> {
  const body = await request.text();
  if (deliveries === 0) first = body;
  deliveries += 1;
  if (deliveries === expected) report();
  return new Response(null, { status: 202 });
}

function fetched({ url }: Request): Response {
  if (new URL(url).pathname.startsWith("/story/"))
    return new Response(PAGE, { headers: { "content-type": "text/html" } });
  fetches += 1;
  return new Response(null, { status: 404 });
}

if (import.meta.main) {
  const ports = Array.from(
    { length: Number(process.argv[2]) },
    (_, n) =>
      Bun.serve({
        hostname: loopbackAddress(n),
        port: 0,
        fetch: (request) => (request.method === "POST" ? receive(request) : fetched(request)),
      }).port,
  );
  console.log(JSON.stringify(ports));
  for await (const line of console) {
    expected = Number(line);
    if (deliveries === expected) report();
  }
}
