import { join } from "node:path";
import type { Running } from "../support/program.ts";
import type { Load, Measured } from "./load.ts";
import { processorTime } from "./machine.ts";

/** One thing that is asked of the server. */
export interface Question {
  name: string;
  method: "GET" | "POST";
  path: string;
  /** JSON, for a POST. */
  body?: string;
  /** None for a stranger. */
  token?: string;
}

export interface Pace {
  warmUpSeconds: number;
  seconds: number;
}

export interface Answer extends Measured {
  name: string;
  /** Of the body, in bytes. */
  size: number;
  /** Milliseconds of processor for one answer. */
  processor: number;
  /** The same bytes from a bare `Bun.serve`. */
  bare: Measured;
}

const CONNECTIONS = 16;

/** Asks the server, and right after it a bare one that says the same. `folder` takes the answer in between. */
export async function compare(server: Running, question: Question, pace: Pace, folder: string): Promise<Answer> {
  const [file, type] = await capture(server, question, folder);
  const load = { requests: [onTheWire(question)], connections: CONNECTIONS, ...pace };
  const before = processorTime(server.pid);
  const measured = await putLoad(server.origin, load);
  const processor = (processorTime(server.pid) - before) / measured.answered;
  const bare = await withBare(file, type, (origin) => putLoad(origin, load));
  return { name: question.name, ...measured, size: Bun.file(file).size, processor, bare };
}

/** Milliseconds that one page takes, one after the other: the median of all that fit into the time. */
export async function pageTime(server: Running, questions: Question[], seconds: number): Promise<number> {
  const load = { requests: questions.map(onTheWire), connections: 1, warmUpSeconds: seconds / 2, seconds };
  return (await putLoad(server.origin, load)).p50;
}

/** What the server says, as JSON. */
export async function answerTo(server: Running, question: Question): Promise<unknown> {
  return (await ask(server, question)).json();
}

async function ask(server: Running, { method, path, body, token }: Question): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  const response = await fetch(server.origin + path, { method, headers, body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function capture(server: Running, question: Question, folder: string) {
  const response = await ask(server, question);
  const file = join(folder, "answer");
  await Bun.write(file, await response.bytes());
  return [file, response.headers.get("content-type") ?? ""] as const;
}

function onTheWire({ method, path, body = "", token }: Question): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept: */*"];
  if (token) lines.push(`Authorization: Bearer ${token}`);
  // "NUMBERS" is sent as eight digits.
  const length = Buffer.byteLength(body) + (body.includes("NUMBERS") ? 1 : 0);
  if (body) lines.push("Content-Type: application/json", `Content-Length: ${length}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

async function putLoad(origin: string, load: Omit<Load, "port">): Promise<Measured> {
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

/** Lets a bare server say the bytes of a file for as long as the work takes. */
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
