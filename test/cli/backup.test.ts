import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { lockFile } from "../../src/db/file-lock.ts";
import { Client } from "../support/client.ts";
import { uploaded } from "../support/uploads.ts";
import {
  addUpload,
  backupsIn,
  begin,
  commandsIn,
  deleteUpload,
  expectWhole,
  filesIn,
  manifestOf,
  uploadsIn,
  withDatabase,
} from "./backups.ts";
import { Folder } from "./folder.ts";

// Each test starts several processes one after the other.
setDefaultTimeout(60_000);

/** A separate file system on most Linux systems. Hard links from the temporary folder to it fail. */
const OTHER_DISK = "/dev/shm";

let folder: Folder;
/** The folder of all backups in these tests. */
let backups: string;

beforeEach(() => {
  folder = new Folder();
  backups = join(folder.path, "backups");
});
afterEach(() => folder.remove());

async function backUp(...options: string[]): Promise<string> {
  const { code, stderr } = await folder.run(["backup", "backups", ...options]);
  expect([code, stderr]).toEqual([0, ""]);
  return backupsIn(backups).at(-1)!;
}

/** Changes one byte but no timestamp, like a bad sector. */
function damage(path: string): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[0]! ^= 1;
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

const inodeOf = (path: string): number => statSync(path).ino;

describe("The documented commands", () => {
  const { shell, cron } = commandsIn("docs/backups.md", "Backups");

  test("are the same in the README", () => {
    expect(commandsIn("README.md", "Back it up").shell).toEqual(shell);
  });

  test("back up a running server repeatedly, and restore posts, uploads and tokens", async () => {
    const served = await folder.serve();
    const data = await begin(folder);
    const { stdout } = await folder.run(["token", "create", "alice", "--scopes", "read write"]);
    const alice = new Client(served.origin, stdout.trim());
    const [back, restore] = shell;
    for (const text of ["First", "Second"]) {
      const media = await uploaded(alice, {}, text.length);
      expect((await alice.post("/api/v1/statuses", { status: text, media_ids: [media.id] })).status).toBe(200);
      const { code, stdout, stderr } = await folder.shell(back!);
      expect([code, stdout, stderr]).toEqual([0, expect.stringContaining("The backup is complete."), ""]);
    }
    expect(await served.stop()).toBe(0);
    expect(backupsIn(backups)).toHaveLength(2);
    for (const backup of backupsIn(backups)) expectWholeWithSmall(backup);

    rmSync(data, { recursive: true });
    expect((await folder.shell(restore!)).code).toBe(0);
    const again = await folder.serve({ LINNET_DATA: "restored" });
    const restored = new Client(again.origin, stdout.trim());
    const posts = (await restored.get("/api/v1/timelines/home")).json as {
      content: string;
      media_attachments: { url: string }[];
    }[];
    expect(posts.map(({ content }) => content)).toEqual(["<p>Second</p>", "<p>First</p>"]);
    for (const { media_attachments } of posts) {
      const { pathname } = new URL(media_attachments[0]!.url);
      expect((await fetch(`${again.origin}${pathname}`)).status).toBe(200);
    }
  });

  test("back up every night from a crontab without output", async () => {
    await begin(folder);
    renameSync(join(folder.path, "linnet-data"), join(folder.path, "opt-data"));
    const [line] = cron;
    const [, command] = /^\d+ \d+ \* \* \* (.*)$/.exec(line!)!;
    // The crontab line names system-wide folders.
    const local = command!.replaceAll("/opt/linnet", "opt").replaceAll("/mnt/backups", backups);
    await folder.shell("mkdir opt && mv opt-data opt/linnet-data && cp bin/linnet opt/linnet");
    for (const count of [1, 2]) {
      expect(await folder.shell(local)).toEqual({ code: 0, stdout: "", stderr: "" });
      expect(backupsIn(backups)).toHaveLength(count);
    }
    for (const backup of backupsIn(backups)) expectWhole(backup);
  });
});

/** Like expectWhole(), but with the previews that the server generates. */
function expectWholeWithSmall(backup: string): void {
  const named = new Set(uploadsIn(backup));
  const files = Object.keys(manifestOf(backup).files).filter((path) => path.startsWith("media/"));
  for (const path of named) expect(files).toContain(path);
}

describe("A backup", () => {
  test("links the uploads that the last backup contains, and copies new and changed ones", async () => {
    const data = await begin(folder);
    const [same, changed, deleted] = ["aasame", "bbchanged", "ccdeleted"].map((name) => addUpload(data, name, name));
    const first = await backUp();
    writeFileSync(join(data, changed!), "BBCHANGED");
    utimesSync(join(data, changed!), 1, 1);
    deleteUpload(data, deleted!);
    const added = addUpload(data, "ddadded", "ddadded");
    const { stdout } = await folder.run(["backup", "backups"]);
    expect(stdout).toContain("Files: 3, 2 copied, the others linked (16 bytes).");
    const second = backupsIn(backups).at(-1)!;
    for (const backup of [first, second]) expectWhole(backup);
    expect(filesIn(second)).toEqual(["linnet.db", "manifest.json", added, changed!, same!].sort());
    expect(inodeOf(join(second, same!))).toBe(inodeOf(join(first, same!)));
    expect(inodeOf(join(second, changed!))).not.toBe(inodeOf(join(first, changed!)));
    expect(inodeOf(join(second, same!))).not.toBe(inodeOf(join(data, same!)));
    expect(readFileSync(join(first, changed!), "utf8")).toBe("bbchanged");
  });

  test("copies an upload again if the last backup has a damaged copy, and reports that", async () => {
    const data = await begin(folder);
    const [intact, damaged, lost] = ["aaintact", "bbdamaged", "cclost"].map((name) => addUpload(data, name, name));
    const first = await backUp();
    for (const path of [damaged!, lost!]) damage(join(first, path));
    rmSync(join(data, lost!));
    const { code, stdout, stderr } = await folder.run(["backup", "backups"]);
    const second = backupsIn(backups).at(-1)!;
    expect([code, stdout]).toEqual([0, expect.stringContaining("Files: 2, 1 copied, the others linked (9 bytes).")]);
    expect(stderr.trim().split("\n").sort()).toEqual([
      `linnet: ${damaged} is damaged in ${first}. It was copied again from the data folder.`,
      `linnet: ${lost} is damaged in ${first}. The data folder lacks it, too.`,
      `linnet: ${lost} is missing from the data folder, although the database names it.`,
    ]);
    expect(filesIn(second)).toEqual(["linnet.db", "manifest.json", damaged!, intact!].sort());
    expect(readFileSync(join(second, damaged!), "utf8")).toBe("bbdamaged");
    expect(inodeOf(join(second, intact!))).toBe(inodeOf(join(first, intact!)));
    expect((await folder.run(["backup", "backups"])).stderr).not.toContain("damaged");
  });

  test("is readable only by its owner, and contains the key that encrypts push tokens", async () => {
    const data = await begin(folder);
    writeFileSync(join(data, "push.key"), "k".repeat(32), { mode: 0o600 });
    const path = addUpload(data, "aa", "aa");
    const backup = await backUp();
    expect(readFileSync(join(backup, "push.key"), "utf8")).toBe("k".repeat(32));
    const modes = [backups, backup, join(backup, "linnet.db"), join(backup, path), join(backup, "push.key")].map(
      (name) => statSync(name).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o600]);
  });

  test("replaces older backups beyond --keep, and removes nothing else", async () => {
    await begin(folder);
    const made = [await backUp(), await backUp(), await backUp("--keep", "5")];
    expect(backupsIn(backups)).toEqual(made);
    mkdirSync(join(backups, "2001-01-01T00-00-00Z"));
    for (const name of ["photos", "2020-01-01"]) mkdirSync(join(backups, name));
    const { stdout } = await folder.run(["backup", "backups", "--keep", "2"]);
    expect(stdout).toContain("Removed 2 older backups.");
    expect(readdirSync(backups).filter((name) => !name.startsWith("."))).toEqual(
      expect.arrayContaining(["2001-01-01T00-00-00Z", "2020-01-01", "photos"]),
    );
    expect(made.map((path) => existsSync(path))).toEqual([false, false, true]);
    for (const keep of ["0", "-1", "all", "1.5"]) {
      const { code, stderr } = await folder.run(["backup", "backups", `--keep=${keep}`]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^linnet: --keep is ".*", but should be/)]);
    }
  });

  test("recovers lost files from the last backup, and reports files that neither has", async () => {
    const data = await begin(folder);
    const [lost, never] = ["aalost", "bbnever"].map((name) => addUpload(data, name, name));
    rmSync(join(data, never!));
    const warning = `linnet: ${never} is missing from the data folder, although the database names it.\n`;
    const first = await folder.run(["backup", "backups"]);
    expect([first.code, first.stderr]).toEqual([0, warning]);
    rmSync(join(data, lost!));
    const second = await folder.run(["backup", "backups", "--keep", "1"]);
    expect([second.code, second.stderr]).toEqual([0, warning]);
    expect(readFileSync(join(backupsIn(backups)[0]!, lost!), "utf8")).toBe("aalost");
    const { code, stderr } = await folder.run(["restore", "backups"], { settings: { LINNET_DATA: "restored" } });
    expect([code, stderr]).toEqual([
      0,
      `linnet: ${never} is not in the backup: it was already missing from the data folder then.\n`,
    ]);
  });

  test.skipIf(!existsSync(OTHER_DISK))("copies everything if hard links fail", async () => {
    const path = addUpload(await begin(folder), "aa", "aa");
    const first = await backUp();
    const moved = mkdtempSync(join(OTHER_DISK, "linnet-test-"));
    try {
      cpSync(first, moved, { recursive: true, preserveTimestamps: true });
      rmSync(first, { recursive: true });
      symlinkSync(moved, first);
      const { code, stdout } = await folder.run(["backup", "backups"]);
      expect([code, stdout]).toEqual([0, expect.stringContaining("Files: 1, all copied (2 bytes).")]);
      const second = backupsIn(backups).at(-1)!;
      expect(second).not.toBe(first);
      expectWhole(second);
      expect(inodeOf(join(second, path))).not.toBe(inodeOf(join(first, path)));
    } finally {
      rmSync(moved, { recursive: true });
    }
  });

  test("of a damaged database is refused, and older backups stay", async () => {
    const data = await begin(folder);
    const first = await backUp();
    withDatabase(data, (db) => {
      db.run("PRAGMA foreign_keys = OFF");
      db.run("UPDATE users SET account_id = 1");
    });
    const { code, stderr } = await folder.run(["backup", "backups", "--keep", "1"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/linnet\.db is damaged: a row of users refers to a missing row/),
    ]);
    expect(readdirSync(backups).filter((name) => name !== ".backup.lock")).toEqual([first.slice(backups.length + 1)]);
  });

  test("copies everything again if the manifest of the last backup is unreadable", async () => {
    const data = await begin(folder);
    addUpload(data, "aa", "aa");
    appendFileSync(join(await backUp(), "manifest.json"), "?");
    const { code, stdout, stderr } = await folder.run(["backup", "backups"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Files: 1, all copied")]);
    expect(stderr).toMatch(/manifest\.json can't be read.*All files will be copied again\.\n$/);
  });

  test("shows its progress in a terminal", async () => {
    addUpload(await begin(folder), "aa", "aa");
    const terminal = folder.inTerminal(["backup", "backups"]);
    expect(await terminal.child.exited).toBe(0);
    expect(terminal.screen).toContain("\r\x1b[KChecking the backup …\r\x1b[KDatabase: ");
  });
});

describe("A backup is refused", () => {
  test("if its target is in the data folder, a file, used by another server, or in use by another backup", async () => {
    await begin(folder);
    await Bun.write(join(folder.path, "file"), "");
    await backUp();
    const other = { LINNET_DATA: "other", LINNET_URL: "https://other.example" };
    await folder.run(["user", "create", "bob"], { settings: other });
    for (const [args, settings, words] of [
      [["linnet-data/backups"], {}, /is inside the data folder/],
      [["file/backups"], {}, /Can't write to the folder .*file\/backups \(ENOTDIR\)\. Choose another one/],
      [["file"], {}, /file is a file\. Choose a folder/],
      [["backups"], other, /contains backups of http:\/\/localhost:3000, but this server is https:\/\/other\.example/],
      [["elsewhere"], { LINNET_DATA: "nowhere" }, /There is no database in .*nowhere/],
    ] as const) {
      const { code, stdout, stderr } = await folder.run(["backup", ...args], { settings });
      expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(words)]);
    }
    expect(existsSync(join(folder.path, "elsewhere"))).toBe(false);
    const running = lockFile(backups, ".backup.lock", 0)!;
    const { code, stderr } = await folder.run(["backup", "backups"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Another backup to .*backups is running\./)]);
    running.release();
    expect(backupsIn(backups)).toHaveLength(1);
  });
});
