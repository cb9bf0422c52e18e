import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { homeOf, idsOf, relationship, notificationTypesOf, wordsOf } from "../support/reading.ts";
import { block, mute } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const unfollow = (who: Client, target: Client): Promise<Answer> => who.post(`/api/v1/accounts/${target.id}/unfollow`);
const account = async (who: Client): Promise<Json> => (await who.get(`/api/v1/accounts/${who.id}`)).json;
const home = async (who: Client): Promise<string[]> => {
  await server.drain();
  return homeOf(who);
};
const lock = (who: Client): Promise<Answer> => who.patch("/api/v1/accounts/update_credentials", { locked: true });

describe("Following an account", () => {
  test("returns the relationship", async () => {
    const { status, json } = await alice.follow(bob);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({
      id: bob.id,
      following: true,
      showing_reblogs: true,
      notifying: false,
      languages: null,
      followed_by: false,
      requested: false,
    });
    const back = await bob.get(`/api/v1/accounts/relationships?id[]=${alice.id}`);
    expect(back.json[0]).toMatchObject({ id: alice.id, following: false, followed_by: true });
  });

  test("counts once on both sides, until unfollowing", async () => {
    const counts = async () => [(await account(alice)).following_count, (await account(bob)).followers_count];
    await alice.follow(bob);
    await alice.follow(bob);
    expect(await counts()).toEqual([1, 1]);
    await unfollow(alice, bob);
    await unfollow(alice, bob);
    expect(await counts()).toEqual([0, 0]);
  });

  test("notifies the account once, and unfollowing deletes the notification", async () => {
    await alice.follow(bob);
    await alice.follow(bob, { notify: true });
    expect(await notificationTypesOf(bob)).toEqual(["follow"]);
    await unfollow(alice, bob);
    expect(await notificationTypesOf(bob)).toEqual([]);
  });

  test("adds its recent and future posts to the home timeline", async () => {
    await bob.publish("before");
    await bob.publish({ status: "for followers", visibility: "private" });
    await bob.publish({ status: "a secret", visibility: "direct" });
    await alice.follow(bob);
    await bob.publish("after");
    expect(await home(alice)).toEqual(["after", "for followers", "before"]);
  });

  test("that is the user's own is refused", async () => {
    const { status, json } = await alice.follow(alice);
    expect([status, json]).toEqual([403, { error: "This action is not allowed" }]);
  });

  test("is refused if either side blocks the other", async () => {
    block(server, bob, alice);
    block(server, alice, carol);
    expect((await alice.follow(bob)).status).toBe(403);
    expect((await alice.follow(carol)).status).toBe(403);
  });

  test("that doesn't exist is refused with 404", async () => {
    for (const verb of ["follow", "unfollow"]) {
      const { status, json } = await alice.post(`/api/v1/accounts/12/${verb}`);
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
  });
});

describe("Unfollowing an account", () => {
  test("removes its posts and boosts from the home timeline", async () => {
    await bob.publish("bob writes");
    await alice.follow(bob);
    const { id } = await carol.publish("carol writes");
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    expect(await home(alice)).toEqual(["carol writes", "bob writes"]);
    const { json } = await unfollow(alice, bob);
    expect(json).toMatchObject({ following: false, showing_reblogs: false });
    expect(await home(alice)).toEqual([]);
  });

  test("keeps its posts that other followed accounts boosted", async () => {
    await alice.follow(bob);
    await alice.follow(carol);
    const { id } = await carol.publish("carol writes");
    for (let at = 0; at < 45; at++) await bob.publish(`${at}`);
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    expect((await home(alice))[0]).toBe("carol writes");
    await unfollow(alice, carol);
    expect((await home(alice))[0]).toBe("carol writes");
  });
});

describe("A follow's setting", () => {
  test("can be given at once or later, and applies until it is changed", async () => {
    const first = await alice.follow(bob, { reblogs: false, notify: true, languages: ["en", "de"] });
    const wishes = { showing_reblogs: false, notifying: true, languages: ["en", "de"] };
    expect(first.json).toMatchObject(wishes);
    expect((await alice.follow(bob)).json).toMatchObject(wishes);
    expect((await alice.follow(bob, { reblogs: true })).json).toMatchObject({ ...wishes, showing_reblogs: true });
    expect((await alice.follow(bob, { notify: false, languages: [] })).json).toMatchObject({
      showing_reblogs: true,
      notifying: false,
      languages: null,
    });
  });

  test("reblogs=false excludes boosts", async () => {
    const { id } = await carol.publish("carol writes");
    await alice.follow(bob, { reblogs: false });
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    await bob.publish("bob writes");
    expect(await home(alice)).toEqual(["bob writes"]);
  });

  test("languages limits both past and future posts", async () => {
    await bob.publish({ status: "hallo", language: "de" });
    await bob.publish({ status: "hello", language: "en" });
    await alice.follow(bob, { languages: ["en"] });
    await bob.publish({ status: "tschau", language: "de" });
    await bob.publish({ status: "bye", language: "en" });
    await bob.publish({ status: "cheerio", language: "en-GB" });
    expect(await home(alice)).toEqual(["cheerio", "bye", "hello"]);
  });

  test("languages must contain valid language codes", async () => {
    const path = `/api/v1/accounts/${bob.id}/follow`;
    const { status, json } = await alice.post(path, { languages: ["en", "#"] });
    expect([status, json]).toEqual([422, { error: "Validation failed: Languages is invalid" }]);
    expect((await alice.post(path, { languages: ["es_419"] })).json.languages).toEqual(["es"]);
  });

  test("notify=true causes notifications of posts and of the author's replies to themselves, but not of other replies and boosts", async () => {
    await alice.follow(bob, { notify: true });
    const { id } = await carol.publish("carol writes");
    const own = await bob.publish("bob writes");
    await bob.publish({ status: "to carol", in_reply_to_id: id });
    await bob.publish({ status: "to myself", in_reply_to_id: own.id });
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    const { json } = await alice.get("/api/v1/notifications");
    expect(json.map((it: Json) => [it.type, wordsOf([it.status])[0]])).toEqual([
      ["status", "to myself"],
      ["status", "bob writes"],
    ]);
    await alice.follow(bob, { notify: false });
    await bob.publish("more");
    expect((await notificationTypesOf(alice)).length).toBe(2);
  });

  test("notify=true excludes posts in other languages and posts that mention muted accounts", async () => {
    await alice.follow(bob, { notify: true, languages: ["en"] });
    mute(server, alice, carol);
    await bob.publish({ status: "hallo", language: "de" });
    await bob.publish({ status: "hello @carol", language: "en" });
    await bob.publish({ status: "hello", language: "en" });
    expect(wordsOf((await alice.get("/api/v1/notifications")).json.map((it: Json) => it.status))).toEqual(["hello"]);
  });

  test("languages applies to the language of a boosted post, and can be reset", async () => {
    const german = await carol.publish({ status: "hallo", language: "de" });
    const english = await carol.publish({ status: "hello", language: "en" });
    await alice.follow(bob, { languages: ["de"] });
    for (const { id } of [german, english]) await bob.post(`/api/v1/statuses/${id}/reblog`);
    expect(await home(alice)).toEqual(["hallo"]);
    await alice.follow(bob, { languages: [] });
    await bob.publish({ status: "bye", language: "en" });
    expect(await home(alice)).toEqual(["bye", "hallo"]);
  });

  test("notify=true causes no second notification of a post that mentions the follower", async () => {
    await alice.follow(bob, { notify: true });
    await bob.publish("hello @alice");
    expect(await notificationTypesOf(alice)).toEqual(["mention"]);
  });
});

describe("A locked account", () => {
  beforeEach(() => lock(bob));

  test("receives a follow request with a notification", async () => {
    const { json } = await alice.follow(bob, { notify: true, reblogs: false });
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ following: false, requested: true, notifying: true });
    expect(await notificationTypesOf(bob)).toEqual(["follow_request"]);
    expect((await account(bob)).followers_count).toBe(0);
    const requests = await bob.get("/api/v1/follow_requests");
    expectShape(requests.json, ["Account"]);
    expect(idsOf(requests)).toEqual([alice.id]);
    expect(await relationship(bob, alice)).toMatchObject({ requested_by: true, followed_by: false });
  });

  test("can accept a request, which keeps the settings of the follow", async () => {
    await bob.publish({ status: "for followers", visibility: "private" });
    await alice.follow(bob, { notify: true, reblogs: false });
    const { status, json } = await bob.post(`/api/v1/follow_requests/${alice.id}/authorize`);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ id: alice.id, followed_by: true, requested_by: false });
    const mine = await relationship(alice, bob);
    expect(mine).toMatchObject({ following: true, requested: false, notifying: true, showing_reblogs: false });
    expect(await home(alice)).toEqual(["for followers"]);
    expect([(await account(bob)).followers_count, (await account(alice)).following_count]).toEqual([1, 1]);
    // It replaces the notification of the request.
    expect(await notificationTypesOf(bob)).toEqual(["follow"]);
  });

  test("can reject a request", async () => {
    await alice.follow(bob);
    const { json } = await bob.post(`/api/v1/follow_requests/${alice.id}/reject`);
    expect(json).toMatchObject({ followed_by: false, requested_by: false });
    expect((await bob.get("/api/v1/follow_requests")).json).toEqual([]);
    expect(await notificationTypesOf(bob)).toEqual([]);
    expect((await account(bob)).followers_count).toBe(0);
  });

  test("loses the request and its notification if the requester withdraws it", async () => {
    await alice.follow(bob);
    expect((await unfollow(alice, bob)).json).toMatchObject({ requested: false });
    expect((await bob.get("/api/v1/follow_requests")).json).toEqual([]);
    expect(await notificationTypesOf(bob)).toEqual([]);
  });

  test.each(["authorize", "reject"])("cannot %s a request that doesn't exist", async (verb) => {
    for (const id of [alice.id, "12", "x"]) {
      const { status, json } = await bob.post(`/api/v1/follow_requests/${id}/${verb}`);
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
  });
});

describe("The lists of followers and followed accounts", () => {
  test("have the newest first", async () => {
    await alice.follow(bob);
    await carol.follow(bob);
    const followers = await server.stranger().get(`/api/v1/accounts/${bob.id}/followers`);
    expectShape(followers.json, ["Account"]);
    expect(idsOf(followers)).toEqual([carol.id, alice.id]);
    expect(idsOf(await bob.get(`/api/v1/accounts/${alice.id}/following`))).toEqual([bob.id]);
  });

  test("are empty for other viewers if the account hides them", async () => {
    await alice.follow(bob);
    await bob.patch("/api/v1/accounts/update_credentials", { hide_collections: true });
    expect((await alice.get(`/api/v1/accounts/${bob.id}/followers`)).json).toEqual([]);
    expect(idsOf(await bob.get(`/api/v1/accounts/${bob.id}/followers`))).toEqual([alice.id]);
  });
});

describe("GET /api/v1/accounts/relationships", () => {
  test("returns the relationship with each account once, in the order of the request", async () => {
    await alice.follow(bob);
    const ids = [carol.id, bob.id, "7", "x", carol.id].map((id) => `id[]=${id}`).join("&");
    const answer = await alice.get(`/api/v1/accounts/relationships?${ids}`);
    expectShape(answer.json, ["Relationship"]);
    expect(idsOf(answer)).toEqual([carol.id, bob.id]);
    expect(answer.json.map((it: Json) => it.following)).toEqual([false, true]);
  });

  test("includes blocks and mutes, and the end of a mute", async () => {
    block(server, alice, bob);
    block(server, carol, alice);
    const until = server.clock.now() + 60_000;
    mute(server, alice, carol, { until });
    const read = async () => (await alice.get(`/api/v1/accounts/relationships?id[]=${bob.id}&id[]=${carol.id}`)).json;
    expect((await read())[0]).toMatchObject({ blocking: true, blocked_by: false, muting: false });
    expect((await read())[1]).toMatchObject({
      blocked_by: true,
      muting: true,
      muting_notifications: true,
      muting_expires_at: new Date(until).toISOString(),
    });
    server.clock.advance(60_000);
    expect((await read())[1]).toMatchObject({ muting: false, muting_notifications: false, muting_expires_at: null });
  });

  test("returns an empty list without ids", async () => {
    expect((await alice.get("/api/v1/accounts/relationships")).json).toEqual([]);
  });
});
