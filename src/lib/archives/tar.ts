import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Header } from "tar-stream";
import { Refusal } from "../../errors.ts";
import { isDocument, ReadingCancelled, type Archive, type Bytes } from "./archive.ts";
import { badArchive, checkExpansion, damaged, FileList, linkRefused } from "./bounds.ts";
import { writeParts } from "./write-parts.ts";

/** Bytes between the contents of two files: headers with long names. tar-stream holds them in memory. */
const MAX_HEADERS = 1024 * 1024;
/** Bytes of all documents, which are unpacked: the disk must not fill up. Posts take about 1 kB each. */
const MAX_DOCUMENTS = 4e9;

/**
 * Opens a .tar.gz file. It can only be read from its beginning, so this reads all of it once, to check it and to put the
 * documents into a folder: they are at its end.
 */
export async function openTar(
  path: string,
  bytes: number,
  folder: string,
  isCancelled: () => boolean,
): Promise<Archive> {
  const list = new FileList();
  const documents = new Map<string, string>();
  let unpacked = 0;
  const eachFile = (use: UseFile) => eachFileIn({ path, bytes, isCancelled }, use);
  await eachFile(async (header, content) => {
    const name = list.add(header.name, header.size);
    if (!isDocument(name)) return drain(content);
    documents.set(name, join(folder, `${documents.size}.json`));
    unpacked += header.size ?? 0;
    const isSmall = unpacked <= MAX_DOCUMENTS && (await writeParts(documents.get(name)!, content, MAX_DOCUMENTS));
    if (!isSmall) throw badArchive("The lists of posts in the archive are larger than 4 GB.");
  });
  return {
    bytes,
    files: list.files,
    document: (name) => createReadStream(documents.get(name)!),
    readEach: async (names, use) => {
      const left = new Set(names);
      await eachFile(async ({ name: written }, content) => {
        const name = written.replace(/^(?:\.\/)+/, "");
        if (left.delete(name)) await use(name, content);
        await drain(content);
      });
    },
    close: () => Promise.resolve(),
  };
}

type UseFile = (header: Header, content: Bytes) => Promise<void>;

/** Calls `use` for each file, which must read its content. */
async function eachFileIn(
  { path, bytes, isCancelled }: { path: string; bytes: number; isCancelled(): boolean },
  use: UseFile,
): Promise<void> {
  const { extract } = await import("tar-stream");
  const files = extract();
  let [expanded, headers, hasFile] = [0, 0, false];
  const count = new Transform({
    transform: (part: Uint8Array, _encoding, done) => {
      expanded += part.length;
      headers += part.length;
      try {
        if (isCancelled()) throw new ReadingCancelled("reading was cancelled");
        checkExpansion(bytes, expanded);
        if (headers > MAX_HEADERS) throw damaged();
        done(null, part);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  async function* watched(content: Bytes): Bytes & AsyncGenerator<Uint8Array> {
    for await (const part of content) {
      headers = 0;
      yield part;
    }
  }
  // It ends with an error as soon as the loop does.
  const fed = pipeline(createReadStream(path), createGunzip(), count, files);
  fed.catch(() => {});
  try {
    for await (const entry of files) {
      const { header } = entry;
      headers = 0;
      if (header.type === "symlink" || header.type === "link") throw linkRefused(header.name);
      if (header.type === "file" || header.type === "contiguous-file") {
        hasFile = true;
        await use(header, watched(entry as Bytes));
      } else if (header.type === "directory") await drain(entry as Bytes);
      else throw badArchive("The archive contains something that is neither a file nor a folder.");
    }
    await fed;
  } catch (error) {
    files.destroy();
    throw await reasonOf(error, fed);
  }
  if (!hasFile) throw damaged();
}

/** The error that ended reading: that of the archive's bytes, if they ended before the files. */
async function reasonOf(error: unknown, fed: Promise<void>): Promise<unknown> {
  if (isOwn(error)) return error;
  try {
    await fed;
  } catch (first) {
    if (isOwn(first)) return first;
  }
  // An error of the system, such as a full disk, is not the archive's.
  return (error as { syscall?: string }).syscall === undefined ? damaged() : error;
}

function isOwn(error: unknown): boolean {
  return error instanceof Refusal || error instanceof ReadingCancelled;
}

async function drain(content: Bytes): Promise<void> {
  for await (const part of content) void part;
}
