import { describe, expect, jest, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { idsOf, wordsOf } from "../support/reading.ts";
import { Socket } from "../support/streams.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { Visitor } from "../web/visitor.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"], { LINNET_SEARCH: "public" });

const suspend = (target: { id: string } = bob) => act(server, "suspend", target);
const DISABLED = { error: "Your login is currently disabled" };

describe("A suspended account", () => {
  test("keeps only its id and name", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", {
      display_name: "Bob :x:",
      note: "a note",
      fields_attributes: [{ name: "web", value: "example.org" }],
      bot: true,
      locked: true,
      discoverable: true,
      indexable: true,
    });
    await bob.publish("post");
    expect((await alice.get(`/api/v1/accounts/${bob.id}`)).json).not.toHaveProperty("suspended");
    await suspend();
    const { status, json } = await alice.get(`/api/v1/accounts/${bob.id}`);
    expect(status).toBe(200);
    expectShape(json, "Account");
    const missing = (kind: string) => `${server.origin}/${kind}/original/missing.png`;
    expect(json).toMatchObject({
      id: bob.id,
      acct: "bob",
      suspended: true,
      display_name: "",
      note: "",
      fields: [],
      emojis: [],
      bot: false,
      locked: false,
      discoverable: false,
      indexable: false,
      avatar: missing("avatars"),
      avatar_static: missing("avatars"),
      header: missing("headers"),
      header_static: missing("headers"),
      statuses_count: 1,
    });
    for (const path of ["lookup?acct=bob", `?id[]=${bob.id}`]) {
      const answer = (await server.stranger().get(`/api/v1/accounts${path.startsWith("?") ? path : `/${path}`}`)).json;
      expect([answer].flat()).toEqual([json]);
    }
    undo(server, "suspend", bob);
    const back = (await alice.get(`/api/v1/accounts/${bob.id}`)).json;
    expect([back.display_name, back.note, back.suspended]).toEqual(["Bob :x:", "<p>a note</p>", undefined]);
  });

  test("has an empty profile", async () => {
    await alice.follow(bob);
    await bob.follow(alice);
    await bob.post(`/api/v1/accounts/${alice.id}/endorse`);
    await bob.post("/api/v1/featured_tags", { name: "tag" });
    const { id } = await bob.publish("post #tag");
    await bob.post(`/api/v1/statuses/${id}/pin`);
    const lists = ["statuses", "statuses?pinned=true", "followers", "following", "endorsements", "featured_tags"];
    const lengths = () =>
      Promise.all(lists.map(async (list) => (await alice.get(`/api/v1/accounts/${bob.id}/${list}`)).json.length));
    expect(await lengths()).toEqual([1, 1, 1, 1, 1, 1]);
    await suspend();
    expect(await lengths()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("has no visible posts until the suspension ends", async () => {
    await alice.follow(bob);
    const list = (await alice.post("/api/v1/lists", { title: "friends" })).json;
    await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [bob.id] });
    await bob.patch("/api/v1/accounts/update_credentials", { indexable: true });
    const root = await alice.publish("root");
    const post = await bob.publish({ status: "@alice words #tag", in_reply_to_id: root.id });
    const plain = await bob.publish("plain words #tag");
    for (const verb of ["favourite", "bookmark"]) await alice.post(`/api/v1/statuses/${plain.id}/${verb}`);
    const carol = await server.person("carol");
    await carol.post(`/api/v1/statuses/${plain.id}/reblog`);
    const quoting = await carol.publish({ status: "see", quoted_status_id: plain.id });

    const wordsAt = async (path: string) => {
      const { json } = await alice.get(path);
      return wordsOf(json.descendants ?? json.statuses ?? json).filter((words: string) => words.includes("words"));
    };
    const paths = [
      "/api/v1/timelines/home",
      "/api/v1/timelines/public",
      "/api/v1/timelines/tag/tag",
      `/api/v1/timelines/list/${list.id}`,
      "/api/v1/favourites",
      "/api/v1/bookmarks",
      `/api/v1/accounts/${carol.id}/statuses`,
      `/api/v1/statuses/${root.id}/context`,
      "/api/v2/search?q=words&type=statuses",
    ];
    for (const path of paths) expect([path, (await wordsAt(path)).length > 0]).toEqual([path, true]);
    await suspend();
    for (const path of paths) expect([path, await wordsAt(path)]).toEqual([path, []]);
    for (const id of [post.id, plain.id]) {
      for (const who of [alice, server.stranger()]) {
        expect((await who.get(`/api/v1/statuses/${id}`)).status).toBe(404);
      }
    }
    const { quote } = (await alice.get(`/api/v1/statuses/${quoting.id}`)).json;
    expect(quote).toEqual({ state: "unauthorized", quoted_status: null });
    undo(server, "suspend", bob);
    for (const path of paths) expect([path, (await wordsAt(path)).length > 0]).toEqual([path, true]);
  });

  test("disappears from notifications and all lists of accounts", async () => {
    await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
    const carol = await server.person("carol");
    await bob.patch("/api/v1/accounts/update_credentials", { discoverable: true });
    const { id } = await alice.publish("post");
    await alice.follow(bob);
    await alice.post(`/api/v1/accounts/${bob.id}/endorse`);
    const list = (await alice.post("/api/v1/lists", { title: "friends" })).json;
    await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [bob.id] });
    await carol.post(`/api/v1/accounts/${bob.id}/block`);
    await carol.post(`/api/v1/accounts/${bob.id}/mute`);
    await bob.follow(alice);
    for (const verb of ["favourite", "reblog"]) await bob.post(`/api/v1/statuses/${id}/${verb}`);
    const lists: [Client, string][] = [
      [alice, "/api/v1/notifications"],
      [alice, "/api/v1/follow_requests"],
      [alice, `/api/v1/accounts/${alice.id}/following`],
      [alice, "/api/v1/endorsements"],
      [alice, `/api/v1/statuses/${id}/favourited_by`],
      [alice, `/api/v1/statuses/${id}/reblogged_by`],
      [alice, "/api/v1/accounts/search?q=bob"],
      [alice, "/api/v1/directory"],
      [alice, `/api/v1/lists/${list.id}/accounts`],
      [carol, "/api/v1/blocks"],
      [carol, "/api/v1/mutes"],
      [alice, `/api/v1/accounts/relationships?id[]=${bob.id}`],
    ];
    for (const [who, path] of lists) expect([path, (await who.get(path)).json.length > 0]).toEqual([path, true]);
    await suspend();
    for (const [who, path] of lists) expect([path, (await who.get(path)).json]).toEqual([path, []]);
    const { json } = await alice.get(`/api/v1/accounts/relationships?id[]=${bob.id}&with_suspended=true`);
    expect(json).toMatchObject([{ id: bob.id, following: true }]);
  });

  test("disappears from grouped notifications and notification requests", async () => {
    const { id } = await alice.publish("post");
    const carol = await server.person("carol");
    for (const who of [carol, bob]) await who.post(`/api/v1/statuses/${id}/favourite`);
    await alice.put("/api/v2/notifications/policy", { for_not_following: "filter" });
    await bob.publish("@alice psst");
    const seen = async () => {
      const [group] = (await alice.get("/api/v2/notifications")).json.notification_groups;
      const { summary } = (await alice.get("/api/v2/notifications/policy")).json;
      const requests = (await alice.get("/api/v1/notifications/requests")).json;
      return [group.sample_account_ids, requests.length, summary.pending_requests_count];
    };
    expect(await seen()).toEqual([[bob.id, carol.id], 1, 1]);
    await suspend();
    expect(await seen()).toEqual([[carol.id], 0, 0]);
  });

  test("can't be found by its URL", async () => {
    const path = `/api/v2/search?type=accounts&resolve=true&q=${encodeURIComponent(`${server.origin}/@bob`)}`;
    expect(idsOf((await alice.get(path)).json.accounts)).toEqual([bob.id]);
    await suspend();
    expect((await alice.get(path)).json.accounts).toEqual([]);
  });

  test("isn't named on the start page", async () => {
    const names = async () => (await new Visitor(server).get("/")).text.match(/@\w+(?=@)/g);
    expect(await names()).toEqual(["@alice", "@bob"]);
    await suspend();
    expect(await names()).toEqual(["@alice"]);
  });

  test("isn't counted as a user", async () => {
    const count = async () => (await alice.get("/api/v1/instance")).json.stats.user_count;
    expect(await count()).toBe(2);
    await suspend();
    expect(await count()).toBe(1);
  });

  test("is not a familiar follower", async () => {
    const carol = await server.person("carol");
    await alice.follow(bob);
    await bob.follow(carol);
    const familiar = async () => {
      const { json } = await alice.get(`/api/v1/accounts/familiar_followers?id[]=${carol.id}`);
      return idsOf(json[0].accounts);
    };
    expect(await familiar()).toEqual([bob.id]);
    await suspend();
    expect(await familiar()).toEqual([]);
  });

  test("can't be followed or mentioned", async () => {
    await suspend();
    const { status, json } = await alice.follow(bob);
    expect([status, json]).toEqual([404, { error: "Record not found" }]);
    expect((await alice.publish("@bob hello")).mentions).toEqual([]);
    expect((await alice.post(`/api/v1/accounts/${bob.id}/block`)).json.blocking).toBe(true);
  });

  test("is refused with any token, even where anonymous access is allowed", async () => {
    await suspend();
    const calls = ["/api/v1/accounts/verify_credentials", "/api/v1/timelines/home", "/api/v1/timelines/public"];
    for (const path of calls) {
      const { status, json } = await bob.get(path);
      expect([path, status, json]).toEqual([path, 403, DISABLED]);
    }
    const { status, json } = await bob.post("/api/v1/statuses", { status: "still here" });
    expect([status, json]).toEqual([403, DISABLED]);
    const stream = await bob.get("/api/v1/streaming/user");
    expect([stream.status, stream.json]).toEqual([401, DISABLED]);
    undo(server, "suspend", bob);
    expect((await bob.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
  });

  test("can't be suspended twice, nor unsuspended twice", async () => {
    await suspend();
    await expect(suspend()).rejects.toThrow("@bob is already suspended.");
    undo(server, "suspend", bob);
    expect(() => undo(server, "suspend", bob)).toThrow("@bob isn't suspended.");
  });

  test("of another server is hidden in the same way", async () => {
    const spammer = remoteAccount(server, "spammer", "spam.example");
    remoteStatus(server, spammer, "spam");
    await suspend({ id: spammer });
    expect((await alice.get("/api/v1/timelines/public")).json).toEqual([]);
    expect((await alice.get(`/api/v1/accounts/${spammer}`)).json).toMatchObject({ suspended: true });
  });
});

describe("A frozen account", () => {
  const freeze = () => act(server, "disable", bob);

  test("is refused with any token, while its posts stay", async () => {
    const { id } = await bob.publish("still here");
    await freeze();
    for (const path of ["/api/v1/accounts/verify_credentials", "/api/v1/timelines/public"]) {
      const { status, json } = await bob.get(path);
      expect([status, json]).toEqual([403, DISABLED]);
    }
    expect((await alice.get(`/api/v1/statuses/${id}`)).status).toBe(200);
    expect((await alice.get(`/api/v1/accounts/${bob.id}`)).json).not.toHaveProperty("suspended");
    undo(server, "disable", bob);
    expect((await bob.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
  });

  test.each(["disable", "suspend"] as const)("by %s is signed out, and the sign-in page says why", async (action) => {
    const visitor = new Visitor(server);
    await visitor.signIn("bob");
    expect(await visitor.signedInAs()).toBe("bob");
    await act(server, action, bob);
    expect(await visitor.signedInAs()).toBeNull();
    const refused = await visitor.signIn("bob");
    expect([refused.status, refused.location]).toEqual([403, null]);
    expect(refused.text).toContain("Sign-in is disabled for this account.");
    expect((await visitor.signIn("bob", "wrong")).text).not.toContain("disabled");
    undo(server, action, bob);
    expect((await visitor.signIn("bob")).location).toBe("/home");
  });

  inProcess.each(["disable", "suspend"] as const)("by %s loses its streams", async (action) => {
    jest.useFakeTimers();
    const socket = await Socket.open(bob, "?stream=user");
    await act(server, action, bob);
    jest.advanceTimersByTime(15_000);
    jest.useRealTimers();
    expect((await socket.closed).code).toBe(1008);
  });

  test("publishes no scheduled posts, and keeps them in its list", async () => {
    const scheduled_at = new Date(server.clock.now() + 3600_000).toISOString();
    await bob.post("/api/v1/statuses", { status: "later", scheduled_at });
    await freeze();
    server.clock.advance(2 * 3600_000);
    await server.drain();
    expect((await alice.get(`/api/v1/accounts/${bob.id}/statuses`)).json).toEqual([]);
    undo(server, "disable", bob);
    expect((await bob.get("/api/v1/scheduled_statuses")).json).toMatchObject([{ params: { text: "later" } }]);
  });
});
