import { createReadStream, existsSync } from "node:fs";
import { Readable } from "node:stream";
import type { Context } from "../../context.ts";
import { mediaUrl } from "../../core/addresses.ts";
import { storedFile } from "../../core/media/stored-files.ts";
import type { JsonObject } from "../documents.ts";
import { actorDocument } from "../write/actor.ts";
import { reblogForArchive } from "../write/activities.ts";
import { withContext } from "../write/context.ts";
import { archivedStatus } from "../write/status.ts";

/*
 * The archive of a user, as Mastodon writes it: actor.json, outbox.json, likes.json, bookmarks.json, the media and the
 * pictures of the profile. It is written while it is read, so neither memory nor disk has to hold it.
 */

/** Rows that are read at once. */
const PAGE = 100;
/** Where Mastodon puts the files of posts. */
const MEDIA_FOLDER = "media_attachments/files/";

/** How much of an archive is written. */
export interface ExportProgress {
  posts: number;
  files: number;
}

/** The archive of a local account as the bytes of a .zip file. */
export async function exportArchive(
  ctx: Context,
  accountId: number,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<Readable> {
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const progress: ExportProgress = { posts: 0, files: 0 };
  let open: Readable | null = null;
  const output = Readable.from(zip.outputStream as unknown as AsyncIterable<Uint8Array>, { objectMode: false });
  zip.on("error", (error: Error) => output.destroy(error));
  // A reader that goes away leaves the file open that was being read.
  output.once("close", () => open?.destroy());
  const add = (name: string, openPart: () => Readable, compress = true) =>
    zip.addReadStreamLazy(name, { compress, mtime: new Date(ctx.clock.now()) }, (use) =>
      use(null, (open = openPart())),
    );
  const count = (kind: keyof ExportProgress) => {
    progress[kind] += 1;
    onProgress(progress);
  };
  add("actor.json", () => Readable.from([JSON.stringify(actorForArchive(ctx, accountId))]));
  for (const { name, file } of picturesOf(ctx, accountId)) add(name, () => openFile(ctx, file), false);
  add("outbox.json", () =>
    listOf(
      ctx,
      "outbox.json",
      activitiesOf(ctx, accountId, () => count("posts")),
    ),
  );
  add("likes.json", () => listOf(ctx, "likes.json", addressesOf(ctx, accountId, FAVOURITES)));
  add("bookmarks.json", () => listOf(ctx, "bookmarks.json", addressesOf(ctx, accountId, BOOKMARKS)));
  for (const file of filesOf(ctx, accountId)) {
    add(
      nameInArchive(file),
      () => {
        count("files");
        return openFile(ctx, file);
      },
      false,
    );
  }
  zip.end();
  return output;
}

/** A file that was deleted meanwhile is empty: its post is gone, too. */
function openFile(ctx: Context, file: string): Readable {
  const path = storedFile(ctx, file);
  return existsSync(path) ? createReadStream(path) : Readable.from([]);
}

function nameInArchive(file: string): string {
  return MEDIA_FOLDER + file.replace(/^attachments\//, "");
}

type Pictures = { avatar: string | null; header: string | null };

function picturesOf(ctx: Context, accountId: number): { name: string; file: string }[] {
  const { avatar, header } = ctx.db.get<Pictures>("SELECT avatar, header FROM accounts WHERE id = +$accountId", {
    accountId,
  })!;
  const named = (name: string, file: string | null) => (file === null ? [] : [{ name: name + endingOf(file), file }]);
  return [...named("avatar", avatar), ...named("header", header)];
}

function endingOf(file: string): string {
  return file.slice(file.lastIndexOf("."));
}

function actorForArchive(ctx: Context, accountId: number): JsonObject {
  const { icon, image, ...actor } = actorDocument(ctx, accountId) as { icon?: JsonObject; image?: JsonObject };
  const files = new Map(picturesOf(ctx, accountId).map(({ name }) => [name.slice(0, 6), name]));
  return withContext({
    ...actor,
    likes: "likes.json",
    bookmarks: "bookmarks.json",
    outbox: "outbox.json",
    ...(icon && { icon: { ...icon, url: files.get("avatar") } }),
    ...(image && { image: { ...image, url: files.get("header") } }),
  });
}

/** A collection, written entry by entry. */
function listOf(ctx: Context, id: string, entries: Iterable<string>): Readable {
  const frame = JSON.stringify(withContext({ id, type: "OrderedCollection", orderedItems: [] }));
  const [start, end] = [frame.slice(0, frame.lastIndexOf("]")), frame.slice(frame.lastIndexOf("]"))];
  function* parts(): Iterable<string> {
    let separator = start;
    for (const entry of entries) {
      yield separator + entry;
      separator = ",\n";
    }
    yield (separator === start ? start : "") + end;
  }
  return Readable.from(parts(), { objectMode: false });
}

const STATUSES = `
  SELECT id, reblog_of_id FROM statuses WHERE account_id = +$accountId AND id > +$after ORDER BY id LIMIT +$limit`;

/** The oldest first, as in Mastodon, so that a reply follows what it replies to. */
function* activitiesOf(ctx: Context, accountId: number, onPost: () => void): Iterable<string> {
  for (let after = 0; ;) {
    const rows = ctx.db.all<{ id: number; reblog_of_id: number | null }>(STATUSES, { accountId, after, limit: PAGE });
    for (const { id, reblog_of_id } of rows) {
      const activity = reblog_of_id === null ? archivedStatus(ctx, id) : reblogForArchive(ctx, id);
      if (activity === null) continue;
      onPost();
      yield JSON.stringify(withFileNames(ctx, activity));
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

/** Media by their names in the archive. */
function withFileNames(ctx: Context, activity: JsonObject): JsonObject {
  const { object } = activity as { object: JsonObject | string };
  if (typeof object === "string") return activity;
  const folder = mediaUrl(ctx, "attachments/");
  const attachment = (object.attachment as JsonObject[]).map((each) => ({
    ...each,
    url: (each.url as string).replace(folder, `/${MEDIA_FOLDER}`),
  }));
  return { ...activity, object: { ...object, attachment } };
}

const FILES = `
  SELECT id, coalesce(file, '') AS file FROM media_attachments
  WHERE account_id = +$accountId AND id > +$after AND status_id IS NOT NULL AND position >= 0 AND state = 'ready' AND file IS NOT NULL
  ORDER BY id LIMIT +$limit`;

function* filesOf(ctx: Context, accountId: number): Iterable<string> {
  for (let after = 0; ;) {
    const rows = ctx.db.all<{ id: number; file: string }>(FILES, { accountId, after, limit: PAGE });
    for (const { file } of rows) yield file;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

const FAVOURITES = `
  SELECT f.id, s.uri FROM favourites f JOIN statuses s ON s.id = f.status_id
  WHERE f.account_id = +$accountId AND f.id > +$after ORDER BY f.id LIMIT +$limit`;
const BOOKMARKS = `
  SELECT b.id, s.uri FROM bookmarks b JOIN statuses s ON s.id = b.status_id
  WHERE b.account_id = +$accountId AND b.id > +$after ORDER BY b.id LIMIT +$limit`;

function* addressesOf(ctx: Context, accountId: number, sql: typeof FAVOURITES | typeof BOOKMARKS): Iterable<string> {
  for (let after = 0; ;) {
    const rows = ctx.db.all<{ id: number; uri: string }>(sql, { accountId, after, limit: PAGE });
    for (const { uri } of rows) yield JSON.stringify(uri);
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}
