import { rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import {
  addArchivedFiles,
  isAboutFile,
  storeArchivedFile,
  storedNames,
  writeWhenFree,
  type StoredArchivedFile,
  type UnpackedFile,
} from "../../core/transfer/archived-files.ts";
import {
  storeArchivedBookmark,
  storeArchivedBoost,
  storeArchivedFavourite,
} from "../../core/transfer/imported-parts.ts";
import { type Importer, storeArchivedPost } from "../../core/transfer/imported-posts.ts";
import { importsFolder } from "../../core/transfer/uploaded-archives.ts";
import type { Visibility } from "../../core/visibility.ts";
import { VIDEO_BYTES } from "../../core/media/limits.ts";
import type { Tx } from "../../db/open.ts";
import type { ArchiveChoices } from "../../db/queue.ts";
import { lockFile } from "../../db/file-lock.ts";
import { Refusal } from "../../errors.ts";
import { ReadingCancelled, type Archive } from "../../lib/archives/archive.ts";
import { openArchive } from "../../lib/archives/open-archive.ts";
import { writeParts } from "../../lib/archives/write-parts.ts";
import { withTemporaryFolder } from "../../lib/files.ts";
import { add, planImport, withStoredFiles, type ImportPlan } from "./plan.ts";
import { importProfile } from "./profile.ts";
import { openSource, type PostSource } from "./source.ts";

/** The results of an import so far. */
export interface ImportProgress {
  stage: "reading" | "files" | "posts" | "done";
  plan: ImportPlan | null;
  files: number;
  posts: number;
  boosts: number;
  favourites: number;
  bookmarks: number;
}

export interface ImportOptions extends ArchiveChoices {
  accountId: number;
  /** Reads and counts, and changes nothing. */
  isDryRun: boolean;
  pace: Pace;
  /** Also called when some files are unpacked and not stored yet. */
  onProgress(progress: ImportProgress): void;
  /** Whether the user has cancelled the import. Asked before each slice, and before each part of the archive is read. */
  isCancelled(): boolean;
}

/** How much of the machine an import takes. */
export interface Pace {
  /** How many files are read at once. */
  files: number;
  /** Posts in a transaction, and between two rests. */
  posts: number;
  /** A rest, as a multiple of the time that the posts took. */
  rest: number;
}

/** Files that are unpacked, then read, and whose rows share a transaction. */
const FILES = 8;

/**
 * Imports an archive: first its files, as uploads that wait for their post, then the posts with their files, in slices.
 * An import that was interrupted goes on when it runs again, and one that is done adds nothing.
 *
 * @throws Refusal if the archive can't be imported; then nothing was changed
 * @throws ReadingCancelled if the user has cancelled the import, or the server stops. Run again, it continues.
 */
export async function importArchive(ctx: Context, path: string, options: ImportOptions): Promise<ImportProgress> {
  return withImportFolder(ctx, async (folder) => {
    const archive = await openArchive(path, folder, () => isOver(ctx, options));
    try {
      const source = await openSource(archive, ctx.clock.now());
      const run = new ImportRun(ctx, archive, source, folder, options);
      return await run.start();
    } finally {
      await archive.close();
    }
  });
}

/** Runs one import at a time: two would read the same files twice. */
async function withImportFolder<Result>(ctx: Context, work: (folder: string) => Promise<Result>): Promise<Result> {
  await mkdir(importsFolder(ctx), { recursive: true });
  const lock = lockFile(importsFolder(ctx), "lock", 0);
  if (!lock) throw new Refusal("unavailable", "Another archive is being imported. Try again when that is done.");
  const unpacked = join(importsFolder(ctx), "unpacked");
  try {
    // Files that a killed import has left.
    rmSync(unpacked, { recursive: true, force: true });
    return await withTemporaryFolder(unpacked, work);
  } finally {
    lock.release();
  }
}

function isOver(ctx: Context, { isCancelled }: ImportOptions): boolean {
  return ctx.isStopping || isCancelled();
}

const IMPORTER = "SELECT id, username FROM accounts WHERE id = +$accountId";

class ImportRun {
  private readonly progress: ImportProgress = {
    stage: "reading",
    plan: null,
    files: 0,
    posts: 0,
    boosts: 0,
    favourites: 0,
    bookmarks: 0,
  };
  private readonly importer: Importer;

  constructor(
    private readonly ctx: Context,
    private readonly archive: Archive,
    private readonly source: PostSource,
    private readonly folder: string,
    private readonly options: ImportOptions,
  ) {
    const { accountId } = options;
    const { id, username } = ctx.db.get<{ id: number; username: string }>(IMPORTER, { accountId })!;
    const { uri, url } = source.owner;
    this.importer = { id, username, formerUris: [uri, url].filter((each) => each !== null) };
  }

  async start(): Promise<ImportProgress> {
    this.options.onProgress(this.progress);
    const plan = await planImport(this.ctx, this.importer.id, this.archive, this.source, (items) =>
      this.slicesOf(items),
    );
    plan.forFollowers = this.source.isProtected ? "protected" : this.options.forFollowers ? "chosen" : null;
    this.progress.plan = plan;
    if (this.options.isDryRun) return this.progress;
    const stored = await this.storeFiles(plan);
    await this.storePosts(plan, stored);
    if (plan.boosts > 0) await this.storeBoosts();
    await this.storeAddresses("likes");
    await this.storeAddresses("bookmarks");
    if (this.options.withProfile) {
      await importProfile(this.ctx, this.importer.id, this.archive, this.source, this.folder);
    }
    await this.ctx.db.whenSynced();
    this.enter("done");
    return this.progress;
  }

  private enter(stage: ImportProgress["stage"]): void {
    this.progress.stage = stage;
    this.options.onProgress(this.progress);
  }

  /** Returns the names of the files that are stored, now or by an interrupted import. */
  private async storeFiles(plan: ImportPlan): Promise<Set<string>> {
    const stored = storedNames(this.ctx.db, this.importer.id);
    const missing = new Set([...plan.files].filter((name) => !stored.has(name)));
    this.progress.files = plan.files.size - missing.size;
    this.enter("files");
    let unpacked: UnpackedFile[] = [];
    const flush = async () => {
      for (const name of await this.storeUnpacked(plan, unpacked)) stored.add(name);
      unpacked = [];
    };
    await this.archive.readEach(missing, async (name, bytes) => {
      const path = join(this.folder, `file-${unpacked.length}`);
      if (await writeParts(path, bytes, VIDEO_BYTES)) unpacked.push({ name, path });
      else add(plan.skippedFiles, "too large");
      if (unpacked.length === FILES) await flush();
    });
    await flush();
    return stored;
  }

  /** Returns the names of those that could be stored. */
  private async storeUnpacked(plan: ImportPlan, unpacked: readonly UnpackedFile[]): Promise<string[]> {
    this.checkStopping();
    this.options.onProgress(this.progress);
    const results = await Promise.all(unpacked.map((file, at) => this.storeFile(file, at)));
    const stored = results.filter((result) => result !== null);
    const failed = await addArchivedFiles(this.ctx, this.importer.id, stored);
    const names = stored.map(({ name }) => name).filter((name) => !failed.includes(name));
    for (let n = names.length; n < unpacked.length; n += 1) add(plan.skippedFiles, "unreadable");
    this.progress.files += names.length;
    this.options.onProgress(this.progress);
    return names;
  }

  private async storeFile(file: UnpackedFile, at: number): Promise<StoredArchivedFile | null> {
    try {
      const user = `import ${at % this.options.pace.files}`;
      return { name: file.name, columns: await storeArchivedFile(this.ctx, user, file) };
    } catch (error) {
      if (!isAboutFile(error)) throw error;
      return null;
    }
  }

  private async storePosts(plan: ImportPlan, stored: Set<string>): Promise<void> {
    this.enter("posts");
    await this.inSlices(this.source.items(), (tx, item) => {
      if (item.type !== "post") return;
      const post = withStoredFiles(this.archive, this.source, item, stored);
      if (post === null) return;
      const visibility = this.visibilityOf(post.visibility);
      if (!storeArchivedPost(this.ctx, tx, this.importer, { ...post, visibility })) return;
      // A file belongs to one post.
      for (const { name } of post.files) stored.delete(name);
      this.progress.posts += 1;
    });
  }

  private async storeBoosts(): Promise<void> {
    await this.inSlices(this.source.items(), (tx, item) => {
      if (item.type !== "boost") return;
      const visibility = this.visibilityOf(item.visibility);
      if (storeArchivedBoost(this.ctx, tx, this.importer, { ...item, visibility })) this.progress.boosts += 1;
    });
  }

  private async storeAddresses(list: "likes" | "bookmarks"): Promise<void> {
    const store = list === "likes" ? storeArchivedFavourite : storeArchivedBookmark;
    await this.inSlices(this.source.addresses(list), (tx, address) => {
      if (store(this.ctx, tx, this.importer, address)) this.progress[list === "likes" ? "favourites" : list] += 1;
    });
  }

  /**
   * Stores a few items in each transaction, and rests. A power failure may undo the last ones: the next run stores them
   * again.
   */
  private async inSlices<Item>(items: AsyncIterable<Item>, store: (tx: Tx, item: Item) => void): Promise<void> {
    for await (const slice of this.slicesOf(items)) {
      await writeWhenFree(this.ctx, (tx) => {
        for (const item of slice) store(tx, item);
      });
      this.options.onProgress(this.progress);
    }
  }

  /** Groups items. After each group was used, rests in proportion to the time since the last rest. */
  private async *slicesOf<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
    const { posts, rest } = this.options.pace;
    let begun = performance.now();
    let slice: Item[] = [];
    for await (const item of items) {
      slice.push(item);
      if (slice.length < posts) continue;
      this.checkStopping();
      yield slice;
      slice = [];
      await Bun.sleep((performance.now() - begun) * rest);
      begun = performance.now();
    }
    if (slice.length > 0) yield slice;
  }

  private visibilityOf(written: Visibility): Visibility {
    return this.progress.plan?.forFollowers && written !== "direct" ? "private" : written;
  }

  private checkStopping(): void {
    if (isOver(this.ctx, this.options)) throw new ReadingCancelled("the import was ended");
  }
}
