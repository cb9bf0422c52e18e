import { describe, expect, test } from "bun:test";
import type { Params } from "../../src/db/open.ts";
import { rebuildHomeLater } from "../../src/core/timelines/home-backfill.ts";
import type { Client, Json } from "../support/client.ts";
import { linksOf, pagesOf, wordsOf } from "../support/reading.ts";
import { followRemote } from "../support/remote-rows.ts";
import { mute, remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice, bob, carol, dave } = serverForEachTest(["alice", "bob", "carol", "dave"]);

const boost = (who: Client, status: Json) => who.post(`/api/v1/statuses/${status.id}/reblog`);
/** The status code and the texts of the home timeline. */
const home = async (who = alice): Promise<[number, string[]]> => {
  const answer = await who.get("/api/v1/timelines/home");
  return [answer.status, wordsOf(answer)];
};
/** The texts of the whole timeline, page by page. */
const wholeHome = async (): Promise<string[]> =>
  wordsOf((await pagesOf(alice, "/api/v1/timelines/home?limit=40")).flat());
const newList = async (settings: object, ...members: Client[]): Promise<string> => {
  const { id } = (await alice.post("/api/v1/lists", { title: "List", ...settings })).json;
  await alice.post(`/api/v1/lists/${id}/accounts`, { account_ids: members.map((member) => member.id) });
  return id;
};
const run = (sql: string, params?: Params) => server.ctx.db.transaction((tx) => tx.run(sql, params));

/** Adds statuses of a remote account, a second apart, that are in no timeline. */
function pastOf(name: string, count: number): { id: string } {
  const id = remoteAccount(server, name, `${name}.example`);
  // No two accounts publish in the same millisecond.
  server.clock.advance(1);
  for (let at = 1; at <= count; at += 1) {
    remoteStatus(server, id, `${name} ${at}`, { at: server.clock.now() - (count - at) * 1000 });
  }
  return { id };
}

describe("While a home timeline is being filled,", () => {
  test("its pages have status 206, and 200 afterwards", async () => {
    await bob.publish("by bob");
    await alice.publish("one");
    await alice.publish("two");
    await alice.follow(bob);
    const answer = await alice.get("/api/v1/timelines/home?limit=1");
    expect([answer.status, wordsOf(answer)]).toEqual([206, ["two"]]);
    expect(linksOf(answer).rels).toEqual(["next", "prev"]);
    await server.drain();
    expect(await home()).toEqual([200, ["two", "one", "by bob"]]);
  });

  test("other timelines have status 200", async () => {
    await bob.publish("by bob");
    await alice.follow(bob);
    expect([(await home(bob))[0], (await home(carol))[0]]).toEqual([200, 200]);
    expect((await alice.get("/api/v1/timelines/public")).status).toBe(200);
  });

  test("new posts appear at once", async () => {
    await bob.publish("before");
    await alice.follow(bob);
    await bob.publish("after");
    expect(await home()).toEqual([206, ["after"]]);
    await server.drain();
    expect(await home()).toEqual([200, ["after", "before"]]);
  });

  test("unfollowing prevents the posts from being added", async () => {
    await bob.publish("by bob");
    await alice.follow(bob);
    await alice.post(`/api/v1/accounts/${bob.id}/unfollow`);
    await server.drain();
    expect(await home()).toEqual([200, []]);
  });

  inProcess("the server handles other events between the batches", async () => {
    for (let at = 0; at < 6; at += 1) await followRemote(server, alice, pastOf(`friend${at}`, 100));
    run("DELETE FROM jobs");
    rebuild();
    expect((await home())[0]).toBe(206);
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    turn();
    await server.drain().finally(() => (isDone = true));
    // Seven queries for posts, which are added in six batches.
    expect(turns).toBeGreaterThanOrEqual(11);
    expect((await wholeHome()).length).toBe(600);
  });

  test("a job that gives up ends this state", async () => {
    await bob.publish("by bob");
    await alice.follow(bob);
    run("UPDATE jobs SET attempts = 11, payload = json_set(payload, '$.accountIds', 7)");
    expect((await home())[0]).toBe(206);
    await server.drain();
    expect((await home())[0]).toBe(200);
    expect(server.ctx.db.get("SELECT error IS NOT NULL AS failed FROM jobs")).toEqual({ failed: 1 });
  });
});

describe("A home timeline is filled", () => {
  test("when a follow request is accepted", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await bob.publish({ status: "for followers", visibility: "private" });
    await alice.follow(bob);
    expect(await home()).toEqual([200, []]);
    await bob.post(`/api/v1/follow_requests/${alice.id}/authorize`);
    expect(await home()).toEqual([206, []]);
    await server.drain();
    expect(await home()).toEqual([200, ["for followers"]]);
  });

  test("when its owner follows a hashtag", async () => {
    await bob.publish("#tea");
    await alice.post("/api/v1/tags/tea/follow");
    expect(await home()).toEqual([206, []]);
    await server.drain();
    expect(await home()).toEqual([200, ["#tea"]]);
  });

  test.each([
    ["stops being exclusive", (list: string) => alice.put(`/api/v1/lists/${list}`, { title: "x", exclusive: false })],
    ["is deleted", (list: string) => alice.delete(`/api/v1/lists/${list}`)],
    [
      "has no members",
      (list: string) => alice.delete(`/api/v1/lists/${list}/accounts`, { account_ids: [bob.id, carol.id] }),
    ],
  ])("when an exclusive list %s", async (_, act) => {
    for (const friend of [bob, carol]) await alice.follow(friend);
    const list = await newList({ exclusive: true }, bob, carol);
    await bob.publish("by bob");
    await carol.publish("by carol");
    expect(await home()).toEqual([200, []]);
    await act(list);
    expect(await home()).toEqual([206, []]);
    await server.drain();
    expect(await home()).toEqual([200, ["by carol", "by bob"]]);
  });

  test("only if the account or hashtag has posts", async () => {
    await alice.follow(bob);
    await alice.post("/api/v1/tags/tea/follow");
    expect(await home()).toEqual([200, []]);
  });
});

describe("Filling a home timeline", () => {
  test("adds the newest hundred posts of each account, with boosts, without direct messages", async () => {
    const other = await dave.publish("by dave");
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    await boost(bob, other);
    await alice.follow(bob);
    await followRemote(server, alice, pastOf("erin", 120));
    await server.drain();
    const words = await wholeHome();
    expect(words).toContain("by dave");
    expect(words).not.toContain("@alice psst");
    expect(words.filter((each) => each.startsWith("erin")).length).toBe(100);
    expect(words).not.toContain("erin 20");
  });

  test("adds no boost of a post that is nearby", async () => {
    for (const friend of [carol, dave]) await alice.follow(friend);
    const original = await dave.publish("by dave");
    await boost(bob, original);
    const strange = await bob.publish("by bob");
    const erin = await server.person("erin");
    for (const friend of [carol, erin]) await boost(friend, strange);
    for (const friend of [bob, erin]) await alice.follow(friend);
    await server.drain();
    expect(await wholeHome()).toEqual(["by bob", "by bob", "by dave"]);
  });

  test("adds no posts that are too old for the timeline", async () => {
    const busy = pastOf("busy", 900);
    await followRemote(server, alice, busy);
    run("INSERT OR IGNORE INTO home_timeline SELECT $owner, id FROM statuses WHERE account_id = $author", {
      owner: alice.id,
      author: busy.id,
    });
    const old = remoteAccount(server, "old", "old.example");
    remoteStatus(server, old, "long ago", { at: server.clock.now() - 3600_000 });
    await followRemote(server, alice, { id: old });
    await server.drain();
    expect(server.ctx.db.get("SELECT count(*) AS count FROM home_timeline")).toEqual({ count: 900 });
  });
});

function rebuild(): void {
  server.ctx.db.transaction((tx) => rebuildHomeLater(server.ctx, tx, Number(alice.id)));
}

describe("A rebuilt home timeline", () => {
  /** Creates all kinds of posts and settings that affect a home timeline. */
  async function populate(): Promise<void> {
    const [erin, frank] = [await server.person("erin"), await server.person("frank")];
    for (const friend of [bob, erin]) await alice.follow(friend);
    await alice.follow(carol, { reblogs: false, languages: ["en"] });
    await alice.follow(frank);
    await newList({ exclusive: true }, frank);
    await alice.post("/api/v1/tags/tea/follow");
    mute(server, alice, await server.person("grace"));
    const [mine, bobs, daves] = [await alice.publish("mine"), await bob.publish("bob"), await dave.publish("dave")];
    for (const [who, to] of [
      [bob, mine],
      [bob, daves],
      [erin, bobs],
      [dave, bobs],
      [carol, daves],
    ] as const) {
      await who.publish({ status: "a reply", in_reply_to_id: to.id, language: "en" });
    }
    for (const language of ["en", "de"]) await carol.publish({ status: `carol in ${language}`, language });
    for (const who of [bob, erin, carol, alice]) await boost(who, daves);
    await boost(erin, await frank.publish("frank #tea"));
    await dave.publish("dave #tea");
    await bob.publish("bob to @grace");
    await bob.publish({ status: "bob, for followers", visibility: "private" });
    for (let at = 0; at < 45; at += 1) await bob.publish(`bob ${at}`);
    await boost(erin, bobs);
  }

  test("is the same as the lost one", async () => {
    await populate();
    await server.drain();
    const before = await wholeHome();
    run("DELETE FROM home_timeline");
    rebuild();
    expect(await home()).toEqual([206, []]);
    await server.drain();
    expect(await wholeHome()).toEqual(before);
    expect((await home())[0]).toBe(200);
  });

  test("loses posts that don't belong there, and keeps direct messages to its owner", async () => {
    await populate();
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    await server.drain();
    const before = await wholeHome();
    run("INSERT OR IGNORE INTO home_timeline SELECT $owner, id FROM statuses", { owner: alice.id });
    expect((await wholeHome()).length).toBeGreaterThan(before.length);
    rebuild();
    await server.drain();
    // The order of several boosts of one status is lost, so compare sets.
    expect(new Set(await wholeHome())).toEqual(new Set(before));
  });

  test("applies the current settings of each follow", async () => {
    await alice.follow(bob);
    await bob.publish({ status: "hallo", language: "de" });
    await boost(bob, await dave.publish("by dave"));
    await bob.publish({ status: "hello", language: "en" });
    await alice.follow(bob, { reblogs: false, languages: ["en"] });
    rebuild();
    await server.drain();
    expect(await home()).toEqual([200, ["hello"]]);
  });

  test("contains the newest 800 posts", async () => {
    for (let at = 0; at < 9; at += 1) await followRemote(server, alice, pastOf(`friend${at}`, 100));
    await server.drain();
    run("DELETE FROM home_timeline");
    rebuild();
    await server.drain();
    expect(server.ctx.db.get("SELECT count(*) AS count FROM home_timeline")).toEqual({ count: 800 });
    expect((await wholeHome())[0]).toEndWith(" 100");
  });

  test("is rebuilt once, however often this is requested, and again if the previous job gave up", async () => {
    await alice.publish("mine");
    rebuild();
    rebuild();
    const count = () => server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM jobs")!.count;
    expect(count()).toBe(1);
    run("UPDATE jobs SET attempts = 11, payload = json_set(payload, '$.accountId', json('[]'))");
    await server.drain();
    rebuild();
    expect([count(), (await home())[0]]).toEqual([2, 206]);
    await server.drain();
    expect((await home())[0]).toBe(200);
  });
});
