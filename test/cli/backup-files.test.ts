import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BackupFiles } from "../../src/cli/backup/backup-files.ts";
import { filesIn } from "./backups.ts";

/* Uploads and deletions during a backup, at the worst moments. */

let folder: string;
let data: string;
let backup: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linnet-test-"));
  [data, backup] = [join(folder, "data"), join(folder, "backup")];
  mkdirSync(backup);
});
afterEach(() => rmSync(folder, { recursive: true }));

const pathOf = (name: string): string => `media/attachments/${name}/original.png`;

/** The files that the database refers to. */
const named = new Set<string>();
beforeEach(() => named.clear());

function upload(name: string): void {
  mkdirSync(dirname(join(data, pathOf(name))), { recursive: true });
  writeFileSync(join(data, pathOf(name)), name);
  named.add(pathOf(name));
}

function remove(name: string): void {
  named.delete(pathOf(name));
  rmSync(join(data, pathOf(name)));
}

/** Collects the files. The callbacks run before and after each copy of the database, in turn. */
async function collect(...callbacks: { before?: () => void; after?: () => void }[]) {
  const snapshots: string[][] = [];
  const files = new BackupFiles(data, backup, null);
  const missing = await files.collect({
    named: () => [...named],
    snapshot: () => {
      const { before, after } = callbacks[snapshots.length] ?? {};
      before?.();
      snapshots.push([...named]);
      after?.();
      return snapshots.at(-1)!;
    },
  });
  expect([...files.files.keys()].sort()).toEqual(filesIn(backup));
  return { last: snapshots.at(-1)!.sort(), count: snapshots.length, missing };
}

test("an upload added before the database copy is in the backup", async () => {
  upload("a");
  const { last, missing } = await collect({ before: () => upload("b") });
  expect([filesIn(backup), missing]).toEqual([[pathOf("a"), pathOf("b")], []]);
  expect(last).toEqual(filesIn(backup));
});

test("an upload deleted after the database copy is in the backup", async () => {
  upload("a");
  const { last, count } = await collect({ after: () => remove("a") });
  expect([last, count]).toEqual([[pathOf("a")], 1]);
  expect(filesIn(backup)).toEqual(last);
});

test("an upload deleted before the database copy is not in the backup", async () => {
  upload("a");
  upload("b");
  const { last } = await collect({ before: () => remove("b") });
  expect(last).toEqual([pathOf("a")]);
  expect(filesIn(backup)).toEqual(last);
  expect(existsSync(dirname(join(backup, pathOf("b"))))).toBe(false);
});

test("an upload added before and deleted after the database copy causes another copy", async () => {
  upload("a");
  const { last, count, missing } = await collect(
    { before: () => upload("b"), after: () => remove("b") },
    { before: () => upload("c"), after: () => remove("c") },
  );
  expect([last, count, missing]).toEqual([[pathOf("a")], 3, []]);
  expect(filesIn(backup)).toEqual(last);
});

test("an upload with a missing file doesn't stop the backup", async () => {
  upload("a");
  upload("b");
  rmSync(join(data, pathOf("b")));
  const { count, missing } = await collect();
  expect([count, missing]).toEqual([1, [pathOf("b")]]);
  expect(filesIn(backup)).toEqual([pathOf("a")]);
});

test("the backup fails if files are deleted faster than it copies them", async () => {
  let n = 0;
  const addAndRemove = {
    before: () => upload(String(n)),
    after: () => remove(String(n++)),
  };
  const collecting = collect(...Array.from({ length: 100 }, () => addAndRemove));
  await expect(collecting).rejects.toThrow("Files are deleted faster than they can be backed up");
});
