import type { ArchivedFile } from "../../core/transfer/archived-files.ts";
import type { ArchivedPost } from "../../core/transfer/imported-posts.ts";
import type { Visibility } from "../../core/visibility.ts";

/** Why something in an archive is not imported. */
export type SkipReason =
  | "boost of an unknown post"
  | "by another account"
  | "vote in a poll"
  | "without a date"
  | "without content"
  | "unsupported";

/** A file that a post names. It may be missing in the archive. */
export interface NamedFile extends Omit<ArchivedFile, "name"> {
  /** Names that it may have in the archive. */
  names: readonly string[];
}

/** An entry of an archive's list of posts. */
export type ArchiveItem =
  | { type: "post"; post: Omit<ArchivedPost, "files">; files: readonly NamedFile[] }
  | { type: "boost"; uri: string; of: string; visibility: Visibility; createdAt: number }
  | { type: "skipped"; reason: SkipReason };

export function skipped(reason: SkipReason): ArchiveItem {
  return { type: "skipped", reason };
}

/** A post without text and files. What is left of one whose files are missing. */
export function isEmpty({ content, text, spoilerText }: Omit<ArchivedPost, "files">, files: number): boolean {
  return files === 0 && spoilerText === "" && (content ?? text ?? "").replace(/<[^<>]*>/g, "").trim() === "";
}
