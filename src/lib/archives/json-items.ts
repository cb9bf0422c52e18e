import type { Bytes } from "./archive.ts";
import { badArchive, damaged } from "./bounds.ts";

/** An entry of a list, as text. A post of 100,000 characters fits many times. */
const MAX_ITEM = 4 * 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];

/** The bytes that mean nothing outside of strings: all but quotes, commas and brackets. */
const IS_PLAIN = Array.from({ length: 256 }, (_, byte) => !'",[]{}'.includes(String.fromCharCode(byte)));

/**
 * Reads the entries of a long list in a JSON document, one after the other, so that the document is never in memory as a
 * whole. The list is the document itself or, in an object, its member with this name. Text in front of the document is
 * skipped, such as an assignment to a variable.
 *
 * @throws Refusal if the document is cut off, an entry is no JSON, or there is no such list
 */
export async function* jsonItems(document: Bytes, member: string): AsyncGenerator<unknown> {
  const scanner = new ItemScanner(member);
  for await (const part of document) yield* scanner.push(part);
  scanner.end();
}

/** Finds the bounds of the entries. Only they are parsed; of the rest, only brackets and strings matter. */
class ItemScanner {
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** The depth of the entries; 0 outside the list. */
  private itemDepth = 0;
  private found = false;
  /** The last string outside the list: the name of the member before a bracket. */
  private name: number[] = [];
  /** The entry that has begun, as far as it is in earlier parts. */
  private begun: Uint8Array[] = [];
  private begunBytes = 0;

  constructor(private readonly member: string) {}

  push(part: Uint8Array): unknown[] {
    const items: unknown[] = [];
    let start = 0;
    for (let at = 0; at < part.length; at += 1) {
      if (this.inString) {
        at = this.readString(part, at);
        continue;
      }
      const byte = part[at]!;
      if (IS_PLAIN[byte]) continue;
      const wasInList = this.itemDepth > 0;
      const isItemEnd = wasInList && this.depth === this.itemDepth && (byte === COMMA || byte === CLOSE);
      if (isItemEnd) this.take(part.subarray(start, at), byte === CLOSE, items);
      this.readStructure(byte);
      const isListStart = !wasInList && this.itemDepth > 0;
      if (isItemEnd || isListStart) start = at + 1;
    }
    if (this.itemDepth > 0) this.keep(part.subarray(start));
    return items;
  }

  end(): void {
    if (this.depth > 0 || this.inString) throw damaged();
    if (!this.found) throw badArchive(`The archive contains a list without "${this.member}".`);
  }

  /** Returns where the string ends, or the end of the part. Jumps from one escaped character to the next. */
  private readString(part: Uint8Array, from: number): number {
    let [at, quote] = [from, -1];
    if (this.isEscaped) [this.isEscaped, at] = [false, from + 1];
    for (;;) {
      // A part without a quote is searched once, not again after each backslash.
      if (quote < at) quote = indexOrEnd(part, QUOTE, at);
      const end = quote;
      const backslash = part.subarray(at, end).indexOf(BACKSLASH);
      if (backslash === -1) {
        this.inString = quote === part.length;
        this.noteName(part, from, end);
        return end;
      }
      at += backslash + 2;
      this.isEscaped = at > part.length;
    }
  }

  private noteName(part: Uint8Array, from: number, end: number): void {
    const room = this.member.length + 1 - this.name.length;
    if (this.itemDepth === 0 && room > 0) this.name.push(...part.subarray(from, Math.min(end, from + room)));
  }

  private readStructure(byte: number): void {
    if (byte === QUOTE) {
      this.inString = true;
      if (this.itemDepth === 0) this.name = [];
    } else if (byte === OPEN || byte === OPEN_OBJECT) {
      this.depth += 1;
      if (byte === OPEN && !this.found && this.isList()) {
        [this.itemDepth, this.found] = [this.depth, true];
      }
    } else if (byte === CLOSE || byte === CLOSE_OBJECT) {
      if (this.depth === this.itemDepth) this.itemDepth = 0;
      this.depth -= 1;
      if (this.depth < 0) throw damaged();
    }
  }

  private isList(): boolean {
    return this.depth === 1 || (this.depth === 2 && String.fromCharCode(...this.name) === this.member);
  }

  private keep(part: Uint8Array): void {
    this.begunBytes += part.length;
    if (this.begunBytes > MAX_ITEM) throw badArchive("The archive contains a post that is larger than 4 MB.");
    // The stream may use the memory of its parts again.
    if (part.length > 0) this.begun.push(part.slice());
  }

  private take(last: Uint8Array, isLast: boolean, items: unknown[]): void {
    this.keep(last);
    const text = Buffer.concat(this.begun).toString("utf8");
    [this.begun, this.begunBytes] = [[], 0];
    // An empty list, or the comma that some programs write behind the last entry.
    if (isLast && text.trim() === "") return;
    try {
      items.push(JSON.parse(text));
    } catch {
      throw damaged();
    }
  }
}

/** Where a byte is next; the length of the part if it is not in it. */
function indexOrEnd(part: Uint8Array, byte: number, from: number): number {
  const at = part.indexOf(byte, from);
  return at === -1 ? part.length : at;
}
