import { describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { act as moderate } from "../support/moderation.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const DAY = 24 * 3600_000;
const PATH = "/api/v2/notifications/policy";
const OLD_PATH = "/api/v1/notifications/policy";

const policy = async (path = PATH): Promise<Json> => (await alice.get(path)).json;
const set = (changes: object, path = PATH): Promise<Answer> => alice.patch(path, changes);
const listed = async (query = ""): Promise<number> => (await alice.get(`/api/v1/notifications${query}`)).json.length;
const direct = (who: Client, status: string, in_reply_to_id?: string): Promise<Json> =>
  who.publish({ status, visibility: "direct", in_reply_to_id });

/** The effect of the policy on a mention by Bob: accept, filter or drop. */
async function effect(mention: () => Promise<unknown> = () => bob.publish("@alice hello")): Promise<string> {
  const [before, heldBefore] = [await listed(), await listed("?include_filtered=true")];
  await mention();
  const [after, heldAfter] = [await listed(), await listed("?include_filtered=true")];
  if (after > before) return "accept";
  return heldAfter > heldBefore ? "filter" : "drop";
}

describe("The notification policy", () => {
  test("initially accepts all accounts except limited ones", async () => {
    const json = await policy();
    expectShape(json, "NotificationPolicy");
    expect(json).toEqual({
      for_not_following: "accept",
      for_not_followers: "accept",
      for_new_accounts: "accept",
      for_private_mentions: "accept",
      for_limited_accounts: "filter",
      summary: { pending_requests_count: 0, pending_notifications_count: 0 },
    });
  });

  test.each(["patch", "put"] as const)("is changed by %s, only in the given fields", async (method) => {
    const { status, json } = await alice[method](PATH, { for_not_following: "drop", for_new_accounts: "filter" });
    expect(status).toBe(200);
    expectShape(json, "NotificationPolicy");
    expect(json).toMatchObject({ for_not_following: "drop", for_new_accounts: "filter", for_not_followers: "accept" });
    expect(await policy()).toEqual(json);
    await alice[method](PATH, new URLSearchParams("for_not_following=accept"));
    expect(await policy()).toEqual({ ...json, for_not_following: "accept" });
  });

  test("is also available in the old format, with booleans", async () => {
    await set({ for_not_following: "drop", for_not_followers: "filter" });
    const json = await policy(OLD_PATH);
    expectShape(json, "V1NotificationPolicy");
    expect(json).toEqual({
      filter_not_following: true,
      filter_not_followers: true,
      filter_new_accounts: false,
      filter_private_mentions: false,
      summary: { pending_requests_count: 0, pending_notifications_count: 0 },
    });
  });

  test.each(["patch", "put"] as const)("is changed in the old format by %s, to filter or accept", async (method) => {
    await set({ for_not_following: "drop", for_not_followers: "drop" });
    const { json } = await alice[method](OLD_PATH, { filter_not_following: false, filter_private_mentions: true });
    expect(json).toMatchObject({
      filter_not_following: false,
      filter_not_followers: true,
      filter_private_mentions: true,
    });
    expect(await policy()).toMatchObject({
      for_not_following: "accept",
      for_not_followers: "drop",
      for_private_mentions: "filter",
    });
  });

  test("refuses unknown values, and stays unchanged then", async () => {
    const { status, json } = await set({ for_new_accounts: "drop", for_not_following: "ignore" });
    expect([status, json]).toEqual([422, { error: "'ignore' is not a valid for_not_following" }]);
    expect((await set({ filter_new_accounts: "perhaps" }, OLD_PATH)).status).toBe(422);
    expect((await policy()).for_new_accounts).toBe("accept");
  });

  test("belongs to one user", async () => {
    await bob.patch(PATH, { for_not_following: "drop" });
    expect((await policy()).for_not_following).toBe("accept");
  });

  test("applies only to later notifications", async () => {
    await bob.publish("@alice hello");
    await set({ for_not_following: "drop" });
    expect(await listed()).toBe(1);
  });

  test("requires a token with the scope", async () => {
    await expectGuarded(server, alice, "read:notifications", [
      ["get", PATH],
      ["get", OLD_PATH],
    ]);
    await expectGuarded(server, alice, "write:notifications", [
      ["patch", PATH, {}],
      ["put", PATH, {}],
      ["patch", OLD_PATH, {}],
      ["put", OLD_PATH, {}],
    ]);
  });
});

describe.each(["filter", "drop"])("A policy to %s notifications", (level) => {
  test("from accounts that I don't follow accepts those I follow", async () => {
    await set({ for_not_following: level });
    expect(await effect()).toBe(level);
    await alice.follow(bob);
    expect(await effect()).toBe("accept");
  });

  test("from accounts that don't follow me requires following for three days, even if I follow them", async () => {
    await set({ for_not_followers: level });
    expect(await effect()).toBe(level);
    await alice.follow(bob);
    expect(await effect()).toBe(level);
    await bob.follow(alice);
    server.clock.advance(3 * DAY - 1);
    expect(await effect()).toBe(level);
    server.clock.advance(1);
    expect(await effect()).toBe("accept");
  });

  test("from new accounts accepts accounts after thirty days and those I follow", async () => {
    await set({ for_new_accounts: level });
    expect(await effect()).toBe(level);
    server.clock.advance(30 * DAY - 1);
    expect(await effect()).toBe(level);
    server.clock.advance(1);
    expect(await effect()).toBe("accept");
    const bobby = await server.person("bobby");
    await alice.follow(bobby);
    expect(await effect(() => bobby.publish("@alice hello"))).toBe("accept");
  });

  test("from limited accounts accepts those I follow", async () => {
    await set({ for_limited_accounts: level });
    expect(await effect()).toBe("accept");
    await moderate(server, "silence", bob);
    expect(await effect()).toBe(level);
    await alice.follow(bob);
    expect(await effect()).toBe("accept");
  });

  test("from private mentions accepts public mentions, replies to my private posts, and accounts I follow", async () => {
    await set({ for_private_mentions: level });
    expect(await effect(() => direct(bob, "@alice psst"))).toBe(level);
    expect(await effect()).toBe("accept");
    const mine = await direct(alice, "@bob what was that?");
    const answer = await direct(bob, "@alice nothing", mine.id);
    expect(await effect(() => direct(bob, "@alice or", answer.id))).toBe("accept");
    expect(await effect(() => direct(bob, "@alice psst again"))).toBe(level);
    const open = await alice.publish("@bob in public");
    expect(await effect(() => direct(bob, "@alice in private", open.id))).toBe(level);
    const dora = await server.person("dora");
    const wider = await direct(bob, "@alice @dora listen", mine.id);
    expect(await effect(() => direct(dora, "@alice hello from me", wider.id))).toBe(level);
    await alice.follow(bob);
    expect(await effect(() => direct(bob, "@alice friend"))).toBe("accept");
  });

  test("from accounts that I don't follow affects all their interactions, but no updates to posts I interacted with", async () => {
    const mine = await alice.publish("mine");
    const theirs = await bob.publish({ status: "theirs", poll: { options: ["a", "b"], expires_in: 300 } });
    const { id } = theirs.poll;
    await set({ for_not_following: level });
    for (const act of [
      () => bob.post(`/api/v1/statuses/${mine.id}/favourite`),
      () => bob.post(`/api/v1/statuses/${mine.id}/reblog`),
      () => bob.follow(alice),
      () => bob.publish({ status: "look", quoted_status_id: mine.id }),
      () => bob.publish("@alice hello"),
    ]) {
      expect(await effect(act)).toBe(level);
    }
    await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
    await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
    expect(await effect(() => bob.follow(alice))).toBe(level);
    await alice.post(`/api/v1/polls/${id}/votes`, { choices: [0] });
    await alice.post(`/api/v1/statuses/${theirs.id}/reblog`);
    await alice.publish({ status: "quoting", quoted_status_id: theirs.id });
    const types = async () => (await alice.get("/api/v1/notifications")).json.map((it: Json) => it.type);
    await bob.put(`/api/v1/statuses/${theirs.id}`, {
      status: "theirs, better",
      poll: { options: ["a", "b"], expires_in: 300 },
    });
    expect((await types()).toSorted()).toEqual(["quoted_update", "update"]);
    await alice.post(`/api/v1/polls/${id}/votes`, { choices: [0] });
    server.clock.advance(301_000);
    await server.drain();
    expect(await types()).toContain("poll");
  });
});

describe("Several policies", () => {
  test("apply together, and the strictest one wins", async () => {
    await set({ for_not_following: "filter", for_new_accounts: "drop" });
    expect(await effect()).toBe("drop");
    server.clock.advance(30 * DAY);
    expect(await effect()).toBe("filter");
  });
});

describe("A moderator's mention", () => {
  test("reaches users whatever their policy and blocks, but not other moderators", async () => {
    const mo = await server.person("mo", { role: "moderator" });
    const ugo = await server.person("ugo", { role: "user" });
    for (const who of [alice, ugo]) {
      await who.patch(PATH, { for_not_following: "drop" });
      await who.post(`/api/v1/accounts/${mo.id}/block`);
    }
    await mo.publish("@alice @ugo stop it");
    const told = async (who: Client) => (await who.get("/api/v1/notifications")).json.map((it: Json) => it.type);
    expect([await told(alice), await told(ugo)]).toEqual([[], ["mention"]]);
    const { id } = await ugo.publish("mine");
    await mo.post(`/api/v1/statuses/${id}/favourite`);
    expect(await told(ugo)).toEqual(["mention"]);
  });
});
