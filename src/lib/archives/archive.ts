/** Bytes in parts. */
export type Bytes = AsyncIterable<Uint8Array>;

/** Reading was ended because the caller wanted that. */
export class ReadingCancelled extends Error {
  override readonly name = "ReadingCancelled";
}

/** The same bytes. @throws ReadingCancelled as soon as that is so: before the next part */
export async function* untilCancelled(bytes: Bytes, isCancelled: () => boolean): Bytes & AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    if (isCancelled()) throw new ReadingCancelled("reading was cancelled");
    yield part;
  }
}

/** An archive on disk, read in parts. All names, and the structure, are checked when it is opened. */
export interface Archive {
  /** The size of the archive itself. */
  bytes: number;
  /** Its files, without folders: their names, and their sizes. */
  files: ReadonlyMap<string, number>;
  /** A document, such as the list of posts. Media may be readable only in their order, by `readEach()`. */
  document(name: string): Bytes;
  /** Reads these files in the order of the archive, one after the other. */
  readEach(names: ReadonlySet<string>, use: (name: string, bytes: Bytes) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Whether a file may be a document that is read, by its name: those of the exports that Linnet knows. */
export function isDocument(name: string): boolean {
  const documents =
    /(?:^|\/)(?:outbox|actor|likes|bookmarks|pixelfed-statuses|tweets?(?:-part\d+)?|protected-history)\.(?:json|js)$/;
  return documents.test(name);
}
