import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createAnnouncement,
  editAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  type AnnouncementDraft,
} from "../../src/core/server/announcements.ts";
import { removeEmoji } from "../../src/core/media/emojis.ts";
import type { Client, Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { EventReader, Socket } from "../support/streams.ts";

const HOUR = 3600_000;
const PATH = "/api/v1/announcements";

let server: TestServer;
let alice: Client;
let bob: Client;

async function start(settings: Parameters<typeof startServer>[0] = {}): Promise<void> {
  server = await startServer(settings);
  [alice, bob] = [await server.person("alice"), await server.person("bob")];
}

beforeEach(() => start());
afterEach(() => server.stop());

/** Times in hours from now. */
interface Times {
  starts?: number;
  ends?: number;
  publish?: number;
  allDay?: boolean;
}

function announce(text: string, { starts, ends, publish, allDay = false }: Times = {}): string {
  const at = (hours: number | undefined) => (hours === undefined ? null : server.clock.now() + hours * HOUR);
  const draft: AnnouncementDraft = { text, startsAt: at(starts), endsAt: at(ends), publishAt: at(publish), allDay };
  return String(createAnnouncement(server.ctx, draft));
}

const list = async (who = alice, query = ""): Promise<Json[]> => (await who.get(PATH + query)).json;
const one = async (id: string, who = alice): Promise<Json> => (await list(who)).find((it) => it.id === id);
const reactions = async (id: string, who = alice): Promise<Json[]> => (await one(id, who)).reactions;
const reactionPath = (id: string, name: string) => `${PATH}/${id}/reactions/${encodeURIComponent(name)}`;

describe("An announcement", () => {
  test("is shown as HTML with its mentions, statuses, tags and emoji", async () => {
    await server.stop();
    const origin = "https://social.example";
    await start({ LINNET_URL: origin });
    await ownEmoji(server, "blob", { category: "Blobs" });
    const open = await bob.publish("open");
    const closed = await bob.publish({ status: "closed", visibility: "private" });
    const id = announce(`:blob: @bob and @nobody: #News\n\n${open.url} ${open.uri} ${closed.url} https://example.org/`);
    const [shown, ...others] = await list();
    expectShape(shown, "Announcement");
    expect(others).toEqual([]);
    const now = new Date(server.clock.now()).toISOString();
    expect(shown).toEqual({
      id,
      content: expect.stringMatching(/^<p>:blob: <span class="h-card".*@nobody: <a .*#<span>News.*<\/p><p><a href=/),
      starts_at: null,
      ends_at: null,
      all_day: false,
      published_at: now,
      updated_at: now,
      read: false,
      mentions: [{ id: bob.id, username: "bob", acct: "bob", url: `${origin}/@bob` }],
      statuses: [{ id: open.id, url: open.url }],
      tags: [{ name: "news", url: `${origin}/tags/news` }],
      emojis: [expect.objectContaining({ shortcode: "blob", category: "Blobs" })],
      reactions: [],
    });
    await alice.follow(bob);
    expect((await list())[0].statuses.map((it: Json) => it.id)).toEqual([open.id, closed.id]);
  });

  test("has start and end times, and is listed in the order of its start", async () => {
    const ids = [announce("now"), announce("party", { starts: 5, ends: 7 }), announce("soon", { starts: 1 })];
    server.clock.advance(2 * HOUR);
    ids.push(announce("later"));
    const shown = await list();
    expect(shown.map(({ id }) => id)).toEqual([ids[0], ids[2], ids[3], ids[1]]);
    const start = server.clock.now() - 2 * HOUR;
    expect(shown[3]).toMatchObject({
      starts_at: new Date(start + 5 * HOUR).toISOString(),
      ends_at: new Date(start + 7 * HOUR).toISOString(),
      all_day: false,
    });
    const day = announce("holiday", { starts: 24, ends: 48, allDay: true });
    expect((await one(day)).all_day).toBe(true);
  });

  test("is shown from its publication to its end", async () => {
    const id = announce("maintenance", { publish: 1, ends: 2 });
    const about = async () => [
      await list(),
      (await alice.post(`${PATH}/${id}/dismiss`)).status,
      (await alice.put(reactionPath(id, "👍"))).status,
      (await alice.delete(reactionPath(id, "👍"))).status,
    ];
    expect(await about()).toEqual([[], 404, 404, 404]);
    server.clock.advance(HOUR);
    expect(await about()).toEqual([[expect.objectContaining({ id, read: false })], 200, 200, 200]);
    server.clock.advance(HOUR);
    expect(await about()).toEqual([[], 404, 404, 404]);
    expect(listAnnouncements(server.ctx)).toMatchObject([{ id: Number(id), state: "over" }]);
  });

  test("is visible with any user token, and with no other", async () => {
    announce("hello");
    const stranger = await server.stranger().get(PATH);
    expect([stranger.status, stranger.json]).toEqual([401, { error: "The access token is invalid" }]);
    const pusher = await server.person("carol", { scopes: "push" });
    expect(await list(pusher)).toHaveLength(1);
    const headers = { authorization: `Bearer ${server.token(null, "read")}` };
    expect((await server.stranger().get(PATH, { headers })).status).toBe(422);
  });

  inProcess("costs no additional query in a longer list", async () => {
    const cost = async () => {
      clearEntityCache(server);
      const before = server.ctx.db.statements;
      await list();
      return server.ctx.db.statements - before;
    };
    const { url } = await bob.publish("hello");
    announce(`@bob #tag ${url}`);
    await cost();
    const single = await cost();
    for (let at = 0; at < 5; at += 1) await alice.put(reactionPath(announce(`@alice #tag${at} ${url}`), "👍"));
    expect(await list()).toHaveLength(6);
    expect(await cost()).toBe(single);
  });
});

describe("Dismissing an announcement", () => {
  test("marks it as read for this user only, and can be repeated", async () => {
    const [first, second] = [announce("one"), announce("two")];
    for (let at = 0; at < 2; at += 1) {
      const { status, json } = await alice.post(`${PATH}/${first}/dismiss`);
      expect([status, json]).toEqual([200, {}]);
    }
    expect((await list()).map(({ read }) => read)).toEqual([true, false]);
    expect((await list(bob)).map(({ read }) => read)).toEqual([false, false]);
    expect((await list(alice, "?with_dismissed=false")).map(({ id }) => id)).toEqual([second]);
    expect(await list(alice, "?with_dismissed=true")).toHaveLength(2);
  });

  test("needs the scope write:accounts and an announcement that exists", async () => {
    const id = announce("one");
    const path = `${PATH}/${id}/dismiss`;
    expect((await server.stranger().post(path)).status).toBe(401);
    const carol = await server.person("carol", { scopes: "read write:favourites" });
    expect((await carol.post(path)).status).toBe(403);
    for (const other of ["999", "nonsense"]) {
      const { status, json } = await alice.post(`${PATH}/${other}/dismiss`);
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
  });
});

describe("Reacting to an announcement", () => {
  test("counts each user once per emoji, with emoji in the order of their first use", async () => {
    const id = announce("cake");
    for (const [who, name] of [
      [alice, "🎂"],
      [bob, "👍"],
      [bob, "🎂"],
      [alice, "🎂"],
    ] as const) {
      const { status, json } = await who.put(reactionPath(id, name));
      expect([status, json]).toEqual([200, {}]);
    }
    expect(await reactions(id)).toEqual([
      { name: "🎂", count: 2, me: true },
      { name: "👍", count: 1, me: false },
    ]);
    expectShape(await one(id), "Announcement");
    for (let at = 0; at < 2; at += 1) {
      const { status, json } = await bob.delete(reactionPath(id, "🎂"));
      expect([status, json]).toEqual([200, {}]);
    }
    expect(await reactions(id, bob)).toEqual([
      { name: "🎂", count: 1, me: false },
      { name: "👍", count: 1, me: true },
    ]);
  });

  test("counts two spellings of the same emoji as one", async () => {
    const id = announce("love");
    await alice.put(reactionPath(id, "❤"));
    await bob.put(reactionPath(id, "❤️"));
    expect(await reactions(id)).toEqual([{ name: "❤️", count: 2, me: true }]);
    await alice.delete(reactionPath(id, "❤"));
    expect(await reactions(id)).toEqual([{ name: "❤️", count: 1, me: false }]);
  });

  test("with a custom emoji includes its image URLs, until the emoji is removed", async () => {
    await ownEmoji(server, "blob", { moving: true });
    const id = announce("party");
    expect((await alice.put(reactionPath(id, "blob"))).status).toBe(200);
    const [emoji] = (await alice.get("/api/v1/custom_emojis")).json;
    const { url, static_url } = emoji;
    expect(await reactions(id)).toEqual([{ name: "blob", count: 1, me: true, url, static_url }]);
    await ownEmoji(server, "blob");
    expect(await reactions(id)).toMatchObject([{ name: "blob", count: 1, url: expect.not.stringContaining(url) }]);
    removeEmoji(server.ctx, "blob");
    expect(await reactions(id)).toEqual([]);
  });

  test("with anything but an emoji is refused", async () => {
    const id = announce("hello");
    await ownEmoji(server, "blob");
    for (const name of ["x", "1", "👍👍", ":blob:", "Blob", "nobody", "👍 ", "x".repeat(1000)]) {
      for (const { status, json } of [
        await alice.put(reactionPath(id, name)),
        await alice.delete(reactionPath(id, name)),
      ]) {
        expect([status, json]).toEqual([422, { error: "Validation failed: Name is not a recognized emoji" }]);
      }
    }
    expect(await reactions(id)).toEqual([]);
  });

  test("is limited to eight different emoji, to which everyone may add", async () => {
    const id = announce("choose");
    for (const name of ["1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣"]) await alice.put(reactionPath(id, name));
    const { status, json } = await bob.put(reactionPath(id, "9️⃣"));
    expect([status, json]).toEqual([422, { error: "Validation failed: Limit of different reactions reached" }]);
    expect((await bob.put(reactionPath(id, "8️⃣"))).status).toBe(200);
    await alice.delete(reactionPath(id, "1️⃣"));
    expect((await bob.put(reactionPath(id, "9️⃣"))).status).toBe(200);
    expect(await reactions(id)).toHaveLength(8);
  });

  test("needs the scope write:favourites and an announcement that exists", async () => {
    const path = reactionPath(announce("one"), "👍");
    const carol = await server.person("carol", { scopes: "read write:accounts" });
    for (const verb of ["put", "delete"] as const) {
      expect((await server.stranger()[verb](path)).status).toBe(401);
      expect((await carol[verb](path)).status).toBe(403);
      for (const other of ["999", "nonsense"]) {
        const { status, json } = await alice[verb](reactionPath(other, "👍"));
        expect([status, json]).toEqual([404, { error: "Record not found" }]);
      }
    }
  });
});

describe("The user stream", () => {
  const change = (id: string, changes: Partial<AnnouncementDraft>) => editAnnouncement(server.ctx, Number(id), changes);

  test("has an event when an announcement is published, edited or removed, as each user sees it", async () => {
    const stream = await EventReader.open(alice, "user");
    const socket = await Socket.open(bob, "?stream=user");
    const id = announce("hello");
    await bob.post(`${PATH}/${id}/dismiss`);
    await server.drain();
    for (const [who, { event, payload }] of [
      [alice, await stream.next()],
      [bob, await socket.next()],
    ] as const) {
      expect(event).toBe("announcement");
      expectShape(payload, "Announcement");
      expect(payload).toEqual(await one(id, who));
    }
    change(id, { text: "hello, all" });
    await server.drain();
    for (const { event, payload } of [await stream.next(), await socket.next()]) {
      expect([event, payload.id, payload.content]).toEqual(["announcement", id, "<p>hello, all</p>"]);
    }
    removeAnnouncement(server.ctx, Number(id));
    await server.drain();
    expect(await stream.block()).toBe(`event: announcement.delete\ndata: ${id}`);
    expect(await socket.raw()).toEqual({ stream: ["user"], event: "announcement.delete", payload: id });
    await Promise.all([stream.close(), socket.close()]);
  });

  test("has one event at the publication and one at the end, however often these times were changed", async () => {
    const socket = await Socket.open(alice, "?stream=user");
    const id = announce("maintenance", { publish: 5, ends: 9 });
    const start = server.clock.now();
    change(id, { publishAt: start + HOUR });
    change(id, { publishAt: start + 2 * HOUR, text: "Maintenance" });
    const events: string[] = [];
    for (let hour = 0; hour <= 10; hour += 1) {
      await server.drain();
      const marker = await bob.publish(`@alice ${hour}`);
      for (let message = await socket.next(); message.event !== "notification"; message = await socket.next()) {
        events.push(`${hour} ${message.event} ${message.payload.id ?? message.payload}`);
      }
      await bob.delete(`/api/v1/statuses/${marker.id}`);
      server.clock.advance(HOUR);
    }
    const announced = events.filter((line) => line.includes("announcement"));
    expect(announced).toEqual([`2 announcement ${id}`, `9 announcement.delete ${id}`]);
    await socket.close();
  });

  test("has an event at once when an announcement is postponed, ended or published early", async () => {
    const socket = await Socket.open(alice, "?stream=user");
    const id = announce("hello");
    await server.drain();
    expect((await socket.next()).event).toBe("announcement");
    const now = server.clock.now();
    server.clock.advance(HOUR);
    for (const [changes, event] of [
      [{ publishAt: now + 5 * HOUR }, "announcement.delete"],
      [{ publishAt: now }, "announcement"],
      [{ endsAt: now + HOUR + 1 }, "announcement"],
    ] as const) {
      change(id, changes);
      await server.drain();
      expect((await socket.next()).event).toBe(event);
    }
    expect((await one(id)).published_at).toBe(new Date(now + HOUR).toISOString());
    server.clock.advance(HOUR);
    await server.drain();
    expect(await socket.next()).toMatchObject({ event: "announcement.delete", payload: id });
    await socket.close();
  });

  test("has an event with the new count after each reaction", async () => {
    await ownEmoji(server, "blob");
    const { url, static_url } = (await alice.get("/api/v1/custom_emojis")).json[0];
    const id = announce("cake");
    await server.drain();
    const stream = await EventReader.open(bob, "user");
    const nextReaction = async () => {
      const { event, payload } = await stream.next();
      expect(event).toBe("announcement.reaction");
      return payload;
    };
    for (const who of [alice, alice, bob]) await who.put(reactionPath(id, "🎂"));
    expect([await nextReaction(), await nextReaction()]).toEqual([
      { name: "🎂", count: 1, announcement_id: id },
      { name: "🎂", count: 2, announcement_id: id },
    ]);
    for (const verb of ["put", "delete", "delete", "put"] as const) await alice[verb](reactionPath(id, "blob"));
    expect([await nextReaction(), await nextReaction(), await nextReaction()]).toEqual(
      [1, 0, 1].map((count) => ({ name: "blob", count, url, static_url, announcement_id: id })),
    );
    await stream.close();
  });

  test("is the only stream with events about announcements", async () => {
    const socket = await Socket.open(alice, "?stream=user:notification");
    for (const stream of ["public", "direct"]) await socket.subscribe(stream);
    announce("hello");
    await server.drain();
    await bob.publish("@alice hello");
    expect((await socket.next()).event).not.toStartWith("announcement");
    await socket.close();
  });
});
