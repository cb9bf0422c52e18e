import { beforeEach, describe, expect, test } from "bun:test";
import { archivedPost, AUDIENCES, mastodonArchive, OLD, OLD_ACTOR, runImport } from "../../support/archives.ts";
import { type ArchivedPost, storeArchivedPost } from "../../../src/core/transfer/imported-posts.ts";
import type { Tx } from "../../../src/db/open.ts";
import type { ArchiveItem } from "../../../src/federation/archives/items.ts";
import { readTweet } from "../../../src/federation/archives/read-tweets.ts";
import type { ImportProgress } from "../../../src/federation/archives/import.ts";
import type { Client, Json } from "../../support/client.ts";
import { remoteAuthor, storeFrom } from "../../support/remote-statuses.ts";
import { Transfer } from "../../support/imports.ts";
import { archivesForAllTests, serverForAllTests } from "../../support/setup.ts";
import { pictureFile } from "../../support/uploads.ts";

const DAY = 24 * 3600_000;
const { server } = serverForAllTests();
const archives = archivesForAllTests();
let alice: Client;
let users = 0;

beforeEach(async () => {
  users += 1;
  alice = await server.person(`alice${users}`);
});

function count(table: "jobs" | "imported_media"): number {
  return server.ctx.db.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`, {})!.count;
}

function stopBeforePosts({ stage }: ImportProgress): void {
  if (stage === "posts") throw new Error("the power failed");
}

/** The user's posts, oldest first. */
async function postsOf(user: Client): Promise<Json[]> {
  return (await user.get(`/api/v1/accounts/${user.id}/statuses?limit=40`)).json.toReversed();
}

/** Stores a post of an archive. Returns how many rows were looked up for it. */
function storePost(post: Partial<ArchivedPost>): number {
  let reads = 0;
  const importer = { id: Number(alice.id), username: `alice${users}`, formerUris: [] };
  const { post: read } = readTweet(TWEET, "", server.clock.now()) as Extract<ArchiveItem, { type: "post" }>;
  server.ctx.db.transaction((tx) => {
    const counting = Object.create(tx, {
      get: { value: (...call: Parameters<Tx["get"]>) => ((reads += 1), tx.get(...call)) },
    });
    storeArchivedPost(server.ctx, counting, importer, { ...read, files: [], ...post });
  });
  return reads;
}

const TWEET = { id_str: "1", full_text: "Hello", created_at: "Wed Oct 10 20:19:24 +0000 2018" };

describe("An imported post", () => {
  test("keeps its date, warning, language, hashtags, and the time of its edit", async () => {
    const post = archivedPost(1, {
      summary: "Birds",
      sensitive: true,
      content: `<p>Hello <a href="${OLD}/tags/Wrens" class="mention hashtag" rel="tag">#<span>Wrens</span></a></p>`,
      contentMap: {
        de: `<p>Hello <a href="${OLD}/tags/Wrens" class="mention hashtag" rel="tag">#<span>Wrens</span></a></p>`,
      },
      tag: [{ type: "Hashtag", name: "#Wrens", href: `${OLD}/tags/Wrens` }],
      updated: "2020-02-01T00:00:00Z",
    });
    await runImport(server, alice, await archives.zip(mastodonArchive([post])));
    const [found] = await postsOf(alice);
    expect(found).toMatchObject({
      created_at: "2020-01-01T00:01:00.000Z",
      edited_at: "2020-02-01T00:00:00.000Z",
      spoiler_text: "Birds",
      sensitive: true,
      language: "de",
      visibility: "public",
      tags: [{ name: "wrens" }],
    });
    expect(found.content).toContain(`href="${server.ctx.config.origin}/tags/wrens"`);
    expect(found.url).toStartWith(`${server.ctx.config.origin}/@alice`);
  });

  test("has an id of its date, so it is at its place among later posts", async () => {
    const later = await alice.publish("Now");
    await runImport(server, alice, await archives.zip(mastodonArchive([archivedPost(2), archivedPost(1)])));
    const contents = (await postsOf(alice)).map(({ content }) => content);
    expect(contents).toEqual(["<p>Post 1</p>", "<p>Post 2</p>", later.content]);
  });

  test.each(["public", "unlisted", "private", "direct"] as const)("that is %s stays so", async (visibility) => {
    await runImport(server, alice, await archives.zip(mastodonArchive([archivedPost(1, AUDIENCES[visibility])])));
    expect((await postsOf(alice))[0]).toMatchObject({ visibility });
    const seen = (await server.stranger().get(`/api/v1/accounts/${alice.id}/statuses`)).json;
    expect(seen.length).toBe(visibility === "public" || visibility === "unlisted" ? 1 : 0);
  });

  test("is in a thread with the others, also if its archive has the newest first", async () => {
    const reply = (n: number) => archivedPost(n, { inReplyTo: `${OLD_ACTOR}/statuses/${n - 1}` });
    await runImport(server, alice, await archives.zip(mastodonArchive([reply(3), reply(2), archivedPost(1)])));
    const [first, second, third] = await postsOf(alice);
    expect([second.in_reply_to_id, third.in_reply_to_id]).toEqual([first.id, second.id]);
    const { ancestors } = (await alice.get(`/api/v1/statuses/${third.id}/context`)).json;
    expect(ancestors.map(({ id }: Json) => id)).toEqual([first.id, second.id]);
    expect(first.replies_count).toBe(1);
  });

  test("that was local-only stays so, and is no reply that others count", async () => {
    const reply = archivedPost(2, { inReplyTo: `${OLD_ACTOR}/statuses/1`, localOnly: true });
    await runImport(server, alice, await archives.zip(mastodonArchive([reply, archivedPost(1)])));
    const [first, second] = await postsOf(alice);
    expect([first.local_only, first.replies_count]).toEqual([false, 0]);
    expect([second.local_only, second.in_reply_to_id]).toEqual([true, first.id]);
  });

  test("does not take the replies of others to the former post", async () => {
    const uri = `${OLD_ACTOR}/statuses/77${users}`;
    const stranger = remoteAuthor(server, `stranger${users}`);
    const reply = storeFrom(server, stranger, { inReplyToUri: uri });
    await runImport(server, alice, await archives.zip(mastodonArchive([archivedPost(1, { id: uri })])));
    expect((await postsOf(alice))[0].replies_count).toBe(0);
    expect((await alice.get(`/api/v1/statuses/${reply}`)).json.in_reply_to_id).not.toBe((await postsOf(alice))[0].id);
  });

  test("quotes another post of the archive, without the link for servers that know no quotes", async () => {
    const quoting = archivedPost(2, {
      content: `<p class="quote-inline">RE: <a href="${OLD}/@alice/1">${OLD}/@alice/1</a></p><p>Again</p>`,
      quote: `${OLD_ACTOR}/statuses/1`,
    });
    await runImport(server, alice, await archives.zip(mastodonArchive([archivedPost(1), quoting])));
    const [first, second] = await postsOf(alice);
    expect(second.quote).toMatchObject({ state: "accepted", quoted_status: { id: first.id } });
    expect(second.content).toBe("<p>Again</p>");
  });

  test("has the results of its poll as text", async () => {
    const option = (name: string, totalItems: number) => ({
      type: "Note",
      name,
      replies: { type: "Collection", totalItems },
    });
    const poll = archivedPost(1, {
      type: "Question",
      oneOf: [option("Tea", 5), option("<b>", 3)],
      endTime: "2020-01-02T00:00:00Z",
    });
    await runImport(server, alice, await archives.zip(mastodonArchive([poll])));
    const [found] = await postsOf(alice);
    expect(found.poll).toBeNull();
    expect(found.content).toBe("<p>Post 1</p><ul><li>Tea: 5</li><li>&lt;b&gt;: 3</li></ul>");
  });

  test("mentions the user here, and accounts that are known here", async () => {
    const bob = await server.person(`bob${users}`);
    const uri = `${server.ctx.config.origin}/users/bob${users}`;
    const tag = [
      { type: "Mention", href: OLD_ACTOR, name: "@alice" },
      { type: "Mention", href: uri, name: "@bob" },
      { type: "Mention", href: "https://other.example/users/carol", name: "@carol@other.example" },
    ];
    await runImport(server, alice, await archives.zip(mastodonArchive([archivedPost(1, { tag })])));
    const [found] = await postsOf(alice);
    expect(found.mentions.map(({ id }: Json) => id).toSorted()).toEqual([alice.id, bob.id].toSorted());
    expect((await bob.get("/api/v1/notifications")).json).toEqual([]);
  });

  test.each([
    ["as long as posts may be is rendered", 0, "<em>a</em>"],
    ["that is longer stays as it is typed", 1, "*a*"],
  ])("in Markdown %s", async (_what, more, shown) => {
    const text = "*a*".padEnd(server.ctx.config.maxCharacters + more, " b");
    storePost({ text, content: null, contentType: "text/markdown" });
    expect((await postsOf(alice))[0]!.content).toStartWith(`<p>${shown} b b`);
  });

  test("of a time with thousands of posts finds an id without trying theirs", () => {
    const createdAt = Date.UTC(2019, 5, 1);
    const first = server.ctx.ids.firstAt(createdAt);
    server.ctx.db.transaction((tx) =>
      tx.run(
        `WITH RECURSIVE taken (id) AS (SELECT +$first UNION ALL SELECT id + 1 FROM taken WHERE id < +$first + 9999)
         INSERT INTO statuses (id, account_id, uri, url, local, visibility, content, conversation_id, created_at)
         SELECT id, +$account, 'https://old.example/' || id, '', 1, 'direct', '', id, +$createdAt FROM taken`,
        { first, account: Number(alice.id), createdAt },
      ),
    );
    expect(storePost({ createdAt })).toBeLessThan(50);
    const sql = "SELECT max(id) AS id FROM statuses WHERE account_id = $account";
    expect(server.ctx.db.get<{ id: number }>(sql, { account: Number(alice.id) })!.id).toBe(first + 10_000);
  });

  test("loses markup that could run", async () => {
    const post = archivedPost(1, { content: "<p>Hi<script>alert(1)</script><img src=x onerror=alert(1)></p>" });
    await runImport(server, alice, await archives.zip(mastodonArchive([post])));
    expect((await postsOf(alice))[0].content).toBe("<p>Hi</p>");
  });

  test("reaches no timeline, no follower and no other server", async () => {
    const follower = await server.person(`carol${users}`);
    await follower.follow(alice);
    const before = count("jobs");
    const post = archivedPost(1, {
      published: new Date(server.clock.now()).toISOString(),
      content: '<p><a href="https://page.example">A page</a></p>',
    });
    await runImport(server, alice, await archives.zip(mastodonArchive([post])));
    expect(await postsOf(alice)).toHaveLength(1);
    expect((await alice.get("/api/v1/timelines/home")).json).toEqual([]);
    expect((await follower.get("/api/v1/timelines/home")).json).toEqual([]);
    expect((await follower.get("/api/v1/notifications")).json).toEqual([]);
    expect(count("jobs")).toBe(before);
  });
});

describe("Media of an archive", () => {
  test.each(["zip", "tar"] as const)("in a %s file keep their place, alt text and focus", async (format) => {
    const bytes = async (shade: number) => new Uint8Array(await (await pictureFile("png", { shade })).arrayBuffer());
    const attachment = [1, 2].map((n) => ({
      type: "Document",
      mediaType: "image/png",
      url: `/media_attachments/files/00${n}/original/a b.png`,
      name: `Picture ${n}`,
      focalPoint: [0.5, -0.25],
    }));
    const files = {
      "media_attachments/files/001/original/a b.png": await bytes(1),
      "media_attachments/files/002/original/a b.png": await bytes(100),
      ...mastodonArchive([archivedPost(1, { attachment, content: "" })]),
    };
    const result = await runImport(server, alice, await archives[format](files));
    expect(result).toMatchObject({ posts: 1, files: 2, plan: { skippedFiles: {} } });
    const [found] = await postsOf(alice);
    expect(found.media_attachments).toMatchObject([
      { type: "image", description: "Picture 1", meta: { focus: { x: 0.5, y: -0.25 } } },
      { type: "image", description: "Picture 2" },
    ]);
    expect((await fetch(found.media_attachments[0].url.replace(server.ctx.config.origin, server.origin))).status).toBe(
      200,
    );
  });

  test("that two posts name belong to the first", async () => {
    const attachment = [{ type: "Document", url: "media_attachments/a.png" }];
    const png = new Uint8Array(await (await pictureFile("png")).arrayBuffer());
    const items = [archivedPost(1, { attachment }), archivedPost(2, { attachment })];
    await runImport(server, alice, await archives.zip({ "media_attachments/a.png": png, ...mastodonArchive(items) }));
    expect((await postsOf(alice)).map(({ media_attachments: media }) => media.length)).toEqual([1, 0]);
    expect((await alice.get(`/api/v1/accounts/${alice.id}/statuses?only_media=true`)).json).toHaveLength(1);
  });

  test("whose conversion was interrupted are read again", async () => {
    const attachment = [{ type: "Document", url: "media_attachments/a.png" }];
    const png = new Uint8Array(await (await pictureFile("png")).arrayBuffer());
    const path = await archives.zip({
      "media_attachments/a.png": png,
      ...mastodonArchive([archivedPost(1, { attachment })]),
    });
    await runImport(server, alice, path, { onProgress: stopBeforePosts }).catch(() => {});
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE media_attachments SET state = 'processing' WHERE status_id IS NULL"),
    );
    await runImport(server, alice, path);
    expect((await postsOf(alice))[0].media_attachments).toMatchObject([{ type: "image" }]);
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM media_attachments WHERE status_id IS NULL"));
  });

  test("that are missing, or no images, are counted, and the rest of the post is imported", async () => {
    const attachment = ["gone", "broken"].map((name) => ({ type: "Document", url: `media_attachments/${name}.png` }));
    const posts = [archivedPost(1, { attachment }), archivedPost(2, { attachment: [attachment[0]], content: "" })];
    const path = await archives.zip({ "media_attachments/broken.png": "no image", ...mastodonArchive(posts) });
    const { plan } = await runImport(server, alice, path);
    expect(plan).toMatchObject({
      skippedFiles: { "missing in the archive": 2, unreadable: 1 },
      skipped: { "without content": 1 },
    });
    expect(await postsOf(alice)).toMatchObject([{ content: "<p>Post 1</p>", media_attachments: [] }]);
  });
});

describe("An import", () => {
  test("that runs again adds nothing, not even posts that the user has deleted since", async () => {
    const path = await archives.zip(mastodonArchive([archivedPost(1), archivedPost(2)]));
    await runImport(server, alice, path);
    const [first] = await postsOf(alice);
    await alice.delete(`/api/v1/statuses/${first.id}`);
    const again = await runImport(server, alice, path);
    expect(again).toMatchObject({ posts: 0, plan: { known: 2, posts: 0 } });
    expect(await postsOf(alice)).toHaveLength(1);
  });

  const protection = (...actions: string[]) =>
    `window.YTD.protected_history.part0 = ${JSON.stringify(
      actions.map((action, at) => ({ protectedHistory: { action, protectedAt: `2024-01-0${9 - at}T12:00:00.000Z` } })),
    )}`;

  test.each([
    ["protected", "private", protection("Protect", "Unprotect", "Protect")],
    [null, "public", protection("Unprotect", "Protect")],
    [null, "public", "window.YTD.protected_history.part0 = [ ]"],
  ] as const)("of tweets whose last protection is %p makes them %s", async (forFollowers, visibility, history) => {
    const files = {
      "twitter/data/tweets.js": `window.YTD.tweets.part0 = [${JSON.stringify({ tweet: TWEET })}]`,
      "twitter/data/protected-history.js": history,
    };
    for (const path of [await archives.tar(files), await archives.zip(files)]) {
      const { plan } = await runImport(server, alice, path, { isDryRun: true });
      expect(plan).toMatchObject({ posts: 1, forFollowers });
    }
    await runImport(server, alice, await archives.zip(files));
    expect(await postsOf(alice)).toMatchObject([{ content: "<p>Hello</p>", visibility }]);
  });

  test("for followers only opens no post to others, and nothing that is for fewer", async () => {
    const visibilities = ["public", "unlisted", "private", "direct"] as const;
    const items = visibilities.map((each, n) => archivedPost(n, AUDIENCES[each]));
    const { uri } = await (await server.person(`bob${users}`)).publish("Known");
    const boost = { ...archivedPost(9), id: `${OLD_ACTOR}/9/activity`, type: "Announce", object: uri };
    await runImport(server, alice, await archives.zip(mastodonArchive([...items, boost])), { forFollowers: true });
    const found = (await postsOf(alice)).map(({ visibility }) => visibility);
    expect(found.toSorted()).toEqual(["direct", "private", "private", "private", "private"]);
  });

  test("of bookmarks finds the posts of an archive by their former addresses, and asks no server", async () => {
    await runImport(server, alice, await archives.zip(mastodonArchive([archivedPost(1), archivedPost(2)])));
    const transfer = new Transfer(() => server, alice);
    expect(await transfer.run(`${OLD_ACTOR}/statuses/2`)).toMatchObject({ kind: "bookmarks", done: 1, failed: 0 });
    expect((await alice.get("/api/v1/bookmarks")).json).toMatchObject([{ content: "<p>Post 2</p>" }]);
    const bob = await server.person(`bob${users}`);
    const ofBob = new Transfer(() => server, bob);
    expect(await ofBob.run(`${OLD_ACTOR}/statuses/1`)).toMatchObject({ done: 0, failed: 1 });
  });

  test("as a dry run counts everything, and changes nothing", async () => {
    const attachment = [{ type: "Document", url: "a.png" }];
    const path = await archives.zip({
      ...mastodonArchive([
        archivedPost(1, { attachment }),
        archivedPost(2, { attributedTo: `${OLD}/users/bob` }),
        { type: "Announce" },
      ]),
      "a.png": "12345",
    });
    const { plan } = await runImport(server, alice, path, { isDryRun: true });
    expect(plan).toMatchObject({ posts: 1, bytes: 5, skipped: { "by another account": 1, unsupported: 1 } });
    expect(await postsOf(alice)).toEqual([]);
    expect(count("imported_media")).toBe(0);
  });

  test("takes over boosts, favourites and bookmarks of posts that are known here", async () => {
    const bob = await server.person(`bob${users}`);
    const { uri, id } = await bob.publish("Known");
    const boost = (n: number, object: string) => ({
      ...archivedPost(n),
      id: `${OLD_ACTOR}/statuses/${n}/activity`,
      type: "Announce",
      object,
    });
    const list = {
      type: "OrderedCollection",
      orderedItems: [uri, `${OLD_ACTOR}/statuses/1`, `${OLD}/users/bob/statuses/9`],
    };
    const files = mastodonArchive(
      [archivedPost(1), boost(2, uri), boost(3, `${OLD}/users/bob/statuses/9`), boost(4, `${OLD_ACTOR}/statuses/1`)],
      { "likes.json": list, "bookmarks.json": list },
    );
    const path = await archives.zip(files);
    expect(await runImport(server, alice, path)).toMatchObject({ posts: 1, boosts: 2, favourites: 2, bookmarks: 2 });
    expect(await runImport(server, alice, path)).toMatchObject({ posts: 0, boosts: 0, favourites: 0, bookmarks: 0 });
    const known = (await alice.get(`/api/v1/statuses/${id}`)).json;
    expect(known).toMatchObject({
      reblogged: true,
      favourited: true,
      bookmarked: true,
      reblogs_count: 1,
      favourites_count: 1,
    });
    expect((await bob.get("/api/v1/notifications")).json).toEqual([]);
    expect((await postsOf(alice)).map(({ created_at }) => created_at.slice(0, 16))).toEqual([
      "2020-01-01T00:01",
      "2020-01-01T00:02",
      "2020-01-01T00:04",
    ]);
    await alice.post(`/api/v1/statuses/${id}/unreblog`);
    expect(await runImport(server, alice, path)).toMatchObject({ boosts: 0 });
  });

  test("is refused while another one runs", async () => {
    const path = await archives.zip(mastodonArchive([archivedPost(1)]));
    const both = await Promise.allSettled([runImport(server, alice, path), runImport(server, alice, path)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await postsOf(alice)).toHaveLength(1);
  });

  test("that is interrupted finds its files again within a week, and reads none twice", async () => {
    const attachment = [{ type: "Document", url: "media_attachments/a.png", name: "A wren" }];
    const png = new Uint8Array(await (await pictureFile("png", { shade: 9 })).arrayBuffer());
    const path = await archives.zip({
      "media_attachments/a.png": png,
      ...mastodonArchive([archivedPost(1, { attachment })]),
    });
    const interrupt = () => runImport(server, alice, path, { onProgress: stopBeforePosts }).catch(() => {});
    await interrupt();
    await server.cleanUpAfter(2 * DAY);
    expect(count("imported_media")).toBe(1);
    const again = await runImport(server, alice, path);
    expect(again).toMatchObject({ posts: 1, files: 1 });
    expect((await postsOf(alice))[0].media_attachments).toMatchObject([{ description: "A wren" }]);
    expect(count("imported_media")).toBe(0);
    expect(server.ctx.db.get("SELECT 1 FROM media_attachments WHERE status_id IS NULL")).toBeNull();

    alice = await server.person(`later${users}`);
    await interrupt();
    await server.cleanUpAfter(9 * DAY);
    expect(count("imported_media")).toBe(0);
  });
});
