import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openArchive } from "../../src/lib/archives/open-archive.ts";
import { archivedPost, mastodonArchive } from "../support/archives.ts";
import { archivesForAllTests, serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

/* The parts of the pages for imports and exports that are about archives of posts. */

const { server, alice } = serverForAllTests(["alice"]);
const IMPORT = "/settings/import";
const archives = archivesForAllTests();
let visitor: Visitor;

beforeAll(async () => {
  visitor = new Visitor(server, { "accept-language": "en" });
  await visitor.signIn("alice");
});

async function archiveFile(posts: number): Promise<File> {
  const path = await archives.zip(mastodonArchive(Array.from({ length: posts }, (_, n) => archivedPost(n))));
  return new File([readFileSync(path)], "old posts.zip");
}

test("The page for imports takes an archive, and shows how far it is", async () => {
  await visitor.get(IMPORT);
  const sent = await visitor.press("Import posts", { archive: await archiveFile(3) });
  expect(sent).toMatchObject({ status: 303, location: `${IMPORT}#imports` });
  expect((await visitor.get(IMPORT)).text).toContain("Archive (running) old posts.zip");
  const second = await visitor.press("Import posts", { archive: await archiveFile(3) });
  expect([second.status, second.text]).toEqual([
    422,
    expect.stringContaining("An import of this kind is running already."),
  ]);
  await server.drain();
  expect((await visitor.get(IMPORT)).text).toContain("Archive (finished) old posts.zip, 21 Nov 2026 3 of 3 done");
  expect((await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json).toHaveLength(3);
});

test("An archive that is uploaded can also bring the profile, and its posts for followers only", async () => {
  await visitor.get(IMPORT);
  expect(visitor.formTo(`${IMPORT}/archive`).fields).not.toContainAnyKeys(["profile", "for_followers"]);
  const actor = { ...(mastodonArchive([])["actor.json"] as object), name: "Alice of old" };
  const path = await archives.zip(mastodonArchive([archivedPost(50)], { "actor.json": actor }));
  const archive = new File([readFileSync(path)], "mine.zip");
  await visitor.press("Import posts", { archive, profile: "1", for_followers: "1" });
  await server.drain();
  expect((await visitor.get(IMPORT)).text).toContain("1 of 1 done Public posts are imported for followers only.");
  expect((await alice.get("/api/v1/accounts/verify_credentials")).json.display_name).toBe("Alice of old");
  const [post] = (await alice.get(`/api/v1/accounts/${alice.id}/statuses?limit=1`)).json;
  expect(post).toMatchObject({ content: "<p>Post 50</p>", visibility: "private" });
});

test("The page for imports says beside the field what is wrong with an archive", async () => {
  const { text } = await visitor.get(IMPORT);
  expect(text).toContain("at most 1 GB");
  expect(text).toContain("linnet import archive");
  const missing = await visitor.press("Import posts", {});
  expect([missing.status, missing.text]).toEqual([422, expect.stringContaining("Choose a file.")]);
  const wrong = await visitor.press("Import posts", { archive: new File(["Hello"], "a.zip") });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("The file is not an archive of posts")]);
  expect(wrong.html).toContain('aria-invalid="true"');
  await visitor.press("Import posts", { archive: new File(["PK\x03\x04"], "cut.zip") });
  await server.drain();
  expect((await visitor.get(IMPORT)).text).toContain("The archive is damaged or incomplete. Download it again.");
});

test("The page for exports hands out the archive of all posts, to its owner only", async () => {
  await alice.publish({ status: "Only for me", visibility: "direct" });
  await visitor.get("/settings/export");
  const answer = await visitor.press("Download the archive", {});
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="alice.zip"');
  expect([answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    "application/zip",
    "no-store",
  ]);
  await visitor.get("/settings/export");
  const { fields } = visitor.formTo("/settings/export/archive");
  const download = (body: Record<string, string>) =>
    fetch(`${server.origin}/settings/export/archive`, {
      method: "POST",
      headers: { cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      body: new URLSearchParams(body),
    });
  expect((await download({ csrf: "forged" })).status).toBe(403);
  const archive = await openArchive(archives.write(await (await download(fields)).bytes()), archives.path);
  const parts = await Array.fromAsync(archive.document("outbox.json"));
  const { orderedItems } = JSON.parse(Buffer.concat(parts).toString());
  expect(orderedItems.at(-1).object.content).toBe("<p>Only for me</p>");
  await archive.close();
});
