import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "../errors.ts";
import { readArguments } from "./arguments.ts";
import { configOfProcess, withData } from "./open.ts";

/** Copies the database as it is at one moment, which copying the file of a running server does not. */
export async function backup(args: string[]): Promise<void> {
  const file = readArguments(args, {}, ["FILE"]).words[0]!;
  if (existsSync(file)) throw new Refusal("conflict", `"${file}" is there already, and stays as it is.`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new Refusal("not_found", `There is no folder ${folder}. Make it first.`);
  await withData((ctx) => ctx.db.alone("VACUUM INTO ?", file));
  const { data } = configOfProcess();
  console.log(`The database is copied to ${file}. Copy ${join(data, "media")} now, too.`);
}
