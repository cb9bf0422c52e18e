import { beforeEach, describe, expect, test } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Client, Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { homeOf, idsOf, linksOf, pagesOf, wordsOf } from "../support/reading.ts";
import { block, mute, remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { EventReader, Socket } from "../support/streams.ts";

/** Alice follows Bob and Carol, and has Bob in a list. She doesn't follow Dave. */
const { server, alice, bob, carol, dave } = serverForEachTest(["alice", "bob", "carol", "dave"]);
let list: string;

beforeEach(async () => {
  for (const friend of [bob, carol]) await alice.follow(friend);
  list = (await alice.post("/api/v1/lists", { title: "Friends" })).json.id;
  await add(bob);
});

const add = (...people: Client[]) =>
  alice.post(`/api/v1/lists/${list}/accounts`, { account_ids: people.map(({ id }) => id) });
const remove = (...people: Client[]) =>
  alice.delete(`/api/v1/lists/${list}/accounts`, { account_ids: people.map(({ id }) => id) });
const change = (settings: object) => alice.put(`/api/v1/lists/${list}`, { title: "Friends", ...settings });
const inList = async (): Promise<string[]> => wordsOf(await alice.get(`/api/v1/timelines/list/${list}`));
const atHome = async (): Promise<string[]> => {
  await server.drain();
  return homeOf(alice);
};
const reply = (who: Client, to: Json, status: string) => who.publish({ status, in_reply_to_id: to.id });

describe("A list timeline", () => {
  test("has the posts of its members only, the newest first", async () => {
    await bob.publish("one");
    await carol.publish("not in the list");
    await bob.publish({ status: "two", visibility: "private" });
    const { status, json } = await alice.get(`/api/v1/timelines/list/${list}`);
    expect(status).toBe(200);
    expectShape(json, ["Status"]);
    expect(wordsOf(json)).toEqual(["two", "one"]);
  });

  test("has no direct messages", async () => {
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    expect(await inList()).toEqual([]);
  });

  test("includes the recent posts of a new member", async () => {
    await carol.publish("before");
    await add(carol);
    expect(await inList()).toEqual(["before"]);
  });

  test("loses the posts of a member who is removed, and regains them with the member", async () => {
    await bob.publish("hello");
    await remove(bob);
    expect(await inList()).toEqual([]);
    await add(bob);
    expect(await inList()).toEqual(["hello"]);
    await alice.post(`/api/v1/accounts/${bob.id}/unfollow`);
    expect(await inList()).toEqual([]);
  });

  test("includes the owner's own posts if the owner is a member", async () => {
    mute(server, alice, carol);
    await alice.publish("before, with @carol");
    await add(alice);
    await alice.publish("after, with @carol");
    expect(await inList()).toEqual(["after, with @carol", "before, with @carol"]);
  });

  test("excludes boosts and languages according to the settings of the follow", async () => {
    const original = await dave.publish("by dave");
    await bob.post(`/api/v1/statuses/${original.id}/reblog`);
    expect(await inList()).toEqual(["by dave"]);
    await remove(bob);
    await alice.follow(bob, { reblogs: false, languages: ["fr"] });
    await bob.publish({ status: "bonjour", language: "fr" });
    await add(bob);
    await bob.publish({ status: "good day", language: "en" });
    await bob.post(`/api/v1/statuses/${(await dave.publish("again")).id}/reblog`);
    await bob.publish({ status: "au revoir", language: "fr" });
    expect(await inList()).toEqual(["au revoir", "bonjour"]);
  });

  test("has a post once that several members boost", async () => {
    await add(carol);
    const original = await dave.publish("by dave");
    for (const member of [bob, carol]) await member.post(`/api/v1/statuses/${original.id}/reblog`);
    expect(await inList()).toEqual(["by dave"]);
    await remove(carol);
    await add(carol);
    expect(await inList()).toEqual(["by dave"]);
  });

  test("excludes members that the owner blocks or mutes, or that block the owner", async () => {
    await bob.publish("before");
    mute(server, alice, bob, { until: server.clock.now() + 1000 });
    await bob.publish("meanwhile");
    expect(await inList()).toEqual([]);
    server.clock.advance(2000);
    await bob.publish("after");
    expect(await inList()).toEqual(["after", "before"]);
    block(server, bob, alice);
    expect(await inList()).toEqual([]);
  });

  test("excludes posts that mention accounts that the owner blocks or mutes", async () => {
    await bob.publish("hello @dave");
    await bob.publish("hello @carol");
    await alice.post(`/api/v1/accounts/${dave.id}/block`);
    await alice.post(`/api/v1/accounts/${carol.id}/mute`);
    for (const name of ["carol", "dave"]) await bob.publish(`hello again @${name}`);
    expect(await inList()).toEqual([]);
    await remove(bob);
    await add(bob);
    expect(await inList()).toEqual([]);
  });

  test("excludes boosts of accounts from blocked domains", async () => {
    const spam = remoteStatus(server, remoteAccount(server, "spammer", "spam.example"), "spam");
    const ham = remoteStatus(server, remoteAccount(server, "friend", "good.example"), "ham");
    for (const id of [spam, ham]) await bob.post(`/api/v1/statuses/${id}/reblog`);
    await alice.post("/api/v1/domain_blocks", { domain: "spam.example" });
    const more = remoteStatus(server, remoteAccount(server, "another", "spam.example"), "more spam");
    await bob.post(`/api/v1/statuses/${more}/reblog`);
    expect(await inList()).toEqual(["ham"]);
  });

  test("reflects deletions and edits", async () => {
    const [first, second] = [await bob.publish("one"), await bob.publish("two")];
    await bob.delete(`/api/v1/statuses/${first.id}`);
    await bob.put(`/api/v1/statuses/${second.id}`, { status: "three" });
    expect(await inList()).toEqual(["three"]);
  });

  test("has pages with stable cursors", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await bob.publish(`number ${n}`)).id);
    const pages = await pagesOf(alice, `/api/v1/timelines/list/${list}?limit=2`);
    expect(pages.map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    const above = await alice.get(`/api/v1/timelines/list/${list}?limit=2&min_id=${ids[4]}`);
    expect(idsOf(above)).toEqual([ids[2]!, ids[3]!]);
    expect(linksOf(above).rels).toEqual(["next", "prev"]);
  });

  test("is reduced to its newest 800 posts by the clean-up job", async () => {
    const oldest = await bob.publish("oldest");
    server.ctx.db.transaction((tx) => {
      for (let n = 1; n <= 800; n += 1) {
        tx.run(
          `INSERT INTO statuses (id, account_id, uri, url, local, visibility, conversation_id, created_at)
           SELECT id + $n, account_id, uri || $n, url, local, visibility, conversation_id, created_at FROM statuses WHERE id = $oldestId`,
          { oldestId: Number(oldest.id), n },
        );
        tx.run("INSERT INTO list_timeline (list_id, status_id) VALUES ($list, $statusId)", {
          list: Number(list),
          statusId: Number(oldest.id) + n,
        });
      }
    });
    server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "clean_up", server.clock.now()));
    await server.drain();
    const kept = server.ctx.db.get("SELECT count(*) AS count, min(status_id) AS first FROM list_timeline");
    expect(kept).toEqual({ count: 800, first: Number(oldest.id) + 1 });
  });

  inProcess("takes as many queries for forty statuses as for one", async () => {
    await bob.publish("one");
    const statements = async () => {
      const before = server.ctx.db.statements;
      await alice.get(`/api/v1/timelines/list/${list}?limit=40`);
      return server.ctx.db.statements - before;
    };
    await statements();
    clearEntityCache(server);
    const forOne = await statements();
    for (let n = 0; n < 40; n += 1) await bob.publish(`number ${n}`);
    clearEntityCache(server);
    expect(await statements()).toBe(forOne);
  });
});

describe("The replies policy", () => {
  /** Bob replies to himself, Alice, Carol, Dave and Erin, a new member of the list. */
  async function publishReplies(): Promise<void> {
    const erin = await server.person("erin");
    await alice.follow(erin);
    await add(erin);
    const asked = { bob, alice, carol, dave, erin };
    for (const [name, who] of Object.entries(asked)) {
      const question = await who.publish({ status: "?", visibility: "unlisted" });
      await reply(bob, question, `to ${name}`);
    }
  }
  const shown = async () => (await inList()).filter((words) => words.startsWith("to ")).toSorted();

  test("`list` includes replies to members", async () => {
    await publishReplies();
    expect(await shown()).toEqual(["to alice", "to bob", "to erin"]);
  });

  test("`followed` includes replies to accounts that the owner follows", async () => {
    await change({ replies_policy: "followed" });
    await publishReplies();
    expect(await shown()).toEqual(["to alice", "to bob", "to carol", "to erin"]);
  });

  test("`none` includes only replies to the author and the owner", async () => {
    await change({ replies_policy: "none" });
    await publishReplies();
    expect(await shown()).toEqual(["to alice", "to bob"]);
  });

  test("applies to earlier posts, and to the current members", async () => {
    await publishReplies();
    await change({ replies_policy: "none" });
    expect(await shown()).toEqual(["to alice", "to bob"]);
    await change({ replies_policy: "list" });
    await add(carol);
    expect(await shown()).toEqual(["to alice", "to bob", "to carol", "to erin"]);
  });
});

describe("An exclusive list", () => {
  test("excludes its members from the home timeline, including earlier posts", async () => {
    await bob.publish("before");
    await carol.publish("by carol");
    await change({ exclusive: true });
    await bob.publish("after");
    expect(await atHome()).toEqual(["by carol"]);
    expect(await inList()).toEqual(["after", "before"]);
  });

  test("returns their posts when it is no longer exclusive", async () => {
    await change({ exclusive: true });
    await bob.publish("hello");
    await change({ exclusive: false });
    expect(await atHome()).toEqual(["hello"]);
  });

  test("returns their posts when it is deleted", async () => {
    await change({ exclusive: true });
    await bob.publish("hello");
    await alice.delete(`/api/v1/lists/${list}`);
    expect(await atHome()).toEqual(["hello"]);
  });

  test("excludes new members, and returns the posts of removed ones", async () => {
    await change({ exclusive: true });
    await carol.publish("by carol");
    await add(carol);
    expect(await atHome()).toEqual([]);
    await remove(carol);
    expect(await atHome()).toEqual(["by carol"]);
  });

  test("does not return posts of members of another exclusive list", async () => {
    await change({ exclusive: true });
    const other = (await alice.post("/api/v1/lists", { title: "Other", exclusive: true })).json.id;
    await alice.post(`/api/v1/lists/${other}/accounts`, { account_ids: [bob.id] });
    await bob.publish("hello");
    await change({ exclusive: false });
    expect(await atHome()).toEqual([]);
    await alice.delete(`/api/v1/lists/${other}`);
    expect(await atHome()).toEqual(["hello"]);
  });

  test("keeps the owner's own posts and other accounts' boosts of its members in the home timeline", async () => {
    await add(alice);
    await change({ exclusive: true });
    await alice.publish("my own");
    const original = await bob.publish("by bob");
    await carol.post(`/api/v1/statuses/${original.id}/reblog`);
    expect(await atHome()).toEqual(["by bob", "my own"]);
    await alice.publish("my own again");
    await change({ exclusive: false });
    await change({ exclusive: true });
    expect(await atHome()).toEqual(["my own again", "by bob", "my own"]);
  });

  test("excludes its members' posts with a followed hashtag", async () => {
    await alice.post("/api/v1/tags/tea/follow");
    await change({ exclusive: true });
    await bob.publish("#tea");
    expect(await atHome()).toEqual([]);
  });

  test("does not prevent notifications", async () => {
    await change({ exclusive: true });
    await bob.publish("@alice hello");
    expect((await alice.get("/api/v1/notifications")).json).toMatchObject([{ type: "mention" }]);
  });

  test("affects its owner only", async () => {
    await change({ exclusive: true });
    await carol.follow(bob);
    await bob.publish("hello");
    expect(await homeOf(carol)).toEqual(["hello"]);
  });
});

describe("The stream of a list", () => {
  test("has the posts of its timeline, their edits and their deletions", async () => {
    const socket = await Socket.open(alice, `?stream=list&list=${list}`);
    const events = await EventReader.open(alice, `list?list=${list}`);
    await carol.publish("not in the list");
    const { id } = await bob.publish("hello");
    expect(await socket.next()).toMatchObject({ stream: ["list", list], event: "update", payload: { id } });
    expect(await events.next()).toMatchObject({ event: "update", payload: { id } });
    await bob.put(`/api/v1/statuses/${id}`, { status: "changed" });
    expect(await socket.next()).toMatchObject({ stream: ["list", list], event: "status.update", payload: { id } });
    await bob.delete(`/api/v1/statuses/${id}`);
    expect(await socket.next()).toEqual({ stream: ["list", list], event: "delete", payload: id });
    await Promise.all([socket.close(), events.close()]);
  });

  test("excludes replies that the list excludes", async () => {
    const socket = await Socket.open(alice, `?stream=list&list=${list}`);
    await reply(bob, await carol.publish("a question"), "an answer");
    const { id } = await bob.publish("to everyone");
    expect(await socket.next()).toMatchObject({ payload: { id } });
    await socket.close();
  });

  test("has the posts of an exclusive list instead of the user stream", async () => {
    await change({ exclusive: true });
    const socket = await Socket.open(alice, "?stream=user");
    await socket.subscribe("list", { list });
    const { id } = await bob.publish("hello");
    const own = await alice.publish("mine");
    expect(await socket.next()).toMatchObject({ stream: ["list", list], payload: { id } });
    expect(await socket.next()).toMatchObject({ stream: ["user"], payload: { id: own.id } });
    await socket.close();
  });

  test("is available to its owner only", async () => {
    const refused = { error: "Not authorized to stream this list" };
    const socket = await Socket.open(carol);
    for (const wanted of [list, "999999", "nonsense"]) {
      const answer = await carol.get(`/api/v1/streaming/list?list=${wanted}`);
      expect({ status: answer.status, json: answer.json }).toEqual({ status: 401, json: refused });
      socket.send({ type: "subscribe", stream: "list", list: wanted });
      expect(await socket.raw()).toEqual({ ...refused, status: 401 });
    }
    await socket.close();
  });

  test("needs the id of a list", async () => {
    const answer = await alice.get("/api/v1/streaming/list");
    expect({ status: answer.status, json: answer.json }).toEqual({
      status: 400,
      json: { error: "Missing list name parameter" },
    });
  });
});
