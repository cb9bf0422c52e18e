import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { homeOf, idsOf, linksOf, pagesOf, relationship, notificationSendersOf, wordsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const act = (who: Client, verb: string, target: { id: string }): Promise<Answer> =>
  who.post(`/api/v1/accounts/${target.id}/${verb}`);

describe("Blocking an account", () => {
  test("returns the relationship, and no notification is created", async () => {
    const { status, json } = await act(alice, "block", bob);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ id: bob.id, blocking: true, blocked_by: false });
    expect(await relationship(bob, alice)).toMatchObject({ blocking: false, blocked_by: true });
    expect(await notificationSendersOf(bob)).toEqual([]);
  });

  test("can be repeated, and so can unblocking", async () => {
    await act(alice, "block", bob);
    expect((await act(alice, "block", bob)).json.blocking).toBe(true);
    const { status, json } = await act(alice, "unblock", bob);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json.blocking).toBe(false);
    expect((await act(alice, "unblock", bob)).json.blocking).toBe(false);
    expect((await alice.get("/api/v1/blocks")).json).toEqual([]);
  });

  test.each(["block", "unblock"])("that doesn't exist is refused with 404 (%s)", async (verb) => {
    for (const id of ["12", "x", "0"]) {
      const { status, json } = await act(alice, verb, { id });
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
  });

  test("that is the user's own has no effect", async () => {
    expect((await act(alice, "block", alice)).json.blocking).toBe(false);
    await alice.publish("hello");
    expect(await homeOf(alice)).toEqual(["hello"]);
  });

  test("ends follows in both directions, updates their counts and deletes their notifications", async () => {
    await act(alice, "follow", bob);
    await act(bob, "follow", alice);
    await act(alice, "block", bob);
    expect(await relationship(alice, bob)).toMatchObject({ following: false, followed_by: false });
    for (const { id } of [alice, bob]) {
      const { followers_count, following_count } = (await carol.get(`/api/v1/accounts/${id}`)).json;
      expect([followers_count, following_count]).toEqual([0, 0]);
    }
    expect([await notificationSendersOf(alice), await notificationSendersOf(bob)]).toEqual([[], []]);
    await act(alice, "unblock", bob);
    expect(await relationship(alice, bob)).toMatchObject({ following: false, followed_by: false });
  });

  test("ends follow requests in both directions", async () => {
    for (const who of [alice, bob]) await who.patch("/api/v1/accounts/update_credentials", { locked: true });
    await act(alice, "follow", bob);
    await act(bob, "follow", alice);
    await act(alice, "block", bob);
    expect(await relationship(alice, bob)).toMatchObject({ requested: false, requested_by: false });
    expect((await bob.get("/api/v1/follow_requests")).json).toEqual([]);
  });

  test("removes its posts, boosts of them and posts that mention it from the home timeline", async () => {
    for (const target of [bob, carol]) await act(alice, "follow", target);
    const { id } = await bob.publish("bob writes");
    await carol.publish("hello @bob");
    await carol.publish("carol writes");
    for (let at = 0; at < 41; at++) await carol.publish(`${at}`);
    await carol.post(`/api/v1/statuses/${id}/reblog`);
    expect((await homeOf(alice))[0]).toBe("bob writes");
    await act(alice, "block", bob);
    const left = (await pagesOf(alice, "/api/v1/timelines/home?limit=40")).flatMap(wordsOf);
    expect(left).toHaveLength(42);
    expect(left).toContain("carol writes");
  });

  test("keeps later mentions and boosts of it out of the home timeline", async () => {
    await act(alice, "follow", carol);
    const { id } = await bob.publish("bob writes");
    const greeting = await carol.publish({ status: "hello", visibility: "unlisted" });
    await act(alice, "block", bob);
    await carol.post(`/api/v1/statuses/${id}/reblog`);
    await carol.publish("hello again, @bob");
    expect(idsOf(await alice.get("/api/v1/timelines/home"))).toEqual([greeting.id]);
  });

  test("deletes its notifications and prevents new ones", async () => {
    const { id } = await alice.publish("hello");
    await act(bob, "follow", alice);
    await bob.post(`/api/v1/statuses/${id}/favourite`);
    await bob.publish("@alice hello");
    await carol.post(`/api/v1/statuses/${id}/favourite`);
    await act(alice, "block", bob);
    await bob.publish("@alice please");
    expect(await notificationSendersOf(alice)).toEqual(["favourite by carol"]);
  });

  test("prevents notifications of posts that also mention it, and of replies to it", async () => {
    await act(alice, "block", bob);
    const { id } = await bob.publish("bob writes");
    await carol.publish("@alice @bob make peace");
    await carol.publish({ status: "@alice look", in_reply_to_id: id });
    expect(await notificationSendersOf(alice)).toEqual([]);
    await carol.publish("@alice hello");
    expect(await notificationSendersOf(alice)).toEqual(["mention by carol"]);
  });

  test("leaves it in search results, so that it can be unblocked", async () => {
    await act(alice, "block", bob);
    expect(idsOf(await alice.get("/api/v1/accounts/search?q=bob"))).toEqual([bob.id]);
    expect((await alice.get("/api/v1/accounts/lookup?acct=bob")).json.id).toBe(bob.id);
    expect((await bob.get("/api/v1/accounts/lookup?acct=alice")).json.id).toBe(alice.id);
    expect((await bob.get(`/api/v1/accounts/${alice.id}`)).status).toBe(200);
  });
});

describe("A blocked account", () => {
  let theirs: Json;
  let mine: Json;

  beforeEach(async () => {
    mine = await alice.publish("alice writes");
    theirs = await bob.publish({ status: "bob answers", in_reply_to_id: mine.id });
    await act(alice, "block", bob);
  });

  test("can neither see nor interact with the blocker's posts", async () => {
    expect((await bob.get(`/api/v1/statuses/${mine.id}`)).status).toBe(404);
    expect((await bob.get(`/api/v1/accounts/${alice.id}/statuses`)).json).toEqual([]);
    for (const verb of ["favourite", "reblog", "bookmark", "mute"]) {
      expect((await bob.post(`/api/v1/statuses/${mine.id}/${verb}`)).status).toBe(404);
    }
    expect((await bob.post("/api/v1/statuses", { status: "hey", in_reply_to_id: mine.id })).status).toBe(404);
    expect((await act(bob, "follow", alice)).status).toBe(403);
  });

  test("is missing from the blocker's public timelines and threads", async () => {
    await bob.publish("bob goes on #tag");
    for (const path of ["/api/v1/timelines/public", "/api/v1/timelines/tag/tag"]) {
      expect(idsOf(await alice.get(path)).filter((id) => id !== mine.id)).toEqual([]);
    }
    expect((await alice.get(`/api/v1/statuses/${mine.id}/context`)).json.descendants).toEqual([]);
    expect(idsOf((await carol.get(`/api/v1/statuses/${mine.id}/context`)).json.descendants)).toEqual([theirs.id]);
  });

  test("cannot be favourited or boosted by the blocker, but its posts can be read by id", async () => {
    expect((await alice.get(`/api/v1/statuses/${theirs.id}`)).status).toBe(200);
    for (const verb of ["favourite", "reblog"]) {
      const { status, json } = await alice.post(`/api/v1/statuses/${theirs.id}/${verb}`);
      expect([verb, status, json]).toEqual([verb, 403, { error: "This action is not allowed" }]);
    }
  });

  test("and its blocker are missing from the lists of accounts that the other reads", async () => {
    const post = await carol.publish("carol writes");
    for (const who of [alice, bob]) {
      await act(who, "follow", carol);
      await act(carol, "follow", who);
      await who.post(`/api/v1/statuses/${post.id}/favourite`);
      await who.post(`/api/v1/statuses/${post.id}/reblog`);
    }
    for (const path of [
      `/api/v1/accounts/${carol.id}/followers`,
      `/api/v1/accounts/${carol.id}/following`,
      `/api/v1/statuses/${post.id}/favourited_by`,
      `/api/v1/statuses/${post.id}/reblogged_by`,
    ]) {
      for (const reader of [alice, bob]) expect([path, idsOf(await reader.get(path))]).toEqual([path, [reader.id]]);
      expect([path, idsOf(await carol.get(path))]).toEqual([path, [bob.id, alice.id]]);
    }
  });

  test("doesn't see the blocker's followers, followed accounts and endorsements", async () => {
    await act(alice, "follow", carol);
    await act(carol, "follow", alice);
    await act(alice, "endorse", carol);
    for (const list of ["followers", "following", "endorsements"]) {
      const path = `/api/v1/accounts/${alice.id}/${list}`;
      expect((await bob.get(path)).json).toEqual([]);
      expect(idsOf(await server.stranger().get(path))).toEqual([carol.id]);
    }
  });

  test("is missing from profiles that boosted it", async () => {
    await carol.publish("carol writes");
    await carol.post(`/api/v1/statuses/${theirs.id}/reblog`);
    expect(wordsOf(await alice.get(`/api/v1/accounts/${carol.id}/statuses`))).toEqual(["carol writes"]);
    expect((await carol.get(`/api/v1/accounts/${carol.id}/statuses`)).json).toHaveLength(2);
  });
});

describe("GET /api/v1/blocks", () => {
  test("lists blocked accounts in pages, the latest block first", async () => {
    const people = [bob, carol];
    for (const name of ["dora", "emil", "finn"]) people.push(await server.person(name));
    // In reverse order, so that the order of the blocks differs from that of the accounts.
    for (const { id } of people.toReversed()) await act(alice, "block", { id });
    const all = await alice.get("/api/v1/blocks");
    expectShape(all.json, ["Account"]);
    expect(idsOf(all)).toEqual(people.map(({ id }) => id));
    const pages = await pagesOf(alice, "/api/v1/blocks?limit=2");
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(idsOf)).toEqual(idsOf(all));
    const first = await alice.get("/api/v1/blocks?limit=2");
    expect(linksOf(first).rels).toEqual(["next", "prev"]);
    expect((await alice.get("/api/v1/blocks?limit=9999")).json).toHaveLength(5);
    expect((await bob.get("/api/v1/blocks")).json).toEqual([]);
  });
});
