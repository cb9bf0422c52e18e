import type { BunFile } from "bun";
import { Refusal } from "../errors.ts";

/** The file of this name; refuses when there is none. */
export async function fileNamed(name: string): Promise<BunFile> {
  const file = Bun.file(name);
  if (!(await file.exists())) throw new Refusal("not_found", `There is no file "${name}".`);
  return file;
}
