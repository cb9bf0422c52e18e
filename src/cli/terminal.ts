import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Refusal, UsageError } from "../errors.ts";

/** Whether there is a person to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

export function ask(question: string): Promise<string> {
  return answer(question, process.stdout);
}

/** Asks without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  process.stdout.write(question);
  const typed = await answer("", new Writable({ write: (_chunk, _encoding, done) => done() }));
  process.stdout.write("\n");
  return typed;
}

/** The password that was piped in: all of it, but for the end of its line. */
export async function passwordFromStdin(): Promise<string> {
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (password === "") throw new UsageError("--password-stdin was given, but standard input is empty.");
  return password;
}

async function answer(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new Promise<never>((_resolve, reject) => {
    lines.on("close", () => reject(new Refusal("bad_request", "Nothing was done.")));
    lines.on("SIGINT", () => lines.close());
  });
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    ended.catch(() => {});
    lines.close();
  }
}
