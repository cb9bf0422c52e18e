import { beforeEach, describe, expect, test } from "bun:test";
import { aliceAndPeers, neighboursForEachTest } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";

describe("Between two servers", () => {
  const { alice, bob, drain, befriend, advance } = neighboursForEachTest(["alice", "bob"]);
  beforeEach(() => befriend(alice, bob));

  test("a favourite is counted by the author's server, and its end too", async () => {
    const post = await alice.publish("Hello");
    await drain();
    expect((await bob.react("favourite", post)).json).toMatchObject({ favourited: true, favourites_count: 1 });
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 1 });
    expect((await alice.news())[0]).toEqual(["favourite", bob.handle]);
    expect((await alice.get(`/api/v1/statuses/${post.id}/favourited_by`)).json).toMatchObject([{ acct: bob.handle }]);
    await bob.react("unfavourite", post);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 0 });
    expect(await bob.copyOf(post)).toMatchObject({ favourites_count: 0, favourited: false });
    expect(await alice.news()).toEqual([["follow", bob.handle]]);
  });

  test("a boost reaches the author and the followers, and disappears when it is undone", async () => {
    const post = await alice.publish("Hello");
    await drain();
    advance(1000);
    const { json: boost } = await bob.react("reblog", post);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ reblogs_count: 1 });
    expect((await alice.news())[0]).toEqual(["reblog", bob.handle]);
    expect(await alice.copyOf(boost)).toMatchObject({ account: { acct: bob.handle }, reblog: { id: post.id } });
    await bob.react("unreblog", post);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ reblogs_count: 0 });
    expect(await alice.home()).toMatchObject([{ id: post.id, reblog: null }]);
    expect(await alice.news()).toEqual([["follow", bob.handle]]);
  });
});

describe("Among three servers", () => {
  const { alice, bob, carol, drain, advance } = neighboursForEachTest(["alice", "bob", "carol"]);

  test("a boost brings a post to a server that never knew its author", async () => {
    await bob.act("follow", alice);
    await carol.act("follow", bob);
    await drain();
    const post = await alice.publish("Pass it on");
    await drain();
    expect(await carol.copyOf(post)).toBeNull();
    await bob.react("reblog", post);
    await drain();
    expect(await carol.home()).toMatchObject([
      { account: { acct: bob.handle }, reblog: { uri: post.uri, account: { acct: alice.handle } } },
    ]);
    await carol.react("favourite", post);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 1, reblogs_count: 1 });
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    expect(await bob.copyOf(post)).toBeNull();
    expect(await carol.copyOf(post)).toBeNull();
    expect(await carol.home()).toEqual([]);
  });

  test("an edit within the second of the publication reaches a server that has the post only by a boost", async () => {
    await bob.act("follow", alice);
    await carol.act("follow", bob);
    await drain();
    const post = await alice.publish("Pass it on");
    await drain();
    await bob.react("reblog", post);
    await drain();
    await carol.react("favourite", post);
    await drain();
    advance(300);
    await alice.put(`/api/v1/statuses/${post.id}`, { status: "Pass it on, please" });
    await drain();
    expect(await carol.copyOf(post)).toMatchObject({ content: "<p>Pass it on, please</p>" });
  });
});

describe("With a server by others", () => {
  const { alice, newPeer, drain } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newPeer("fern");
  });

  test("favourites and boosts arrive, and are undone", async () => {
    const post = await alice.publish("Hello");
    const like = await fern.like(post.uri);
    const boost = await fern.boost(post.uri);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 1, reblogs_count: 1 });
    expect(await alice.news()).toEqual([
      ["reblog", fern.handle],
      ["favourite", fern.handle],
    ]);
    await fern.undo(like);
    await fern.undo(boost);
    await drain();
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 0, reblogs_count: 0 });
    expect(await alice.news()).toEqual([]);
  });

  test("favourites and boosts are sent, and undone", async () => {
    await alice.act("follow", fern);
    await drain();
    const post = await fern.post({ to: "public", content: "<p>rain</p>" });
    await drain();
    for (const action of ["favourite", "reblog", "unfavourite", "unreblog"]) {
      await alice.react(action, post);
      await drain();
    }
    const sent = fern.received.slice(1).map(({ type, object, inbox }) => ({ type, object, inbox }));
    const [like, boost] = fern.received.slice(1);
    expect(sent).toEqual([
      { type: "Like", object: post.uri, inbox: "/inbox" },
      { type: "Announce", object: post.uri, inbox: "/inbox" },
      { type: "Undo", object: like!.id, inbox: "/inbox" },
      { type: "Undo", object: boost!.id, inbox: "/inbox" },
    ]);
    expect(fern.refused).toEqual([]);
  });

  test("a boost of an unknown post fetches it with its author", async () => {
    const moss = await newPeer("moss");
    await alice.act("follow", fern);
    await drain();
    const post = await moss.post({ to: "public", content: "<p>soft</p>" });
    await fern.boost(post.uri);
    await drain();
    expect(await alice.home()).toMatchObject([
      { account: { acct: fern.handle }, reblog: { content: "<p>soft</p>", account: { acct: moss.handle } } },
    ]);
    expect(await alice.news()).toEqual([]);
  });
});
