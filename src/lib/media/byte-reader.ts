/** A GIF of 100 MB has 400,000 parts. */
const MOST_PARTS = 1_000_000;

/** Reads untrusted bytes from the first to the last. Reading beyond the end throws a RangeError. */
export class ByteReader {
  at = 0;
  #taken = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    this.at += 1;
    return this.#view.getUint8(this.at - 1);
  }

  u16(littleEndian = false): number {
    this.at += 2;
    return this.#view.getUint16(this.at - 2, littleEndian);
  }

  u32(littleEndian = false): number {
    this.at += 4;
    return this.#view.getUint32(this.at - 4, littleEndian);
  }

  take(length: number): Uint8Array {
    this.#taken += 1;
    if (this.#taken > MOST_PARTS) throw new RangeError("The picture has too many parts");
    if (length < 0 || length > this.left) throw new RangeError("A part of the picture reaches beyond its end");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text(length: number): string {
    return Buffer.from(this.take(length)).toString("latin1");
  }
}
