import { Database } from "bun:sqlite";
import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readConfig, type Config } from "../config.ts";
import { openContext, type Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { openLog } from "../lib/log.ts";

/** Reads the settings, makes the data folder where there is none, and opens the database in it. */
export function openData(config: Config = readConfig(process.env)): Context {
  prepareFolder(config.data);
  const log = openLog(config.logLevel, config.logFormat);
  return openContext(config, { path: join(config.data, "linnet.db"), log });
}

/** Opens the data for the length of one command. */
export async function withData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const ctx = openData();
  try {
    return await work(ctx);
  } finally {
    ctx.db.close();
  }
}

/** Others on the machine have no business in there. */
export function prepareFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "no access";
    throw new UsageError(`the data folder ${path} can't be used (${reason}). Set LINNET_DATA to one that can.`);
  }
}

/**
 * Keeps a second server off the same data: two would answer with what the other has changed since. The lock is the
 * operating system's, so a crash leaves nothing behind. It ends when the database that is returned is closed.
 */
export function lockData(data: string): Database {
  const lock = new Database(join(data, "serve.lock"), { create: true });
  try {
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch {
    lock.close();
    throw new UsageError(`another Linnet serves from ${data} already. Stop it first, or set LINNET_DATA.`);
  }
}
