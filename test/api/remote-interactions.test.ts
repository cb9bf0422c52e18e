import { describe, expect, test } from "bun:test";
import { isTombstoned } from "../../src/core/tombstones.ts";
import { removeFavourite, storeFavourite } from "../../src/core/statuses/interactions.ts";
import type { Client, Json } from "../support/client.ts";
import {
  followRow,
  homeIdsOf,
  notificationsOf,
  reblogFrom,
  remoteAuthor,
  removeFrom,
  rowOf,
  storeFrom,
} from "../support/remote-statuses.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Socket } from "../support/streams.ts";

const HOUR = 3600_000;

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const seen = async (id: string | null, who: Client = alice): Promise<Json> =>
  (await who.get(`/api/v1/statuses/${id}`)).json;

function favouriteFrom(who: { id: string }, statusId: string, uri: string | null = null, isQuiet = false) {
  const { ctx } = server;
  const favourite = { accountId: Number(who.id), status: rowOf(server, statusId), uri, emoji: null, isQuiet };
  return ctx.db.transaction((tx) => storeFavourite(ctx, tx, favourite));
}

describe("A reblog by a remote account", () => {
  test("is in the home timelines of followers, counts, and notifies the author", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, bob, rob);
    const post = await alice.publish("hello");
    const id = reblogFrom(server, rob, post.id)!;
    expect(await homeIdsOf(bob)).toEqual([id]);
    expect(await seen(id)).toMatchObject({ id, account: { acct: "rob@far.example" }, reblog: { id: post.id } });
    expect(await seen(post.id)).toMatchObject({ reblogs_count: 1 });
    expect(await notificationsOf(alice)).toEqual([["reblog", post.id]]);
  });

  test("is stored once, by its URI and by its account", async () => {
    const rob = remoteAuthor(server, "rob");
    const [first, second] = [await alice.publish("one"), await alice.publish("two")];
    const uri = "https://far.example/reblogs/1";
    const id = reblogFrom(server, rob, first.id, { uri });
    expect(reblogFrom(server, rob, first.id, { uri })).toBe(id);
    expect(reblogFrom(server, rob, first.id, { uri: "https://far.example/reblogs/2" })).toBe(id);
    expect(reblogFrom(server, rob, second.id, { uri })).toBe(id);
    expect(await seen(first.id)).toMatchObject({ reblogs_count: 1 });
    expect(await seen(second.id)).toMatchObject({ reblogs_count: 0 });
  });

  test("that was undone doesn't come back", async () => {
    const rob = remoteAuthor(server, "rob");
    const post = await alice.publish("hello");
    removeFrom(server, reblogFrom(server, rob, post.id));
    expect(await seen(post.id)).toMatchObject({ reblogs_count: 0 });
    expect(await notificationsOf(alice)).toEqual([]);
    expect(reblogFrom(server, rob, post.id)).toBeNull();
  });

  test("that arrives late is at its place, unless the status is near it", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, bob, rob);
    const at = server.clock.now() - 10 * HOUR;
    const far = remoteAuthor(server, "far");
    const near = storeFrom(server, rob, { createdAt: at })!;
    for (let more = 0; more < 50; more += 1) storeFrom(server, rob, { createdAt: at + HOUR + more });
    const other = storeFrom(server, far, {}, "fetched")!;
    const before = await homeIdsOf(bob);
    expect(reblogFrom(server, rob, near, { createdAt: at - 1000 })).not.toBeNull();
    const late = reblogFrom(server, rob, other, { createdAt: server.clock.now() - 7 * HOUR })!;
    expect(await homeIdsOf(bob)).toEqual([late, ...before].slice(0, 40));
    const entries = server.ctx.db.all("SELECT 1 FROM home_timeline");
    expect(entries).toHaveLength(52);
  });

  inProcess("is streamed only if it arrives soon", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, bob, rob);
    const [first, second] = [await alice.publish("one"), await alice.publish("two")];
    const socket = await Socket.open(bob, "?stream=user");
    reblogFrom(server, rob, first.id, { createdAt: server.clock.now() - 7 * HOUR });
    const id = reblogFrom(server, rob, second.id);
    expect(await socket.next()).toMatchObject({ event: "update", payload: { id } });
    await socket.close();
  });

  test("that was fetched is in no timeline and notifies nobody", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, bob, rob);
    const post = await alice.publish("hello");
    reblogFrom(server, rob, post.id, {}, "fetched");
    expect(await homeIdsOf(bob)).toEqual([]);
    expect(await notificationsOf(alice)).toEqual([]);
    expect(await seen(post.id)).toMatchObject({ reblogs_count: 1 });
  });

  test("disappears with the original", async () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, bob, rob);
    const post = await alice.publish("hello");
    const id = reblogFrom(server, rob, post.id);
    await alice.delete(`/api/v1/statuses/${post.id}`);
    expect(await homeIdsOf(bob)).toEqual([]);
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(404);
  });
});

describe("A favourite by a remote account", () => {
  test("counts once and notifies the author", async () => {
    const rob = remoteAuthor(server, "rob");
    const post = await alice.publish("hello");
    expect(favouriteFrom(rob, post.id, "https://far.example/likes/1")).not.toBeNull();
    expect(favouriteFrom(rob, post.id, "https://far.example/likes/2")).toBeNull();
    expect(await seen(post.id)).toMatchObject({ favourites_count: 1 });
    expect(await notificationsOf(alice)).toEqual([["favourite", post.id]]);
    expect((await alice.get(`/api/v1/statuses/${post.id}/favourited_by`)).json).toMatchObject([
      { acct: "rob@far.example" },
    ]);
  });

  test("can be quiet", async () => {
    const post = await alice.publish("hello");
    favouriteFrom(remoteAuthor(server, "rob"), post.id, null, true);
    expect(await seen(post.id)).toMatchObject({ favourites_count: 1 });
    expect(await notificationsOf(alice)).toEqual([]);
  });

  test("can be undone", async () => {
    const rob = remoteAuthor(server, "rob");
    const post = await alice.publish("hello");
    favouriteFrom(rob, post.id, "https://far.example/likes/1");
    const undo = () => server.ctx.db.transaction((tx) => removeFavourite(tx, Number(rob.id), Number(post.id)));
    expect(undo()).toEqual({ uri: "https://far.example/likes/1" });
    expect(undo()).toBeNull();
    expect(await seen(post.id)).toMatchObject({ favourites_count: 0 });
    expect(await notificationsOf(alice)).toEqual([]);
  });
});

describe("A deleted status", () => {
  const isRemembered = (uri: string) => isTombstoned(server.ctx.db, uri);

  test("is remembered by its URI for a year, local or remote", async () => {
    const post = await alice.publish("hello");
    const remote = storeFrom(server, remoteAuthor(server, "rob"), { uri: "https://far.example/1" });
    const uris = [post.uri, "https://far.example/1"];
    expect(uris.map(isRemembered)).toEqual([false, false]);
    await alice.delete(`/api/v1/statuses/${post.id}`);
    removeFrom(server, remote);
    expect(uris.map(isRemembered)).toEqual([true, true]);
    await server.cleanUpAfter(300 * 24 * HOUR);
    expect(uris.map(isRemembered)).toEqual([true, true]);
    await server.cleanUpAfter(100 * 24 * HOUR);
    expect(uris.map(isRemembered)).toEqual([false, false]);
  });

  test("by a remote author disappears with the reblogs, favourites and bookmarks of local users", async () => {
    const id = storeFrom(server, remoteAuthor(server, "rob"));
    for (const act of ["reblog", "favourite", "bookmark"]) await alice.post(`/api/v1/statuses/${id}/${act}`);
    expect(await homeIdsOf(alice)).toHaveLength(1);
    removeFrom(server, id);
    expect(await homeIdsOf(alice)).toEqual([]);
    for (const list of ["favourites", "bookmarks"]) expect((await alice.get(`/api/v1/${list}`)).json).toEqual([]);
  });
});
