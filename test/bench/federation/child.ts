import { join } from "node:path";

/** A program of this folder in a separate process. It reads and writes lines of JSON. */
export class Child {
  private readonly lines: AsyncIterator<unknown>;

  private constructor(private readonly child: Bun.Subprocess<"pipe", "pipe", "inherit">) {
    this.lines = linesOf(child.stdout);
  }

  static start(file: string, ...args: string[]): Child {
    const command = [process.execPath, join(import.meta.dir, file), ...args];
    return new Child(Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" }));
  }

  get pid(): number {
    return this.child.pid;
  }

  tell(message: unknown): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
    void this.child.stdin.flush();
  }

  /** The next line that the program prints. */
  async hear<T>(): Promise<T> {
    const { done, value } = await this.lines.next();
    if (done) throw new Error("A part of the benchmark ended early");
    return value as T;
  }

  async stop(): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    for (const part of parts) yield JSON.parse(part);
  }
}
