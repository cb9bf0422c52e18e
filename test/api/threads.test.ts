import { describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { wordsOf } from "../support/reading.ts";
import { block, mute } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** Replies to `to`, and returns the id. */
async function reply(who: Client, to: string, status: string, visibility = "public"): Promise<string> {
  return (await who.publish({ status, in_reply_to_id: to, visibility })).id;
}

async function thread(reader: Client, id: string): Promise<[string[], string[]]> {
  const { json } = await reader.get(`/api/v1/statuses/${id}/context`);
  expectShape(json, "Context");
  return [wordsOf(json.ancestors), wordsOf(json.descendants)];
}

describe("A thread", () => {
  test("of a single post has no ancestors and no descendants", async () => {
    const { id } = await alice.publish("alone");
    expect(await thread(bob, id)).toEqual([[], []]);
  });

  test("contains all ancestors in order, and the descendants branch by branch", async () => {
    const { id: root } = await alice.publish("root");
    const a = await reply(bob, root, "a");
    const b = await reply(bob, root, "b");
    const aa = await reply(alice, a, "aa");
    await reply(bob, b, "ba");
    await reply(bob, aa, "aaa");
    await reply(bob, a, "ab");
    expect(await thread(bob, root)).toEqual([[], ["a", "aa", "aaa", "ab", "b", "ba"]]);
    expect(await thread(bob, aa)).toEqual([["root", "a"], ["aaa"]]);
  });

  test("starts with the author's own replies", async () => {
    const { id: root } = await alice.publish("root");
    await reply(bob, root, "bob says");
    const more = await reply(alice, root, "more");
    await reply(alice, more, "and more");
    expect((await thread(bob, root))[1]).toEqual(["more", "and more", "bob says"]);
  });

  test("may be hundreds deep for users, and is limited for anonymous clients", async () => {
    const { id: root } = await alice.publish("root");
    let last = root;
    for (let at = 1; at <= 120; at++) last = await reply(at % 2 ? bob : alice, last, `${at}`);
    expect((await thread(alice, root))[1]).toEqual(Array.from({ length: 120 }, (_, at) => `${at + 1}`));
    expect((await thread(alice, last))[0].length).toBe(120);
    const [ancestors, descendants] = [
      (await thread(server.stranger(), last))[0],
      (await thread(server.stranger(), root))[1],
    ];
    expect([ancestors.length, ancestors.at(-1), descendants.length, descendants[0]]).toEqual([40, "119", 20, "1"]);
  });

  test("omits hidden posts, and contains the replies to them", async () => {
    const { id: root } = await alice.publish("root");
    const hidden = await reply(alice, root, "for followers", "private");
    const seen = await reply(bob, root, "seen");
    const below = (await alice.publish({ status: "open again", in_reply_to_id: hidden })).id;
    expect(await thread(bob, root)).toEqual([[], ["open again", "seen"]]);
    expect(await thread(bob, below)).toEqual([["root"], []]);
    expect((await thread(alice, root))[1]).toEqual(["for followers", "open again", "seen"]);
    expect((await thread(server.stranger(), seen))[0]).toEqual(["root"]);
  });

  test("omits accounts that the viewer blocks or mutes, and accounts that block the viewer", async () => {
    const [carol, dora] = [await server.person("carol"), await server.person("dora")];
    const { id: root } = await alice.publish("root");
    for (const who of [bob, carol, dora]) await reply(who, root, `from ${who === bob ? "bob" : "others"}`);
    const last = await reply(alice, await reply(carol, root, "carol again"), "to carol");
    block(server, alice, carol);
    mute(server, alice, dora);
    block(server, bob, alice);
    expect(await thread(alice, root)).toEqual([[], ["to carol"]]);
    expect(await thread(alice, last)).toEqual([["root"], []]);
  });

  test("doesn't contain replies to deleted posts", async () => {
    const { id: root } = await alice.publish("root");
    const middle = await reply(alice, root, "middle");
    const leaf = await reply(bob, middle, "leaf");
    await alice.delete(`/api/v1/statuses/${middle}`);
    expect(await thread(bob, leaf)).toEqual([[], []]);
    expect(await thread(bob, root)).toEqual([[], []]);
  });

  test("of a boost is empty", async () => {
    const { id: root } = await alice.publish("root");
    await reply(bob, root, "reply");
    const { json } = await bob.post(`/api/v1/statuses/${root}/reblog`);
    expect(await thread(alice, json.id)).toEqual([[], []]);
  });

  test("contains replies to a boost as replies to the original", async () => {
    const { id: root } = await alice.publish("root");
    const { json: boost } = await bob.post(`/api/v1/statuses/${root}/reblog`);
    await reply(bob, boost.id, "reply");
    expect((await thread(alice, root))[1]).toEqual(["reply"]);
  });
});
