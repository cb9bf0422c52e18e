import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Subprocess } from "bun";

export const ROOT = resolve(import.meta.dir, "../..");

/** A command line without the arguments of the test. */
export type Command = readonly string[];

/** Linnet from the sources in the repository. */
export const SOURCE: Command = [process.execPath, join(ROOT, "src", "main.ts")];

export interface Surroundings {
  /** The working directory. */
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
}

/** Two empty folders, a working directory and a home, so that the program sees nothing else of this machine. */
export class Nowhere implements Surroundings {
  private readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "linnet-test-"));
  readonly cwd = join(this.folder, "work");
  readonly home = join(this.folder, "home");
  readonly env: Record<string, string>;

  /** `settings` are LINNET_… variables, as set by an owner. */
  constructor(settings: Record<`LINNET_${string}`, string> = {}) {
    mkdirSync(this.cwd);
    mkdirSync(this.home, { mode: 0o700 });
    this.env = { HOME: this.home, LINNET_PORT: "0", ...settings };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of the program until it exits. */
export async function run(
  command: Command,
  args: readonly string[],
  { cwd, env, stdin = "" }: Surroundings & { stdin?: string },
): Promise<Output> {
  const child = Bun.spawn([...command, ...args], {
    cwd,
    env,
    stdin: Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

/** Creates a user with the program's commands, and returns a token with all scopes. */
export async function createPerson(command: Command, surroundings: Surroundings, name: string): Promise<string> {
  const outputs = [
    await run(command, ["user", "create", name], surroundings),
    await run(command, ["token", "create", name, "--scopes", "read write follow push"], surroundings),
  ] as const;
  for (const { code, stderr } of outputs) if (code !== 0) throw new Error(stderr);
  return outputs[1].stdout.trim();
}

/** A server in a separate process. */
export class Running {
  private constructor(
    /** The address it listens on, `http://127.0.0.1:PORT`. */
    readonly origin: string,
    private readonly child: Subprocess,
  ) {}

  /** Starts the server, and waits until it prints its address. */
  static async start(command: Command, { cwd, env }: Surroundings): Promise<Running> {
    const child = Bun.spawn([...command, "serve"], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [said, complaints] = [untilAddress(child.stdout), new Response(child.stderr).text()];
    const port = /listening on http:\/\/\S+:(\d+)/.exec(await said)?.[1];
    if (port) return new Running(`http://127.0.0.1:${port}`, child);
    throw new Error(`The server ended before it listened, with ${await child.exited}:\n${await complaints}`);
  }

  get pid(): number {
    return this.child.pid;
  }

  /** Stops the server and returns its exit code; null when the signal killed it. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    await this.child.exited;
    return this.child.exitCode;
  }
}

/** The child processes of a process, on Linux. */
export function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** The output up to the first address, or all of it. The rest is read and dropped, so that the process never blocks. */
function untilAddress(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    let said = "";
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      said += decoder.decode(chunk, { stream: true });
      if (/http:\/\/.*\n/.test(said)) resolve(said);
    }
    resolve(said);
  };
  read().catch(reject);
  return promise;
}
