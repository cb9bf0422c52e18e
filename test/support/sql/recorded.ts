import { join } from "node:path";
import type { Db } from "../../../src/db/open.ts";
import { ROOT } from "../program.ts";

/** A statement that was prepared. */
export interface Recorded {
  sql: string;
  /** The function that ran it first: its file in src, and its name if it has one. */
  query: string;
}

/** Every statement that is prepared while `work` runs, once each. */
export async function recordStatements({ raw }: Db, work: () => Promise<void>): Promise<Recorded[]> {
  const prepare = raw.prepare;
  const recorded = new Map<string, Recorded>();
  raw.prepare = ((sql: string) => {
    if (!recorded.has(sql)) recorded.set(sql, { sql, query: callerOf(new Error().stack ?? "") });
    return prepare.call(raw, sql);
  }) as typeof raw.prepare;
  try {
    await work();
  } finally {
    raw.prepare = prepare;
  }
  return [...recorded.values()];
}

const FRAME = new RegExp(`^ *at (?:async )?(\\S+) \\(${RegExp.escape(join(ROOT, "src"))}/(.+?):\\d+:\\d+\\)$`, "gm");

/** The first function outside of `db/`. A function that returns the result of its last call isn't on the stack any more. */
function callerOf(stack: string): string {
  const frames = [...stack.matchAll(FRAME)].map(([, name, file]) => ({ name: name!, file: file! }));
  const caller = frames.find(({ file }) => !file.startsWith("db/"));
  if (!caller) return "db";
  return caller.name.startsWith("<") ? caller.file : `${caller.file} ${caller.name}`;
}
