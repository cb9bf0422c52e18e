import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { gunzip, RatioError } from "../../src/lib/http/gunzip.ts";

const KIB = 1024;
const MIB = KIB * KIB;

/** Counts the chunks that are read, and records when the reader closes the source. */
class Source {
  read = 0;
  readonly ended = Promise.withResolvers<void>();

  constructor(private readonly pieces: Iterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of this.pieces) {
        this.read += 1;
        yield piece;
      }
    } finally {
      this.ended.resolve();
    }
  }
}

/** The output before the end or the error, and the size of the largest chunk. */
async function unpack(source: AsyncIterable<Uint8Array>) {
  const result = { bytes: 0, longest: 0, error: null as unknown };
  try {
    for await (const piece of gunzip(source)) {
      result.bytes += piece.length;
      result.longest = Math.max(result.longest, piece.length);
    }
  } catch (error) {
    result.error = error;
  }
  return result;
}

function* repeat(times: number, piece: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < times; at++) yield piece;
}

describe("Unpacking gzip", () => {
  test("returns the original data, however it was split into chunks and members", async () => {
    const pieces = fc.array(fc.tuple(fc.uint8Array({ maxLength: 5000 }), fc.nat({ max: 9 })), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 3000 }), async (members, size) => {
        const packed = Buffer.concat(members.map(([bytes, level]) => gzipSync(bytes, { level })));
        const cut = Array.from({ length: Math.ceil(packed.length / size) }, (_, at) =>
          packed.subarray(at * size, (at + 1) * size),
        );
        const unpacked: Uint8Array[] = [];
        for await (const piece of gunzip(new Source(cut))) unpacked.push(piece);
        expect(Buffer.concat(unpacked)).toEqual(Buffer.concat(members.map(([bytes]) => bytes)));
      }),
      { numRuns: 50 },
    );
  });

  test("stops at a bomb of 1 GiB before unpacking a ten-thousandth of it, and closes the source", async () => {
    const member = gzipSync(new Uint8Array(MIB));
    const source = new Source(repeat(1024, member));
    const { bytes, longest, error } = await unpack(source);
    expect(error).toBeInstanceOf(RatioError);
    expect(bytes).toBeLessThanOrEqual(100 * KIB);
    expect(longest).toBeLessThanOrEqual(16 * KIB);
    await source.ended.promise;
    expect(source.read).toBeLessThan(100);
  });

  test("unpacks only as much as is read", async () => {
    const source = new Source(repeat(1000, gzipSync(crypto.getRandomValues(new Uint8Array(50 * KIB)))));
    for await (const _ of gunzip(source)) break;
    await source.ended.promise;
    expect(source.read).toBeLessThan(10);
  });

  test("accepts data that compresses well without being a bomb", async () => {
    const row = "<tr><td class=number>0</td><td class=number>0</td></tr>\n";
    const table = Array.from({ length: 20_000 }, (_, at) => row.replace("0", String(at))).join("");
    expect(await unpack(new Source([gzipSync(table)]))).toMatchObject({ bytes: table.length, error: null });
    expect(await unpack(new Source([gzipSync(new Uint8Array(60 * KIB))]))).toMatchObject({ bytes: 60 * KIB });
  });

  test("returns empty output for empty input", async () => {
    expect(await unpack(new Source([]))).toMatchObject({ bytes: 0, error: null });
    expect(await unpack(new Source([new Uint8Array()]))).toMatchObject({ bytes: 0, error: null });
  });

  test("fails with the error of its source", async () => {
    async function* broken(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
      yield* pieces;
      throw new Error("connection reset");
    }
    expect((await unpack(broken())).error).toEqual(new Error("connection reset"));
    expect((await unpack(broken(gzipSync("hello")))).error).toEqual(new Error("connection reset"));
  });
});
