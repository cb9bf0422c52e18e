import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Refusal } from "../../errors.ts";
import { StoredFile } from "../files.ts";

type Entry = [name: string, value: string | StoredFile];

export interface MultipartLimits {
  /** The size of the whole body. */
  bytes: number;
  /** Fields and files together. */
  parts: number;
}

/** The size of one field, in bytes: far more than any endpoint accepts as a text. */
const MAX_FIELD = 1024 * 1024;
const MAX_NAME = 1000;

/**
 * Reads a multipart form and writes its files to `folder` as they arrive: `formData()` would hold a video of 99 MB in
 * memory, and twice during parsing.
 *
 * @throws Refusal `too_large`, or `bad_request` if the form is malformed.
 */
export async function storeMultipart(request: Request, folder: string, limits: MultipartLimits): Promise<Entry[]> {
  const parser = openParser(request.headers.get("content-type") ?? "", limits);
  const form = collect(parser, folder);
  try {
    await pipeline(request.body ?? [], bounded(limits.bytes), parser);
    return await form.entries();
  } catch (error) {
    await form.abandon();
    throw error instanceof Refusal || isOurs(error) ? error : malformed();
  }
}

function openParser(type: string, { bytes, parts }: MultipartLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": type },
      // One more than allowed, so that the caller can detect a form with too many parts.
      limits: { fileSize: bytes, fieldSize: MAX_FIELD, fieldNameSize: MAX_NAME, parts: parts + 1, headerPairs: 20 },
    });
  } catch {
    throw malformed();
  }
}

/**
 * Collects the parsed parts in the order of the form: a file's position is that of its beginning. As in `formData()`, a
 * part without a name is ignored; busboy's types do not say that the name may be undefined.
 */
function collect(parser: BusboyInstance, folder: string) {
  const found: (Entry | Promise<Entry>)[] = [];
  const streams: Readable[] = [];
  parser.on("field", (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) parser.destroy(fieldTooLarge());
    else if (name) found.push([name, value]);
  });
  parser.on("file", (name, stream, filename, _encoding, type) => {
    if (!name) {
      stream.resume();
      return;
    }
    const path = join(folder, `${found.length}`);
    const stored = pipeline(stream, createWriteStream(path, { mode: 0o600 })).then((): Entry => [
      name,
      new StoredFile(path, filename, type),
    ]);
    // `entries()` awaits it at the end. Until then an error must stop the parser.
    stored.catch((error: Error) => parser.destroy(error));
    found.push(stored);
    streams.push(stream);
  });
  return {
    entries: () => Promise.all(found),
    /** Stops writing the files, after the form failed. */
    abandon: () => {
      for (const stream of streams) stream.destroy();
      return Promise.allSettled(found);
    },
  };
}

function bounded(bytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.byteLength;
      if (size > bytes) done(new Refusal("too_large", `The request body is larger than ${bytes} bytes`));
      else done(null, chunk);
    },
  });
}

/** Errors of the file system, such as a full disk, are not the client's fault. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function malformed(): Refusal {
  return new Refusal("bad_request", "The request body is not valid multipart/form-data");
}

function fieldTooLarge(): Refusal {
  return new Refusal("bad_request", `A field of the form is larger than ${MAX_FIELD} bytes`);
}
