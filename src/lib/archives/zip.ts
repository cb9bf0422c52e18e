import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { Refusal } from "../../errors.ts";
import type { Archive, Bytes } from "./archive.ts";
import { badArchive, checkExpansion, damaged, FileList, linkRefused } from "./bounds.ts";

/** The data needed to read a file. The entries of yauzl take ten times the memory. */
type Place = Pick<
  Entry,
  "relativeOffsetOfLocalHeader" | "compressedSize" | "uncompressedSize" | "compressionMethod" | "crc32"
>;

const STORED = 0;
const DEFLATED = 8;
/** Bits of the mode of a Unix file, in the upper half of the external attributes. */
const [FILE_TYPE, LINK] = [0o170_000, 0o120_000];

/** Opens a .zip file, whose directory is at its end: a truncated file is refused here. */
export async function openZip(path: string, bytes: number): Promise<Archive> {
  const { openPromise, getFileNameLowLevel } = await import("yauzl");
  const zip = await openPromise(path, { decodeStrings: false, autoClose: false }).catch(refuse);
  const list = new FileList();
  const places = new Map<string, Place>();
  let [expanded, packed] = [0, 0];
  try {
    for await (const entry of zip.eachEntry()) {
      const raw = entry.fileName as unknown as Buffer;
      const name = getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true);
      if (isLink(entry)) throw linkRefused(name);
      if (name.endsWith("/")) continue;
      places.set(list.add(name, entry.uncompressedSize), placeOf(entry));
      expanded += entry.uncompressedSize;
      packed += entry.compressedSize;
      checkExpansion(bytes, expanded);
      // Files that share their data multiply what little there is.
      if (packed > bytes) throw damaged();
    }
  } catch (error) {
    zip.close();
    throw error instanceof Refusal ? error : damaged();
  }
  const read = (name: string) => readPlace(zip, places.get(name)!);
  return {
    bytes,
    files: list.files,
    document: read,
    readEach: async (names, use) => {
      for (const name of places.keys()) if (names.has(name)) await use(name, read(name));
    },
    close: () => Promise.resolve(zip.close()),
  };
}

function refuse(): never {
  throw damaged();
}

function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
}

function placeOf(entry: Entry): Place {
  if (entry.isEncrypted())
    throw badArchive("The archive is encrypted. Unpack it, and pack it again without a password.");
  const { relativeOffsetOfLocalHeader, compressedSize, uncompressedSize, compressionMethod, crc32: checksum } = entry;
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) throw damaged();
  return { relativeOffsetOfLocalHeader, compressedSize, uncompressedSize, compressionMethod, crc32: checksum };
}

async function* readPlace(zip: ZipFile, place: Place): Bytes & AsyncGenerator<Uint8Array> {
  const { compressedSize, uncompressedSize, compressionMethod } = place;
  let [size, checksum] = [0, 0];
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(place as Entry, { minimal: true });
    const stream = await new Promise<Readable>((resolve, reject) => {
      const isPacked = compressionMethod === DEFLATED;
      const done = (error: Error | null, opened: Readable) => (error ? reject(error) : resolve(opened));
      zip.openReadStreamLowLevel(fileDataStart, compressedSize, 0, compressedSize, isPacked, uncompressedSize, done);
    });
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      size += part.length;
      checksum = crc32(part, checksum);
      yield part;
    }
  } catch {
    throw damaged();
  }
  if (size !== uncompressedSize || checksum !== place.crc32) throw damaged();
}
