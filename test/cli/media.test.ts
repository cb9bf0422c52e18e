import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { Folder } from "./folder.ts";

setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(() => {
  folder = Folder.begun();
});
afterEach(() => folder.remove());

/** Runs statements on the database, as an older version left it: without incremental vacuum. */
function change(...statements: string[]): void {
  const db = new Database(join(folder.path, "linnet-data", "linnet.db"));
  for (const sql of statements) db.run(sql);
  db.close();
}

const mode = (): number => {
  const db = new Database(join(folder.path, "linnet-data", "linnet.db"));
  const row = db.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get()!;
  db.close();
  return row.auto_vacuum;
};

const ACCOUNT = `INSERT INTO accounts (id, username, domain, uri, url, created_at, updated_at)
  VALUES (5, 'rita', 'far.example', 'https://far.example/rita', 'https://far.example/rita', 0, 0)`;
const STATUS = `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, created_at)
  VALUES (7, 5, 'https://far.example/7', 'https://far.example/7', 0, 'public', 7, 0)`;

test("linnet media usage shows the bytes of the database, local media, and the cache by kind and host", async () => {
  const uploads = join(folder.path, "linnet-data", "media", "attachments", "ab", "cd");
  mkdirSync(uploads, { recursive: true });
  writeFileSync(join(uploads, "original.png"), "12345");
  change(
    ACCOUNT,
    `INSERT INTO remote_files (kind, owner_id, form, version, file, bytes, used_at)
     VALUES ('avatars', 5, 'original', 'v', 'cache/a', 700, 1), ('headers', 5, 'original', 'v', 'cache/b', 900, 1),
       ('emojis', 99, 'original', 'v', 'cache/c', 20, 1)`,
  );
  const [database, ...others] = await folder.json("media", "usage");
  expect(database).toMatchObject({ area: "database", kind: null, host: null });
  expect(database.bytes).toBeGreaterThan(100_000);
  expect(others).toEqual([
    { area: "local media", kind: null, host: null, bytes: 5 },
    { area: "cache", kind: "headers", host: "far.example", bytes: 900 },
    { area: "cache", kind: "avatars", host: "far.example", bytes: 700 },
    { area: "cache", kind: "emojis", host: null, bytes: 20 },
  ]);
});

test("linnet media prune removes old posts and unused accounts, and lets an older database shrink", async () => {
  change("PRAGMA journal_mode = DELETE", "PRAGMA auto_vacuum = NONE", "VACUUM", ACCOUNT, STATUS);
  expect(mode()).toBe(0);
  const { code, stdout, stderr } = await folder.run(["media", "prune"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Removed 1 post and 1 account of other servers\.\nFreed [\d.]+ \w+\.\n$/);
  expect(mode()).toBe(2);
});
