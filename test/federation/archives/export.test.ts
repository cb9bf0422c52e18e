import { expect, test } from "bun:test";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { exportArchive } from "../../../src/federation/archives/export.ts";
import { openArchive } from "../../../src/lib/archives/open-archive.ts";
import { runImport } from "../../support/archives.ts";
import type { Client, Json } from "../../support/client.ts";
import { archivesForAllTests, serverForAllTests } from "../../support/setup.ts";
import { formOf, pictureFile, uploaded } from "../../support/uploads.ts";

const from = serverForAllTests(["alice"]);
const to = serverForAllTests(["alice"]);
const archives = archivesForAllTests();

async function postsOf(user: Client): Promise<Json[]> {
  return (await user.get(`/api/v1/accounts/${user.id}/statuses?limit=40`)).json.toReversed();
}

async function exported(user: Client, name: string): Promise<string> {
  const path = join(archives.path, name);
  await pipeline(await exportArchive(from.server.ctx, Number(user.id)), createWriteStream(path));
  return path;
}

/** The content of a post, with places in the list instead of ids. Results of polls are text after an import. */
function comparable(posts: readonly Json[], origin: string): Json[] {
  const place = (id: string | null | undefined) => (id ? posts.findIndex((post) => post.id === id) : null);
  return posts.map((post) => ({
    ...Object.fromEntries(
      [
        "created_at",
        "edited_at",
        "visibility",
        "local_only",
        "spoiler_text",
        "sensitive",
        "language",
        "favourited",
      ].map((name) => [name, post[name]]),
    ),
    bookmarked: post.bookmarked,
    replies_count: post.replies_count,
    content: post.content.replaceAll(origin, ""),
    tags: post.tags.map(({ name }: Json) => name),
    mentions: post.mentions.map(({ username }: Json) => username),
    media: post.media_attachments.map(({ type, description, meta }: Json) => ({
      type,
      description,
      focus: meta.focus,
    })),
    parent: place(post.in_reply_to_id),
    quoted: place(post.quote?.quoted_status?.id),
    boosted: place(post.reblog?.id),
    quote_approval: post.quote_approval,
  }));
}

test("An archive that is imported into an empty server yields the same posts", async () => {
  const { alice, server } = from;
  const image = await uploaded(alice, { description: "A wren", focus: "0.5,-0.5" }, 80);
  const first = await alice.publish({
    status: "Hello #Wrens, see https://page.example/?a=1&b=2 @alice",
    language: "de",
  });
  server.clock.advance(1234);
  const withImage = await alice.publish({
    status: "Look",
    media_ids: [image.id],
    spoiler_text: "Birds",
    in_reply_to_id: first.id,
  });
  await alice.publish({
    status: "*Private*",
    visibility: "private",
    content_type: "text/markdown",
    in_reply_to_id: withImage.id,
  });
  await alice.publish({ status: "Note to self", visibility: "direct" });
  await alice.publish({ status: "Only here", local_only: true });
  await alice.publish({ status: "Again", quoted_status_id: first.id, quote_approval_policy: "followers" });
  const edited = await alice.publish({ status: "Edit me", visibility: "unlisted", sensitive: true });
  server.clock.advance(60_000);
  await alice.put(`/api/v1/statuses/${edited.id}`, { status: "Edited <b> & co", sensitive: true });
  await alice.post(`/api/v1/statuses/${first.id}/reblog`);
  await alice.post(`/api/v1/statuses/${first.id}/favourite`);
  await alice.post(`/api/v1/statuses/${withImage.id}/bookmark`);

  const path = await exported(alice, "whole.zip");
  to.server.clock.advance(server.clock.now() - to.server.clock.now());
  const result = await runImport(to.server, to.alice, path);
  expect(result).toMatchObject({
    posts: 7,
    boosts: 1,
    files: 1,
    favourites: 1,
    bookmarks: 1,
    plan: { skipped: {}, skippedFiles: {} },
  });
  const [before, after] = [await postsOf(alice), await postsOf(to.alice)];
  expect(before).toHaveLength(8);
  expect(comparable(after, to.server.ctx.config.origin)).toEqual(comparable(before, server.ctx.config.origin));
  const texts = await Promise.all(
    [from, to].map(async (each) => {
      const posts = (await postsOf(each.alice)).filter(({ reblog }) => reblog === null);
      return Promise.all(
        posts.map(async ({ id }) => (await each.alice.get(`/api/v1/statuses/${id}/source`)).json.text),
      );
    }),
  );
  expect(texts[1]).toEqual(texts[0]!);
  const again = await exportArchiveOf(to.server.ctx, to.alice);
  expect(again).toBe(8);
});

/** The number of entries in the outbox of an archive of an archive. */
async function exportArchiveOf(ctx: typeof from.server.ctx, user: Client): Promise<number> {
  let posts = 0;
  const bytes = await exportArchive(ctx, Number(user.id), (progress) => (posts = progress.posts));
  for await (const part of bytes) void part;
  return posts;
}

test("The archive of an account has its profile, which can be taken over", async () => {
  const bob = await from.server.person("bob");
  const form = formOf({
    display_name: "Bob 🐦",
    note: "Birds & more",
    locked: "true",
    avatar: await pictureFile("jpeg", { shade: 50 }),
    header: await pictureFile("jpeg"),
    "fields_attributes[0][name]": "Web",
    "fields_attributes[0][value]": "https://page.example",
  });
  await bob.patch("/api/v1/accounts/update_credentials", form);
  const path = await exported(bob, "profile.zip");
  const archive = await openArchive(path, archives.path);
  const names = ["actor.json", "avatar.jpg", "header.jpg", "outbox.json", "likes.json", "bookmarks.json"];
  expect([...archive.files.keys()].toSorted()).toEqual(names.toSorted());
  await archive.close();

  await runImport(to.server, to.alice, path, { withProfile: true });
  const found = (await to.alice.get("/api/v1/accounts/verify_credentials")).json;
  expect(found).toMatchObject({
    display_name: "Bob 🐦",
    locked: true,
    source: { note: "Birds & more", fields: [{ name: "Web", value: "https://page.example" }] },
  });
  for (const picture of [found.avatar, found.header]) {
    expect(picture).not.toContain("missing");
    expect((await fetch(picture.replace(to.server.ctx.config.origin, to.server.origin))).status).toBe(200);
  }
});

test("A poll is a Question in the archive, and text after an import", async () => {
  const carol = await from.server.person("carol");
  await carol.publish({ status: "Tea?", poll: { options: ["Yes", "No"], expires_in: 3600 } });
  const path = await exported(carol, "poll.zip");
  const dave = await to.server.person("dave");
  await runImport(to.server, dave, path);
  const [post] = await postsOf(dave);
  expect(post.poll).toBeNull();
  expect(post.content).toBe("<p>Tea?</p><ul><li>Yes: 0</li><li>No: 0</li></ul>");
});
