import { createGunzip, type Gunzip } from "node:zlib";

/** Pages, images and JSON stay far below this ratio. Deflate can reach 1,032. */
const MAX_RATIO = 200;
/** The ratio of a short text means nothing, so it is only checked above this many unpacked bytes. */
const RATIO_FROM = 64 * 1024;

/** The input unpacks to far more than any legitimate document. */
export class RatioError extends Error {
  override readonly name = "RatioError";
}

/**
 * Unpacks gzip (RFC 1952), also with several members, in pieces of at most 16 KiB. It unpacks only as fast as its
 * output is read, so a caller that stops early spends neither memory nor time on the rest. Empty input gives empty
 * output: servers send Content-Encoding for responses without a body, too.
 *
 * @throws RatioError, the error of the input, or zlib's when the input is corrupt or cut off.
 */
export async function* gunzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacker = createGunzip();
  let isEmpty = false;
  feed(unpacker, packed).then(
    (size) => (isEmpty = size === 0),
    (error: Error) => unpacker.destroy(error),
  );
  let size = 0;
  try {
    for await (const piece of unpacker as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > RATIO_FROM && size > unpacker.bytesWritten * MAX_RATIO) {
        throw new RatioError(`unpacks to more than ${MAX_RATIO} times its size`);
      }
      yield piece;
    }
  } catch (error) {
    if (!isEmpty) throw error;
  }
}

/** Writes the input, each piece once the previous one is unpacked and read. Returns the size of the input in bytes. */
async function feed(unpacker: Gunzip, packed: AsyncIterable<Uint8Array>): Promise<number> {
  // The callback of a write never runs once the reader has stopped.
  const closed = new Promise<void>((resolve) => void unpacker.once("close", resolve));
  let size = 0;
  for await (const piece of packed) {
    size += piece.length;
    await Promise.race([closed, new Promise<void>((resolve) => void unpacker.write(piece, () => resolve()))]);
    if (unpacker.destroyed) return size;
  }
  unpacker.end();
  return size;
}
