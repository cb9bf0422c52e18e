import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { picture } from "../fixtures/pictures.ts";
import { ArchiveFolder, archivedPost, AUDIENCES, mastodonArchive, OLD_ACTOR } from "../support/archives.ts";
import { Folder } from "./folder.ts";

let folder: Folder;
let archives: ArchiveFolder;

beforeEach(async () => {
  folder = new Folder();
  archives = new ArchiveFolder();
  await folder.createUser("alice");
});
afterEach(() => {
  folder.remove();
  archives.remove();
});

/** The result of a query on the database of the folder. */
function read<Row>(sql: string): Row[] {
  const db = new Database(join(folder.path, "linnet-data", "linnet.db"), { readonly: true });
  try {
    return db.query<Row, []>(sql).all();
  } finally {
    db.close();
  }
}

const count = (table: string) => read<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]!.count;

describe("`linnet import archive`", () => {
  test("says in its help how little a Twitter archive knows about a protected account", async () => {
    const { stdout } = await folder.run(["import", "archive", "--help"]);
    expect(stdout).toMatch(/says that the account was protected: it only knows about its last six\s+months/);
    expect(stdout).toMatch(/--followers-only +imports .* a Twitter account that was protected earlier/);
  });

  test("reports with --dry-run, imports, and adds nothing when it runs again", async () => {
    const attachment = [{ type: "Document", url: "gone.png" }];
    const path = await archives.zip(
      mastodonArchive([archivedPost(1, { attachment }), archivedPost(2), { type: "Listen" }]),
    );
    const args = ["import", "archive", path, "--user", "alice"];
    const lines = async (...more: string[]) => (await folder.run([...args, ...more])).stdout.trim().split("\n");
    expect(await lines("--dry-run")).toEqual([
      "The archive has 2 new posts with 0 files (0 bytes).",
      "It also has 0 boosts, 0 favourites and 0 bookmarks. Those of posts that this server knows are imported.",
      "Not imported: 1 item (unsupported).",
      "Not imported: 1 file (missing in the archive).",
      "Nothing was changed.",
    ]);
    expect(count("statuses")).toBe(0);
    expect(await lines()).toEqual([
      "Imported 2 posts with 0 files, 0 boosts, 0 favourites and 0 bookmarks.",
      "Not imported: 1 item (unsupported).",
      "Not imported: 1 file (missing in the archive).",
    ]);
    expect((await lines("--followers-only"))[1]).toBe("Public posts are imported for followers only.");
    expect((await lines())[0]).toBe("Imported 0 posts with 0 files, 0 boosts, 0 favourites and 0 bookmarks.");
    expect(count("statuses")).toBe(2);
  });

  test("can read what `linnet export archive` writes, which replaces no file", async () => {
    const path = await archives.zip(mastodonArchive([archivedPost(1), archivedPost(2, AUDIENCES.private)]));
    await folder.run(["import", "archive", path, "--user", "alice"]);
    const args = ["export", "archive", "posts.zip", "--user", "alice"];
    expect((await folder.run(args)).stdout.trim()).toBe("Wrote 2 posts and 0 files to posts.zip.");
    expect((await folder.run(args)).stderr.trim()).toBe('linnet: There is already a file "posts.zip".');
    await folder.createUser("bob");
    expect((await folder.run(["import", "archive", "posts.zip", "--user", "bob"])).stdout).toContain(
      "Imported 2 posts",
    );
    expect(
      read("SELECT created_at, visibility, content, count(*) AS n FROM statuses GROUP BY 1, 2, 3 ORDER BY 1"),
    ).toEqual([
      { created_at: Date.UTC(2020, 0, 1, 0, 1), visibility: "public", content: "<p>Post 1</p>", n: 2 },
      { created_at: Date.UTC(2020, 0, 1, 0, 2), visibility: "private", content: "<p>Post 2</p>", n: 2 },
    ]);
    expect(statSync(join(folder.path, "posts.zip")).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["nowhere/posts.zip", 'There is no folder "nowhere".'],
    [".", '"." is a folder. Name a new file in it.'],
  ])("is not written to %p", async (path, message) => {
    const { code, stderr } = await folder.run(["export", "archive", path, "--user", "alice"]);
    expect([code, stderr]).toEqual([1, `linnet: ${message}\n`]);
  });

  test.each([
    ["a user who does not exist", () => archives.zip(mastodonArchive([])), "bob", 'There is no user called "bob".'],
    [
      "no archive",
      () => archives.write("Hello"),
      "alice",
      "The file is not an archive of posts: it is neither .zip, .tar.gz nor .json.",
    ],
    ["a missing file", () => "missing.zip", "alice", 'There is no file "missing.zip".'],
  ])("refuses %s in one line", async (_what, path, user, message) => {
    const { code, stderr } = await folder.run(["import", "archive", await path(), "--user", user]);
    expect([code, stderr.trim().split("\n").length]).toEqual([1, 1]);
    expect(stderr).toContain(message);
    expect(count("statuses")).toBe(0);
  });

  test("continues after it was killed at any moment, and imports each post and file once", async () => {
    const [posts, images] = [300, 4];
    const png = await picture(30, 20, { shade: 3 }).png().toBuffer();
    const items = Array.from({ length: posts }, (_, n) =>
      archivedPost(n, {
        ...(n > 0 && { inReplyTo: `${OLD_ACTOR}/statuses/${n - 1}` }),
        ...(n < images && { attachment: [{ type: "Document", url: `media/${n}.png` }] }),
      }),
    );
    const files = Object.fromEntries(Array.from({ length: images }, (_, n) => [`media/${n}.png`, new Uint8Array(png)]));
    const path = await archives.tar({ ...files, ...mastodonArchive(items) });
    const args = ["import", "archive", path, "--user", "alice"];
    for (const table of ["media_attachments", "statuses"]) {
      const child = folder.start(args);
      while (child.exitCode === null && count(table) === 0) await Bun.sleep(5);
      child.kill("SIGKILL");
      await child.exited;
    }
    const [before, stored] = [count("statuses"), count("media_attachments")];
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(posts);
    expect(stored).toBe(images);
    expect((await folder.run(args)).stdout).toContain(`Imported ${posts - before} posts`);
    expect([count("statuses"), count("media_attachments"), count("imported_media")]).toEqual([posts, images, 0]);
    const broken = "SELECT id FROM statuses WHERE in_reply_to_id IS NULL OR in_reply_to_uri IS NOT NULL";
    expect(read(broken)).toHaveLength(1);
    expect(read("SELECT 1 FROM media_attachments WHERE status_id IS NULL")).toEqual([]);
    expect(read("SELECT replies_count FROM statuses WHERE replies_count <> 1")).toHaveLength(1);
    const left = join(folder.path, "linnet-data", "imports", "unpacked");
    expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  }, 30_000);
});
