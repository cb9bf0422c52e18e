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
    for (const peer of [fern, moss]) await alice.act("follow", peer);
    await drain();
    const parent = await fern.post({ to: [moss.uri], content: "<p>first</p>" });
    await fern.down();
    const child = await moss.post({ to: "public", content: "<p>second</p>", inReplyTo: parent.uri });
    const grandchild = await moss.post({ to: "public", content: "<p>third</p>", inReplyTo: child.uri });
    await drain();
    expect(await threadOf(alice, grandchild)).toEqual({ above: [child.uri], below: [] });
    // Apps show that it is a reply, though nobody knows to which post.
    expect((await alice.copyOf(child)).in_reply_to_id).toBeNull();
    fern.up();
    await fern.send(parent.activity, [alice.uri]);
    advance(1);
    await drain();
    expect(await threadOf(alice, grandchild)).toEqual({ above: [parent.uri, child.uri], below: [] });
    expect(await threadOf(alice, parent)).toEqual({ above: [], below: [child.uri, grandchild.uri] });
    const parentId = (await alice.copyOf(parent)).id;
    expect((await alice.copyOf(child)).in_reply_to_id).toBe(parentId);
    await alice.post(`/api/v1/statuses/${parentId}/mute`);
    expect((await alice.copyOf(grandchild)).muted).toBe(true);
  });

  test("an answer to a direct post that arrives first is in one conversation with it", async () => {
    const fern = await newPeer("fern");
    const first = await fern.post({ to: [], content: "<p>one</p>", mentions: [] });
    await fern.down();
    fern.up();
    const second = await fern.post({
      to: [alice.uri],
      content: "<p>two</p>",
      mentions: [alice.uri],
      inReplyTo: first.uri,
    });
    await drain();
    const third = await alice.publish({
      status: `@${fern.handle} three`,
      visibility: "direct",
      in_reply_to_id: (await alice.copyOf(second)).id,
    });
    await drain();
    await fern.send(first.activity, [alice.uri]);
    await drain();
    expect((await alice.get("/api/v1/conversations")).json).toMatchObject([{ last_status: { id: third.id } }]);
  });
});
