import { join } from "node:path";
import type { Running } from "../support/program.ts";
import type { Load, Measured } from "./load.ts";
import { processorTime } from "./machine.ts";

/** A request to measure. */
export interface BenchRequest {
  name: string;
  method: "GET" | "POST";
  path: string;
  /** JSON, for a POST. */
  body?: string;
  /** Missing for anonymous requests. */
  token?: string;
}

export interface Pace {
  warmUpSeconds: number;
  seconds: number;
}

export interface Comparison extends Measured {
  name: string;
  /** The size of the body in bytes. */
  size: number;
  /** CPU milliseconds per response. */
  processor: number;
  /** A bare `Bun.serve` that returns the same bytes. */
  bare: Measured;
}

const CONNECTIONS = 16;

/** Measures the server, and right after it a bare one with the same response, which is stored in `folder`. */
export async function compare(server: Running, request: BenchRequest, pace: Pace, folder: string): Promise<Comparison> {
  const [file, type] = await capture(server, request, folder);
  const load = { requests: [rawRequest(request)], connections: CONNECTIONS, ...pace };
  const before = processorTime(server.pid);
  const measured = await runLoad(server.origin, load);
  const processor = (processorTime(server.pid) - before) / measured.answered;
  const bare = await withBare(file, type, (origin) => runLoad(origin, load));
  return { name: request.name, ...measured, size: Bun.file(file).size, processor, bare };
}

/** CPU milliseconds of the server per response, in a load of so many seconds. */
export async function processorEach(server: Running, request: BenchRequest, seconds: number): Promise<number> {
  const load = { requests: [rawRequest(request)], connections: CONNECTIONS, warmUpSeconds: 0, seconds };
  const before = processorTime(server.pid);
  const { answered } = await runLoad(server.origin, load);
  return (processorTime(server.pid) - before) / answered;
}

/** Milliseconds per page on one connection: the median of all requests that fit into the time. */
export async function pageTime(server: Running, requests: BenchRequest[], seconds: number): Promise<number> {
  const load = { requests: requests.map(rawRequest), connections: 1, warmUpSeconds: seconds / 2, seconds };
  return (await runLoad(server.origin, load)).p50;
}

/** The JSON of the response. */
export async function responseTo(server: Running, request: BenchRequest): Promise<unknown> {
  return (await ask(server, request)).json();
}

async function ask(server: Running, { method, path, body, token }: BenchRequest): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  const response = await fetch(server.origin + path, { method, headers, body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function capture(server: Running, request: BenchRequest, folder: string) {
  const response = await ask(server, request);
  const file = join(folder, "body");
  await Bun.write(file, await response.bytes());
  return [file, response.headers.get("content-type") ?? ""] as const;
}

export function rawRequest({ method, path, body = "", token }: BenchRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept: */*"];
  if (token) lines.push(`Authorization: Bearer ${token}`);
  // "NUMBERS" is sent as eight digits.
  const length = Buffer.byteLength(body) + (body.includes("NUMBERS") ? 1 : 0);
  if (body) lines.push("Content-Type: application/json", `Content-Length: ${length}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Runs a load in its own process. */
export async function runLoad(origin: string, load: Omit<Load, "port">): Promise<Measured> {
  const port = Number(new URL(origin).port);
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "load.ts")], {
    stdin: Buffer.from(JSON.stringify({ port, ...load } satisfies Load)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("The load failed");
  return JSON.parse(text) as Measured;
}

/** Runs a bare server that returns the contents of a file while the work runs. */
export async function withBare<T>(
  file: string,
  type: string,
  work: (origin: string, pid: number) => Promise<T>,
): Promise<T> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare.ts"), file, type], {
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const { value } = await child.stdout.getReader().read();
    return await work(new TextDecoder().decode(value).trim(), child.pid);
  } finally {
    child.kill();
    await child.exited;
  }
}
