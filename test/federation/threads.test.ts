import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";

/** The URIs above and below a status in its thread. */
async function threadOf(who: Neighbour, status: { uri: string }): Promise<{ above: string[]; below: string[] }> {
  const { id } = await who.copyOf(status);
  const { json } = await who.get(`/api/v1/statuses/${id}/context`);
  const uris = (statuses: Json[]) => statuses.map(({ uri }) => uri);
  return { above: uris(json.ancestors), below: uris(json.descendants) };
}

describe("Among three servers", () => {
  const { alice, bob, carol, drain } = neighboursForEachTest(["alice", "bob", "carol"]);

  test("a reply brings its unknown parents along, silently", async () => {
    await bob.act("follow", alice);
    await carol.act("follow", bob);
    await drain();
    const first = await alice.publish("First");
    const second = await alice.publish({ status: "Second", in_reply_to_id: first.id });
    await drain();
    const reply = await bob.publish({
      status: `@${alice.handle} third`,
      in_reply_to_id: (await bob.copyOf(second)).id,
    });
    await drain();
    expect(await threadOf(carol, reply)).toEqual({ above: [first.uri, second.uri], below: [] });
    expect((await carol.home()).map(({ uri }) => uri)).not.toContain(first.uri);
    expect(await carol.news()).toEqual([]);
    expect(await threadOf(alice, first)).toEqual({ above: [], below: [second.uri, reply.uri] });
  });
});

describe("From servers by others", () => {
  const { alice, newPeer, drain, advance } = aliceAndPeers();

  test("a parent that arrives after its children joins them in one thread and one conversation", async () => {
    const [fern, moss] = [await newPeer("fern"), await newPeer("moss")];
    await alice.act("follow", moss);
    await drain();
    const parent = await fern.post({ to: "public", content: "<p>first</p>" });
    await fern.down();
    const child = await moss.post({ to: "public", content: "<p>second</p>", inReplyTo: parent.uri });
    const grandchild = await moss.post({ to: "public", content: "<p>third</p>", inReplyTo: child.uri });
    await drain();
    expect(await threadOf(alice, grandchild)).toEqual({ above: [child.uri], below: [] });
    expect((await alice.copyOf(child)).in_reply_to_id).toBeNull();
    fern.up();
    await alice.act("follow", fern);
    await drain();
    await fern.send(parent.activity, [alice.uri]);
    await drain();
    expect(await threadOf(alice, grandchild)).toEqual({ above: [parent.uri, child.uri], below: [] });
    expect(await threadOf(alice, parent)).toEqual({ above: [], below: [child.uri, grandchild.uri] });
    const parentId = (await alice.copyOf(parent)).id;
    expect((await alice.copyOf(child)).in_reply_to_id).toBe(parentId);
    await alice.post(`/api/v1/statuses/${parentId}/mute`);
    expect((await alice.copyOf(grandchild)).muted).toBe(true);
  });

  test("a parent that replies wait for is stored, even if nobody here follows its author", async () => {
    const [fern, moss] = [await newPeer("fern"), await newPeer("moss")];
    await alice.act("follow", moss);
    await drain();
    const [parent, other] = [
      await fern.post({ to: "public", content: "<p>first</p>" }),
      await fern.post({ to: "public", content: "<p>other</p>" }),
    ];
    await fern.down();
    const child = await moss.post({ to: "public", content: "<p>second</p>", inReplyTo: parent.uri });
    await drain();
    fern.up();
    for (const { activity } of [parent, other]) await fern.send(activity, [alice.uri]);
    await drain();
    expect(await threadOf(alice, child)).toEqual({ above: [parent.uri], below: [] });
    expect((await alice.home()).map(({ uri }) => uri)).not.toContain(parent.uri);
    expect(await alice.copyOf(other)).toBeNull();
  });

  test("a direct post that arrives after the answers to it joins their conversation", async () => {
    const [fern, moss] = [await newPeer("fern"), await newPeer("moss")];
    const tos = [new URL(alice.uri), new URL(moss.uri)];
    const first = await fern.post({ to: [moss.uri], content: "<p>one</p>", mentions: [moss.uri], more: { tos } });
    await fern.down();
    const mentions = [alice.uri];
    const second = await moss.post({ to: mentions, content: "<p>two</p>", mentions, inReplyTo: first.uri });
    await drain();
    const { id } = await alice.copyOf(second);
    advance(1000);
    const third = await alice.publish({ status: `@${moss.handle} 3`, visibility: "direct", in_reply_to_id: id });
    fern.up();
    await fern.send(first.activity, [alice.uri]);
    await drain();
    expect(await threadOf(alice, first)).toEqual({ above: [], below: [second.uri, third.uri] });
    const { json: conversations } = await alice.get("/api/v1/conversations");
    expect(conversations).toMatchObject([{ last_status: { id: third.id } }]);
  });
});

describe("A thread that is opened", () => {
  const { alice, bob, carol, drain, advance, befriend } = neighboursForEachTest(["alice", "bob", "carol"]);

  /** A post by Bob with an answer by Carol and a second one below it, of which Alice knows only the first post. */
  async function conversation() {
    await befriend(bob, carol);
    const first = await bob.publish("First");
    await drain();
    const second = await carol.publish({ status: "Second", in_reply_to_id: (await carol.copyOf(first))!.id });
    await drain();
    const third = await bob.publish({ status: "Third", in_reply_to_id: (await bob.copyOf(second))!.id });
    await drain();
    await alice.resolve(first.uri);
    return [first, second, third] as const;
  }

  test("is completed from the servers of its posts, silently", async () => {
    const [first, second, third] = await conversation();
    const { id } = (await alice.copyOf(first))!;
    const { json, headers } = await alice.get(`/api/v1/statuses/${id}/context`);
    expect(json.descendants).toEqual([]);
    expect(headers.get("mastodon-async-refresh")).toMatch(/^id=".+", retry=5$/);
    await drain();
    expect(await threadOf(alice, first)).toEqual({ above: [], below: [second.uri, third.uri] });
    expect([await alice.home(), await alice.news()]).toEqual([[], []]);
    const again = await alice.get(`/api/v1/statuses/${id}/context`);
    expect(again.headers.get("mastodon-async-refresh")).toBeNull();
  });

  test("is complete after one refresh, with sixty posts over three servers and the same counts on each", async () => {
    await befriend(bob, carol);
    const posts = [await bob.publish("The first")];
    // Each has up to three replies, by Bob and Carol in turns.
    for (const size of [3, 9, 27, 20]) {
      advance(1000);
      await drain();
      const parents = posts.slice(-Math.ceil(size / 3));
      for (let n = 0; n < size; n += 1) {
        const author = n % 2 === 0 ? carol : bob;
        const parent = await author.copyOf(parents[Math.floor(n / 3)]!);
        posts.push(await author.publish({ status: `Reply ${posts.length}`, in_reply_to_id: parent!.id }));
      }
    }
    await drain();
    await carol.react("favourite", posts[0]!);
    await drain();
    await alice.resolve(posts[0]!.uri);
    expect((await threadOf(alice, posts[0]!)).below.length).toBeLessThan(59);
    await drain();
    const below = async (who: Neighbour) => (await threadOf(who, posts[0]!)).below.toSorted();
    const all = posts
      .slice(1)
      .map(({ uri }) => uri)
      .toSorted();
    expect(all.length).toBe(59);
    expect([await below(alice), await below(bob), await below(carol)]).toEqual([all, all, all]);
    const countsOf = (who: Neighbour) =>
      Promise.all(
        posts.map(async (post) => {
          const { replies_count, favourites_count } = (await who.copyOf(post))!;
          return [replies_count, favourites_count];
        }),
      );
    expect(await countsOf(alice)).toEqual(await countsOf(bob));
    expect(await countsOf(carol)).toEqual(await countsOf(bob));
    const { pathname } = new URL(posts[0]!.uri);
    const accept = { headers: { accept: "application/activity+json" } };
    const { json } = await bob.server.stranger().get(`${pathname}/context`, accept);
    expect(json.totalItems).toBe(59);
  });

  test("is completed from any of its posts, and without the collection of the whole thread", async () => {
    const [first, second, third] = await conversation();
    await alice.resolve(second.uri);
    const copy = (await alice.copyOf(second))!;
    await alice.get(`/api/v1/statuses/${copy.id}/context`);
    await drain();
    expect(await threadOf(alice, third)).toEqual({ above: [first.uri, second.uri], below: [] });
  });

  test("is fetched again after five minutes, with the counts of the origins", async () => {
    const [first, second] = await conversation();
    const { id } = (await alice.copyOf(first))!;
    const open = async () => {
      await alice.get(`/api/v1/statuses/${id}/context`);
      await drain();
    };
    await open();
    const fourth = await carol.publish({ status: "Fourth", in_reply_to_id: (await carol.copyOf(first))!.id });
    await bob.react("favourite", second);
    await drain();
    advance(4 * 60_000);
    await open();
    expect(await alice.copyOf(fourth)).toBeNull();
    advance(60_000);
    await open();
    expect(await alice.copyOf(fourth)).not.toBeNull();
    expect((await alice.copyOf(second))?.favourites_count).toBe(1);
    expect((await alice.copyOf(first))?.replies_count).toBe((await bob.copyOf(first))?.replies_count);
  });

  test("is not fetched for visitors, nor if only this server takes part", async () => {
    const [first] = await conversation();
    const { id } = (await alice.copyOf(first))!;
    const own = await alice.publish("Alone");
    const answers = [
      await alice.server.stranger().get(`/api/v1/statuses/${id}/context`),
      await alice.get(`/api/v1/statuses/${own.id}/context`),
    ];
    expect(answers.map(({ headers }) => headers.get("mastodon-async-refresh"))).toEqual([null, null]);
  });
});

describe("The collection of a thread", () => {
  const { alice, bob, befriend, drain, advance } = neighboursForEachTest(["alice", "bob"]);

  test("has what the reader may see, with local posts in full, and only at its first post", async () => {
    await befriend(alice, bob);
    const first = await alice.publish("First");
    await drain();
    const reply = await bob.publish({ status: "Second", in_reply_to_id: (await bob.copyOf(first))!.id });
    await drain();
    // Other servers give times in seconds.
    advance(1000);
    const own = await alice.publish({ status: "Third", in_reply_to_id: (await alice.copyOf(reply))!.id });
    await alice.publish({ status: "Hidden", in_reply_to_id: first.id, visibility: "direct" });
    const accept = { headers: { accept: "application/activity+json" } };
    const visitor = alice.server.stranger();
    const path = (uri: string) => new URL(uri).pathname;
    const { json } = await visitor.get(`${path(first.uri)}/context`, accept);
    expect([json.attributedTo, json.totalItems]).toEqual([alice.uri, 2]);
    expect(json.first.orderedItems.map((item: Json | string) => (typeof item === "string" ? item : item.id))).toEqual([
      own.uri,
      reply.uri,
    ]);
    expect((await visitor.get(path(own.uri), accept)).json.context).toBe(`${first.uri}/context`);
    expect((await visitor.get(`${path(own.uri)}/context`, accept)).status).toBe(404);
  });
});
