import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { ZipFile } from "yazl";
import { importArchive, type ImportOptions, type ImportProgress } from "../../src/federation/archives/import.ts";
import type { Json } from "./client.ts";
import type { TestServer } from "./server.ts";

/** The files of an archive by their names. Objects become JSON. */
export type Files = Record<string, string | Uint8Array | object>;

export const OLD = "https://old.example";
export const OLD_ACTOR = `${OLD}/users/alice`;
const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";

/** A folder for archives. */
export class ArchiveFolder {
  readonly path = mkdtempSync(join(tmpdir(), "linnet-archives-"));
  private count = 0;

  private newPath(ending: string): string {
    this.count += 1;
    return join(this.path, `archive-${this.count}${ending}`);
  }

  async zip(files: Files): Promise<string> {
    const zip = new ZipFile();
    for (const [name, content] of Object.entries(files)) zip.addBuffer(bytesOf(content), name);
    zip.end();
    const path = this.newPath(".zip");
    await pipeline(zip.outputStream, createWriteStream(path));
    return path;
  }

  async tar(files: Files): Promise<string> {
    const tar = pack();
    for (const [name, content] of Object.entries(files)) tar.entry({ name }, bytesOf(content));
    tar.finalize();
    const path = this.newPath(".tar.gz");
    await pipeline(tar as unknown as NodeJS.ReadableStream, createGzip(), createWriteStream(path));
    return path;
  }

  /** A .tar.gz file of any bytes, which may be no tar. */
  gzipped(bytes: Uint8Array): string {
    return this.write(gzipSync(bytes), ".tar.gz");
  }

  write(bytes: Uint8Array | string, ending = ".zip"): string {
    const path = this.newPath(ending);
    writeFileSync(path, bytes);
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function bytesOf(content: Files[string]): Buffer {
  if (typeof content === "string" || content instanceof Uint8Array) return Buffer.from(content as string);
  return Buffer.from(JSON.stringify(content));
}

/** An archive as Mastodon writes it. */
export function mastodonArchive(items: readonly Json[], others: Files = {}): Files {
  return {
    "outbox.json": outbox(items),
    "likes.json": { id: "likes.json", type: "OrderedCollection", orderedItems: [] },
    "bookmarks.json": { id: "bookmarks.json", type: "OrderedCollection", orderedItems: [] },
    "actor.json": {
      "@context": ["https://www.w3.org/ns/activitystreams"],
      id: OLD_ACTOR,
      type: "Person",
      url: `${OLD}/@alice`,
      preferredUsername: "alice",
      inbox: `${OLD_ACTOR}/inbox`,
      followers: `${OLD_ACTOR}/followers`,
      following: `${OLD_ACTOR}/following`,
    },
    ...others,
  };
}

function outbox(items: readonly Json[]): object {
  const context = ["https://www.w3.org/ns/activitystreams", { ostatus: "http://ostatus.org#" }];
  return {
    "@context": context,
    id: "outbox.json",
    type: "OrderedCollection",
    totalItems: items.length,
    orderedItems: items,
  };
}

/** A public post in an archive, unless `object` says otherwise. */
export function archivedPost(n: number, object: object = {}): Json {
  const id = `${OLD_ACTOR}/statuses/${n}`;
  const published = new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString();
  const audience = { to: [PUBLIC], cc: [`${OLD_ACTOR}/followers`] };
  const note = {
    id,
    type: "Note",
    attributedTo: OLD_ACTOR,
    published,
    ...audience,
    content: `<p>Post ${n}</p>`,
    ...object,
  };
  return { id: `${id}/activity`, type: "Create", actor: OLD_ACTOR, published, ...audience, object: note };
}

/** The addressing of each visibility, in a post of an archive. */
export const AUDIENCES = {
  public: { to: [PUBLIC], cc: [`${OLD_ACTOR}/followers`] },
  unlisted: { to: [`${OLD_ACTOR}/followers`], cc: [PUBLIC] },
  private: { to: [`${OLD_ACTOR}/followers`], cc: [] },
  direct: { to: ["https://other.example/users/bob"], cc: [] },
} as const;

export function runImport(
  { ctx }: Pick<TestServer, "ctx">,
  { id }: { id: string },
  path: string,
  options: Partial<ImportOptions> = {},
): Promise<ImportProgress> {
  return importArchive(ctx, path, {
    accountId: Number(id),
    isDryRun: false,
    withProfile: false,
    forFollowers: false,
    pace: { files: 1, posts: 25, rest: 0 },
    isCancelled: () => false,
    onProgress: () => {},
    ...options,
  });
}
