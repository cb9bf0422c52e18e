import { describe, expect, test } from "bun:test";
import { attachMedia } from "../../src/core/media/attachments.ts";
import type { Client, Json } from "../support/client.ts";
import {
  followRow,
  homeIdsOf,
  notificationsOf,
  remoteAuthor,
  storeFrom,
  updateFrom,
} from "../support/remote-statuses.ts";
import { deliveryEvents } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Socket } from "../support/streams.ts";
import { uploaded } from "../support/uploads.ts";

const MINUTE = 60_000;

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const seen = async (id: string | null, who: Client = alice): Promise<Json> =>
  (await who.get(`/api/v1/statuses/${id}`)).json;
const historyOf = async (id: string | null): Promise<string[]> =>
  ((await alice.get(`/api/v1/statuses/${id}/history`)).json as Json[]).map(({ content }) => content);

/** A status of a minute ago. */
function stored(sent: Parameters<typeof storeFrom>[2] = {}): string {
  const rob = remoteAuthor(server, "rob");
  followRow(server, alice, rob);
  return storeFrom(server, rob, { content: "<p>first</p>", createdAt: server.clock.now() - MINUTE, ...sent })!;
}

describe("An edit by a remote author", () => {
  test("replaces the content and keeps the version before", async () => {
    const id = stored({ tags: ["tea"], language: "en" });
    updateFrom(server, id, { content: "<p>second</p>", spoilerText: "loud", tags: ["coffee"], language: "de" });
    expect(await seen(id)).toMatchObject({
      content: "<p>second</p>",
      spoiler_text: "loud",
      language: "de",
      tags: [{ name: "coffee" }],
      edited_at: "2026-11-21T12:00:00.000Z",
    });
    expect(await historyOf(id)).toEqual(["<p>first</p>", "<p>second</p>"]);
  });

  test("notifies newly mentioned accounts, and those that boosted the status", async () => {
    const id = stored({ mentions: [alice] });
    await alice.post(`/api/v1/statuses/${id}/reblog`);
    updateFrom(server, id, { content: "<p>second</p>", mentions: [alice, bob] });
    expect(await notificationsOf(bob)).toEqual([["mention", id]]);
    expect(await notificationsOf(alice)).toEqual([
      ["update", id],
      ["mention", id],
    ]);
  });

  inProcess("is streamed", async () => {
    const id = stored();
    const socket = await Socket.open(alice, "?stream=user");
    updateFrom(server, id, { content: "<p>second</p>" });
    expect(await socket.next()).toMatchObject({ event: "status.update", payload: { id, content: "<p>second</p>" } });
    await socket.close();
  });

  test("is found by its new words", async () => {
    const id = stored({ mentions: [alice] });
    updateFrom(server, id, { content: "<p>second</p>", mentions: [alice] });
    const found = async (q: string) => (await alice.get(`/api/v2/search?type=statuses&q=${q}`)).json.statuses.length;
    expect([await found("first"), await found("second")]).toEqual([0, 1]);
  });

  test("is not delivered again", () => {
    const rob = remoteAuthor(server, "rob");
    followRow(server, rob, alice);
    const id = storeFrom(server, rob, { mentions: [alice], createdAt: server.clock.now() - MINUTE });
    updateFrom(server, id, { content: "<p>second</p>" });
    expect(deliveryEvents(server)).toEqual([]);
  });

  test("that arrives after a later one is ignored", async () => {
    const id = stored();
    const now = server.clock.now();
    updateFrom(server, id, {
      content: "<p>third</p>",
      editedAt: now - 1000,
      originCounts: { favourites: 3, reblogs: 0, replies: null },
    });
    updateFrom(server, id, {
      content: "<p>second</p>",
      editedAt: now - 2000,
      originCounts: { favourites: 2, reblogs: 0, replies: null },
    });
    expect(await seen(id)).toMatchObject({ content: "<p>third</p>", favourites_count: 3 });
    expect(await historyOf(id)).toEqual(["<p>first</p>", "<p>third</p>"]);
  });

  test("is never newer than now, so that the next one counts", async () => {
    const id = stored();
    updateFrom(server, id, { content: "<p>second</p>", editedAt: Date.UTC(2099, 0, 1) });
    server.clock.advance(MINUTE);
    updateFrom(server, id, { content: "<p>third</p>" });
    expect(await seen(id)).toMatchObject({ content: "<p>third</p>", edited_at: "2026-11-21T12:01:00.000Z" });
  });

  test("with the same content only changes counts", async () => {
    const id = stored();
    for (const editedAt of [server.clock.now(), null]) {
      updateFrom(server, id, {
        content: "<p>first</p>",
        editedAt,
        originCounts: { favourites: 7, reblogs: 2, replies: null },
      });
      expect(await seen(id)).toMatchObject({ favourites_count: 7, reblogs_count: 2, edited_at: null });
    }
    expect(await historyOf(id)).toEqual(["<p>first</p>"]);
  });

  test("without a time changes no content", async () => {
    const id = stored();
    updateFrom(server, id, { content: "<p>second</p>", editedAt: null });
    expect(await seen(id)).toMatchObject({ content: "<p>first</p>", edited_at: null });
  });

  test("stores its media, and a version if they differ", async () => {
    const id = stored();
    const { id: mediaId } = await uploaded(alice);
    const replaceMedia = () => server.ctx.db.transaction((tx) => attachMedia(tx, Number(id), [Number(mediaId)]));
    updateFrom(server, id, { content: "<p>first</p>", hasMedia: true, replaceMedia });
    expect((await seen(id)).media_attachments).toHaveLength(1);
    expect(await historyOf(id)).toEqual(["<p>first</p>", "<p>first</p>"]);
  });

  test("of an old status with a hashtag is not added to the timelines of the hashtag's followers", async () => {
    const rob = remoteAuthor(server, "rob");
    await alice.post("/api/v1/tags/tea/follow");
    const sent = { createdAt: server.clock.now() - 7 * 60 * MINUTE };
    const old = storeFrom(server, rob, sent, "fetched");
    const recent = storeFrom(server, rob, { createdAt: server.clock.now() - MINUTE })!;
    for (const id of [old, recent]) updateFrom(server, id, { content: "<p>#tea</p>", tags: ["tea"] });
    expect(await homeIdsOf(alice)).toEqual([recent]);
  });
});
