import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readConfig, withAddress, type Config } from "../config.ts";
import { openContext, type Context } from "../context.ts";
import { effectiveAddress } from "../core/server/server-address.ts";
import { openMigrated } from "../db/migrate.ts";
import { Refusal } from "../errors.ts";
import { openLog } from "../lib/log.ts";
import { lockServer } from "./lock.ts";

/** The settings of whoever started the program. */
export function configOfProcess(): Config {
  return readConfig(Bun.env);
}

/** In a data folder as long as it is being filled with a backup, and afterwards if that was cut off. */
export const RESTORING = "restore.unfinished";

/** Refuses a data folder that holds a part of a backup. */
function refuseRestoring({ data }: Config): void {
  if (!isThere(join(data, RESTORING))) return;
  throw new Refusal(
    "conflict",
    `A backup is being restored to ${data}, or that was cut off. Run "linnet restore" again, or empty the folder.`,
  );
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

/** Opens the database in the data folder, which also knows the server's address. Creates both where they are missing. */
export function openData(config: Config, isServer = false): Context {
  refuseRestoring(config);
  makeFolder(config);
  const options = isServer ? {} : { lockServer: () => lockServer(config.data) };
  const db = openMigrated(pathOf(config), config.synchronous, options);
  const settled = withAddress(config, effectiveAddress(db, config, isServer));
  return openContext(settled, db, { log: openLog(config.logLevel, config.logFormat) });
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

/** Whether the data folder has a database. */
export function isBegun(config: Config): boolean {
  return isThere(pathOf(config));
}

/** Lets a command work with the data, beside a server that may be running, and puts everything away afterwards. */
export async function withData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const config = configOfProcess();
  refuseRestoring(config);
  // In the wrong folder a command must not create an empty server.
  if (!isBegun(config)) {
    throw new Refusal(
      "not_found",
      `There is no database in ${config.data}. LINNET_DATA names the folder where it is; "linnet setup" makes a new one.`,
    );
  }
  return withNewData(work);
}

/** The same for what a server can begin with. */
export async function withNewData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const config = configOfProcess();
  const ctx = openData(config);
  try {
    return await work(ctx);
  } finally {
    ctx.db.close();
  }
}
