import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readConfig, type Config } from "../config.ts";
import { openContext, type Context } from "../context.ts";
import { openMigrated } from "../db/migrate.ts";
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
  } catch (error) {
    const why = (error as { code?: string }).code ?? String(error);
    throw new Refusal(
      "unavailable",
      `Can't make the folder ${config.data} (${why}). Set LINNET_DATA to one that may be written.`,
    );
  }
}

const pathOf = (config: Config) => join(config.data, "linnet.db");

/** Opens the database in the data folder; makes both where they aren't there. */
export function openData(config: Config): Context {
  makeFolder(config);
  const db = openMigrated(pathOf(config), config.synchronous);
  return openContext(config, db, { log: openLog(config.logLevel, config.logFormat) });
}

/** Lets a command work with the data, beside a server that may be running, and puts everything away afterwards. */
export async function withData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const config = configOfProcess();
  // Whoever is in the wrong folder should hear of it, and not find an empty server there.
  if (!existsSync(pathOf(config))) {
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
