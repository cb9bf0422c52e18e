import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { idsOf } from "../support/reading.ts";
import { serverForAllTests } from "../support/setup.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);

const HOUR = 3600_000;
const sourceOf = async ({ id }: Json): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}/source`)).json;
const markdown = (status: string, more: object = {}) =>
  alice.publish({ status, content_type: "text/markdown", language: "en", ...more });

describe("A post in Markdown", () => {
  test("is rendered, mentions, tags, links and shows emoji, and keeps its source", async () => {
    await ownEmoji(server, "tea_cup");
    const text = "**Hi** @bob, _#Tea_ :tea_cup:\n\n- https://site.example/a_b\n- `@alice #code`";
    const post = await markdown(text);
    expect(post.content).toStartWith('<p><strong>Hi</strong> <span class="h-card"');
    expect(post.content).toContain("<code>@alice #code</code>");
    expect(post).toMatchObject({
      mentions: [{ acct: "bob" }],
      tags: [{ name: "tea" }],
      emojis: [{ shortcode: "tea_cup" }],
    });
    expect(post.content).toContain('<li><a href="https://site.example/a_b"');
    const news = (await bob.get("/api/v1/notifications?types[]=mention")).json;
    expect(news).toMatchObject([{ status: { id: post.id } }]);
    expect((await bob.get("/api/v1/timelines/tag/tea")).json).toMatchObject([{ id: post.id }]);
    expect(await sourceOf(post)).toEqual({
      id: post.id,
      text,
      spoiler_text: "",
      content_type: "text/markdown",
    });
  });

  test("stays Markdown when it is edited, unless the edit has another format; the history has all versions", async () => {
    const { id } = await markdown("*one*");
    server.clock.advance(1000);
    const edited = (await alice.put(`/api/v1/statuses/${id}`, { status: "*two*" })).json;
    expect(edited.content).toBe("<p><em>two</em></p>");
    server.clock.advance(1000);
    const plain = (await alice.put(`/api/v1/statuses/${id}`, { content_type: "text/plain" })).json;
    expect(plain.content).toBe("<p>*two*</p>");
    expect(await sourceOf({ id })).toMatchObject({ text: "*two*", content_type: "text/plain" });
    const { json: history } = await alice.get(`/api/v1/statuses/${id}/history`);
    expect(history.map(({ content }: Json) => content)).toEqual([
      "<p><em>one</em></p>",
      "<p><em>two</em></p>",
      "<p>*two*</p>",
    ]);
    const deleted = (await alice.delete(`/api/v1/statuses/${id}`)).json;
    expect(deleted).toMatchObject({ text: "*two*", content_type: "text/plain" });
  });

  test("can be scheduled", async () => {
    const scheduled_at = new Date(server.clock.now() + HOUR).toISOString();
    const { json } = await alice.post("/api/v1/statuses", {
      status: "_later_",
      content_type: "text/markdown",
      scheduled_at,
    });
    expect(json.params).toMatchObject({ text: "_later_", content_type: "text/markdown" });
    server.clock.advance(HOUR);
    await server.drain();
    const [newest] = (await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json;
    expect(newest.content).toBe("<p><em>later</em></p>");
  });

  test("counts as its author typed it, with 23 characters for each address", async () => {
    await alice.publish({
      status: `[a](https://b.example/${"x".repeat(500)})${"y".repeat(5000 - 28)}`,
      content_type: "text/markdown",
    });
    const tooLong = { status: "**y**".repeat(1001), content_type: "text/markdown" };
    expect((await alice.post("/api/v1/statuses", tooLong)).status).toBe(422);
  });
});

describe("A post in HTML", () => {
  test("is sanitised, and keeps its source", async () => {
    const status = '<h1>Hi</h1><script>alert(1)</script><a href="https://b.example/" onclick="x">@bob</a> <b>@bob</b>';
    const post = await alice.publish({ status, content_type: "text/html" });
    expect(post.content).toStartWith('<p><strong>Hi</strong></p><p><a href="https://b.example/" target');
    expect(post.content).not.toMatch(/script|onclick|alert/);
    expect(post.mentions).toMatchObject([{ acct: "bob" }]);
    expect(await sourceOf(post)).toMatchObject({ text: status, content_type: "text/html" });
  });

  test("of which nothing is left is refused, like an edit to one", async () => {
    const nothing = { status: "<script>alert(1)</script>", content_type: "text/html" };
    const { id } = await alice.publish("hello");
    for (const answer of [
      await alice.post("/api/v1/statuses", nothing),
      await alice.put(`/api/v1/statuses/${id}`, nothing),
    ]) {
      expect(answer.status).toBe(422);
      expect(answer.json.error).toBe("Validation failed: Text can't be blank");
    }
  });
});

test("Search finds what readers see of a formatted post, and not its markup", async () => {
  const status = '<p class="zebra">Gnu <!-- https://zebra.example/ --> okapi</p>';
  const post = await alice.publish({ status, content_type: "text/html" });
  const found = async (q: string) => idsOf((await alice.get(`/api/v2/search?type=statuses&q=${q}`)).json.statuses);
  expect(await found("gnu okapi")).toEqual([post.id]);
  expect(await found("zebra")).toEqual([]);
  expect(await found("okapi has:link")).toEqual([]);
});

test("The language is detected without the markup", async () => {
  const title = "the weather was better than everybody in this town had expected, and nobody complained about it";
  const status = `<p title="${title}">Heute regnet es schon wieder den ganzen Tag</p>`;
  expect((await alice.publish({ status, content_type: "text/html" })).language).toBe("de");
});

test("The default format is a setting, for posts that name none", async () => {
  const path = "/api/v1/accounts/verify_credentials";
  expect((await bob.get(path)).json.source.status_content_type).toBe("text/plain");
  const update = { source: { status_content_type: "text/markdown" } };
  const { json } = await bob.patch("/api/v1/accounts/update_credentials", update);
  expect(json.source.status_content_type).toBe("text/markdown");
  const post = await bob.publish("**bold**");
  expect(post.content).toBe("<p><strong>bold</strong></p>");
  expect((await bob.publish({ status: "**bold**", content_type: "text/plain" })).content).toBe("<p>**bold**</p>");
  // A content warning without a text becomes the text. Apps offer no formats for it.
  expect((await bob.publish({ status: "", spoiler_text: "**bold**" })).content).toBe("<p>**bold**</p>");
  const wrong = { source: { status_content_type: "text/bbcode" } };
  expect((await bob.patch("/api/v1/accounts/update_credentials", wrong)).status).toBe(422);
});

test("The instance lists the formats", async () => {
  const formats = ["text/plain", "text/markdown", "text/html"];
  for (const version of ["v1", "v2"]) {
    const { configuration } = (await alice.get(`/api/${version}/instance`)).json;
    expect(configuration.statuses.supported_mime_types).toEqual(formats);
  }
});
