import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readConfig, withAddress } from "../../src/config.ts";
import { createUser } from "../../src/core/people/users.ts";
import { effectiveAddress } from "../../src/core/server/server-address.ts";
import { openDatabase } from "../../src/db/open.ts";
import type { Json } from "../support/client.ts";
import { blankDatabase, openTestContext, TestClock } from "../support/instance.ts";
import { SOURCE } from "../support/program.ts";

/** The program from source, or the executable in TEST_BINARY. Both must behave the same. */
const PROGRAM = process.env["TEST_BINARY"] ? [resolve(process.env["TEST_BINARY"])] : SOURCE;

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** An empty folder outside the source tree, in which the program runs as it does for an owner. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "linnet-cli-"));
  private readonly started: Bun.Subprocess[] = [];

  constructor(readonly settings: Record<`LINNET_${string}`, string> = {}) {}

  /** Creates a folder with an empty, migrated database. */
  static begun(settings: Record<`LINNET_${string}`, string> = {}): Folder {
    const folder = new Folder(settings);
    folder.begin();
    return folder;
  }

  private begin(): void {
    mkdirSync(this.data, { mode: 0o700 });
    writeFileSync(join(this.data, "linnet.db"), blankDatabase(), { mode: 0o600 });
  }

  private get data(): string {
    return join(this.path, "linnet-data");
  }

  /**
   * Creates a user like `linnet user create`, in the database that the commands use, but without starting the program:
   * for tests of other commands.
   */
  async createUser(username: string): Promise<void> {
    if (!existsSync(this.data)) this.begin();
    const config = readConfig({ ...this.settings, LINNET_DATA: this.data });
    const db = openDatabase(join(this.data, "linnet.db"), config.synchronous);
    try {
      const settled = withAddress(config, effectiveAddress(db, config, false));
      const clock = new TestClock(new Float64Array([Date.now()]));
      await createUser(openTestContext(settled, db, { clock }), { username, password: "correct horse" });
    } finally {
      db.close();
    }
  }

  /** Runs a command until it exits. */
  async run(args: string[], options: { stdin?: string; settings?: Record<string, string> } = {}): Promise<Outcome> {
    return outcomeOf(this.spawn([...PROGRAM, ...args], options.settings ?? {}, options.stdin ?? ""));
  }

  /** Runs a shell command line, as typed by an owner, in which `linnet` is the program. */
  async shell(line: string): Promise<Outcome> {
    const bin = join(this.path, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "linnet"), `#!/bin/sh\nexec ${PROGRAM.join(" ")} "$@"\n`, { mode: 0o755 });
    const child = this.spawn(["sh", "-c", line], { PATH: `${bin}:/usr/bin:/bin` }, "");
    return outcomeOf(child);
  }

  /** Starts a command that the test will end. */
  start(args: string[], settings: Record<string, string> = {}): Bun.Subprocess<Buffer, "pipe", "pipe"> {
    return this.spawn([...PROGRAM, ...args], settings, "");
  }

  /** The parsed output of a command with --json. */
  async json(...args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await this.run([...args, "--json"]);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** Starts the server and waits until it prints its address. */
  async serve(settings: Record<string, string> = {}): Promise<Served> {
    return this.serveFrom((command) => command.split(" "), settings);
  }

  /** Starts the server through another command, which `wrap` builds from its own. */
  async serveFrom(wrap: (command: string) => string[], settings: Record<string, string>): Promise<Served> {
    const child = this.spawn(wrap([...PROGRAM, "serve"].join(" ")), { LINNET_PORT: "0", ...settings }, "");
    const served = new Served(child);
    await served.says(/Ctrl\+C|"listening"/);
    return served;
  }

  /** Runs an interactive command in a terminal. */
  inTerminal(args: string[]): Terminal {
    const terminal = new Terminal([...PROGRAM, ...args], this.path, this.environment({}));
    this.started.push(terminal.child);
    return terminal;
  }

  async remove(): Promise<void> {
    for (const child of this.started) {
      child.kill("SIGKILL");
      await child.exited;
    }
    rmSync(this.path, { recursive: true, force: true });
  }

  private spawn(command: string[], settings: Record<string, string>, stdin: string) {
    const child = Bun.spawn(command, {
      cwd: this.path,
      env: this.environment(settings),
      stdin: Buffer.from(stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    this.started.push(child);
    return child;
  }

  private environment(settings: Record<string, string>): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: this.path, ...this.settings, ...settings };
  }
}

async function outcomeOf(child: Bun.Subprocess<Buffer, "pipe", "pipe">): Promise<Outcome> {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** A server in a separate process. */
export class Served {
  private printed = "";
  private readonly reading: Promise<void>;
  private waiting: (() => void)[] = [];

  constructor(readonly child: Bun.Subprocess<Buffer, "pipe", "pipe">) {
    this.reading = this.read();
  }

  /** The address on which it listens. */
  get origin(): string {
    return /listening on ([^\s)]+)/.exec(this.printed)![1]!;
  }

  get output(): string {
    return this.printed;
  }

  /** Waits until the output matches. If the process exits first, the test fails with its output. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.printed);
      if (found) return found;
      if (this.child.exitCode !== null) {
        throw new Error(`it ended with ${this.child.exitCode}: ${await new Response(this.child.stderr).text()}`);
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Sends a signal and returns the exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
    this.child.kill(signal);
    const code = await this.child.exited;
    await this.reading;
    return code;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.child.stdout) {
      this.printed += decoder.decode(chunk, { stream: true });
      this.wake();
    }
    await this.child.exited;
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** A simulated user at a terminal who reads questions and types answers. */
export class Terminal {
  readonly child: Bun.Subprocess;
  private shown = "";
  private waiting: (() => void)[] = [];

  constructor(command: string[], cwd: string, env: Record<string, string>) {
    this.child = Bun.spawn(command, {
      cwd,
      env,
      terminal: {
        data: (_terminal, data) => {
          this.shown += Buffer.from(data).toString();
          for (const resolve of this.waiting.splice(0)) resolve();
        },
      },
    });
  }

  /** Everything that the terminal has shown. */
  get screen(): string {
    return this.shown;
  }

  /** Waits for an unanswered question and types the answer. */
  async answer(question: string, typed: string): Promise<void> {
    for (let from = this.read; ;) {
      const at = this.shown.indexOf(question, from);
      if (at !== -1) {
        this.read = at + question.length;
        break;
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.child.terminal!.write(`${typed}\r`);
  }

  private read = 0;
}
