import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSecret } from "../../src/lib/secrets.ts";
import type { Command } from "../support/program.ts";
import type { Delays, StreamPlan } from "./listeners.ts";
import { memory, processorTime } from "./machine.ts";
import { withBare } from "./measure.ts";
import { serve, type DataFolder } from "./data-folder.ts";

/** Idle streams, each with its own token and account; fewer if the system's limit is lower. */
export const IDLE = 10_000;
const LISTENERS = 20;
const POSTS_PER_SECOND = 50;
/** Files besides streams that a process has open. */
const OTHER_FILES = 200;
/** The pause, in milliseconds, for clearing up after connecting. */
const PAUSE = 2000;

export interface Idle {
  streams: number;
  /** Bytes of memory per stream, and those of a bare `Bun.serve` with the same output. */
  bytes: number;
  bareBytes: number;
  /** CPU milliseconds per second while only heartbeats are sent. */
  processor: number;
}

/** Holds idle event streams open, and receives a thousand events per second beside them. */
export async function measureStreams(
  command: Command,
  data: DataFolder,
  pace: { warmUpSeconds: number; seconds: number },
): Promise<[Idle, Delays]> {
  const streams = Math.min(IDLE, openFiles() - OTHER_FILES - LISTENERS);
  const tokens = createListeners(data, streams + LISTENERS);
  const [listeners, idle] = [tokens.slice(0, LISTENERS), tokens.slice(LISTENERS)];
  const server = await serve(command, data);
  await fetch(`${server.origin}/api/v2/instance`);
  const active = { listeners, poster: data.token, postsPerSecond: POSTS_PER_SECOND, ...pace };
  const [bytes, child] = await memoryEach(server.pid, { port: portOf(server.origin), idle, active });
  const before = processorTime(server.pid);
  await Bun.sleep(PAUSE);
  const processor = (processorTime(server.pid) - before) / (PAUSE / 1000);
  const delays = JSON.parse(await child.finish()) as Delays;
  await server.stop();
  return [{ streams, bytes, bareBytes: await bareMemoryEach(data, idle), processor }, delays];
}

async function bareMemoryEach({ folder }: DataFolder, idle: string[]): Promise<number> {
  const greeting = join(folder, "greeting");
  await Bun.write(greeting, ":)\n");
  return withBare(greeting, "text/event-stream", async (origin, pid) => {
    // The first stream loads code and memory that all streams share.
    await (await ListenerProcess.start({ port: portOf(origin), idle: [idle[0]!], active: null })).finish();
    const [bytes, child] = await memoryEach(pid, { port: portOf(origin), idle, active: null });
    await child.finish();
    return bytes;
  });
}

/** Opens the idle streams, and measures the server's memory for each. */
async function memoryEach(pid: number, plan: StreamPlan): Promise<[bytes: number, child: ListenerProcess]> {
  const before = memory(pid);
  const child = await ListenerProcess.start(plan);
  await Bun.sleep(PAUSE);
  return [((memory(pid) - before) * 1024 * 1024) / plan.idle.length, child];
}

/** The process that runs `listeners.ts`. */
class ListenerProcess {
  private constructor(
    private readonly child: Bun.Subprocess<"pipe", "pipe", "inherit">,
    private readonly output: ReadableStreamDefaultReader<Uint8Array>,
  ) {}

  /** Resolves when all idle streams are open. */
  static async start(plan: StreamPlan): Promise<ListenerProcess> {
    const command = [process.execPath, join(import.meta.dir, "listeners.ts")];
    const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    const listening = new ListenerProcess(child, child.stdout.getReader());
    await listening.send(JSON.stringify(plan));
    return listening;
  }

  /** Lets the process receive its events and exit. */
  async finish(): Promise<string> {
    const said = await this.send("go on");
    await this.child.exited;
    return said;
  }

  private async send(line: string): Promise<string> {
    this.child.stdin.write(`${line}\n`);
    await this.child.stdin.flush();
    const { done, value } = await this.output.read();
    // The output ends without a line if nothing was measured, or if an error was printed to stderr.
    if (done && (await this.child.exited) !== 0) throw new Error("The listener failed");
    return new TextDecoder().decode(value);
  }
}

/** Creates accounts with a token each, and returns the tokens. */
function createListeners({ folder }: DataFolder, count: number): string[] {
  const db = new Database(join(folder, "linnet.db"), { strict: true });
  const { id: app } = db.query<{ id: number }, []>("SELECT id FROM oauth_apps LIMIT 1").get()!;
  const account = db.query(
    "INSERT INTO accounts (id, username, uri, url, created_at, updated_at) VALUES (?1, ?2, ?2, ?2, 0, 0)",
  );
  const user = db.query("INSERT INTO users (account_id, password_hash, role, created_at) VALUES (?, '', 'user', 0)");
  const token = db.query(
    "INSERT INTO oauth_tokens (token_hash, app_id, user_id, scopes, created_at) VALUES (?, ?, ?, 'read', 0)",
  );
  const tokens = Array.from({ length: count }, (_, n) => `listener${n}`);
  db.transaction(() => {
    for (const [n, secret] of tokens.entries()) {
      account.run(n + 1, secret);
      token.run(hashSecret(secret), app, user.run(n + 1).lastInsertRowid);
    }
  })();
  db.close();
  return tokens;
}

/** The system's limit of open files per process, which Bun raises its own limit to. */
function openFiles(): number {
  return Number(/^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024);
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}
