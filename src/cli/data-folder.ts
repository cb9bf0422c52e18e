import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readConfig, withAddress, type Config } from "../config.ts";
import { openContext, type Context } from "../context.ts";
import { effectiveAddress, refuseBesideServer } from "../core/server/server-address.ts";
import { openMigrated } from "../db/migrate.ts";
import { Refusal } from "../errors.ts";
import { openLog } from "../lib/log.ts";
import { isRunning, lockServer } from "./server-lock.ts";

/** The settings in the environment of this process. */
export function configOfProcess(): Config {
  return readConfig(Bun.env);
}

/** Exists in a data folder during a restore, and after one that was interrupted. */
export const RESTORING = "restore.unfinished";

/** Throws a Refusal if the data folder is only partly restored. */
function refuseRestoring({ data }: Config): void {
  if (!isThere(join(data, RESTORING))) return;
  throw new Refusal(
    "conflict",
    `A restore to ${data} is running or was interrupted. Run "linnet restore" again, or empty the folder.`,
  );
}

/** Creates the data folder if it is missing. Files that are created from now on are readable by this user only. */
export function makeFolder(config: Config): void {
  process.umask(0o077);
  try {
    mkdirSync(config.data, { recursive: true, mode: 0o700 });
    accessSync(config.data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as { code?: string }).code ?? String(error);
    throw new Refusal(
      "unavailable",
      `Can't use the folder ${config.data} (${why}). Run this as the user who owns the folder, or set LINNET_DATA.`,
    );
  }
}

export const pathOf = (config: Config) => join(config.data, "linnet.db");

/** Opens the database in the data folder, and applies the stored address. Creates folder and database if missing. */
export function openData(config: Config, isServer = false): Context {
  refuseRestoring(config);
  makeFolder(config);
  const options = isServer ? {} : { lockServer: () => lockServer(config.data) };
  const db = openMigrated(pathOf(config), config.synchronous, options);
  const settled = withAddress(config, effectiveAddress(db, config, isServer));
  if (!isServer) refuseBesideServer(db, settled, () => isRunning(config.data));
  return openContext(settled, db, { log: openLog(config.logLevel, config.logFormat) });
}

/** Whether a path exists. True if this user may not look. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // A path in a folder that this user may not read is not necessarily missing.
    return (error as { code?: string }).code === "EACCES";
  }
}

/** Whether the data folder has a database. */
export function hasDatabase(config: Config): boolean {
  return isThere(pathOf(config));
}

/** Throws a Refusal if there is no database, or if it is only partly restored. */
export function refuseMissing(config: Config): void {
  refuseRestoring(config);
  // In the wrong folder a command must not create an empty server.
  if (!hasDatabase(config)) {
    throw new Refusal(
      "not_found",
      `There is no database in ${config.data}. Set LINNET_DATA to the folder that contains it, or create one with "linnet setup".`,
    );
  }
}

/** Opens the existing database for a command and closes it afterwards. A server may be running at the same time. */
export async function withData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  refuseMissing(configOfProcess());
  return withNewData(work);
}

/** Like `withData()`, but creates the database if it is missing. */
export async function withNewData<T>(work: (ctx: Context) => T | Promise<T>): Promise<T> {
  const config = configOfProcess();
  const ctx = openData(config);
  try {
    return await work(ctx);
  } finally {
    ctx.db.close();
  }
}
