import { describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { wordsOf } from "../support/reading.ts";
import { block, mute } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** Answers `to`, and returns the id. */
async function reply(who: Client, to: string, status: string, visibility = "public"): Promise<string> {
  return (await who.publish({ status, in_reply_to_id: to, visibility })).id;
}

async function thread(reader: Client, id: string): Promise<[string[], string[]]> {
  const { json } = await reader.get(`/api/v1/statuses/${id}/context`);
  expectShape(json, "Context");
  return [wordsOf(json.ancestors), wordsOf(json.descendants)];
}

describe("A thread", () => {
  test("of one has nothing before and nothing after", async () => {
    const { id } = await alice.publish("alone");
    expect(await thread(bob, id)).toEqual([[], []]);
  });

  test("is told from the first word to here, and from here branch by branch", async () => {
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

  test("brings first what its author added themselves", async () => {
    const { id: root } = await alice.publish("root");
    await reply(bob, root, "bob says");
    const more = await reply(alice, root, "more");
    await reply(alice, more, "and more");
    expect((await thread(bob, root))[1]).toEqual(["more", "and more", "bob says"]);
  });

  test("may be hundreds deep for people, and is cut short for strangers", async () => {
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

  test("hides what one may not see, and shows what comes after it", async () => {
    const { id: root } = await alice.publish("root");
    const hidden = await reply(alice, root, "for followers", "private");
    const seen = await reply(bob, root, "seen");
    const below = (await alice.publish({ status: "open again", in_reply_to_id: hidden })).id;
    expect(await thread(bob, root)).toEqual([[], ["open again", "seen"]]);
    expect(await thread(bob, below)).toEqual([["root"], []]);
    expect((await thread(alice, root))[1]).toEqual(["for followers", "open again", "seen"]);
    expect((await thread(server.stranger(), seen))[0]).toEqual(["root"]);
  });

  test("leaves out whom one blocks or mutes, and who blocks one", async () => {
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

  test("has at its end what was a reply to a status that is gone", async () => {
    const { id: root } = await alice.publish("root");
    const middle = await reply(alice, root, "middle");
    const leaf = await reply(bob, middle, "leaf");
    await alice.delete(`/api/v1/statuses/${middle}`);
    expect(await thread(bob, leaf)).toEqual([[], []]);
    expect(await thread(bob, root)).toEqual([[], []]);
  });

  test("of a boost is nobody's", async () => {
    const { id: root } = await alice.publish("root");
    await reply(bob, root, "reply");
    const { json } = await bob.post(`/api/v1/statuses/${root}/reblog`);
    expect(await thread(alice, json.id)).toEqual([[], []]);
  });

  test("goes on from a boost where the boosted status stands", async () => {
    const { id: root } = await alice.publish("root");
    const { json: boost } = await bob.post(`/api/v1/statuses/${root}/reblog`);
    await reply(bob, boost.id, "reply");
    expect((await thread(alice, root))[1]).toEqual(["reply"]);
  });
});
