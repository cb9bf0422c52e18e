import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Refusal } from "../errors.ts";
import { ArgumentError } from "./argument-error.ts";

/** Whether input and output are a terminal, so that questions can be asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** The password on standard input, without the final line break. */
export async function passwordFromStdin(): Promise<string> {
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (password === "") throw new ArgumentError("--password-stdin was given, but standard input is empty.");
  return password;
}

/**
 * Asks questions in a terminal until it is closed. It controls the terminal all the time, so that a password that is
 * typed before its question appears is never shown.
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
      this.lines.on("close", () => reject(new Refusal("bad_request", "Cancelled. Nothing was changed.")));
      this.lines.on("SIGINT", () => this.lines.close());
    });
    // Closing is only an error while a question is open.
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
