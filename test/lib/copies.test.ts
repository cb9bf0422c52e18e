import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDurably, fingerprint, forEachOf, linkFile, syncFolders } from "../../src/lib/copies.ts";

/** An in-memory file system that most Linux systems have. Hard links from the temporary folder to it fail. */
const OTHER_DISK = "/dev/shm";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
  writeFileSync(join(folder, "a"), "hello", { mode: 0o644 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

test("a copy has the content and time of the original, and only its owner can read it", async () => {
  const [from, to] = [join(folder, "a"), join(folder, "new/folder/b")];
  const copy = await copyDurably(from, to);
  expect(copy).toEqual({ size: 5, sha256: HELLO, modified: Math.round(statSync(from).mtimeMs) });
  expect(await fingerprint(to)).toEqual(copy);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect((await copyDurably(from, to, 1_234_567_890_123)).modified).toBe(1_234_567_890_123);
  expect((await fingerprint(to)).modified).toBe(1_234_567_890_123);
  await syncFolders(folder);
});

test("copying a missing file creates nothing", async () => {
  const to = join(folder, "b");
  await expect(copyDurably(join(folder, "none"), to)).rejects.toThrow("ENOENT");
  expect(existsSync(to)).toBe(false);
});

test("a link refers to the same file", async () => {
  expect(await linkFile(join(folder, "a"), join(folder, "new/b"))).toBe(true);
  expect(statSync(join(folder, "new/b")).ino).toBe(statSync(join(folder, "a")).ino);
  expect(await linkFile(join(folder, "none"), join(folder, "c"))).toBe(false);
});

test.skipIf(!existsSync(OTHER_DISK))("linking to another file system fails, and copying works", async () => {
  const other = mkdtempSync(join(OTHER_DISK, "linnet-test-"));
  try {
    expect(await linkFile(join(folder, "a"), join(other, "b"))).toBe(false);
    await copyDurably(join(folder, "a"), join(other, "b"));
    expect(readFileSync(join(other, "b"), "utf8")).toBe("hello");
  } finally {
    rmSync(other, { recursive: true });
  }
});

test("forEachOf() processes all items, a few at a time, and stops after an error", async () => {
  let [running, most] = [0, 0];
  const done: number[] = [];
  const work = async (item: number) => {
    most = Math.max(most, (running += 1));
    await new Promise(setImmediate);
    running -= 1;
    if (item === 13) throw new Error("13");
    done.push(item);
  };
  await forEachOf([1, 2, 3, 4, 5, 6, 7], 3, work);
  expect([done.sort(), most]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3]);
  done.length = 0;
  await expect(forEachOf([1, 13, 2, 3, 4], 2, work)).rejects.toThrow("13");
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect([running, done.length]).toEqual([0, 1]);
});

test("empty folders can be synced", async () => {
  mkdirSync(join(folder, "empty/within"), { recursive: true });
  await syncFolders(folder);
});
