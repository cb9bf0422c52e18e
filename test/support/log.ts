import type { Logger } from "../../src/lib/log.ts";
import type { TestServer } from "./server.ts";

/** Replaces the log of a server by one that only collects the messages of errors, and those of warnings if asked to. */
export function collectLog({ ctx }: TestServer, level: "error" | "warn" = "error"): string[] {
  const messages: string[] = [];
  const collect = (message: string) => void messages.push(message);
  const drop = () => {};
  ctx.log = { error: collect, warn: level === "warn" ? collect : drop, info: drop, debug: drop } as unknown as Logger;
  return messages;
}
