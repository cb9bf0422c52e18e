import type { BunFile } from "bun";
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { MAX_PAGE } from "../core/server/pages.ts";
import { Refusal, UnreadableFile } from "../errors.ts";
import { sniffType } from "../lib/media/image-types.ts";

/** The file with this name. Throws a Refusal if it does not exist, is a folder or may not be read. */
export async function fileNamed(name: string): Promise<BunFile> {
  const found = await look(name);
  if (!found) throw new Refusal("not_found", `There is no file "${name}".`);
  if (found.isDirectory()) throw new Refusal("invalid", `"${name}" is a folder. Name a file.`);
  await requireAccess(name, constants.R_OK, `You have no permission to read "${name}".`);
  return Bun.file(name);
}

/** Throws a Refusal unless files can be read from this folder. */
export async function requireFolder(name: string): Promise<void> {
  const found = await look(name);
  if (!found) throw new Refusal("not_found", `There is no folder "${name}".`);
  if (!found.isDirectory()) throw new Refusal("invalid", `"${name}" is a file. Name a folder.`);
  await requireAccess(name, constants.R_OK | constants.X_OK, `You have no permission to read "${name}".`);
}

/** Throws a Refusal unless a new file with this name can be written. */
export async function requireNewFile(name: string): Promise<void> {
  const found = await look(name);
  if (found?.isDirectory()) throw new Refusal("conflict", `"${name}" is a folder. Name a new file in it.`);
  if (found) throw new Refusal("conflict", `There is already a file "${name}".`);
  const folder = dirname(name);
  await requireFolder(folder);
  await requireAccess(folder, constants.W_OK | constants.X_OK, `You have no permission to write to "${folder}".`);
}

/** Null if there is neither a file nor a folder with this name. */
async function look(name: string): Promise<Stats | null> {
  return stat(name).catch(() => null);
}

async function requireAccess(name: string, mode: number, otherwise: string): Promise<void> {
  try {
    await access(name, mode);
  } catch {
    throw new Refusal("forbidden", otherwise);
  }
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
