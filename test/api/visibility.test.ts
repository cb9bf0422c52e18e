import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { idsOf } from "../support/reading.ts";
import { block, mute } from "../support/rows.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { serverForAllTests, serverForEachTest } from "../support/setup.ts";
import { listening, Socket } from "../support/streams.ts";

const VISIBILITIES = ["public", "unlisted", "private", "direct"] as const;
type Visibility = (typeof VISIBILITIES)[number];

describe("A status", () => {
  const { server, alice } = serverForAllTests(["alice"]);
  const readers = new Map<string, Client>();
  const statuses = new Map<Visibility, Json>();

  /** The readers of each visibility. */
  const SEEN_BY: Record<Visibility, string[]> = {
    public: ["the author", "a follower", "a mentioned user", "another user", "an anonymous visitor"],
    unlisted: ["the author", "a follower", "a mentioned user", "another user", "an anonymous visitor"],
    private: ["the author", "a follower", "a mentioned user"],
    direct: ["the author", "a mentioned user"],
  };
  const NAMES = [...SEEN_BY.public, "a blocked user"];

  beforeAll(async () => {
    const [follower, mentioned, other, blocked] = [
      await server.person("follower"),
      await server.person("mentioned"),
      await server.person("other"),
      await server.person("blocked"),
    ];
    for (const who of [follower, blocked]) await who.follow(alice);
    for (const visibility of VISIBILITIES) {
      const status = await alice.publish({ status: `@mentioned @blocked #tag ${visibility}`, visibility });
      statuses.set(visibility, status);
      // The lists that depend on a status must not be empty.
      await alice.post(`/api/v1/statuses/${status.id}/favourite`);
      await alice.post(`/api/v1/statuses/${status.id}/reblog`);
      await alice.publish({ status: `reply to ${visibility}`, visibility, in_reply_to_id: status.id });
    }
    block(server, alice, blocked);
    const all: [string, Client][] = [
      ["the author", alice],
      ["a follower", follower],
      ["a mentioned user", mentioned],
      ["another user", other],
      ["an anonymous visitor", server.stranger()],
      ["a blocked user", blocked],
    ];
    for (const [name, client] of all) readers.set(name, client);
  });

  const cases = VISIBILITIES.flatMap((visibility) => NAMES.map((name) => [visibility, name] as const));

  test.each(cases)("that is %s is equally visible or hidden for %s in all places", async (visibility, name) => {
    const [reader, status] = [readers.get(name)!, statuses.get(visibility)!];
    const sees = SEEN_BY[visibility].includes(name);
    const code = sees ? 200 : 404;
    for (const path of ["", "/context", "/history", "/favourited_by", "/reblogged_by"]) {
      const answer = await reader.get(`/api/v1/statuses/${status.id}${path}`);
      expect([path, answer.status]).toEqual([path, code]);
    }
    const lists = {
      [`/api/v1/statuses?id[]=${status.id}`]: sees,
      [`/api/v1/accounts/${alice.id}/statuses`]: sees,
      [`/api/v1/accounts/${alice.id}/statuses?tagged=tag`]: sees,
      "/api/v1/timelines/public": sees && visibility === "public",
      "/api/v1/timelines/public?local=true": sees && visibility === "public",
      "/api/v1/timelines/tag/tag": sees && visibility === "public",
    };
    for (const [path, there] of Object.entries(lists)) {
      expect([path, idsOf(await reader.get(path)).includes(status.id)]).toEqual([path, there]);
    }
  });

  test.each(cases)("that is %s accepts or refuses interactions by %s", async (visibility, name) => {
    const [reader, status] = [readers.get(name)!, statuses.get(visibility)!];
    if (name === "an anonymous visitor")
      return expect((await reader.post(`/api/v1/statuses/${status.id}/bookmark`)).status).toBe(401);
    const { status: code } = await reader.post(`/api/v1/statuses/${status.id}/bookmark`);
    expect(code).toBe(SEEN_BY[visibility].includes(name) ? 200 : 404);
    await reader.post(`/api/v1/statuses/${status.id}/unbookmark`);
  });

  test("is in the author's home timeline, and in a follower's up to the visibility private", async () => {
    const seen = async (name: string) => {
      const ids = new Set(idsOf(await readers.get(name)!.get("/api/v1/timelines/home?limit=40")));
      return VISIBILITIES.filter((visibility) => ids.has(statuses.get(visibility)!.id));
    };
    expect(await seen("the author")).toEqual([...VISIBILITIES]);
    expect(await seen("a follower")).toEqual(["public", "unlisted", "private"]);
    expect(await seen("a mentioned user")).toEqual([]);
    expect(await seen("a blocked user")).toEqual([]);
  });

  test("is in the notifications of mentioned users who aren't blocked", async () => {
    const notified = async (name: string) =>
      (await readers.get(name)!.get("/api/v1/notifications")).json.map((it: Json) => it.status.visibility);
    expect(await notified("a mentioned user")).toEqual(["direct", "private", "unlisted", "public"]);
    expect(await notified("a blocked user")).toEqual([]);
  });

  test("is in the public list of an account only if it is public or unlisted", async () => {
    const { json } = await server.stranger().get(`/api/v1/accounts/${alice.id}/statuses`);
    const visible = json.map((it: Json) => (it.reblog ?? it).visibility);
    expect(new Set(visible)).toEqual(new Set(["public", "unlisted"]));
  });
});

describe("A status that is no longer visible", () => {
  const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
  let secret: Json;

  beforeEach(async () => {
    await bob.follow(alice);
    secret = await alice.publish({ status: "for followers", visibility: "private" });
    for (const verb of ["favourite", "bookmark"]) await bob.post(`/api/v1/statuses/${secret.id}/${verb}`);
  });

  const LISTS = ["/api/v1/favourites", "/api/v1/bookmarks", "/api/v1/timelines/home"];

  test("leaves the user's lists, and returns when it becomes visible", async () => {
    for (const path of LISTS) expect([path, idsOf(await bob.get(path))]).toEqual([path, [secret.id]]);
    await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
    for (const path of LISTS) expect([path, idsOf(await bob.get(path))]).toEqual([path, []]);
    await bob.follow(alice);
    await server.drain();
    for (const path of LISTS) expect([path, idsOf(await bob.get(path))]).toEqual([path, [secret.id]]);
  });

  test("disappears from notifications", async () => {
    const { id } = await alice.publish({ status: "@bob psst", visibility: "private" });
    const [notification] = (await bob.get("/api/v1/notifications")).json;
    expect(notification.status.id).toBe(id);
    block(server, alice, bob);
    expect((await bob.get("/api/v1/notifications")).json).toEqual([]);
    expect((await bob.get(`/api/v1/notifications/${notification.id}`)).status).toBe(404);
    expect((await bob.get("/api/v1/notifications/unread_count")).json).toEqual({ count: 0 });
  });

  test("isn't revealed by a boost", async () => {
    const carol = await server.person("carol");
    await bob.follow(carol);
    const open = await alice.publish("open");
    const boost = (await carol.post(`/api/v1/statuses/${open.id}/reblog`)).json;
    expect(idsOf(await bob.get("/api/v1/timelines/home"))).toContain(boost.reblog.id);
    block(server, alice, bob);
    expect((await bob.get(`/api/v1/statuses/${boost.id}`)).status).toBe(404);
    for (const path of [
      `/api/v1/statuses?id[]=${boost.id}`,
      `/api/v1/accounts/${carol.id}/statuses`,
      "/api/v1/timelines/home",
    ]) {
      expect([path, JSON.stringify((await bob.get(path)).json).includes("open")]).toEqual([path, false]);
    }
  });
});

describe("A direct status that its recipient may no longer see", () => {
  const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
  let id: string;

  beforeEach(async () => {
    ({ id } = await alice.publish({ status: "@bob hello", visibility: "direct" }));
  });

  const HIDE: [string, () => unknown][] = [
    ["an edit that removes the mention", () => alice.put(`/api/v1/statuses/${id}`, { status: "a secret" })],
    ["a block", () => alice.post(`/api/v1/accounts/${bob.id}/block`)],
  ];

  test.each(HIDE)("is in no conversation after %s", async (_, hide) => {
    const [{ id: conversation }] = (await bob.get("/api/v1/conversations")).json;
    await hide();
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect((await bob.get("/api/v1/conversations")).json).toEqual([]);
    for (const verb of ["read", "unread"]) {
      const { status, json } = await bob.post(`/api/v1/conversations/${conversation}/${verb}`);
      expect([verb, status, json]).toEqual([verb, 404, { error: "Record not found" }]);
    }
  });

  test.each(HIDE)("is not streamed after %s", async (_, hide) => {
    const [{ id: conversation }] = (await bob.get("/api/v1/conversations")).json;
    const socket = await Socket.open(bob, "?stream=direct");
    await listening(server, 2);
    await hide();
    for (const verb of ["read", "unread"]) await bob.post(`/api/v1/conversations/${conversation}/${verb}`);
    const received = (await socket.soFar()).filter(({ event }: Json) => event !== "delete");
    expect(received).toEqual([]);
    await socket.close();
  });
});

describe("A blocked or muted account", () => {
  const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

  beforeEach(async () => {
    for (const who of [bob, carol]) await alice.follow(who);
    const { id } = await bob.publish("#tag by bob");
    await carol.post(`/api/v1/statuses/${id}/reblog`);
    await carol.publish("#tag by carol");
  });

  const TIMELINES = ["/api/v1/timelines/home", "/api/v1/timelines/public", "/api/v1/timelines/tag/tag"];
  const authors = async (path: string): Promise<Set<string>> =>
    new Set((await alice.get(path)).json.map((it: Json) => (it.reblog ?? it).account.username));

  test.each([
    ["block", (who: TestServer) => block(who, alice, bob)],
    ["mute", (who: TestServer) => mute(who, alice, bob)],
  ])("is in no timeline (%s), even if boosted, before and after", async (_, hide) => {
    hide(server);
    const { id } = await bob.publish("#tag more by bob");
    await carol.post(`/api/v1/statuses/${id}/reblog`);
    for (const path of TIMELINES) expect([path, await authors(path)]).toEqual([path, new Set(["carol"])]);
  });

  test("returns when the mute ends", async () => {
    mute(server, alice, bob, { until: server.clock.now() + 1000 });
    for (const path of TIMELINES) expect([path, await authors(path)]).toEqual([path, new Set(["carol"])]);
    server.clock.advance(1001);
    for (const path of TIMELINES) expect([path, await authors(path)]).toEqual([path, new Set(["carol", "bob"])]);
  });

  test("causes no notifications", async () => {
    const { id } = await alice.publish("hello");
    block(server, alice, bob);
    mute(server, alice, carol);
    for (const who of [bob, carol]) {
      await who.publish("@alice hi");
      await who.post(`/api/v1/statuses/${id}/favourite`);
      await who.post(`/api/v1/statuses/${id}/reblog`);
      await who.follow(alice);
    }
    expect((await alice.get("/api/v1/notifications")).json).toEqual([]);
  });

  test("causes notifications if the mute allows them", async () => {
    mute(server, alice, carol, { notifications: false });
    await carol.publish("@alice hi");
    expect((await alice.get("/api/v1/notifications")).json.length).toBe(1);
  });
});

test("accounts that block the user are in none of the user's timelines", async () => {
  const server = await startServer();
  const [alice, bob] = [await server.person("alice"), await server.person("bob")];
  await alice.follow(bob);
  await bob.publish("#tag");
  block(server, bob, alice);
  for (const path of ["/api/v1/timelines/home", "/api/v1/timelines/public", "/api/v1/timelines/tag/tag"]) {
    expect([path, (await alice.get(path)).json]).toEqual([path, []]);
  }
  await server.stop();
});
