import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { TYPES_BY_EXTENSION, type Extension } from "../../lib/media/media-types.ts";
import { storedFile } from "./stored-files.ts";

/** The names that Linnet gives to files. Anything else isn't Linnet's or isn't ready; no match can leave the folder. */
const FILE_NAME = new RegExp(
  "^(?:attachments|avatars|headers|emojis|site)/\\w{2}/\\w{22}/" +
    `(?:original|small|static|placeholder|poster|thumbnail|\\d{1,3}x?)\\.(${Object.keys(TYPES_BY_EXTENSION).join("|")})$`,
);

export interface ServedFile {
  path: string;
  type: string;
  /** In bytes. */
  size: number;
}

/** The file with this name, as rows contain it; null if it is missing or may not be served. */
export function findServedFile(ctx: Context, name: string): ServedFile | null {
  const extension = FILE_NAME.exec(name)?.[1] as Extension | undefined;
  if (!extension) return null;
  const path = resolve(storedFile(ctx, name));
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Linnet never creates a symbolic link: one could lead to any file that this process may read.
  if (!entry?.isFile()) return null;
  return { path, type: TYPES_BY_EXTENSION[extension], size: entry.size };
}
