import { AsyncLocalStorage } from "node:async_hooks";
import { configureSync, getConfig } from "@logtape/logtape";
import type { Server, TCPSocketListener } from "bun";
import { freePort } from "./free-port.ts";

/** A request that a peer sent. The status is null if there was no response. */
export interface Exchange {
  method: string;
  url: string;
  status: number | null;
}

/** The only hosts that a peer may reach. Names that end with `.test` belong to this machine. */
const LOCAL = /^(?:127\.0\.0\.1|(?:[\w-]+\.)+test)$/;

const exchanges = new AsyncLocalStorage<Exchange[]>();
const strays: string[] = [];
let peers = 0;
let original = globalThis.fetch;

/**
 * Fedify calls the global `fetch`, so that is replaced while peers run. Requests of other code are not touched. Those of
 * peers go to this machine over plain HTTP, even if Fedify insists on https, as it does for WebFinger.
 */
export function joinNetwork(): void {
  if (peers++ > 0) return;
  const log = getConfig();
  // Otherwise each of Fedify's requests logs a warning that there is none.
  if (log) configureSync({ ...log, contextLocalStorage: new AsyncLocalStorage(), reset: true });
  original = globalThis.fetch;
  globalThis.fetch = Object.assign(send, { preconnect: original.preconnect });
}

/** Fails if any peer tried to reach another machine, even where Fedify ignored the error. */
export function leaveNetwork(): void {
  if (--peers === 0) globalThis.fetch = original;
  const found = strays.splice(0);
  if (found.length > 0) throw new Error(`a peer tried to reach ${found.join(", ")}`);
}

/** Runs code of a peer. Returns its result, and its requests in order. */
export async function observed<Result>(run: () => Promise<Result>): Promise<{ result: Result; sent: Exchange[] }> {
  const sent: Exchange[] = [];
  return { result: await exchanges.run(sent, run), sent };
}

async function send(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const sent = exchanges.getStore();
  if (!sent) return original(input, init);
  const request = new Request(input, init);
  const url = new URL(request.url);
  if (!LOCAL.test(url.hostname)) {
    strays.push(url.href);
    throw new TypeError(`${url.href} is not on this machine`);
  }
  const exchange: Exchange = { method: request.method, url: url.href, status: null };
  sent.push(exchange);
  const headers = new Headers(request.headers);
  headers.set("host", url.host);
  const response = await original(`http://127.0.0.1:${url.port}${url.pathname}${url.search}`, {
    method: request.method,
    headers,
    body: request.body && (await request.arrayBuffer()),
    redirect: "manual",
    signal: request.signal,
  });
  exchange.status = response.status;
  // Without the address of this machine as its URL, the response counts as one from the requested URL.
  return new Response(response.body, response);
}

/** A port of the loopback interface that can be down. */
export class Port {
  readonly number: number;
  /** How many connections were closed because the port was down. */
  refused = 0;
  private server: Server<undefined> | null;
  private closed: TCPSocketListener | null = null;

  constructor(private readonly answer: (request: Request) => Promise<Response>) {
    this.number = freePort();
    this.server = this.listen(this.number);
  }

  /** Closes all connections without a response, and every new one. The port stays ours, so nothing else can take it. */
  async down(): Promise<void> {
    const stopped = this.server?.stop(true);
    this.server = null;
    this.closed ??= Bun.listen({
      hostname: "127.0.0.1",
      port: this.number,
      socket: {
        open: (socket) => {
          this.refused += 1;
          socket.terminate();
        },
        data: () => {},
      },
    });
    await stopped;
  }

  up(): void {
    this.closed?.stop(true);
    this.closed = null;
    this.server ??= this.listen(this.number);
  }

  async stop(): Promise<void> {
    this.closed?.stop(true);
    await this.server?.stop(true);
  }

  private listen(port: number): Server<undefined> {
    return Bun.serve({ hostname: "127.0.0.1", port, fetch: (request) => this.answer(request) });
  }
}
