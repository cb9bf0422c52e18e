import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "../errors.ts";
import { command, word } from "./command.ts";
import { configOfProcess, withData } from "./open.ts";

export const commands = {
  backup: command({
    summary: "Copies the database into a file, while the server runs or not",
    details: `The uploads are separate files: copy the folder media of the data folder afterwards. To restore, put both into an
empty data folder, the copy as linnet.db.`,
    words: { file: word() },
    run: ({ file }) => backup(file),
  }),
};

/** Copies the database as it is at one moment, which copying the file of a running server does not. */
async function backup(file: string): Promise<void> {
  if (existsSync(file)) throw new Refusal("conflict", `"${file}" is there already, and stays as it is.`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new Refusal("not_found", `There is no folder ${folder}. Make it first.`);
  await withData((ctx) => ctx.db.alone("VACUUM INTO ?", file));
  const { data } = configOfProcess();
  console.log(`The database is copied to ${file}. Copy ${join(data, "media")} now, too.`);
}
