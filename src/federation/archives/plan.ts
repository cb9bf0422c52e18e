import type { Context } from "../../context.ts";
import { isImported, type ArchivedPost } from "../../core/transfer/imported-posts.ts";
import { VIDEO_BYTES } from "../../core/media/limits.ts";
import type { Archive } from "../../lib/archives/archive.ts";
import { isEmpty, type ArchiveItem, type NamedFile, type SkipReason } from "./items.ts";
import type { PostSource } from "./source.ts";

/** Why a file of a post is not imported. */
export type FileSkipReason = "missing in the archive" | "too large" | "unreadable";

/** How many of each there are. */
export type Counts<Reason extends string> = Partial<Record<Reason, number>>;

/** The changes that an import would make. Counted before anything is changed, so that a damaged archive changes nothing. */
export interface ImportPlan {
  posts: number;
  boosts: number;
  /** Posts and boosts that were imported before. */
  known: number;
  skipped: Counts<SkipReason>;
  /** The files to store, and their size in bytes. */
  files: Set<string>;
  bytes: number;
  skippedFiles: Counts<FileSkipReason>;
  favourites: number;
  bookmarks: number;
  /** Whether public posts are imported for followers only: because the archive says that only they saw them, or by choice. */
  forFollowers: "protected" | "chosen" | null;
}

/** Reads the whole list of posts, in groups between which others have their turn. */
export async function planImport(
  ctx: Context,
  accountId: number,
  archive: Archive,
  source: PostSource,
  slicesOf: (items: AsyncIterable<ArchiveItem>) => AsyncIterable<ArchiveItem[]>,
): Promise<ImportPlan> {
  const plan: ImportPlan = {
    posts: 0,
    boosts: 0,
    known: 0,
    skipped: {},
    files: new Set(),
    bytes: 0,
    skippedFiles: {},
    favourites: 0,
    bookmarks: 0,
    forFollowers: null,
  };
  for await (const slice of slicesOf(source.items())) {
    for (const item of slice) count(ctx, accountId, archive, source, plan, item);
  }
  for await (const _address of source.addresses("likes")) plan.favourites += 1;
  for await (const _address of source.addresses("bookmarks")) plan.bookmarks += 1;
  return plan;
}

function count(
  ctx: Context,
  accountId: number,
  archive: Archive,
  { folder }: PostSource,
  plan: ImportPlan,
  item: ArchiveItem,
): void {
  if (item.type === "skipped") return add(plan.skipped, item.reason);
  if (isImported(ctx.db, accountId, item.type === "post" ? item.post.uri : item.uri)) return void (plan.known += 1);
  if (item.type === "boost") return void (plan.boosts += 1);
  const found: string[] = [];
  for (const file of item.files) {
    const name = nameIn(archive, folder, file);
    const bytes = name === null ? null : archive.files.get(name)!;
    if (name === null || bytes === null) add(plan.skippedFiles, "missing in the archive");
    else if (bytes > VIDEO_BYTES) add(plan.skippedFiles, "too large");
    else {
      found.push(name);
      if (!plan.files.has(name)) plan.bytes += bytes;
      plan.files.add(name);
    }
  }
  if (isEmpty(item.post, found.length)) add(plan.skipped, "without content");
  else plan.posts += 1;
}

/** The name that a file has in the archive; null if it isn't there. */
function nameIn(archive: Archive, folder: string, { names }: NamedFile): string | null {
  const found = names.find((name) => archive.files.has(folder + name));
  return found === undefined ? null : folder + found;
}

/** The post with those of its files that are stored; null if nothing of it is left. */
export function withStoredFiles(
  archive: Archive,
  { folder }: PostSource,
  { post, files }: Extract<ArchiveItem, { type: "post" }>,
  stored: ReadonlySet<string>,
): ArchivedPost | null {
  const found = files.flatMap((file) => {
    const name = nameIn(archive, folder, file);
    const { description, focusX, focusY } = file;
    return name !== null && stored.has(name) ? [{ name, description, focusX, focusY }] : [];
  });
  return isEmpty(post, found.length) ? null : { ...post, files: found };
}

export function add<Reason extends string>(counts: Counts<Reason>, reason: Reason): void {
  counts[reason] = (counts[reason] ?? 0) + 1;
}
