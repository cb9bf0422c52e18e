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
