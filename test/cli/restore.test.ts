import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockFile } from "../../src/db/file-lock.ts";
import { addUpload, backupsIn, begin, filesIn, manifestOf, withDatabase } from "./backups.ts";
import { Folder, type Outcome } from "./folder.ts";

// Each test starts several processes one after the other.
setDefaultTimeout(60_000);

const RESTORED = { LINNET_DATA: "restored" };

let folder: Folder;
let data: string;
let restored: string;
let upload: string;
/** The only backup: a database, an upload and a key. */
let backup: string;

beforeEach(async () => {
  folder = new Folder();
  restored = join(folder.path, "restored");
  data = await begin(folder);
  upload = addUpload(data, "aa", "a picture");
  writeFileSync(join(data, "push.key"), "k".repeat(32), { mode: 0o600 });
  await folder.run(["backup", "backups"]);
  backup = backupsIn(join(folder.path, "backups"))[0]!;
});
afterEach(() => folder.remove());

function restore(from = "backups", settings: Record<string, string> = {}): Promise<Outcome> {
  return folder.run(["restore", from], { settings: { ...RESTORED, ...settings } });
}

test("the newest or the named backup is restored completely", async () => {
  await folder.createUser("bob");
  await folder.run(["backup", "backups"]);
  for (const [from, users] of [
    ["backups", ["alice", "bob"]],
    [backup, ["alice"]],
  ] as const) {
    const { code, stdout, stderr } = await restore(from);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /Restored 3 files.*\nEverything is restored\. Start the server at http:\/\/localhost:3000 with .*\n$/,
    );
    expect(filesIn(restored).filter((path) => !path.endsWith(".lock"))).toEqual(["linnet.db", upload, "push.key"]);
    expect(readFileSync(join(restored, upload), "utf8")).toBe("a picture");
    expect(statSync(join(restored, upload)).mtimeMs).toBeCloseTo(statSync(join(data, upload)).mtimeMs, -1);
    expect([restored, join(restored, "linnet.db")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    const { stdout: listed } = await folder.run(["user", "list", "--json"], { settings: RESTORED });
    expect((JSON.parse(listed) as { username: string }[]).map(({ username }) => username)).toEqual([...users]);
    rmSync(restored, { recursive: true });
  }
});

test("a backup of a restored server links the restored files", async () => {
  await restore();
  const { stdout } = await folder.run(["backup", "backups"], { settings: RESTORED });
  expect(stdout).toContain("Files: 1, 0 copied, the others linked");
});

test("a data folder with any content stays unchanged", async () => {
  const refused = /restored is not empty: it contains .*\. Move this folder away/;
  mkdirSync(restored);
  writeFileSync(join(restored, "notes"), "mine");
  const { code, stdout, stderr } = await restore();
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(refused)]);
  expect(readdirSync(restored)).toEqual(["notes"]);
  const own = await folder.run(["restore", "backups"]);
  expect([own.code, own.stderr]).toEqual([1, expect.stringContaining("linnet-data is not empty")]);
});

test("a folder in which a server is starting is refused", async () => {
  mkdirSync(restored);
  const lock = lockFile(restored, "linnet.lock", 0)!;
  const { code, stderr } = await restore();
  expect([code, stderr]).toEqual([1, expect.stringContaining("Another Linnet is running on")]);
  lock.release();
  expect((await restore()).code).toBe(0);
});

test.each<[string, (backup: string) => void, RegExp]>([
  ["a missing database", (path) => rmSync(join(path, "linnet.db")), /linnet\.db is missing/],
  ["a changed database", (path) => withDatabase(path, (db) => db.run("DELETE FROM users")), /linnet\.db is damaged/],
  [
    "a truncated manifest",
    (path) => cut(join(path, "manifest.json")),
    /manifest\.json can't be read\. Try an older one/,
  ],
  ["no file list", (path) => writeFileSync(join(path, "manifest.json"), "{}"), /manifest\.json can't be read/],
  ["no database in its list", (path) => rename(path, "linnet.db", "media/linnet.db"), /manifest\.json can't be read/],
  ["a path outside the backup", (path) => rename(path, "push.key", "../push.key"), /manifest\.json can't be read/],
  ["a path to itself", (path) => rename(path, upload, "media/./x"), /manifest\.json can't be read/],
])("a backup with %s is refused with the reason, and the data folder stays empty", async (_, damage, words) => {
  damage(backup);
  const { code, stderr } = await restore();
  expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
  const left = existsSync(restored) ? readdirSync(restored) : [];
  expect(left.filter((name) => name !== "linnet.lock")).toEqual([]);
});

test.each<[string, (path: string) => void]>([
  ["changed", (path) => writeFileSync(path, "a pictura")],
  ["shorter", (path) => writeFileSync(path, "a pict")],
  ["missing", (path) => rmSync(path)],
  ["unreadable", (path) => (rmSync(path), mkdirSync(path))],
])("a backup whose upload and key are %s is restored without them, and both are named", async (_, damage) => {
  const other = addUpload(data, "bb", "another picture");
  await folder.run(["backup", "backups"]);
  const newest = backupsIn(join(folder.path, "backups")).at(-1)!;
  for (const path of [upload, "push.key"]) damage(join(newest, path));
  const { code, stdout, stderr } = await restore();
  expect([code, stdout]).toEqual([1, expect.stringContaining("Restored 2 files")]);
  expect(stderr).toBe(`linnet: ${upload} is damaged or missing in the backup.
linnet: push.key is damaged or missing in the backup.
linnet: Everything else is restored, and "linnet serve" works. An older backup may have these 2 files intact: copy them from there.
`);
  expect(stdout).not.toContain("Everything is restored");
  expect(filesIn(restored).filter((path) => !path.endsWith(".lock"))).toEqual(["linnet.db", other]);
  expect((await folder.run(["user", "list"], { settings: RESTORED })).stdout).toMatch(/^alice /m);
});

function cut(file: string): void {
  writeFileSync(file, readFileSync(file, "utf8").slice(0, -10));
}

/** Changes the path of a file in the manifest. */
function rename(path: string, from: string, to: string): void {
  const text = readFileSync(join(path, "manifest.json"), "utf8");
  expect(text).toContain(`"${from}"`);
  writeFileSync(join(path, "manifest.json"), text.replace(`"${from}"`, `"${to}"`));
}

test.each<[string, string, RegExp]>([
  ["no folder", "nowhere", /There is no folder .*nowhere/],
  ["a file", "linnet-data/linnet.db", /linnet\.db is a file\. Use the folder of a backup/],
  ["a folder without backups", "linnet-data", /There is no backup in .*linnet-data/],
])("%s is not accepted as a backup", async (_, from, words) => {
  const { code, stderr } = await restore(from);
  expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
  expect(existsSync(restored)).toBe(false);
});

test("a backup by a newer version of Linnet is refused", async () => {
  withDatabase(data, (db) => db.run("PRAGMA user_version = 9999"));
  // Linnet refuses to back up such a database, so the test replaces the database of a backup.
  const path = join(backup, "linnet.db");
  withDatabase(data, (db) => {
    rmSync(path);
    db.run("VACUUM INTO ?", [path]);
  });
  const manifest = manifestOf(backup);
  const bytes = readFileSync(path);
  manifest.files["linnet.db"] = {
    ...manifest.files["linnet.db"]!,
    size: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  };
  writeFileSync(join(backup, "manifest.json"), JSON.stringify(manifest));
  const { code, stderr } = await restore();
  expect([code, stderr]).toEqual([1, expect.stringContaining("was written by a newer version of Linnet")]);
  writeFileSync(join(backup, "manifest.json"), JSON.stringify({ ...manifest, format: 2 }));
  expect((await restore()).stderr).toContain("was written by a newer version of Linnet");
});

test("settings with another address are refused before anything is written", async () => {
  const { code, stderr } = await restore("backups", { LINNET_URL: "https://other.example" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("LINNET_URL is https://other.example, but")]);
  expect(existsSync(restored)).toBe(false);
});
