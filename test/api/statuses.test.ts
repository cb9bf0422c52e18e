import { describe, expect, test } from "bun:test";
import { statusTextsById } from "../../src/entities/statuses/statuses.ts";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, wordsOf } from "../support/reading.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"], { LINNET_MAX_CHARACTERS: "500" });

const post = (body: object, headers?: Record<string, string>): Promise<Answer> =>
  alice.post("/api/v1/statuses", body, { headers });
const read = async (id: string, reader: Client = alice): Promise<Answer> => reader.get(`/api/v1/statuses/${id}`);

describe("A status", () => {
  test("has every field of the documentation", async () => {
    const { status, json } = await post({ status: "hello, world", language: "en" });
    expect(status).toBe(200);
    expectShape(json, "Status");
    expect(json).toMatchObject({
      created_at: "2026-11-21T12:00:00.000Z",
      in_reply_to_id: null,
      in_reply_to_account_id: null,
      sensitive: false,
      spoiler_text: "",
      visibility: "public",
      language: "en",
      uri: `${server.origin}/users/alice/statuses/${json.id}`,
      url: `${server.origin}/@alice/${json.id}`,
      replies_count: 0,
      reblogs_count: 0,
      favourites_count: 0,
      edited_at: null,
      content: "<p>hello, world</p>",
      reblog: null,
      application: { name: "Test", website: null },
      media_attachments: [],
      mentions: [],
      tags: [],
      emojis: [],
      card: null,
      poll: null,
      filtered: [],
      favourited: false,
      reblogged: false,
      muted: false,
      bookmarked: false,
      pinned: false,
    });
    expect(json.account.id).toBe(alice.id);
  });

  test("has its detected language by default", async () => {
    const languageOf = async (body: object) => (await post(body)).json.language;
    expect(await languageOf({ status: "Guten Morgen zusammen! Heute regnet es wieder" })).toBe("de");
    expect(await languageOf({ spoiler_text: "Je viens de publier un nouvel article" })).toBe("fr");
    expect(await languageOf({ status: "ok" })).toBe("en");
    expect(await languageOf({ status: "Guten Morgen zusammen! Heute regnet es wieder", language: "pl" })).toBe("pl");
    await alice.patch("/api/v1/accounts/update_credentials", { source: { language: "nl" } });
    expect(await languageOf({ status: "Guten Morgen zusammen! Heute regnet es wieder" })).toBe("nl");
  });

  test.each([
    ["pt-BR", "pt-BR"],
    ["zh-Hant", "zh-Hant"],
    ["en_US", "en"],
    ["es-419", "es"],
    ["zh-Hant-TW", "zh"],
    ["DE", "de"],
  ])("has the language that a device sends as %s: %s", async (language, kept) => {
    const { status, json } = await post({ status: "hello", language });
    expect([status, json.language]).toEqual([200, kept]);
    const edited = await alice.put(`/api/v1/statuses/${json.id}`, { status: "bye", language });
    expect([edited.status, edited.json.language]).toEqual([200, kept]);
  });

  test("has no viewer flags for anonymous viewers", async () => {
    const { id } = await alice.publish("hello");
    const { json } = await read(id, server.stranger());
    expectShape(json, "Status");
    expect(json).not.toContainAnyKeys(["favourited", "reblogged", "muted", "bookmarked", "pinned", "filtered"]);
  });

  test("has the pinned flag only for its author", async () => {
    const { id } = await alice.publish("hello");
    const { json } = await read(id, bob);
    expect(json).toContainKeys(["favourited", "reblogged", "muted", "bookmarked", "filtered"]);
    expect(json).not.toContainKey("pinned");
  });

  test("can be sent as form, JSON, query, and without a content type", async () => {
    const bodies: [object | undefined, string, RequestInit?][] = [
      [{ status: "words" }, ""],
      [new URLSearchParams({ status: "words" }), ""],
      [Object.assign(new FormData()), "?status=words"],
      [undefined, "?status=words"],
    ];
    for (const [body, query] of bodies) {
      const answer = await alice.post(`/api/v1/statuses${query}`, body);
      expect([answer.status, answer.json.content]).toEqual([200, "<p>words</p>"]);
    }
    const headers = { authorization: `Bearer ${alice.token}` };
    const bare = await fetch(`${server.origin}/api/v1/statuses`, {
      method: "POST",
      headers,
      body: new Blob(["status=words"]),
    });
    expect(bare.status).toBe(200);
  });

  test("links URLs, people and hashtags, and mentions the named people", async () => {
    const { json } = await post({ status: "@bob look: https://example.org/path #Cats & <b>dogs</b>\nbye" });
    expectShape(json, "Status");
    expect(json.mentions).toEqual([{ id: bob.id, username: "bob", acct: "bob", url: `${server.origin}/@bob` }]);
    expect(json.tags).toEqual([{ name: "cats", url: `${server.origin}/tags/cats` }]);
    expect(json.content).toContain(`<a href="${server.origin}/@bob" class="u-url mention">@<span>bob</span></a>`);
    expect(json.content).toContain(`<span class="invisible">https://</span>`);
    expect(json.content).toContain("&amp; &lt;b&gt;dogs&lt;/b&gt;<br");
  });

  test("mentions an account once, however often and in whatever way it is named", async () => {
    const { json } = await post({ status: "@bob @BOB @bob@localhost:3000 @nobody @bob@elsewhere.example" });
    expect(json.mentions.length).toBe(1);
  });

  test("with a content warning is sensitive", async () => {
    const { json } = await post({ status: "the end", spoiler_text: "spoilers" });
    expect(json).toMatchObject({ spoiler_text: "spoilers", sensitive: true });
    expect((await post({ status: "x", sensitive: "true" })).json).toMatchObject({ sensitive: true, spoiler_text: "" });
  });

  test("of an image and a content warning has the warning as its text, and stays sensitive", async () => {
    const media = await uploaded(alice);
    const { json } = await post({ status: "", spoiler_text: "spiders", media_ids: [media.id] });
    expect(json).toMatchObject({ sensitive: true, content: "<p>spiders</p>" });
  });

  test("requires text or an attachment", async () => {
    for (const body of [{}, { status: "" }, { status: " \n\t" }, { status: null }]) {
      const { status, json } = await post(body);
      expect([status, json]).toEqual([422, { error: "Validation failed: Text can't be blank" }]);
    }
    const media = await uploaded(alice);
    expect((await post({ media_ids: [media.id] })).status).toBe(200);
  });

  test("may have as many characters as the instance allows, counting graphemes", async () => {
    const url = `https://example.org/${"x".repeat(300)}`;
    expect((await post({ status: "👩‍👩‍👧".repeat(500) })).status).toBe(200);
    expect((await post({ status: `${url} ${"x".repeat(476)}` })).status).toBe(200);
    const sentence = { error: "Validation failed: Text character limit of 500 exceeded" };
    expect((await post({ status: "x".repeat(501) })).json).toEqual(sentence);
    const { status, json } = await post({ status: "x".repeat(400), spoiler_text: "x".repeat(101) });
    expect([status, json]).toEqual([422, sentence]);
  });

  test.each<[string, object, string]>([
    ["an unknown visibility", { visibility: "friends" }, "'friends' is not a valid visibility"],
    ["an invalid language", { language: "klingon!" }, "Validation failed: Language is invalid"],
    ["an invalid sensitive flag", { sensitive: "very" }, "Validation failed: Sensitive must be true or false"],
    ["a list as text", { status: ["a"] }, "Validation failed: Status is invalid"],
    ["an unknown attachment", { media_ids: ["1"] }, "Validation failed: Media attachments are unknown"],
    ["invalid media ids", { media_ids: ["x", {}] }, "Validation failed"],
  ])("is refused with %s, and nothing is published", async (_, body, sentence) => {
    const { status, json } = await post({ status: "hello", ...body });
    expect(status).toBe(422);
    expect(json.error).toStartWith(sentence);
    expect((await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json).toEqual([]);
  });

  test("accepts null for missing fields", async () => {
    const nothing = ["visibility", "language", "sensitive", "spoiler_text", "in_reply_to_id", "media_ids", "poll"];
    const body = Object.fromEntries([...nothing, "scheduled_at"].map((name) => [name, null]));
    expect((await post({ ...body, status: "hello" })).status).toBe(200);
  });

  test.each(["12", "x", "99999999999999999999"])("can't reply to a missing status (%s)", async (in_reply_to_id) => {
    const { status, json } = await post({ status: "hello", in_reply_to_id });
    expect([status, json]).toEqual([404, { error: "The post you are trying to reply to does not appear to exist." }]);
  });

  test("that doesn't exist is not found by any method", async () => {
    for (const id of ["1", "x", "-1", "99999999999999999999", "%20", "1e3"]) {
      for (const path of ["", "/context", "/history", "/source", "/favourited_by", "/reblogged_by"]) {
        expect((await alice.get(`/api/v1/statuses/${id}${path}`)).json).toEqual({ error: "Record not found" });
      }
      for (const verb of ["favourite", "reblog", "unreblog", "bookmark", "pin", "unpin", "mute", "unmute"]) {
        expect((await alice.post(`/api/v1/statuses/${id}/${verb}`)).status).toBe(404);
      }
      expect((await alice.delete(`/api/v1/statuses/${id}`)).status).toBe(404);
      expect((await alice.put(`/api/v1/statuses/${id}`, { status: "x" })).status).toBe(404);
    }
  });

  inProcess("that doesn't exist is left out of a map of several", async () => {
    const [first, second] = [Number((await alice.publish("one")).id), Number((await alice.publish("two")).id)];
    const texts = statusTextsById(server.ctx, Number(alice.id), [first, 1, second]);
    expect([...texts].map(([id, text]) => [id, JSON.parse(text).id])).toEqual([
      [first, String(first)],
      [second, String(second)],
    ]);
  });

  test("can be requested together with others, in the requested order", async () => {
    const [one, two] = [await alice.publish("one"), await bob.publish("two")];
    const answer = await server.stranger().get(`/api/v1/statuses?id[]=${two.id}&id[]=9&id[]=x&id[]=${one.id}`);
    expectShape(answer.json, ["Status"]);
    expect(idsOf(answer)).toEqual([two.id, one.id]);
    expect((await alice.get("/api/v1/statuses")).json).toEqual([]);
    const many = Array.from({ length: 41 }, (_, at) => `id[]=${at + 1}`).join("&");
    expect((await alice.get(`/api/v1/statuses?${many}`)).status).toBe(422);
  });
});

describe("Concurrent statuses", () => {
  test("are refused individually, and the others are published", async () => {
    const texts = Array.from({ length: 30 }, (_, n) => (n % 3 === 1 ? "x".repeat(501) : `number ${n}`));
    const answers = await Promise.all(texts.map((status) => post({ status })));
    expect(answers.map(({ status }) => status)).toEqual(texts.map((_, n) => (n % 3 === 1 ? 422 : 200)));
    const listed = await alice.get(`/api/v1/accounts/${alice.id}/statuses?limit=40`);
    const wanted = texts.filter((text) => text.length < 500).map((text) => `<p>${text}</p>`);
    expect(listed.json.map(({ content }: Json) => content).sort()).toEqual(wanted.sort());
    expect((await alice.get(`/api/v1/accounts/${alice.id}`)).json.statuses_count).toBe(wanted.length);
  });

  test("can reply to the same status", async () => {
    const first = await post({ status: "hello" });
    const in_reply_to_id = first.json.id;
    const answers = await Promise.all(Array.from({ length: 10 }, () => bob.publish({ status: "hi", in_reply_to_id })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(10);
    expect((await read(in_reply_to_id)).json.replies_count).toBe(10);
  });
});

describe("A repeated Idempotency-Key", () => {
  const once = (key: string, status = "hello") => post({ status }, { "Idempotency-Key": key });

  test("returns the same status again", async () => {
    const [first, second] = [await once("k"), await once("k")];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json).toEqual(first.json);
    expect((await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json.length).toBe(1);
  });

  test("returns the same status to concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => once("k")));
    expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(1);
    expect((await alice.get(`/api/v1/accounts/${alice.id}`)).json.statuses_count).toBe(1);
  });

  test("is separate for each user, and expires after an hour", async () => {
    const first = await once("k");
    const others = await bob.post("/api/v1/statuses", { status: "hi" }, { headers: { "Idempotency-Key": "k" } });
    expect(others.json.account.id).toBe(bob.id);
    server.clock.advance(3600_000 + 1);
    expect((await once("k")).json.id).not.toBe(first.json.id);
  });

  test("creates a new status if the first was deleted", async () => {
    const first = await once("k");
    await alice.delete(`/api/v1/statuses/${first.json.id}`);
    const second = await once("k");
    expect(second.status).toBe(200);
    expect(second.json.id).not.toBe(first.json.id);
  });

  test("is compared completely, however long it is", async () => {
    const [first, second] = [await once(`${"k".repeat(300)}1`, "one"), await once(`${"k".repeat(300)}2`, "two")];
    expect(wordsOf([first.json, second.json])).toEqual(["one", "two"]);
  });

  test("of a refused status can be used for the corrected one", async () => {
    expect((await once("k", "x".repeat(501))).status).toBe(422);
    expect((await once("k", "short")).status).toBe(200);
  });
});

describe("Deleting a status", () => {
  test("returns its text and keeps its attachments, so that it can be redrafted", async () => {
    const media = await uploaded(alice, { description: "a slope" });
    const body = { status: "hello @bob #cats", spoiler_text: "cw", visibility: "unlisted", media_ids: [media.id] };
    const { json: status } = await post(body);
    const { status: code, json } = await alice.delete(`/api/v1/statuses/${status.id}`);
    expect(code).toBe(200);
    expectShape(json, "Status");
    expect(json).toMatchObject({ id: status.id, text: "hello @bob #cats", spoiler_text: "cw", visibility: "unlisted" });
    expect(json.media_attachments[0].id).toBe(media.id);
    const again = await post({ ...body, media_ids: [media.id] });
    expect(again.json.media_attachments[0]).toMatchObject({ id: media.id, description: "a slope" });
  });

  test("removes it everywhere", async () => {
    const { id } = await alice.publish("hello @bob #cats");
    await bob.follow(alice);
    await bob.post(`/api/v1/statuses/${id}/favourite`);
    await bob.post(`/api/v1/statuses/${id}/bookmark`);
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    await alice.post(`/api/v1/statuses/${id}/pin`);
    await alice.delete(`/api/v1/statuses/${id}`);
    expect((await read(id)).status).toBe(404);
    const lists = [
      "/api/v1/timelines/home",
      "/api/v1/timelines/public",
      "/api/v1/timelines/tag/cats",
      "/api/v1/favourites",
      "/api/v1/bookmarks",
      `/api/v1/accounts/${alice.id}/statuses`,
      `/api/v1/accounts/${bob.id}/statuses`,
      `/api/v1/accounts/${alice.id}/statuses?pinned=true`,
    ];
    for (const path of lists) expect([path, idsOf(await bob.get(path))]).toEqual([path, []]);
    for (const who of [alice, bob]) {
      const { json } = await who.get("/api/v1/notifications");
      expect(json.filter((it: Json) => it.status)).toEqual([]);
      expect((await who.get(`/api/v1/accounts/${who.id}`)).json.statuses_count).toBe(0);
    }
  });

  test("keeps the replies to it", async () => {
    const root = await alice.publish("root");
    const reply = await bob.publish({ status: "reply", in_reply_to_id: root.id });
    await alice.delete(`/api/v1/statuses/${root.id}`);
    expect((await read(reply.id)).json).toMatchObject({ in_reply_to_id: null, in_reply_to_account_id: alice.id });
  });

  test("deletes its attachments at once if requested", async () => {
    const media = await uploaded(alice);
    const { json } = await post({ media_ids: [media.id] });
    await alice.delete(`/api/v1/statuses/${json.id}?delete_media=true`);
    await server.drain();
    expect((await fetch(media.url)).status).toBe(404);
    expect((await alice.get(`/api/v1/media/${media.id}`)).status).toBe(404);
  });

  test("of another user is not found", async () => {
    const { id } = await alice.publish("hello");
    const { status, json } = await bob.delete(`/api/v1/statuses/${id}`);
    expect([status, json]).toEqual([404, { error: "Record not found" }]);
    expect((await read(id)).status).toBe(200);
  });
});

describe("The counters", () => {
  const counters = async (): Promise<Json> => (await bob.get(`/api/v1/accounts/${alice.id}`)).json;

  test("of an account count posts and boosts, but no direct posts", async () => {
    const { id } = await bob.publish("bob's");
    const { id: first } = await alice.publish("one");
    await alice.publish({ status: "two", visibility: "private" });
    await alice.publish({ status: "psst", visibility: "direct" });
    await alice.post(`/api/v1/statuses/${id}/reblog`);
    expect((await counters()).statuses_count).toBe(3);
    await alice.delete(`/api/v1/statuses/${first}`);
    await alice.post(`/api/v1/statuses/${id}/unreblog`);
    expect((await counters()).statuses_count).toBe(1);
  });

  test("of an account include the day of the last status", async () => {
    expect((await counters()).last_status_at).toBeNull();
    await alice.publish("one");
    server.clock.advance(24 * 3600_000);
    await alice.publish("two");
    expect((await counters()).last_status_at).toBe("2026-11-22");
  });

  test("of a status count its public replies", async () => {
    const root = await alice.publish("root");
    const replies = async () => (await read(root.id)).json.replies_count;
    const reply = await bob.publish({ status: "1", in_reply_to_id: root.id });
    await bob.publish({ status: "2", in_reply_to_id: root.id, visibility: "unlisted" });
    await bob.publish({ status: "3", in_reply_to_id: root.id, visibility: "private" });
    await bob.publish({ status: "4 @alice", in_reply_to_id: root.id, visibility: "direct" });
    expect(await replies()).toBe(2);
    await bob.delete(`/api/v1/statuses/${reply.id}`);
    expect(await replies()).toBe(1);
  });
});

describe("The source of a status", () => {
  const source = (who: Client, id: string) => who.get(`/api/v1/statuses/${id}/source`);

  test("is its text, for everyone who may see the status", async () => {
    const { id } = await alice.publish({ status: "hello <b> @bob", spoiler_text: "cw" });
    for (const who of [alice, bob]) {
      const { json } = await source(who, id);
      expectShape(json, "StatusSource");
      expect(json).toEqual({ id, text: "hello <b> @bob", spoiler_text: "cw", content_type: "text/plain" });
    }
    expect((await source(server.stranger(), id)).status).toBe(401);
  });

  test("is hidden with the status", async () => {
    for (const visibility of ["private", "direct"]) {
      const { id } = await alice.publish({ status: "hello", visibility });
      expect([(await source(alice, id)).status, (await source(bob, id)).status]).toEqual([200, 404]);
    }
  });

  test("is the HTML of a remote status", async () => {
    const id = remoteStatus(server, remoteAccount(server, "dora", "elsewhere.example"), "hello");
    expect((await source(alice, id)).json).toEqual({
      id,
      text: "<p>hello</p>",
      spoiler_text: "",
      content_type: "text/html",
    });
  });
});

test("ids grow with time, when ordered by length and then by text", async () => {
  const ids: string[] = [];
  for (let at = 0; at < 10; at++) {
    ids.push((await alice.publish(`${at}`)).id);
    server.clock.advance(at);
  }
  expect(ids.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))).toEqual(ids);
  expect(new Set(ids).size).toBe(10);
});
