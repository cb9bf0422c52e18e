import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createPerson, Running, type Command } from "../support/program.ts";
import { seed } from "./seed.ts";

/** What links name, wherever the server listens. */
const ORIGIN = "http://localhost:3000";

/** A data folder with a person who lives there. */
export interface Place {
  folder: string;
  token: string;
  /** The ids of the oldest and of the newest status. */
  oldest: number;
  newest: number;
}

/** Makes the data folder with the program itself, and fills its database with `count` statuses. */
export async function furnish(command: Command, folder: string, count: number): Promise<Place> {
  const token = await createPerson(command, { cwd: folder, env: environment(folder) }, "viewer");
  const path = join(folder, "linnet.db");
  if (count > 0) seed(path, count, ORIGIN);
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

export function serve(command: Command, { folder }: Place, synchronous = "full"): Promise<Running> {
  return Running.start(command, { cwd: folder, env: environment(folder, synchronous) });
}
