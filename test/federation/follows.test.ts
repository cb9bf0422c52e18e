import { beforeEach, describe, expect, test } from "bun:test";
import { aliceAndPeers, neighboursForEachTest } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";

const FOLLOWING = { following: true, requested: false };
const REQUESTED = { following: false, requested: true };
const NEITHER = { following: false, requested: false };

describe("Between two servers", () => {
  const { alice, bob, drain, befriend } = neighboursForEachTest(["alice", "bob"]);

  test("a user follows an open account: the follow is requested, then accepted, and posts arrive", async () => {
    expect((await alice.act("follow", bob)).json).toMatchObject(REQUESTED);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject(FOLLOWING);
    expect(await bob.relationship(alice)).toMatchObject({ followed_by: true });
    expect(await bob.news()).toEqual([["follow", alice.handle]]);
    await bob.publish("Hello from afar");
    await drain();
    expect(await alice.home()).toMatchObject([{ content: "<p>Hello from afar</p>", account: { acct: bob.handle } }]);
  });

  test("a locked account accepts one follow and rejects another", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await alice.act("follow", bob);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject(REQUESTED);
    expect(await bob.relationship(alice)).toMatchObject({ requested_by: true, followed_by: false });
    expect(await bob.news()).toEqual([["follow_request", alice.handle]]);

    const aliceId = await bob.idOf(alice);
    expect((await bob.post(`/api/v1/follow_requests/${aliceId}/reject`)).status).toBe(200);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject(NEITHER);

    await alice.act("follow", bob);
    await drain();
    expect((await bob.post(`/api/v1/follow_requests/${aliceId}/authorize`)).status).toBe(200);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject(FOLLOWING);
    expect(await bob.news()).toEqual([["follow", alice.handle]]);
  });

  test("a request that was withdrawn before an answer disappears from the other server", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await alice.act("follow", bob);
    await drain();
    await alice.act("unfollow", bob);
    await drain();
    expect((await bob.get("/api/v1/follow_requests")).json).toEqual([]);
    expect(await bob.relationship(alice)).toMatchObject({ requested_by: false });
  });

  test("an unlocked account accepts everyone who waits", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await alice.act("follow", bob);
    await drain();
    await bob.patch("/api/v1/accounts/update_credentials", { locked: false });
    await drain();
    expect(await alice.relationship(bob)).toMatchObject(FOLLOWING);
  });

  test("a user unfollows and removes a follower, and nothing more arrives", async () => {
    await befriend(alice, bob);
    await alice.act("unfollow", bob);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject({ following: true, followed_by: false });
    await bob.publish("Alice doesn't read this");
    await drain();
    expect(await alice.home()).toEqual([]);

    expect((await alice.act("remove_from_followers", bob)).status).toBe(200);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject(NEITHER);
    const { uri } = await alice.publish("Bob doesn't read this");
    await drain();
    expect(await bob.copyOf({ uri })).toBeNull();
  });

  test("a block ends the follows of both, hides what is public, and keeps new follows out until it ends", async () => {
    await befriend(alice, bob);
    const post = await alice.publish("Before");
    await drain();
    await alice.act("block", bob);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject({ ...NEITHER, followed_by: false, blocked_by: true });
    expect(await alice.relationship(bob)).toMatchObject({ ...NEITHER, followed_by: false, blocking: true });
    expect(await bob.copyOf(post)).toBeNull();
    await bob.act("follow", alice);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject({ followed_by: false, requested_by: false });

    await alice.act("unblock", bob);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject({ blocked_by: false });
    await bob.act("follow", alice);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject(FOLLOWING);
  });
});

describe("With a server by others", () => {
  const { alice, newPeer, drain } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newPeer("fern");
  });
  const typesAt = (peer: Peer) => peer.received.map(({ type }) => type);

  test("a user follows, unfollows, and is removed", async () => {
    expect((await alice.act("follow", fern)).json).toMatchObject(REQUESTED);
    await drain();
    expect(fern.followers).toEqual([alice.uri]);
    expect(await alice.relationship(fern)).toMatchObject(FOLLOWING);
    await fern.post({ to: "followers", content: "<p>rain</p>" });
    await drain();
    expect(await alice.home()).toMatchObject([
      { content: "<p>rain</p>", visibility: "private", account: { acct: fern.handle } },
    ]);
    await alice.act("unfollow", fern);
    await drain();
    expect(fern.followers).toEqual([]);

    await alice.act("follow", fern);
    await drain();
    await fern.reject(fern.received.findLast(({ type }) => type === "Follow")!);
    await drain();
    expect(await alice.relationship(fern)).toMatchObject(NEITHER);
    expect(typesAt(fern)).toEqual(["Follow", "Undo", "Follow"]);
    expect(fern.refused).toEqual([]);
  });

  test("a locked account decides about each request", async () => {
    const moss = await newPeer("moss", { locked: true });
    await alice.act("follow", moss);
    await drain();
    expect(await alice.relationship(moss)).toMatchObject(REQUESTED);
    await moss.reject(moss.received.at(-1)!);
    await drain();
    expect(await alice.relationship(moss)).toMatchObject(NEITHER);
    await alice.act("follow", moss);
    await drain();
    await moss.accept(moss.received.at(-1)!);
    await drain();
    expect(await alice.relationship(moss)).toMatchObject(FOLLOWING);
  });

  test("a user accepts and rejects requests, and removes a follower", async () => {
    await fern.follow(alice.uri);
    await drain();
    expect(fern.following).toEqual([alice.uri]);
    expect(await alice.news()).toEqual([["follow", fern.handle]]);
    await alice.act("remove_from_followers", fern);
    await drain();
    expect(fern.following).toEqual([]);

    await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
    const fernId = await alice.idOf(fern);
    await fern.follow(alice.uri);
    await drain();
    expect(fern.following).toEqual([]);
    await alice.post(`/api/v1/follow_requests/${fernId}/reject`);
    await drain();
    expect(typesAt(fern)).toEqual(["Accept", "Reject", "Reject"]);
    const follow = await fern.follow(alice.uri);
    await drain();
    await alice.post(`/api/v1/follow_requests/${fernId}/authorize`);
    await drain();
    expect(fern.following).toEqual([alice.uri]);
    await fern.undo(follow);
    await drain();
    expect(await alice.relationship(fern)).toMatchObject({ followed_by: false });
  });

  test("each side blocks the other, and takes it back", async () => {
    await fern.follow(alice.uri);
    await alice.act("follow", fern);
    await drain();
    const block = await fern.block(alice.uri);
    await drain();
    expect(await alice.relationship(fern)).toMatchObject({ ...NEITHER, followed_by: false, blocked_by: true });
    await fern.undo(block);
    await drain();
    expect(await alice.relationship(fern)).toMatchObject({ blocked_by: false });

    await alice.act("block", fern);
    await alice.act("unblock", fern);
    await drain();
    expect(fern.received.slice(-2)).toMatchObject([{ type: "Block", object: fern.uri }, { type: "Undo" }]);
  });
});
