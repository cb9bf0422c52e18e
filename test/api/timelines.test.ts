import { describe, expect, test } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Client } from "../support/client.ts";
import { homeOf, idsOf, wordsOf } from "../support/reading.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const boost = async (who: Client, id: string): Promise<string> =>
  (await who.post(`/api/v1/statuses/${id}/reblog`)).json.id;

describe("The home timeline", () => {
  test("contains the user's posts and those of followed accounts, newest first", async () => {
    await alice.follow(bob);
    await alice.publish("one");
    await bob.publish({ status: "two", visibility: "unlisted" });
    await bob.publish({ status: "three", visibility: "private" });
    await carol.publish("not this");
    const answer = await alice.get("/api/v1/timelines/home");
    expectShape(answer.json, ["Status"]);
    expect(wordsOf(answer)).toEqual(["three", "two", "one"]);
  });

  test("is initially empty", async () => {
    const { status, json, headers } = await alice.get("/api/v1/timelines/home");
    expect([status, json, headers.get("link")]).toEqual([200, [], null]);
  });

  test("contains replies if the user follows both accounts", async () => {
    await alice.follow(bob);
    const [mine, bobs, carols] = [await alice.publish("a"), await bob.publish("b"), await carol.publish("c")];
    const reply = (who: Client, to: { id: string }, status: string) => who.publish({ status, in_reply_to_id: to.id });
    await reply(bob, mine, "bob to me");
    await reply(bob, bobs, "bob to himself");
    await reply(bob, carols, "bob to carol");
    await reply(carol, bobs, "carol to bob");
    await reply(alice, carols, "I to carol");
    expect(await homeOf(alice)).toEqual(["I to carol", "bob to himself", "bob to me", "b", "a"]);
    await alice.follow(carol);
    await reply(bob, carols, "bob to carol again");
    expect((await homeOf(alice))[0]).toBe("bob to carol again");
  });

  test("contains direct posts to and by the user", async () => {
    await alice.follow(bob);
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    await bob.publish({ status: "@carol psst", visibility: "direct" });
    await carol.publish({ status: "@alice hey", visibility: "direct" });
    await alice.publish({ status: "@carol hi", visibility: "direct" });
    expect(await homeOf(alice)).toEqual(["@carol hi", "@alice psst"]);
  });

  test("contains boosts, including boosts of accounts the user doesn't follow, and the user's own", async () => {
    await alice.follow(bob);
    const { id } = await carol.publish("by carol");
    const boosted = await boost(bob, id);
    const answer = await alice.get("/api/v1/timelines/home");
    expect([idsOf(answer), answer.json[0].reblog.id]).toEqual([[boosted], id]);
    await boost(alice, (await carol.publish("another")).id);
    expect(await homeOf(alice)).toEqual(["another", "by carol"]);
  });

  test("shows a status once if it has several boosts or is right above its boost", async () => {
    for (const friend of [bob, carol]) await alice.follow(friend);
    const { id } = await carol.publish("by carol");
    await boost(bob, id);
    await boost(carol, id);
    expect(await homeOf(alice)).toEqual(["by carol"]);
    const dora = await server.person("dora");
    const { id: doras } = await dora.publish("by dora");
    await boost(bob, doras);
    await boost(carol, doras);
    expect(await homeOf(alice)).toEqual(["by dora", "by carol"]);
  });

  test("shows a status again if it is boosted much later", async () => {
    await alice.follow(bob);
    const { id } = await bob.publish("first");
    for (let at = 0; at < 40; at++) await bob.publish(`${at}`);
    await boost(bob, id);
    expect((await homeOf(alice))[0]).toBe("first");
  });

  test("loses a boost that is undone", async () => {
    await alice.follow(bob);
    const { id } = await carol.publish("by carol");
    await boost(bob, id);
    await bob.post(`/api/v1/statuses/${id}/unreblog`);
    expect(await homeOf(alice)).toEqual([]);
  });

  test("keeps the latest 800 posts", async () => {
    server.ctx.db.transaction((tx) => {
      for (let at = 0; at < 850; at++) {
        const id = server.ctx.ids.next();
        tx.run(
          `INSERT INTO statuses (id, account_id, uri, url, local, visibility, content, conversation_id, created_at)
           VALUES ($id, $aliceId, $id, 'https://example.org/' || $id, 1, 'public', $content, $id, 0)`,
          { id, aliceId: Number(alice.id), content: `<p>${at}</p>` },
        );
        tx.run("INSERT INTO home_timeline (account_id, status_id) VALUES ($aliceId, $id)", {
          aliceId: Number(alice.id),
          id,
        });
      }
    });
    server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "clean_up", server.clock.now()));
    await server.drain();
    const { count } = server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM home_timeline")!;
    expect(count).toBe(800);
    expect((await homeOf(alice))[0]).toBe("849");
  });
});

describe("The public timeline", () => {
  const read = async (query = ""): Promise<string[]> =>
    wordsOf(await server.stranger().get(`/api/v1/timelines/public${query}`));

  test("contains public posts without boosts and replies to others", async () => {
    const { id } = await alice.publish("public");
    await alice.publish({ status: "unlisted", visibility: "unlisted" });
    await alice.publish({ status: "private", visibility: "private" });
    await alice.publish({ status: "direct", visibility: "direct" });
    await alice.publish({ status: "to myself", in_reply_to_id: id });
    await bob.publish({ status: "to alice", in_reply_to_id: id });
    await boost(bob, id);
    const answer = await server.stranger().get("/api/v1/timelines/public");
    expectShape(answer.json, ["Status"]);
    expect(wordsOf(answer)).toEqual(["to myself", "public"]);
  });

  test("can be limited to local or remote posts", async () => {
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    await alice.publish("here");
    remoteStatus(server, dora, "there");
    expect(await read()).toEqual(["there", "here"]);
    expect(await read("?local=true")).toEqual(["here"]);
    expect(await read("?remote=true")).toEqual(["there"]);
    expect(await read("?remote=true&local=true")).toEqual(["there", "here"]);
    const { json } = await alice.get("/api/v1/timelines/public?remote=1");
    expectShape(json, ["Status"]);
    expect(json[0]).not.toContainKey("application");
    expect(json[0].account.acct).toBe("dora@elsewhere.example");
  });

  test("can be limited to posts with media", async () => {
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    await alice.publish("words");
    await alice.publish({ status: "picture", media_ids: [(await uploaded(alice)).id] });
    remoteStatus(server, dora, "remote picture", { hasMedia: true });
    expect(await read("?only_media=true")).toEqual(["remote picture", "picture"]);
    expect(await read("?only_media=true&local=true")).toEqual(["picture"]);
    expect(await read("?only_media=true&remote=true")).toEqual(["remote picture"]);
    expect((await read("?only_media=false")).length).toBe(3);
  });

  test("sorts late arrivals by their date", async () => {
    const dora = remoteAccount(server, "dora", "elsewhere.example");
    await alice.publish("first");
    server.clock.advance(60_000);
    await alice.publish("last");
    remoteStatus(server, dora, "between", { at: server.clock.now() - 30_000 });
    expect(await read()).toEqual(["last", "between", "first"]);
  });

  test.each(["local=maybe", "only_media=2", "limit=many", "remote[]=x"])("refuses %s", async (query) => {
    const { status, json } = await alice.get(`/api/v1/timelines/public?${query}`);
    expect(status).toBe(422);
    expect(json.error).toStartWith("Validation failed: ");
  });
});
