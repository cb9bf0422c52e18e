import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Refusal } from "../errors.ts";
import { ArgumentError } from "./argument-error.ts";

/** Whether there is a person to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** The password that was piped in: all of it, but for the end of its line. */
export async function passwordFromStdin(): Promise<string> {
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (password === "") throw new ArgumentError("--password-stdin was given, but standard input is empty.");
  return password;
}

/**
 * Questions and answers in a terminal, until it is closed. The terminal is ours all the while, so that it never shows
 * by itself what somebody types before the question for it is there.
 */
export class Dialogue {
  private readonly lines: Interface;
  private readonly ended: Promise<never>;
  private isSecret = false;

  constructor() {
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.isSecret) process.stdout.write(chunk);
        done();
      },
    });
    this.lines = createInterface({ input: process.stdin, output, terminal: true });
    this.ended = new Promise((_resolve, reject) => {
      this.lines.on("close", () => reject(new Refusal("bad_request", "Nothing was done.")));
      this.lines.on("SIGINT", () => this.lines.close());
    });
    // Closing is no failure unless somebody is waiting for an answer.
    this.ended.catch(() => {});
  }

  ask(question: string): Promise<string> {
    this.isSecret = false;
    return Promise.race([this.lines.question(question), this.ended]);
  }

  /** Asks without showing what is typed. */
  async askSecret(question: string): Promise<string> {
    this.isSecret = true;
    process.stdout.write(question);
    const typed = await Promise.race([this.lines.question(""), this.ended]);
    process.stdout.write("\n");
    return typed;
  }

  close(): void {
    this.lines.close();
  }
}
