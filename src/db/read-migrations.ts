import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** Called as a macro when the program is bundled or loaded, so that the executable needs no migrations folder. */
export function readMigrations(): Migration[] {
  const folder = join(import.meta.dir, "../../migrations");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      sql: readFileSync(join(folder, file), "utf8"),
    }));
}
