import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSecret } from "../../src/lib/secrets.ts";
import type { Command } from "../support/program.ts";
import type { Delays, Hearing } from "./hearing.ts";
import { memory, processorTime } from "./machine.ts";
import { withBare } from "./measure.ts";
import { serve, type Place } from "./place.ts";

/** How many listen in vain, each with a token and an account of their own; fewer where the system doesn't let us. */
export const IDLE = 10_000;
const LISTENERS = 20;
const POSTS_PER_SECOND = 50;
/** Other files than streams that a process has open. */
const OTHER_FILES = 200;
/** Until what the opening left behind has been cleared away. */
const REST = 2000;

export interface Idle {
  streams: number;
  /** For each stream: bytes of memory, and of a bare `Bun.serve` that says the same. */
  bytes: number;
  bareBytes: number;
  /** Milliseconds of processor a second while nothing happens but heartbeats. */
  processor: number;
}

/** Holds idle event streams open, and hears a thousand events a second beside them. */
export async function hearEvents(
  command: Command,
  place: Place,
  pace: { warmUpSeconds: number; seconds: number },
): Promise<[Idle, Delays]> {
  const streams = Math.min(IDLE, openFiles() - OTHER_FILES - LISTENERS);
  const tokens = furnishListeners(place, streams + LISTENERS);
  const [listeners, idle] = [tokens.slice(0, LISTENERS), tokens.slice(LISTENERS)];
  const server = await serve(command, place);
  await fetch(`${server.origin}/api/v2/instance`);
  const heard = { listeners, poster: place.token, postsPerSecond: POSTS_PER_SECOND, ...pace };
  const [bytes, child] = await memoryEach(server.pid, { port: portOf(server.origin), idle, heard });
  const before = processorTime(server.pid);
  await Bun.sleep(REST);
  const processor = (processorTime(server.pid) - before) / (REST / 1000);
  const delays = JSON.parse(await child.goOn()) as Delays;
  await server.stop();
  return [{ streams, bytes, bareBytes: await bareMemoryEach(place, idle), processor }, delays];
}

async function bareMemoryEach({ folder }: Place, idle: string[]): Promise<number> {
  const greeting = join(folder, "greeting");
  await Bun.write(greeting, ":)\n");
  return withBare(greeting, "text/event-stream", async (origin, pid) => {
    // The first stream brings in what all of them need.
    await (await Listening.start({ port: portOf(origin), idle: [idle[0]!], heard: null })).goOn();
    const [bytes, child] = await memoryEach(pid, { port: portOf(origin), idle, heard: null });
    await child.goOn();
    return bytes;
  });
}

/** Opens the idle streams, and finds out how much memory the server needs for each. */
async function memoryEach(pid: number, hearing: Hearing): Promise<[bytes: number, child: Listening]> {
  const before = memory(pid);
  const child = await Listening.start(hearing);
  await Bun.sleep(REST);
  return [((memory(pid) - before) * 1024 * 1024) / hearing.idle.length, child];
}

/** The process in which `hearing.ts` runs. */
class Listening {
  private constructor(
    private readonly child: Bun.Subprocess<"pipe", "pipe", "inherit">,
    private readonly output: ReadableStreamDefaultReader<Uint8Array>,
  ) {}

  /** Resolves when all idle streams are open. */
  static async start(hearing: Hearing): Promise<Listening> {
    const command = [process.execPath, join(import.meta.dir, "hearing.ts")];
    const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    const listening = new Listening(child, child.stdout.getReader());
    await listening.tell(JSON.stringify(hearing));
    return listening;
  }

  /** Lets it hear what there is to hear, and end. */
  async goOn(): Promise<string> {
    const said = await this.tell("go on");
    await this.child.exited;
    return said;
  }

  private async tell(line: string): Promise<string> {
    this.child.stdin.write(`${line}\n`);
    await this.child.stdin.flush();
    const { done, value } = await this.output.read();
    // At the end it has nothing to say, or has said on its way what went wrong.
    if (done && (await this.child.exited) !== 0) throw new Error("The listener failed");
    return new TextDecoder().decode(value);
  }
}

/** Makes people with a token each, which are given back. */
function furnishListeners({ folder }: Place, count: number): string[] {
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

/** How many files the system lets one process open; Bun asks for as many by itself. */
function openFiles(): number {
  return Number(/^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024);
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}
