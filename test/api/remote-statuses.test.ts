import { describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import {
  followRow,
  homeIdsOf,
  notificationsOf,
  remoteAuthor,
  removeFrom,
  type Sent,
  storeFrom,
} from "../support/remote-statuses.ts";
import { type RemoteAccount } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Socket } from "../support/streams.ts";

const HOUR = 3600_000;
const LATE = 7 * HOUR;

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** A remote account that Alice follows. */
function followed(options: Parameters<typeof followRow>[3] = {}): RemoteAccount {
  const rob = remoteAuthor(server, "rob");
  followRow(server, alice, rob, options);
  return rob;
}

const seen = async (id: string | null, who: Client = alice): Promise<Json> =>
  (await who.get(`/api/v1/statuses/${id}`)).json;
const publicIds = async (query = ""): Promise<string[]> =>
  ((await bob.get(`/api/v1/timelines/public${query}`)).json as Json[]).map(({ id }) => id);
const found = async (q: string, who: Client = alice): Promise<string[]> =>
  ((await who.get(`/api/v2/search?type=statuses&q=${q}`)).json.statuses as Json[]).map(({ id }) => id);
const late = (): Sent => ({ createdAt: server.clock.now() - LATE });

describe("A delivered status", () => {
  test("is shown with the data of its server", async () => {
    const rob = followed();
    const id = storeFrom(server, rob, {
      uri: "https://far.example/users/rob/statuses/1",
      content: "<p>hello <strong>all</strong></p>",
      spoilerText: "loud",
      sensitive: true,
      language: "de",
      tags: ["Tea"],
      mentions: [bob],
      editedAt: server.clock.now(),
    });
    expect(await seen(id)).toMatchObject({
      id,
      uri: "https://far.example/users/rob/statuses/1",
      url: "https://far.example/@rob/statuses/1",
      created_at: "2026-11-21T12:00:00.000Z",
      edited_at: "2026-11-21T12:00:00.000Z",
      account: { acct: "rob@far.example", statuses_count: 1, last_status_at: "2026-11-21" },
      content: "<p>hello <strong>all</strong></p>",
      spoiler_text: "loud",
      sensitive: true,
      language: "de",
      tags: [{ name: "tea" }],
      mentions: [{ acct: "bob" }],
      in_reply_to_id: null,
    });
  });

  test("is in the home timelines of followers, in the public timeline and in searches", async () => {
    const id = storeFrom(server, followed(), { content: "<p>rare words</p>", mentions: [alice] })!;
    expect(await homeIdsOf(alice)).toEqual([id]);
    expect(await homeIdsOf(bob)).toEqual([]);
    expect(await publicIds("?remote=true")).toEqual([id]);
    expect(await found("rare")).toEqual([id]);
  });

  test("notifies mentioned accounts and subscribers", async () => {
    const id = storeFrom(server, followed({ notify: true }), { mentions: [bob] })!;
    expect(await notificationsOf(alice)).toEqual([["status", id]]);
    expect(await notificationsOf(bob)).toEqual([["mention", id]]);
  });

  test("is visible to accounts that it addresses without mentioning them, who are not notified", async () => {
    const id = storeFrom(server, remoteAuthor(server, "rob"), { visibility: "private", addressees: [bob] });
    expect(await seen(id, bob)).toMatchObject({ id, mentions: [] });
    expect((await alice.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect(await notificationsOf(bob)).toEqual([]);
  });

  inProcess("is streamed", async () => {
    const [home, open] = [await Socket.open(alice, "?stream=user"), await Socket.open(bob, "?stream=public")];
    const id = storeFrom(server, followed());
    for (const socket of [home, open]) expect(await socket.next()).toMatchObject({ event: "update", payload: { id } });
    await home.close();
    await open.close();
  });

  test("is stored once", async () => {
    const rob = followed();
    const uri = "https://far.example/1";
    const id = storeFrom(server, rob, { uri, mentions: [bob] });
    expect(storeFrom(server, rob, { uri, content: "<p>other</p>", mentions: [bob] })).toBe(id);
    expect(await seen(id)).toMatchObject({ content: "<p>from afar</p>" });
    expect(await notificationsOf(bob)).toHaveLength(1);
  });

  test("doesn't come back once it was deleted", async () => {
    const rob = followed();
    const uri = "https://far.example/1";
    const id = storeFrom(server, rob, { uri });
    removeFrom(server, id);
    expect((await alice.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect(storeFrom(server, rob, { uri })).toBeNull();
    expect(await homeIdsOf(alice)).toEqual([]);
  });

  test("is in the timelines at the time of its publication", async () => {
    const rob = followed();
    const times = [3, 1, 2].map((minutes) => server.clock.now() - minutes * 60_000);
    const [oldest, newest, middle] = times.map((createdAt) => storeFrom(server, rob, { createdAt })!) as [
      string,
      string,
      string,
    ];
    expect(await homeIdsOf(alice)).toEqual([newest, middle, oldest]);
    expect(await publicIds()).toEqual([newest, middle, oldest]);
  });

  test("is never newer than now", async () => {
    const id = storeFrom(server, followed(), { createdAt: Date.UTC(2099, 0, 1) });
    server.clock.advance(1);
    const own = await alice.publish("after");
    expect(await homeIdsOf(alice)).toEqual([own.id, id!]);
    expect(await seen(id)).toMatchObject({ created_at: "2026-11-21T12:00:00.000Z" });
  });

  test.each([Date.UTC(1969, 6, 20), Date.UTC(2005, 0, 1)])("of before 2010 has an id, too: %d", async (createdAt) => {
    const rob = followed();
    const ids = new Set(Array.from({ length: 20 }, () => storeFrom(server, rob, { createdAt })));
    expect(ids.size).toBe(20);
    for (const id of ids) expect((await seen(id)).created_at).toBe(new Date(createdAt).toISOString());
  });
});

test("Hundreds of statuses of the same second have different ids", async () => {
  const rob = remoteAuthor(server, "rob");
  const createdAt = server.clock.now() - 60_000;
  const ids = new Set(Array.from({ length: 500 }, () => storeFrom(server, rob, { createdAt })));
  expect(ids.size).toBe(500);
});

describe("A status that arrives more than six hours after its publication", () => {
  test("is at its place in the home timelines, and in searches, but notifies no subscribers", async () => {
    const rob = followed({ notify: true });
    const own = await alice.publish("now");
    const id = storeFrom(server, rob, { ...late(), content: "<p>rare words</p>" })!;
    expect(await homeIdsOf(alice)).toEqual([own.id, id]);
    expect(await notificationsOf(alice)).toEqual([]);
    await alice.post(`/api/v1/statuses/${id}/bookmark`);
    expect(await found("rare")).toEqual([id]);
  });

  test("notifies accounts that it mentions", async () => {
    const id = storeFrom(server, followed(), { ...late(), mentions: [alice, bob] })!;
    expect(await notificationsOf(bob)).toEqual([["mention", id]]);
    expect(await notificationsOf(alice)).toEqual([["mention", id]]);
  });

  inProcess("is streamed only to accounts that it mentions", async () => {
    const rob = followed();
    followRow(server, bob, rob);
    const [mentioned, other] = [await Socket.open(alice, "?stream=user"), await Socket.open(bob, "?stream=user")];
    const open = await Socket.open(bob, "?stream=public");
    const id = storeFrom(server, rob, { ...late(), mentions: [alice] });
    const next = storeFrom(server, rob);
    expect(await mentioned.next()).toMatchObject({ event: "update", payload: { id } });
    expect(await mentioned.next()).toMatchObject({ event: "notification", payload: { status: { id } } });
    for (const socket of [mentioned, other, open]) {
      expect(await socket.next()).toMatchObject({ event: "update", payload: { id: next } });
      await socket.close();
    }
  });

  test("stays out of a full home timeline and list if it is older than all entries", async () => {
    const rob = followed();
    const { json: list } = await alice.post("/api/v1/lists", { title: "far" });
    await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [rob.id] });
    const before = server.clock.now() - 10 * LATE;
    const times = Array.from({ length: 800 }, (_, at) => before + at * 1000);
    server.ctx.db.transaction(() => times.map((createdAt) => storeFrom(server, rob, { createdAt })));
    const old = storeFrom(server, rob, { createdAt: before - HOUR });
    const recent = storeFrom(server, rob, { createdAt: before + HOUR });
    const entries = (table: string) =>
      server.ctx.db
        .all<{ status_id: number }>(`SELECT status_id FROM ${table}`)
        .map(({ status_id }) => String(status_id));
    for (const table of ["home_timeline", "list_timeline"]) {
      expect(entries(table)).toHaveLength(801);
      expect(entries(table)).toContain(recent!);
      expect(entries(table)).not.toContain(old!);
    }
  });
});

describe("A status that was fetched", () => {
  test("is in no home timeline or list, and notifies nobody", async () => {
    const rob = followed({ notify: true });
    const { json: list } = await alice.post("/api/v1/lists", { title: "far" });
    await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [rob.id] });
    await bob.post("/api/v1/tags/tea/follow");
    const id = storeFrom(server, rob, { mentions: [alice, bob], tags: ["tea"] }, "fetched");
    expect([await homeIdsOf(alice), await homeIdsOf(bob)]).toEqual([[], []]);
    expect((await alice.get(`/api/v1/timelines/list/${list.id}`)).json).toEqual([]);
    expect([await notificationsOf(alice), await notificationsOf(bob)]).toEqual([[], []]);
    expect(await seen(id)).toMatchObject({ id });
  });

  inProcess("is not streamed", async () => {
    const socket = await Socket.open(alice, "?stream=public");
    const rob = followed();
    storeFrom(server, rob, {}, "fetched");
    const next = storeFrom(server, rob);
    expect(await socket.next()).toMatchObject({ event: "update", payload: { id: next } });
    await socket.close();
  });

  test("is in searches and counts as a reply", async () => {
    const own = await alice.publish("question");
    const id = storeFrom(server, followed(), { content: "<p>rare</p>", inReplyToUri: own.uri }, "fetched")!;
    await alice.post(`/api/v1/statuses/${id}/bookmark`);
    expect(await found("rare")).toEqual([id]);
    expect(await seen(own.id)).toMatchObject({ replies_count: 1 });
  });
});

test("The counts of a remote status are those of its server, if they are higher", async () => {
  const rob = followed();
  const id = storeFrom(server, rob, { originCounts: { favourites: 5, reblogs: 0, replies: null } });
  expect(await seen(id)).toMatchObject({ favourites_count: 5, reblogs_count: 0 });
  await alice.post(`/api/v1/statuses/${id}/favourite`);
  await alice.post(`/api/v1/statuses/${id}/reblog`);
  expect(await seen(id)).toMatchObject({ favourites_count: 6, reblogs_count: 1 });
  await alice.post(`/api/v1/statuses/${id}/unfavourite`);
  await alice.post(`/api/v1/statuses/${id}/unreblog`);
  expect(await seen(id)).toMatchObject({ favourites_count: 5, reblogs_count: 0 });
});
