import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { Refusal } from "../../src/errors.ts";
import { StoredFile } from "../../src/lib/files.ts";
import { storeMultipart } from "../../src/lib/http/multipart.ts";
import { readParams } from "../../src/lib/http/params.ts";

const LIMITS = { bytes: 3_000_000, parts: 10 };
const PART = '--x\r\nContent-Disposition: form-data; name="a"';

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function request(body: BodyInit, type?: string): Request {
  return new Request("http://localhost/", { method: "POST", body, headers: type ? { "content-type": type } : {} });
}

const store = (body: BodyInit, type?: string) => storeMultipart(request(body, type), folder, LIMITS);

async function refused(body: BodyInit, type = "multipart/form-data; boundary=x"): Promise<Refusal> {
  const error = await store(body, type).catch((reason: unknown) => reason);
  if (!(error instanceof Refusal)) throw new Error(`not refused: ${Bun.inspect(error)}`);
  return error;
}

describe("A multipart form with stored files", () => {
  test("keeps the order of its fields and files, and stores the files on disk", async () => {
    const form = new FormData();
    form.append("description", "ü 😀");
    form.append("file", new File(["film"], "a.mp4", { type: "video/mp4" }));
    form.append("thumbnail", new File(["picture"], "b.png"));
    const entries = await store(form);
    expect(entries.map(([name]) => name)).toEqual(["description", "file", "thumbnail"]);
    expect(entries[0]![1]).toBe("ü 😀");
    const file = entries[1]![1] as StoredFile;
    expect(file).toBeInstanceOf(File);
    expect([file.name, file.type, file.size, await file.text()]).toEqual(["a.mp4", "video/mp4", 4, "film"]);
    expect(await Bun.file(file.path).text()).toBe("film");
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("keeps every byte of a file, even bytes that resemble a boundary", async () => {
    const piece = fc.constantFrom("\r\n", "--", "--wor", "\r\n--wor", "\r", "a", "\u00ff");
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 9 }), async (pieces, chunk) => {
        const content = pieces.join("");
        const head = '--word\r\nContent-Disposition: form-data; name="a"; filename="f"';
        const bytes = Buffer.from(`${head}\r\n\r\n${content}\r\n--word--\r\n`);
        const body = new ReadableStream({
          start: (controller) => {
            for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(bytes.subarray(at, at + chunk));
            controller.close();
          },
        });
        const [[, file]] = (await store(body, "multipart/form-data; boundary=word")) as [[string, StoredFile]];
        expect(await file.text()).toBe(content);
      }),
      { numRuns: 50 },
    );
  });

  test("means the same as one whose files are in memory", async () => {
    const form = () => {
      const made = new FormData();
      made.append("media_attributes[][id]", "1");
      made.append("media_attributes[][description]", "x");
      made.append("file", new File(["film"], "a.mp4"));
      made.append("nothing", new File([], ""));
      return made;
    };
    const inMemory = await readParams(request(form()), LIMITS.bytes);
    const onDisk = await readParams(request(form()), LIMITS.bytes, folder);
    expect(Object.keys(onDisk)).toEqual(Object.keys(inMemory));
    expect(onDisk.media_attributes).toEqual(inMemory.media_attributes!);
    expect([inMemory.file, onDisk.file].map((file) => file instanceof StoredFile)).toEqual([false, true]);
  });

  test.each(["form-data", 'form-data; name=""', 'form-data; filename="f"', 'form-data; name=""; filename="f"'])(
    "ignores a part without a name, like one whose files are in memory (%s)",
    async (disposition) => {
      const body = `--x\r\nContent-Disposition: ${disposition}\r\n\r\n1\r\n${PART}\r\n\r\n2\r\n--x--\r\n`;
      const type = "multipart/form-data; boundary=x";
      expect(await store(body, type)).toEqual([["a", "2"]]);
      expect(await readParams(request(body, type), LIMITS.bytes)).toEqual({ a: "2" });
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test("may contain large files, but no large fields", async () => {
    const form = new FormData();
    form.append("file", new File([new Uint8Array(2_000_000)], "a.mp4"));
    expect((await store(form)).length).toBe(1);
    const text = request(JSON.stringify({ file: "x".repeat(2_000_000) }), "application/json");
    await expect(readParams(text, LIMITS.bytes, folder)).rejects.toThrow(/larger than 1048576 bytes/);
  });

  test("may be empty", async () => {
    expect(await store("--x--\r\n", "multipart/form-data; boundary=x")).toEqual([]);
  });

  test.each([
    ["has no end", `${PART}\r\n\r\n1`],
    ["ends within a file", `${PART}; filename="f"\r\n\r\n1`],
    ["is empty", ""],
    ["is not multipart", "hello"],
  ])("is refused when it %s", async (_, body) => {
    const { kind, message } = await refused(body);
    expect([kind, message]).toEqual(["bad_request", "The request body is not valid multipart/form-data"]);
  });

  test("is refused without a boundary", async () => {
    expect((await refused("--x--\r\n", "multipart/form-data")).kind).toBe("bad_request");
  });

  test("is refused when the connection breaks within a file", async () => {
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode(`${PART}; filename="f"\r\n\r\n1`)),
      pull: (controller) => controller.error(new Error("gone")),
    });
    expect((await refused(body)).kind).toBe("bad_request");
  });

  test("is refused during the upload when it is too large", async () => {
    let sent = 0;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${PART}; filename="f"\r\n\r\n`)),
      pull: (controller) => {
        sent += 100_000;
        controller.enqueue(new Uint8Array(100_000));
      },
    });
    expect((await refused(body)).kind).toBe("too_large");
    expect(sent).toBeLessThan(LIMITS.bytes * 2);
  });

  test("is refused when a field is too large", async () => {
    const { kind, message } = await refused(`${PART}\r\n\r\n${"x".repeat(1_100_000)}\r\n--x--\r\n`);
    expect([kind, message]).toEqual(["bad_request", "A field of the form is larger than 1048576 bytes"]);
  });

  test("stops reading parts after the maximum, and reports that", async () => {
    const form = new FormData();
    for (let count = 0; count < 50; count++) form.append("a[]", "1");
    expect((await store(form)).length).toBe(LIMITS.parts + 1);
  });
});
