import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pack } from "tar-stream";
import { Refusal } from "../../src/errors.ts";
import { ReadingCancelled, type Bytes } from "../../src/lib/archives/archive.ts";
import { jsonItems } from "../../src/lib/archives/json-items.ts";
import { openArchive } from "../../src/lib/archives/open-archive.ts";
import type { Files } from "../support/archives.ts";
import { archivesForAllTests } from "../support/setup.ts";

const archives = archivesForAllTests();
beforeAll(() => mkdirSync(unpacked()));

const unpacked = () => join(archives.path, "unpacked");

const FILES: Files = { "media/a.png": "x".repeat(70_000), "outbox.json": '{"orderedItems":[1,{"a":"]"},"b"]}' };

async function textOf(bytes: Bytes): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part.slice());
  return Buffer.concat(parts).toString();
}

/** Opens an archive and reads all of it. Returns the message of the refusal. */
async function refusalOf(path: string): Promise<string> {
  try {
    const archive = await openArchive(path, unpacked());
    await archive.readEach(new Set(archive.files.keys()), async (_name, bytes) => void (await textOf(bytes)));
    await archive.close();
    return "none";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

const DAMAGED = "The archive is damaged or incomplete. Download it again.";

describe.each(["zip", "tar"] as const)("An archive as %s", (format) => {
  test("has its files with their sizes, and can be read", async () => {
    const archive = await openArchive(await archives[format](FILES), unpacked());
    expect(Object.fromEntries(archive.files)).toEqual({ "media/a.png": 70_000, "outbox.json": 34 });
    expect(await textOf(archive.document("outbox.json"))).toBe(FILES["outbox.json"] as string);
    const read: Record<string, number> = {};
    await archive.readEach(new Set(["media/a.png"]), async (name, bytes) => {
      read[name] = (await textOf(bytes)).length;
    });
    expect(read).toEqual({ "media/a.png": 70_000 });
    await archive.close();
  });

  test("is refused wherever it is cut off", async () => {
    const whole = readFileSync(await archives[format](FILES));
    for (const part of [0.3, 0.6, 0.9]) {
      expect(await refusalOf(archives.write(whole.subarray(0, whole.length * part)))).toBe(DAMAGED);
    }
    expect(await refusalOf(archives.write(whole.subarray(0, -1)))).toBe(DAMAGED);
  });

  test("is refused if bytes of it were changed", async () => {
    const noise = crypto.getRandomValues(new Uint8Array(50_000));
    const bytes = readFileSync(await archives[format]({ "media/a.png": noise }));
    bytes[25_000]! ^= 0xff;
    expect(await refusalOf(archives.write(bytes))).toBe(DAMAGED);
  });
});

test("Only those documents of a .tar.gz that may be read are unpacked", async () => {
  const folder = join(archives.path, "documents");
  mkdirSync(folder);
  await openArchive(await archives.tar({ ...FILES, "data/ad-impressions.js": "[]", "media/b.json": "[]" }), folder);
  expect(readdirSync(folder)).toHaveLength(1);
});

describe("An archive is read no further than the part during which that is cancelled", () => {
  const PARTS = 3;
  /** Cancels after some parts. `asked` says how many parts were read. */
  function cancelling() {
    const asked = { times: 0 };
    return { asked, isCancelled: () => (asked.times += 1) > PARTS };
  }
  const large: Files = { "media/a.png": "x".repeat(600_000), "outbox.json": "y".repeat(600_000) };

  test("while a .tar.gz is opened", async () => {
    const { asked, isCancelled } = cancelling();
    await expect(openArchive(await archives.tar(large), unpacked(), isCancelled)).rejects.toThrow(ReadingCancelled);
    expect(asked.times).toBe(PARTS + 1);
  });

  test.each([
    ["a .zip", [PARTS + 1], () => archives.zip(large)],
    // A .tar.gz asks for each part that is unpacked, and for each part of a file: both may see the end.
    ["a .tar.gz", [PARTS + 1, PARTS + 2], () => archives.tar(large)],
    ["a document", [PARTS + 1], async () => archives.write(`[${"y".repeat(600_000)}`)],
  ])("while the files of %s are read", async (_what, expected, create) => {
    let { asked, isCancelled } = cancelling();
    let hasOpened = false;
    const archive = await openArchive(await create(), unpacked(), () => hasOpened && isCancelled());
    hasOpened = true;
    await expect(textOf(archive.document([...archive.files.keys()].at(-1)!))).rejects.toThrow(ReadingCancelled);
    expect(expected).toContain(asked.times);
    if (archive.files.size > 1) {
      ({ asked, isCancelled } = cancelling());
      const read = archive.readEach(new Set(["media/a.png"]), async (_name, bytes) => void (await textOf(bytes)));
      await expect(read).rejects.toThrow(ReadingCancelled);
      expect(expected).toContain(asked.times);
    }
    await archive.close();
  });
});

describe("An archive is refused", () => {
  test.each(["", "no archive at all", "\x89PNG\r\n", "PK"])("that is %p", async (content) => {
    const message = "The file is not an archive of posts: it is neither .zip, .tar.gz nor .json.";
    expect(await refusalOf(archives.write(content))).toBe(message);
  });

  test("that is gzip, but no tar", async () => {
    expect(await refusalOf(archives.gzipped(Buffer.from("x".repeat(5000))))).toBe(DAMAGED);
  });

  test.each(["../outbox.json", "a/../../b", "/etc/passwd", "a\\b", "C:/x", "a//b"])(
    "with the name %p",
    async (name) => {
      const message = `The archive contains a file with the name "${name}", which is not allowed.`;
      expect(await refusalOf(await archives.tar({ [name]: "x" }))).toBe(message);
      const stand = "n".repeat(name.length);
      const zip = readFileSync(await archives.zip({ [stand]: "x" }));
      const renamed = zip.toString("latin1").replaceAll(stand, name);
      expect(await refusalOf(archives.write(Buffer.from(renamed, "latin1")))).toBe(message);
    },
  );

  test("with two files of one name", async () => {
    const message = 'The archive contains two files with the name "a.json".';
    const zip = readFileSync(await archives.zip({ "a.json": "1", "b.json": "2" })).toString("latin1");
    expect(await refusalOf(archives.write(Buffer.from(zip.replaceAll("b.json", "a.json"), "latin1")))).toBe(message);
    expect(await refusalOf(await archives.tar({ "a.json": "1", "./a.json": "2" }))).toBe(message);
  });

  test.each(["symlink", "link"] as const)("with a %s", async (type) => {
    const tar = pack();
    tar.entry({ name: "outbox.json", type, linkname: "/etc/passwd" });
    tar.finalize();
    const bytes = await textOf(tar as unknown as Bytes);
    const message = 'The archive contains the link "outbox.json" instead of a file.';
    expect(await refusalOf(archives.gzipped(Buffer.from(bytes)))).toBe(message);
  });

  test("with a symbolic link as zip has it", async () => {
    const zip = readFileSync(await archives.zip({ "outbox.json": "/etc/passwd" }));
    const entry = zip.indexOf("PK\x01\x02", 0, "latin1");
    zip.writeUInt32LE((0o120_777 << 16) >>> 0, entry + 38);
    expect(await refusalOf(archives.write(zip))).toBe('The archive contains the link "outbox.json" instead of a file.');
  });

  test("that expands to far more than it is", async () => {
    const message = "The archive would expand to far more data than an archive of posts contains.";
    const zeros = new Uint8Array(24 * 1024 * 1024);
    expect(await refusalOf(await archives.zip({ "a.png": zeros }))).toBe(message);
    expect(await refusalOf(await archives.tar({ "a.png": zeros }))).toBe(message);
  });

  test("whose file is larger than it says", async () => {
    const zip = readFileSync(await archives.zip({ "a.png": "x".repeat(50_000) }));
    zip.writeUInt32LE(100, zip.indexOf("PK\x01\x02", 0, "latin1") + 24);
    expect(await refusalOf(archives.write(zip))).toBe(DAMAGED);
  });

  test("whose files share their data", async () => {
    const zip = readFileSync(
      await archives.zip({ "a.png": crypto.getRandomValues(new Uint8Array(5000)), "b.png": "b" }),
    );
    const [first, second] = [0, 1].map((n) =>
      zip.indexOf("PK\x01\x02", n === 0 ? 0 : zip.indexOf("PK\x01\x02", 0, "latin1") + 4, "latin1"),
    );
    // The checksum, the sizes and the place.
    zip.copy(zip, second! + 16, first! + 16, first! + 28);
    zip.copy(zip, second! + 42, first! + 42, first! + 46);
    expect(await refusalOf(archives.write(zip))).toBe(DAMAGED);
  });

  test("whose documents would fill the disk, before they are unpacked", async () => {
    const tar = pack();
    tar.entry({ name: "outbox.json", size: 4_000_000_001 });
    const { value: header } = await (tar as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().next();
    tar.destroy();
    const message = "The lists of posts in the archive are larger than 4 GB.";
    expect(await refusalOf(archives.gzipped(header as Uint8Array))).toBe(message);
  });

  test("whose headers never end", async () => {
    const tar = pack();
    tar.entry({ name: "x", pax: { comment: "x".repeat(3 * 1024 * 1024) } } as never, "1");
    tar.finalize();
    expect(await refusalOf(archives.gzipped(Buffer.from(await textOf(tar as unknown as Bytes))))).toBe(DAMAGED);
  });
});

describe("The entries of a JSON list", () => {
  async function itemsOf(text: string, size = 1, member = "orderedItems"): Promise<unknown[]> {
    const bytes = Buffer.from(text);
    async function* parts() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    return Array.fromAsync(jsonItems(parts(), member));
  }

  const ITEMS = ["]", 'a"b\\', { "c,d": [[], {}, "é😀\\"], orderedItems: [1] }, 5, null, []];

  test.each([1, 2, 7, 1000])("are read from parts of %p bytes", async (size) => {
    const frame = { "@context": ["orderedItems", { a: [1] }], type: "orderedItems", orderedItems: ITEMS, last: [2] };
    expect(await itemsOf(JSON.stringify(frame), size)).toEqual(ITEMS);
    expect(await itemsOf(JSON.stringify(frame, null, 2), size)).toEqual(ITEMS);
    expect(await itemsOf(`window.YTD.tweets.part0 = ${JSON.stringify(ITEMS, null, 1)}`, size)).toEqual(ITEMS);
  });

  test("are searched for the end of a string once in each part, however many escapes it has", async () => {
    const part = Buffer.from(`["${"\\\\".repeat(5000)}`);
    let searches = 0;
    const search = part.indexOf.bind(part) as (value: number, from?: number) => number;
    part.indexOf = (value, from) => {
      searches += 1;
      return search(value as number, from as number);
    };
    const items = await Array.fromAsync(jsonItems(Readable.from([part, Buffer.from('"]')]), ""));
    expect(items).toEqual(["\\".repeat(5000)]);
    expect(searches).toBeLessThan(3);
  });

  test("may be none", async () => {
    expect(await itemsOf('{"orderedItems": [ ]}')).toEqual([]);
  });

  test.each(['{"orderedItems":[1,', '{"orderedItems":[1]', '{"orderedItems":["a', "[1]]", '{"orderedItems":[1,x]}'])(
    "are refused in %p",
    async (text) => {
      await expect(itemsOf(text)).rejects.toThrow(DAMAGED);
    },
  );

  test("are refused without the list", async () => {
    await expect(itemsOf('{"items":[1]}')).rejects.toThrow('The archive contains a list without "orderedItems".');
  });

  test("are bounded", async () => {
    const huge = `{"orderedItems":["${"x".repeat(5 * 1024 * 1024)}"]}`;
    await expect(itemsOf(huge, 65_536)).rejects.toThrow("The archive contains a post that is larger than 4 MB.");
  });
});
