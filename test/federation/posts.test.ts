import { beforeEach, describe, expect, test } from "bun:test";
import { Hashtag, Emoji, Image } from "@fedify/vocab";
import { deletionRules, saveDeletionRules } from "../../src/core/statuses/automatic-deletion.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";

const DOCUMENT = { accept: "application/activity+json" };

/** Asks a user's server for a document as other servers do, without a signature. */
const fetched = (author: Neighbour, { uri }: { uri: string }) =>
  author.server.stranger().get(new URL(uri).pathname, { headers: DOCUMENT });

describe("Between two servers", () => {
  const { alice, bob, drain, befriend, advance } = neighboursForEachTest(["alice", "bob"]);
  beforeEach(() => befriend(alice, bob));

  test("a post arrives with its warning, language, hashtags and custom emoji", async () => {
    await ownEmoji(alice.server, "tea");
    const post = await alice.publish({
      status: "Heute mit :tea: und #Kuchen",
      spoiler_text: "Essen",
      language: "de",
      sensitive: true,
    });
    await drain();
    const copy = await bob.copyOf(post);
    expect(copy).toMatchObject({
      uri: post.uri,
      url: post.url,
      created_at: post.created_at.replace(/\.\d+Z/, ".000Z"),
      visibility: "public",
      spoiler_text: "Essen",
      sensitive: true,
      language: "de",
      tags: [{ name: "kuchen", url: `${bob.server.ctx.config.origin}/tags/kuchen` }],
      emojis: [{ shortcode: "tea" }],
    });
    expect(copy.content).toContain("Heute mit :tea: und");
    const [{ url }] = copy.emojis;
    expect(new URL(url).origin).toBe(bob.server.ctx.config.origin);
    const picture = await fetch(bob.origin + new URL(url).pathname);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect((await bob.get("/api/v1/timelines/tag/kuchen")).json).toMatchObject([{ uri: post.uri }]);
  });

  test("a formatted post arrives as HTML, and its document has the source", async () => {
    const source = "# Tea\n\n- @bob@unknown.example\n- **now**";
    const post = await alice.publish({ status: source, content_type: "text/markdown" });
    const plain = await alice.publish("**now**");
    await drain();
    const { content } = (await bob.copyOf(post))!;
    expect(content).toBe(post.content);
    expect(content).toBe(
      "<p><strong>Tea</strong></p><ul><li>@bob@unknown.example</li><li><strong>now</strong></li></ul>",
    );
    expect((await fetched(alice, post)).json.source).toEqual({ content: source, mediaType: "text/markdown" });
    expect((await fetched(alice, plain)).json).not.toHaveProperty("source");
  });

  test("a reply and its answer form one thread on both servers, and each author is notified", async () => {
    const post = await alice.publish("Who is there?");
    await drain();
    const question = await bob.copyOf(post);
    const reply = await bob.publish({ status: `@${alice.handle} I am`, in_reply_to_id: question.id });
    await drain();
    const replyCopy = await alice.copyOf(reply);
    expect(replyCopy).toMatchObject({
      in_reply_to_id: post.id,
      in_reply_to_account_id: alice.id,
      mentions: [{ id: alice.id, acct: "alice" }],
    });
    const answer = await alice.publish({ status: `@${bob.handle} Good`, in_reply_to_id: replyCopy.id });
    await drain();
    expect(await bob.copyOf(answer)).toMatchObject({ in_reply_to_id: reply.id });
    expect((await bob.get(`/api/v1/statuses/${question.id}/context`)).json.descendants).toMatchObject([
      { uri: reply.uri },
      { uri: answer.uri },
    ]);
    expect((await alice.copyOf(post)).replies_count).toBe(1);
    expect(await alice.news()).toEqual([
      ["mention", bob.handle],
      ["follow", bob.handle],
    ]);
    expect(await bob.news()).toEqual([
      ["mention", alice.handle],
      ["follow", alice.handle],
    ]);
  });

  test("an edit arrives with the time of the change and keeps the first version", async () => {
    const post = await alice.publish("Cofee");
    await drain();
    advance(60_000);
    await alice.put(`/api/v1/statuses/${post.id}`, { status: "Coffee", spoiler_text: "drinks" });
    await drain();
    const copy = await bob.copyOf(post);
    expect(copy).toMatchObject({ content: "<p>Coffee</p>", spoiler_text: "drinks" });
    expect(Date.parse(copy.edited_at) - Date.parse(copy.created_at)).toBe(60_000);
    const { json: versions } = await bob.get(`/api/v1/statuses/${copy.id}/history`);
    expect(versions.map(({ content }: Json) => content)).toEqual(["<p>Cofee</p>", "<p>Coffee</p>"]);
  });

  test("a deleted post disappears, its address answers 410, and nothing brings it back", async () => {
    const post = await alice.publish("A mistake");
    await drain();
    const { id } = await bob.copyOf(post);
    await bob.react("favourite", post);
    await bob.react("reblog", post);
    await drain();
    expect((await alice.delete(`/api/v1/statuses/${post.id}`)).status).toBe(200);
    await drain();
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect(await bob.home()).toEqual([]);
    expect((await fetched(alice, post)).status).toBe(410);
    const browser = alice.server.stranger();
    for (const address of [post.url, post.uri, `${post.uri}/activity`]) {
      const page = await browser.get(new URL(address).pathname, { headers: { accept: "text/html" } });
      expect([address, page.status]).toEqual([address, 410]);
    }
    expect(await bob.server.ctx.remote.object(post.uri)).toBeNull();
  });

  test("an old post that is deleted automatically disappears", async () => {
    const post = await alice.publish("hello");
    await drain();
    const { ctx, clock } = alice.server;
    const accountId = Number(alice.id);
    saveDeletionRules(ctx, accountId, { ...deletionRules(ctx.db, accountId), enabled: 1 });
    advance(15 * 24 * 3600_000);
    ctx.db.transaction((tx) => schedule(ctx, tx, "posts.delete_old", clock.now()));
    await drain();
    expect(await bob.copyOf(post)).toBeNull();
    expect((await fetched(alice, post)).status).toBe(410);
  });

  test("a post that is deleted before it was sent is never sent", async () => {
    const post = await alice.publish("A mistake");
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    const sql = "SELECT uri FROM statuses WHERE uri = +$uri";
    expect(bob.server.ctx.db.get(sql, { uri: post.uri })).toBeNull();
    expect(bob.server.ctx.db.get("SELECT 1 FROM tombstones WHERE uri = +$uri", { uri: post.uri })).not.toBeNull();
  });

  test("a mention reaches an account that does not follow, and links to its profile", async () => {
    await bob.act("unfollow", alice);
    await drain();
    const post = await alice.publish(`Ask @${bob.handle}!`);
    await drain();
    expect(await bob.news()).toContainEqual(["mention", alice.handle]);
    const copy = await bob.copyOf(post);
    expect(copy.mentions).toMatchObject([{ id: bob.id, acct: "bob", url: `${bob.server.ctx.config.origin}/@bob` }]);
    expect(await bob.home()).toEqual([]);
  });
});

describe("From a server by others", () => {
  const { alice, drain, advance, newFollowed } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newFollowed("fern");
  });

  test("a post arrives with its warning, hashtags and emoji, and without scripts", async () => {
    const icon = new Image({
      url: new URL(fern.put("/tea.png", new Uint8Array([1]), "image/png")),
      mediaType: "image/png",
    });
    const post = await fern.post({
      to: "public",
      content: `<p>rain :tea: <a href="${fern.origin}/tags/wet" rel="tag">#wet</a><script>alert(1)</script></p>`,
      more: {
        summary: "weather",
        sensitive: true,
        tags: [
          new Hashtag({ name: "#wet", href: new URL("/tags/wet", fern.origin) }),
          new Emoji({ id: new URL("/emoji/tea", fern.origin), name: ":tea:", icon }),
        ],
      },
    });
    await drain();
    const copy = await alice.copyOf(post);
    expect(copy).toMatchObject({
      account: { acct: fern.handle },
      spoiler_text: "weather",
      sensitive: true,
      tags: [{ name: "wet" }],
      emojis: [{ shortcode: "tea" }],
    });
    expect(copy.content).toStartWith("<p>rain :tea: <a href=");
    expect(copy.content).not.toContain("script");
  });

  test("an edit replaces the text, and a deletion removes the post", async () => {
    const post = await fern.post({ to: "unlisted", content: "<p>rain</p>" });
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ content: "<p>rain</p>", visibility: "unlisted", edited_at: null });
    advance(60_000);
    await fern.edit(post, { content: "<p>sun</p>" });
    await drain();
    const copy = await alice.copyOf(post);
    expect(copy).toMatchObject({ content: "<p>sun</p>" });
    expect(Date.parse(copy.edited_at) - Date.parse(copy.created_at)).toBe(60_000);
    await fern.delete(post);
    await drain();
    expect(await alice.copyOf(post)).toBeNull();
    // Its server repeats the Create, as some do.
    await fern.send(post.activity, [alice.uri]);
    await drain();
    expect(await alice.copyOf(post)).toBeNull();
  });

  test("a post that is delivered to several inboxes is stored and notified once", async () => {
    const post = await fern.post({ to: "public", content: "<p>hey</p>", mentions: [alice.uri] });
    await fern.send(post.activity, [alice.uri]);
    await fern.send(post.activity, [alice.uri], { shared: true });
    await drain();
    expect(await alice.home()).toMatchObject([{ uri: post.uri }]);
    expect(await alice.news()).toEqual([["mention", fern.handle]]);
  });
});

describe("To a server by others", () => {
  const { alice, drain, newFollower } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newFollower("fern");
  });

  test("posts, edits and deletions arrive, signed and readable", async () => {
    await ownEmoji(alice.server, "tea");
    const post = await alice.publish({ status: "Hello :tea: #World", spoiler_text: "greeting", language: "en" });
    await drain();
    expect(fern.received.at(-1)).toMatchObject({ type: "Create", actor: alice.uri, object: post.uri, inbox: "/inbox" });
    expect(await fern.lookup(post.uri)).toMatchObject({ summary: "greeting", sensitive: true });
    expect(fern.received.at(-1)!.json).toMatchObject({
      to: ["https://www.w3.org/ns/activitystreams#Public"],
      cc: [`${alice.uri}/followers`],
      object: {
        contentMap: { en: expect.stringContaining("Hello :tea:") },
        tag: [
          { type: "Hashtag", name: "#World" },
          { type: "Emoji", name: ":tea:" },
        ],
      },
    });
    await alice.put(`/api/v1/statuses/${post.id}`, { status: "Goodbye" });
    await drain();
    expect(fern.received.at(-1)).toMatchObject({ type: "Update", object: post.uri });
    expect((await fern.lookup(post.uri))?.content?.toString()).toContain("Goodbye");
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    expect(fern.received.at(-1)).toMatchObject({ type: "Delete", object: post.uri });
    expect(await fern.lookup(post.uri)).toBeNull();
    expect((await fern.fetchSigned(post.uri)).status).toBe(410);
    expect(fern.refused).toEqual([]);
  });

  test("a reply with a mention arrives once, at the shared inbox", async () => {
    const post = await fern.post({ to: "public", content: "<p>rain</p>", mentions: [alice.uri] });
    await drain();
    const { id } = await alice.copyOf(post);
    const reply = await alice.publish({ status: `@${fern.handle} sun`, in_reply_to_id: id });
    await drain();
    const creates = fern.received.filter(({ type }) => type === "Create");
    expect(creates).toMatchObject([
      {
        object: reply.uri,
        inbox: "/inbox",
        json: { object: { inReplyTo: post.uri, tag: [{ type: "Mention", href: fern.uri, name: `@${fern.handle}` }] } },
      },
    ]);
  });
});
