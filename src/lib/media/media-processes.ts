import { existsSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { Refusal, UnreadableFile, type RefusalKind } from "../../errors.ts";
import type { TASKS } from "./media-tasks.ts";

/** The command-line argument that makes the executable a media process. */
export const MEDIA_PROCESS = "media-process";

type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type TaskArguments<Name extends TaskName> = Parameters<Tasks[Name]>;
export type Result<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

export interface Request {
  name: TaskName;
  args: unknown[];
}

export type Reply = { value: unknown } | { failure: Failure };

/** An error, serialised to be sent between processes. */
export interface Failure {
  message: string;
  refused?: RefusalKind;
  /** The details of an UnreadableFile. */
  unreadable?: string;
  stack?: string;
  code?: string;
}

export interface Bounds {
  /** Time limit of one task. */
  seconds: number;
  /** Time limit of copying a clip, which reads and writes the whole file. */
  copySeconds: number;
  /** Memory limit of one process. */
  bytes: number;
  /** How long a process waits for another task. */
  idleSeconds: number;
}

const MIB = 1024 * 1024;
const BOUNDS: Bounds = {
  seconds: 30,
  copySeconds: 300,
  // An image of 33 megapixels takes up to 400 MB. Rarely do three at once need that much.
  bytes: Math.min(512 * MIB, totalmem() / 3),
  // Uploads come in groups.
  idleSeconds: 10,
};
/** In milliseconds. */
const MEMORY_CHECK_INTERVAL = 100;
const TOO_COSTLY =
  "Validation failed: File takes more time or memory than is allowed. Upload a smaller or simpler one.";

/**
 * Processes that read uploads: images, video and audio. If a decoder hangs, crashes or takes too much memory, its
 * process is killed, and only that upload fails. The processes run this same program, and end after ten idle seconds.
 * A MediaQueue decides when a task runs.
 */
export class MediaProcesses {
  private readonly idle: MediaProcess[] = [];
  private readonly bounds: Bounds;

  constructor(bounds: Partial<Bounds> = {}) {
    this.bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Runs a task in a process that runs no other one meanwhile. If the signal is aborted, the process is killed.
   *
   * @throws Refusal as the task does; UnreadableFile if it exceeds its time or memory, or its process crashes.
   */
  async run<Name extends TaskName>(name: Name, args: TaskArguments<Name>, signal?: AbortSignal): Promise<Result<Name>> {
    const process = this.idleProcess() ?? new MediaProcess();
    const reply = await process.do({ name, args }, this.bounds, signal);
    if (process.isAlive) this.rest(process);
    if ("failure" in reply) throw errorOf(reply.failure);
    return reply.value as Result<Name>;
  }

  private idleProcess(): MediaProcess | undefined {
    const process = this.idle.pop();
    return process === undefined || process.isAlive ? process : this.idleProcess();
  }

  private rest(process: MediaProcess): void {
    this.idle.push(process);
    process.endAfter(this.bounds.idleSeconds, () => {
      this.idle.splice(0, this.idle.length, ...this.idle.filter((other) => other !== process));
    });
  }
}

class MediaProcess {
  private readonly child: Subprocess;
  private answer: (reply: Reply) => void = () => {};
  private killed: Failure | null = null;
  private ended = false;
  private rest: Timer | undefined;

  constructor() {
    this.child = Bun.spawn(command(), {
      stdio: ["ignore", "ignore", "inherit"],
      serialization: "advanced",
      ipc: (reply: Reply) => this.answer(reply),
      onExit: (_, code, signal) => {
        this.ended = true;
        this.answer({ failure: this.killed ?? tooCostly(`its process ended with ${signal ?? code}`) });
      },
    });
  }

  /** False from the kill on: a reply may still arrive before the process ends, but it must get no other task. */
  get isAlive(): boolean {
    return !this.ended && this.killed === null;
  }

  /** Runs one task at a time. If the task is aborted or exceeds its bounds, the process is killed. */
  async do(request: Request, bounds: Bounds, signal?: AbortSignal): Promise<Reply> {
    clearTimeout(this.rest);
    // Only a busy process keeps a command alive; see `unref()` below.
    this.child.ref();
    const seconds = request.name === "copyClip" ? bounds.copySeconds : bounds.seconds;
    const deadline = setTimeout(() => this.kill(tooCostly(`it took longer than ${seconds} seconds`)), seconds * 1000);
    const memory = setInterval(() => {
      if (residentBytes(this.child.pid) > bounds.bytes) this.kill(tooCostly("it took too much memory"));
    }, MEMORY_CHECK_INTERVAL);
    const abort = () => this.kill(tooCostly("it was aborted"));
    signal?.addEventListener("abort", abort);
    try {
      return await new Promise<Reply>((resolve) => {
        this.answer = resolve;
        this.child.send(request);
      });
    } finally {
      clearTimeout(deadline);
      clearInterval(memory);
      signal?.removeEventListener("abort", abort);
      this.child.unref();
    }
  }

  /** Ends the process after a delay, unless it gets another task before. */
  endAfter(seconds: number, onEnd: () => void): void {
    this.rest = setTimeout(() => {
      onEnd();
      this.child.kill("SIGKILL");
    }, seconds * 1000);
    this.rest.unref();
  }

  private kill(failure: Failure): void {
    this.killed = failure;
    this.child.kill("SIGKILL");
  }
}

/** The command to start: a file when running from source, otherwise the executable itself. */
function command(): string[] {
  const program = join(import.meta.dir, "media-program.ts");
  return [process.execPath, existsSync(program) ? program : MEDIA_PROCESS];
}

/** The resident memory of a process in bytes; 0 on systems without `/proc`. */
function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function tooCostly(details: string): Failure {
  return { message: TOO_COSTLY, unreadable: details };
}

function errorOf({ message, refused, unreadable, stack, code }: Failure): Error {
  if (unreadable !== undefined) return new UnreadableFile(unreadable, message);
  if (refused !== undefined) return new Refusal(refused, message);
  return Object.assign(new Error(message), { stack, code });
}
