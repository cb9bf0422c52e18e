import { beforeAll, expect, test } from "bun:test";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import type { Json } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, Alice: alice } = serverForAllTests(["Alice"], {
  LINNET_URL: "https://social.example",
  LINNET_HANDLE_DOMAIN: "example.org",
});
let status: Json;

beforeAll(async () => {
  await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice <3" });
  status = await alice.publish("1 < 2, see https://example.org/page");
});

const ask = (url: string, more = "") => server.stranger().get(`/api/oembed?url=${encodeURIComponent(url)}${more}`);

test("a public post can be embedded as a quotation without scripts and frames", async () => {
  const { status: code, json } = await ask(status.url);
  expect(code).toBe(200);
  expectShape(json, "OEmbedResponse");
  expect(json).toEqual({
    type: "rich",
    version: "1.0",
    title: "New status by Alice",
    author_name: "Alice <3",
    author_url: "https://social.example/@Alice",
    provider_name: "example.org",
    provider_url: "https://social.example/",
    cache_age: 86_400,
    html: expect.stringContaining(status.content),
    width: 400,
    height: null,
  });
  expect(json.html).toStartWith(`<blockquote cite="${status.url}"`);
  expect(json.html).toContain("<strong><bdi>Alice &lt;3</bdi></strong> @Alice@example.org");
  expect(json.html).toContain(`<a href="${status.url}"><time datetime="${status.created_at}">`);
  expect(json.html).not.toMatch(/<script|<iframe|<img/);
});

test("a content warning replaces the text", async () => {
  const { url } = await alice.publish({ status: "the murderer is the gardener", spoiler_text: "crime & novels" });
  const { html } = (await ask(url)).json;
  expect(html).toContain("<p>crime &amp; novels</p>");
  expect(html).not.toContain("gardener");
});

test("an embedded post keeps its language and direction", async () => {
  for (const spoiler_text of ["", "تحذير"]) {
    const { url } = await alice.publish({ status: "مرحبا بالعالم", language: "ar", spoiler_text });
    expect((await ask(url)).json.html).toMatch(/<div dir="auto" lang="ar"><p>(مرحبا بالعالم|تحذير)<\/p><\/div>/);
  }
});

test("every URL of a post works, in any case", async () => {
  for (const url of [
    status.uri,
    `https://social.example/@alice/${status.id}`,
    `${status.url}/`,
    `${status.url}?x=y#z`,
    (await alice.publish({ status: "unlisted", visibility: "unlisted" })).url,
  ]) {
    expect([url, (await ask(url)).status]).toEqual([url, 200]);
  }
});

test("the width and height respect the site's limits", async () => {
  const { json } = await ask(status.url, "&maxwidth=300&maxheight=200");
  expect([json.width, json.height]).toEqual([300, 200]);
  expect(json.html).toContain("max-width:300px");
  expect((await ask(status.url, "&maxwidth=0")).json.width).toBe(1);
  expect((await ask(status.url, "&maxwidth=wide")).status).toBe(422);
});

test("private posts, other pages and other sites are not found", async () => {
  const own = await Promise.all(
    ["private", "direct"].map((visibility) => alice.publish({ status: "secret", visibility })),
  );
  const reblog = (await alice.post(`/api/v1/statuses/${status.id}/reblog`)).json;
  const foreign = remoteStatus(server, remoteAccount(server, "dora", "elsewhere.example"), "hello");
  const gone = await alice.publish("gone");
  await alice.delete(`/api/v1/statuses/${gone.id}`);
  for (const url of [
    ...own.map(({ url }: Json) => url),
    gone.url,
    `https://social.example/@Alice/${reblog.id}`,
    `https://social.example/@dora/${foreign}`,
    `https://elsewhere.example/${foreign}`,
    `https://social.example/@bob/${status.id}`,
    "https://social.example/@Alice",
    "https://social.example.evil/@Alice/1",
    "nonsense",
  ]) {
    const { status: code, json } = await ask(url);
    expect([url, code, json]).toEqual([url, 404, { error: "Record not found" }]);
  }
  expect((await server.stranger().get("/api/oembed")).status).toBe(422);
});
