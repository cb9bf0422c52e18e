import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readConfig, type Config } from "../config.ts";
import { openContext, type Context } from "../context.ts";
import { openMigrated } from "../db/migrate.ts";
import type { Db } from "../db/open.ts";
import { Refusal } from "../errors.ts";
import { openLog } from "../lib/log.ts";

/** The settings of whoever started the program. */
export function configOfProcess(): Config {
  return readConfig(Bun.env);
}

/** Makes the data folder when it isn't there. What is written from now on is for the owner's eyes alone. */
export function makeFolder(config: Config): void {
  process.umask(0o077);
  try {
    mkdirSync(config.data, { recursive: true, mode: 0o700 });
    accessSync(config.data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as { code?: string }).code ?? String(error);
    throw new Refusal(
      "unavailable",
      `Can't use the folder ${config.data} (${why}). Run this as the user to whom it belongs, or set LINNET_DATA.`,
    );
  }
}

const pathOf = (config: Config) => join(config.data, "linnet.db");

/** Opens the database in the data folder; makes both where they aren't there. */
export function openData(config: Config): Context {
  makeFolder(config);
  return openContext(config, openDatabaseOf(config), { log: openLog(config.logLevel, config.logFormat) });
}

/** SQLite doesn't say of which file it speaks, nor what to do about it. */
function openDatabaseOf(config: Config): Db {
  const path = pathOf(config);
  try {
    return openMigrated(path, config.synchronous);
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code)) {
      throw new Refusal("unavailable", `${path} can't be opened. It and its folder must belong to whoever runs this.`);
    }
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
      throw new Refusal("unavailable", `${path} is not a database, or is damaged. Put back a copy of it.`);
    }
    throw error;
  }
}

/** Whether a database is there, as far as this user may see. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // What lies where one may not look is not to be called missing.
    return (error as { code?: string }).code === "EACCES";
  }
}

/** Lets a command work with the data, beside a server that may be running, and puts everything away afterwards. */
export async function withData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const config = configOfProcess();
  // Whoever is in the wrong folder should hear of it, and not find an empty server there.
  if (!isThere(pathOf(config))) {
    throw new Refusal(
      "not_found",
      `There is no database in ${config.data}. LINNET_DATA names the folder where it is; "linnet setup" makes a new one.`,
    );
  }
  return withNewData(work);
}

/** The same for what a server can begin with. */
export async function withNewData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const ctx = openData(configOfProcess());
  try {
    return await work(ctx);
  } finally {
    ctx.db.close();
  }
}
