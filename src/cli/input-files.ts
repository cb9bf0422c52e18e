import type { BunFile } from "bun";
import { MAX_PAGE } from "../core/server/pages.ts";
import { Refusal, UnreadableFile } from "../errors.ts";
import { sniffType } from "../lib/media/image-types.ts";

/** The file with this name. Throws a Refusal if it does not exist. */
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

/** Runs `use`, which reads these bytes as a picture. Errors name the file. */
export async function withPicture<T>(file: string, bytes: Uint8Array, use: () => Promise<T>): Promise<T> {
  if (sniffType(bytes) === null) {
    throw new Refusal("invalid", `"${file}" is not a picture. Use a PNG, JPEG, GIF, WebP or AVIF file.`);
  }
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new Refusal("invalid", `"${file}" is damaged, or in a format that Linnet can't read.`);
  }
}
