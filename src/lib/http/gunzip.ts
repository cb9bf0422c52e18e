import { createGunzip, type Gunzip } from "node:zlib";

/** Pages, pictures and JSON stay far below this. Deflate can reach 1,032. */
const MAX_RATIO = 200;
/** The ratio of a short text says nothing, so it is checked from this many bytes on. */
const RATIO_FROM = 64 * 1024;

/** The input unpacks to far more than any honest document does. */
export class RatioError extends Error {
  override readonly name = "RatioError";
}

/**
 * Unpacks gzip (RFC 1952), several members included, in pieces of at most 16 KiB. It works only as far ahead as its
 * output is read, so a caller that stops early spends neither memory nor time on the rest. Empty input is empty output:
 * servers name an encoding for responses without a body, too.
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

/** Writes all of the input, each piece when the one before is unpacked and read. Returns how many bytes it had. */
async function feed(unpacker: Gunzip, packed: AsyncIterable<Uint8Array>): Promise<number> {
  // A write to a stream is never confirmed once its reader has left.
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
