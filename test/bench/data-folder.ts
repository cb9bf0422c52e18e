import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createPerson, Running, type Command } from "../support/program.ts";
import { seed } from "./seed.ts";

/** The origin of all links, independent of the port. */
export const ORIGIN = "http://localhost:3000";

/** A data folder with a user. */
export interface DataFolder {
  folder: string;
  token: string;
  /** The ids of the oldest and the newest status. */
  oldest: number;
  newest: number;
}

/** Creates the data folder with the program itself, and adds `count` statuses to its database. */
export async function createDataFolder(
  command: Command,
  folder: string,
  count: number,
  localOf?: number,
): Promise<DataFolder> {
  const token = await createPerson(command, { cwd: folder, env: environment(folder) }, "viewer");
  const path = join(folder, "linnet.db");
  if (count > 0) seed(path, count, ORIGIN, localOf);
  const db = new Database(path, { readonly: true });
  const ends = "SELECT min(id) AS oldest, max(id) AS newest FROM statuses";
  const { oldest, newest } = db.query<{ oldest: number; newest: number }, []>(ends).get()!;
  db.close();
  return { folder, token, oldest, newest };
}

export function environment(folder: string, synchronous = "full", port = 0): Record<string, string> {
  return {
    HOME: folder,
    LINNET_DATA: folder,
    LINNET_URL: ORIGIN,
    LINNET_PORT: String(port),
    LINNET_RATE_LIMITS: "off",
    LINNET_SEARCH: "public",
    LINNET_SQLITE_SYNCHRONOUS: synchronous,
  };
}

export function serve(
  command: Command,
  { folder }: DataFolder,
  synchronous = "full",
  settings: Record<string, string> = {},
): Promise<Running> {
  return Running.start(command, { cwd: folder, env: { ...environment(folder, synchronous), ...settings } });
}
