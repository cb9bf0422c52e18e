import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Refusal } from "../../errors.ts";
import { untilCancelled, type Archive } from "./archive.ts";
import { badArchive } from "./bounds.ts";
import { openTar } from "./tar.ts";
import { openZip } from "./zip.ts";

type Format = "zip" | "tar" | "document";

/** The format of a file, by its first bytes; null if it is no archive. */
async function formatOf(path: string): Promise<Format | null> {
  const start = Buffer.from(await Bun.file(path).slice(0, 64).bytes()).toString("latin1");
  if (start.startsWith("PK\x03\x04") || start.startsWith("PK\x05\x06")) return "zip";
  if (start.startsWith("\x1f\x8b")) return "tar";
  return /^(?:\xef\xbb\xbf)?\s*[[{]/.test(start) ? "document" : null;
}

/** @throws Refusal if a file is no archive. It may still be damaged. */
export async function refuseOtherFiles(path: string): Promise<void> {
  if ((await formatOf(path)) === null) throw noArchive();
}

function noArchive(): Refusal {
  return badArchive("The file is not an archive of posts: it is neither .zip, .tar.gz nor .json.");
}

/**
 * Opens a .zip, .tar.gz or .json file, whatever its name is. Its documents may be unpacked into the folder. `isCancelled`
 * is asked before each part that is read, also later: a single document may have gigabytes.
 *
 * @throws Refusal if it is something else, damaged, or hostile
 * @throws ReadingCancelled if it was cancelled while it was read
 */
export async function openArchive(path: string, folder: string, isCancelled = () => false): Promise<Archive> {
  const archive = await openFormat(path, folder, isCancelled);
  return {
    ...archive,
    document: (name) => untilCancelled(archive.document(name), isCancelled),
    readEach: (names, use) => archive.readEach(names, (name, bytes) => use(name, untilCancelled(bytes, isCancelled))),
  };
}

async function openFormat(path: string, folder: string, isCancelled: () => boolean): Promise<Archive> {
  const { size } = Bun.file(path);
  switch (await formatOf(path)) {
    case "zip":
      return openZip(path, size);
    case "tar":
      return openTar(path, size, folder, isCancelled);
    case "document":
      return openDocument(path, size);
    case null:
      throw noArchive();
  }
}

/** A single document, as an archive that contains nothing else. */
function openDocument(path: string, bytes: number): Archive {
  return {
    bytes,
    files: new Map([[basename(path), bytes]]),
    document: () => createReadStream(path),
    readEach: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
