import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Archive } from "./archive.ts";
import { badArchive } from "./bounds.ts";
import { openTar } from "./tar.ts";
import { openZip } from "./zip.ts";

/**
 * Opens a .zip, .tar.gz or .json file, whatever its name is. Its documents may be unpacked into the folder.
 *
 * @throws Refusal if it is something else, damaged, or hostile
 */
export async function openArchive(path: string, folder: string): Promise<Archive> {
  const file = Bun.file(path);
  const start = Buffer.from(await file.slice(0, 64).bytes()).toString("latin1");
  if (start.startsWith("PK\x03\x04") || start.startsWith("PK\x05\x06")) return openZip(path, file.size);
  if (start.startsWith("\x1f\x8b")) return openTar(path, file.size, folder);
  if (/^(?:\xef\xbb\xbf)?\s*[[{]/.test(start)) return openDocument(path, file.size);
  throw badArchive("The file is not an archive of posts: it is neither .zip, .tar.gz nor .json.");
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
