import { beforeEach, describe, expect, test } from "bun:test";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";

/** Whether a server has a row for the status, visible or not. */
function isKnown({ server }: Neighbour, { uri }: { uri: string }): boolean {
  return server.ctx.db.get("SELECT 1 FROM statuses WHERE uri = +$uri", { uri }) !== null;
}

const DOCUMENT = { accept: "application/activity+json" };

describe("Among three servers", () => {
  const { alice, bob, carol, drain, befriend } = neighboursForEachTest(["alice", "bob", "carol"]);
  beforeEach(() => befriend(alice, bob, carol));

  test("a direct post reaches the accounts that it mentions, and no other server", async () => {
    const post = await alice.publish({ status: `@${bob.handle} psst`, visibility: "direct" });
    await drain();
    expect(await bob.copyOf(post)).toMatchObject({ visibility: "direct", mentions: [{ acct: "bob" }] });
    expect((await bob.news())[0]).toEqual(["mention", alice.handle]);
    expect((await bob.get("/api/v1/conversations")).json).toMatchObject([
      { unread: true, accounts: [{ acct: alice.handle }], last_status: { uri: post.uri } },
    ]);
    expect(isKnown(carol, post)).toBe(false);

    const { id } = await bob.copyOf(post);
    const answer = await bob.publish({
      status: `@${alice.handle} what?`,
      visibility: "direct",
      in_reply_to_id: id,
    });
    await drain();
    expect(await alice.copyOf(answer)).toMatchObject({ in_reply_to_id: post.id, visibility: "direct" });
    expect((await alice.get("/api/v1/conversations")).json).toHaveLength(1);
    expect(isKnown(carol, answer)).toBe(false);

    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    expect(await bob.copyOf(post)).toBeNull();
    const sql = "SELECT 1 FROM tombstones WHERE uri = +$uri";
    expect(carol.server.ctx.db.get(sql, { uri: post.uri })).toBeNull();
  });

  test("a followers-only post reaches followers, and can't be fetched or boosted by others", async () => {
    await carol.act("unfollow", alice);
    await drain();
    const post = await alice.publish({ status: "Among us", visibility: "private" });
    await drain();
    expect(await bob.copyOf(post)).toMatchObject({ visibility: "private" });
    expect((await bob.react("reblog", post)).status).toBe(403);
    expect(isKnown(carol, post)).toBe(false);
    const path = new URL(post.uri).pathname;
    expect((await alice.server.stranger().get(path, { headers: DOCUMENT })).status).toBe(404);
    // Signed by the server of Carol, which has no follower of Alice.
    await carol.resolve(post.uri);
    expect(isKnown(carol, post)).toBe(false);
  });

  test("a followers-only reply stays out of the threads that others see", async () => {
    await carol.act("unfollow", bob);
    const post = await alice.publish("Hello");
    await drain();
    const { id } = await bob.copyOf(post);
    const reply = await bob.publish({ status: `@${alice.handle} hi`, visibility: "private", in_reply_to_id: id });
    await drain();
    expect(await alice.copyOf(reply)).toMatchObject({ visibility: "private", in_reply_to_id: post.id });
    expect((await alice.copyOf(post)).replies_count).toBe(0);
    expect(isKnown(carol, reply)).toBe(false);
    const { json } = await alice.server.stranger().get(`/api/v1/statuses/${post.id}/context`);
    expect(json.descendants).toEqual([]);
  });

  test("a follower who is removed gets nothing more that is for followers", async () => {
    await alice.act("remove_from_followers", bob);
    const post = await alice.publish({ status: "Among us", visibility: "private" });
    await drain();
    expect(isKnown(bob, post)).toBe(false);
    expect(isKnown(carol, post)).toBe(true);
  });
});

describe("With servers by others", () => {
  const { alice, newPeer, drain } = aliceAndPeers();

  test("a direct post goes to the inbox of its recipient alone, and nobody else can read it", async () => {
    const fern = await newPeer("fern", { actors: ["frond"] });
    const moss = await newPeer("moss");
    for (const each of [fern, moss]) await each.follow(alice.uri);
    await drain();
    const post = await alice.publish({ status: `@${fern.handle} psst`, visibility: "direct" });
    await drain();
    expect(fern.received.at(-1)).toMatchObject({
      type: "Create",
      inbox: "/actors/fern/inbox",
      json: { to: [fern.uri], cc: [], object: { to: [fern.uri], cc: [] } },
    });
    expect(moss.received.filter(({ type }) => type === "Create")).toEqual([]);
    expect(await fern.fetchSigned(post.uri)).toMatchObject({ status: 200, document: { id: post.uri } });
    expect((await moss.fetchSigned(post.uri)).status).toBe(404);
  });

  test("a followers-only post is shown to signers from the servers of followers", async () => {
    const fern = await newPeer("fern");
    const moss = await newPeer("moss");
    await fern.follow(alice.uri);
    await drain();
    const post = await alice.publish({ status: "Among us", visibility: "private" });
    await drain();
    expect(fern.received.at(-1)).toMatchObject({
      type: "Create",
      inbox: "/inbox",
      json: { to: [`${alice.uri}/followers`] },
    });
    expect(await fern.lookup(post.uri)).toBeNull();
    expect((await fern.lookup(post.uri, { signed: true }))?.id?.href).toBe(post.uri);
    expect((await moss.fetchSigned(post.uri)).status).toBe(404);
  });

  test("a direct post by others is seen by its recipient alone", async () => {
    const fern = await newPeer("fern");
    const dave = await alice.server.person("dave");
    const post = await fern.post({ to: [alice.uri], content: "<p>psst</p>", mentions: [alice.uri] });
    await drain();
    const copy = await alice.copyOf(post);
    expect(copy).toMatchObject({ visibility: "direct" });
    expect((await dave.get(`/api/v1/statuses/${copy.id}`)).status).toBe(404);
    expect((await alice.react("reblog", post)).status).toBe(403);
  });

  test("posts of servers that require signatures are fetched", async () => {
    const fern = await newPeer("fern", { signedGetsOnly: true });
    const post = await fern.post({ to: [alice.uri], content: "<p>psst</p>", mentions: [alice.uri] });
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ account: { acct: fern.handle } });
    expect(fern.readers).toContain(`${alice.server.ctx.config.origin}/actor`);
  });
});
