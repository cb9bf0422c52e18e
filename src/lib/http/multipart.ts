import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Refusal } from "../../errors.ts";
import { StoredFile } from "../files.ts";

type Entry = [name: string, value: string | StoredFile];

export interface MultipartLimits {
  /** Of the whole body. */
  bytes: number;
  /** Fields and files together. */
  parts: number;
}

/** Of one field, in bytes: far more than any text that is wanted anywhere. */
const MAX_FIELD = 1024 * 1024;
const MAX_NAME = 1000;

/**
 * Reads a multipart form of which the files go to the disk as they come, into `folder`: `formData()` would hold a film
 * of 99 MB in memory, and twice while it takes the form apart.
 *
 * @throws Refusal `too_large`, or `bad_request` for what is no such form.
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
      // One more than is allowed, so that it shows when there were more.
      limits: { fileSize: bytes, fieldSize: MAX_FIELD, fieldNameSize: MAX_NAME, parts: parts + 1, headerPairs: 20 },
    });
  } catch {
    throw malformed();
  }
}

/**
 * The parts that the parser finds, in the order of the form: a file's place is taken when it begins. As in `formData()`, a part
 * without a name is ignored; busboy's types do not say that the name may be undefined.
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
    // It is waited for at the end; until then nobody else hears of it.
    stored.catch((error: Error) => parser.destroy(error));
    found.push(stored);
    streams.push(stream);
  });
  return {
    entries: () => Promise.all(found),
    /** Ends what was begun, when there is no end to come. */
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
      if (size > bytes)
        done(new Refusal("too_large", `The request body is larger than the ${bytes} bytes that are accepted here`));
      else done(null, chunk);
    },
  });
}

/** A disk that is full is not the sender's fault. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function malformed(): Refusal {
  return new Refusal("bad_request", "The request body is not valid multipart/form-data");
}

function fieldTooLarge(): Refusal {
  return new Refusal("bad_request", `A field of the form is larger than ${MAX_FIELD} bytes`);
}
