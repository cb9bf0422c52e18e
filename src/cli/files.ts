import type { BunFile } from "bun";
import { MAX_PAGE } from "../core/pages.ts";
import { Refusal } from "../errors.ts";

/** The file of this name; refuses when there is none. */
export async function fileNamed(name: string): Promise<BunFile> {
  const file = Bun.file(name);
  if (!(await file.exists())) throw new Refusal("not_found", `There is no file "${name}".`);
  return file;
}

/** The text of a page from a file, or from standard input if the file is a dash. */
export async function textOf(file: string): Promise<string> {
  if (file === "-") return Bun.stdin.text();
  const source = await fileNamed(file);
  if (source.size > 4 * MAX_PAGE) throw new Refusal("invalid", `The file "${file}" is too large for a page.`);
  return source.text();
}
