import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { idsOf } from "../support/reading.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { Socket } from "../support/streams.ts";
import { uploaded } from "../support/uploads.ts";

/** Alice, whose filters are tested, follows Bob. */
const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

beforeEach(async () => {
  await alice.follow(bob);
});

async function newFilter(keywords: string[], settings: object = {}): Promise<Json> {
  const keywords_attributes = keywords.map((keyword) => ({ keyword }));
  const { json } = await alice.post("/api/v2/filters", {
    title: "Spoilers",
    context: ["home"],
    keywords_attributes,
    ...settings,
  });
  return json;
}

/** The titles of Alice's filters that match a status. */
const filteredOf = (status: Json): string[] => status.filtered.map(({ filter }: Json) => filter.title);
const seen = async ({ id }: Json): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}`)).json;

describe("A filter match", () => {
  test("includes the filter and the keyword", async () => {
    const filter = await newFilter(["finale", "plot twist"], { filter_action: "blur", expires_in: 60 });
    const status = await bob.publish("What a Plot Twist!");
    const { filtered } = await seen(status);
    expectShape(filtered, ["FilterResult"]);
    const { keywords: _, statuses: __, ...plain } = filter;
    expect(filtered).toEqual([{ filter: plain, keyword_matches: ["plot twist"], status_matches: null }]);
  });

  test("is visible to the filter's owner only", async () => {
    await newFilter(["finale"]);
    const { id } = await bob.publish("the finale");
    expect((await bob.get(`/api/v1/statuses/${id}`)).json.filtered).toEqual([]);
    expect((await server.stranger().get(`/api/v1/statuses/${id}`)).json).not.toHaveProperty("filtered");
  });

  test("is found in the content warning, the text without markup, and media descriptions", async () => {
    await newFilter(["finale"]);
    const { id: media } = await uploaded(bob, { description: "The last scene of the finale" });
    const holding = [
      { status: "text", spoiler_text: "Finale" },
      { status: "A #finale" },
      { status: "first line\nfinale" },
      { status: "look", media_ids: [media] },
    ];
    for (const draft of holding) expect(filteredOf(await seen(await bob.publish(draft)))).toEqual(["Spoilers"]);
    const markup = await newFilter(["class", "amp", "href"], { title: "Markup" });
    expect(filteredOf(await seen(await bob.publish("Q&A @alice https://news.example/?a=1&b=2")))).toEqual([]);
    await alice.delete(`/api/v2/filters/${markup.id}`);
  });

  test("is found in complete URLs, even if they are displayed shortened", async () => {
    await newFilter(["news.example/2026"]);
    const status = await bob.publish("https://news.example/2026/11/a-story-with-a-very-long-address-indeed");
    expect(filteredOf(await seen(status))).toEqual(["Spoilers"]);
  });

  test("includes a status that was added to the filter", async () => {
    const filter = await newFilter([]);
    const [status, other] = [await bob.publish("hello"), await bob.publish("hello again")];
    await alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: status.id });
    const { filtered } = await seen(status);
    expectShape(filtered, ["FilterResult"]);
    expect(filtered).toMatchObject([{ keyword_matches: null, status_matches: [status.id] }]);
    expect(filteredOf(await seen(other))).toEqual([]);
  });

  test("is listed for each filter, with all its matching keywords", async () => {
    await newFilter(["one", "two", "three"], { title: "First" });
    await newFilter(["four"], { title: "Second" });
    await newFilter(["two"], { title: "Third" });
    const { filtered } = await seen(await bob.publish("one two"));
    expect(filtered.map(({ filter, keyword_matches }: Json) => [filter.title, keyword_matches])).toEqual([
      ["First", ["one", "two"]],
      ["Third", ["two"]],
    ]);
  });

  test("is found inside of words only if whole_word is false", async () => {
    await newFilter([], { title: "Inside", keywords_attributes: [{ keyword: "cat", whole_word: false }] });
    await newFilter(["cat"], { title: "Whole" });
    expect(filteredOf(await seen(await bob.publish("concatenate")))).toEqual(["Inside"]);
    expect(filteredOf(await seen(await bob.publish("a cat!")))).toEqual(["Inside", "Whole"]);
  });

  test("is included in every context, and the server hides nothing by itself", async () => {
    const context = ["notifications", "account"];
    await newFilter(["finale"], { context, filter_action: "hide" });
    const { id } = await bob.publish("@alice the finale");
    const home = await alice.get("/api/v1/timelines/home");
    expect(idsOf(home)).toEqual([id]);
    expect(home.json[0].filtered).toMatchObject([{ filter: { context, filter_action: "hide" } }]);
    expect((await alice.get("/api/v1/notifications")).json).toMatchObject([{ status: { id, filtered: [{}] } }]);
  });

  test("is included wherever a status is shown", async () => {
    const filter = await newFilter(["finale"]);
    const list = (await alice.post("/api/v1/lists", { title: "A" })).json.id;
    await alice.post(`/api/v1/lists/${list}/accounts`, { account_ids: [bob.id] });
    const { id: parent } = await alice.publish("a question");
    const { id } = await bob.publish({ status: "@alice the #finale", in_reply_to_id: parent });
    for (const action of ["favourite", "bookmark"]) {
      const { json } = await alice.post(`/api/v1/statuses/${id}/${action}`);
      expect(filteredOf(json)).toEqual(["Spoilers"]);
    }
    const paths = [
      "timelines/home",
      "timelines/tag/finale",
      `timelines/list/${list}`,
      "favourites",
      "bookmarks",
      `accounts/${bob.id}/statuses`,
      `statuses?id[]=${id}`,
    ];
    for (const path of paths) {
      const { json } = await alice.get(`/api/v1/${path}`);
      expect(filteredOf(json.find((status: Json) => status.id === id))).toEqual(["Spoilers"]);
    }
    const { json: found } = await alice.get("/api/v2/search?q=finale&type=statuses");
    expect(found.statuses.map(filteredOf)).toEqual([["Spoilers"]]);
    const { id: quoting } = await alice.publish({ status: "look", quoted_status_id: id });
    expect(filteredOf((await seen({ id: quoting })).quote.quoted_status)).toEqual(["Spoilers"]);
    const thread = await alice.get(`/api/v1/statuses/${parent}/context`);
    expect(thread.json.descendants.map(filteredOf)).toEqual([["Spoilers"]]);
    const [mention] = (await alice.get("/api/v1/notifications")).json;
    expect(filteredOf(mention.status)).toEqual(["Spoilers"]);
    expect((await alice.get(`/api/v1/notifications/${mention.id}`)).json.status.filtered).toMatchObject([
      { filter: { id: filter.id } },
    ]);
    await bob.publish({ status: "@alice the finale", visibility: "direct" });
    const [conversation] = (await alice.get("/api/v1/conversations")).json;
    expect(filteredOf(conversation.last_status)).toEqual(["Spoilers"]);
  });

  test("of a boost is that of the original", async () => {
    const filter = await newFilter(["finale"]);
    const original = await bob.publish("the finale");
    const boost = (await bob.post(`/api/v1/statuses/${original.id}/reblog`)).json;
    const shown = await seen(boost);
    expect([filteredOf(shown), filteredOf(shown.reblog)]).toEqual([["Spoilers"], ["Spoilers"]]);
    await alice.put(`/api/v2/filters/${filter.id}`, {
      keywords_attributes: [{ id: filter.keywords[0].id, _destroy: true }],
    });
    expect(filteredOf((await seen(boost)).reblog)).toEqual([]);
    await alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: boost.id });
    expect((await seen(boost)).filtered).toMatchObject([{ status_matches: [boost.id] }]);
    expect(filteredOf(await seen(original))).toEqual([]);
  });

  test("is included in streams", async () => {
    await newFilter(["finale"]);
    const socket = await Socket.open(alice, "?stream=user");
    await socket.subscribe("public");
    await bob.publish("the finale");
    for (let n = 0; n < 2; n += 1) expect(filteredOf((await socket.next()).payload)).toEqual(["Spoilers"]);
    await socket.close();
  });
});

describe("Filters", () => {
  test("apply at once after every change", async () => {
    const status = await bob.publish("the finale");
    const found = async () => filteredOf(await seen(status));
    expect(await found()).toEqual([]);
    const filter = await newFilter(["finale"]);
    expect(await found()).toEqual(["Spoilers"]);
    await alice.put(`/api/v2/filters/${filter.id}`, { title: "Endings" });
    expect(await found()).toEqual(["Endings"]);
    await alice.put(`/api/v2/filters/keywords/${filter.keywords[0].id}`, { keyword: "overture" });
    expect(await found()).toEqual([]);
    const added = await alice.post(`/api/v2/filters/${filter.id}/keywords`, { keyword: "finale" });
    expect(await found()).toEqual(["Endings"]);
    await alice.delete(`/api/v2/filters/keywords/${added.json.id}`);
    expect(await found()).toEqual([]);
    const { json } = await alice.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: status.id });
    expect(await found()).toEqual(["Endings"]);
    await alice.delete(`/api/v2/filters/statuses/${json.id}`);
    expect(await found()).toEqual([]);
    await newFilter(["finale"]);
    expect(await found()).toEqual(["Spoilers"]);
  });

  test("no longer apply after their deletion", async () => {
    const status = await bob.publish("the finale");
    const filter = await newFilter(["finale"]);
    expect(filteredOf(await seen(status))).toEqual(["Spoilers"]);
    await alice.delete(`/api/v2/filters/${filter.id}`);
    expect(filteredOf(await seen(status))).toEqual([]);
  });

  test("apply to edits of the text, the content warning and the media", async () => {
    await newFilter(["finale"]);
    const status = await bob.publish("a secret");
    const found = async () => filteredOf(await seen(status));
    expect(await found()).toEqual([]);
    await bob.put(`/api/v1/statuses/${status.id}`, { status: "the finale" });
    expect(await found()).toEqual(["Spoilers"]);
    await bob.put(`/api/v1/statuses/${status.id}`, { status: "a secret", spoiler_text: "finale" });
    expect(await found()).toEqual(["Spoilers"]);
    await bob.put(`/api/v1/statuses/${status.id}`, { status: "a secret", spoiler_text: "" });
    expect(await found()).toEqual([]);
    const { id: media } = await uploaded(bob, { description: "finale" });
    await bob.put(`/api/v1/statuses/${status.id}`, { status: "a secret", media_ids: [media] });
    expect(await found()).toEqual(["Spoilers"]);
  });

  test("no longer apply after they expire, but are still listed", async () => {
    await newFilter(["finale"], { title: "Short", expires_in: 60 });
    await newFilter(["finale"], { title: "Long", expires_in: 3600 });
    const status = await bob.publish("the finale");
    expect(filteredOf(await seen(status))).toEqual(["Short", "Long"]);
    server.clock.advance(60_000);
    expect(filteredOf(await seen(status))).toEqual(["Long"]);
    server.clock.advance(3600_000);
    expect(filteredOf(await seen(status))).toEqual([]);
    expect((await alice.get("/api/v2/filters")).json).toHaveLength(2);
  });

  test("apply to their owner only", async () => {
    await newFilter(["finale"]);
    const carol = await server.person("carol");
    const { id } = await bob.publish("the finale");
    await carol.post("/api/v2/filters", {
      title: "Carol's",
      context: ["home"],
      keywords_attributes: [{ keyword: "the" }],
    });
    for (const [who, title] of [
      [alice, "Spoilers"],
      [carol, "Carol's"],
      [alice, "Spoilers"],
    ] as const) {
      expect(filteredOf((await who.get(`/api/v1/statuses/${id}`)).json)).toEqual([title]);
    }
  });

  inProcess("take no query once they are cached, for forty statuses as for one", async () => {
    await newFilter(Array.from({ length: 50 }, (_, n) => `keyword${n}`));
    const statements = async () => {
      const before = server.ctx.db.statements;
      await alice.get("/api/v1/timelines/home?limit=40");
      return server.ctx.db.statements - before;
    };
    await bob.publish("one");
    await statements();
    const forOne = await statements();
    for (let n = 0; n < 39; n += 1) await bob.publish(`keyword${n}`);
    await statements();
    expect(await statements()).toBe(forOne);
    await alice.post("/api/v2/filters", { title: "Another", context: ["home"] });
    await statements();
    expect(await statements()).toBe(forOne);
    const without = async () => {
      const before = server.ctx.db.statements;
      await bob.get("/api/v1/timelines/home?limit=40");
      return server.ctx.db.statements - before;
    };
    await without();
    expect(await without()).toBe(forOne);
  });
});
