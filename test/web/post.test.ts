import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { serverForAllTests } from "../support/setup.ts";
import { meta, page, Site } from "../support/site.ts";
import { uploaded } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
let site: Site;
let visitor: Visitor;

beforeAll(() => {
  site = new Site();
});
afterAll(() => site.stop());
beforeEach(() => {
  visitor = new Visitor(server);
});

const pathOf = (status: Json): string => new URL(status.url).pathname;
const see = (status: Json) => visitor.get(pathOf(status));

test("the page of a post shows its text, language, date and counts", async () => {
  await ownEmoji(server, "wren");
  const status = await alice.publish({ status: "Über <b>Hecken</b> :wren: @bob #vögel", language: "de" });
  for (const verb of ["favourite", "reblog"]) await bob.post(`/api/v1/statuses/${status.id}/${verb}`);
  const { status: code, html, text } = await see(status);
  expect(code).toBe(200);
  expect(html).toContain(
    '<div class="prose content e-content" lang="de" dir="auto"><p>Über &lt;b&gt;Hecken&lt;/b&gt; <img class="emoji"',
  );
  expect(text).toContain("alice @alice@localhost:3000 Über <b>Hecken</b>");
  expect(text).toContain("21 Nov 2026, 12:00 UTC 1 boost 1 favourite");
  expect(html).toContain(`<time class="dt-published" datetime="${status.created_at}" data-local="en-GB">`);
  expect(html).not.toMatch(/<script(?! type="module" src="\/assets\/linnet-)|style=/);
});

test("a post is shown with its ancestors and replies, as far as they are public", async () => {
  const first = await alice.publish("the first");
  const second = await bob.publish({ status: "the second", in_reply_to_id: first.id });
  const third = await alice.publish({ status: "the third", in_reply_to_id: second.id });
  await bob.publish({ status: "a secret", in_reply_to_id: second.id, visibility: "direct" });
  expect((await see(second)).text).toMatch(/the first.*the second.*Replies.*the third/);
  expect((await see(second)).text).not.toContain("a secret");
  expect((await see(third)).text).not.toContain("Replies");
});

test("a content warning hides the text on the page and in previews", async () => {
  const media = await uploaded(alice, { description: "the gardener" });
  const status = await alice.publish({ status: "It was her.", spoiler_text: "crime & novels", media_ids: [media.id] });
  const { html } = await see(status);
  expect(html).toMatch(/<details><summary[^>]*>crime &amp; novels<\/summary>.*It was her\..*<\/details>/);
  const [head] = html.split("</head>") as [string];
  expect(head).toContain('<meta property="og:description" content="crime &amp; novels"/>');
  expect(head).not.toContain("her.");
  expect(head).not.toContain(media.preview_url);
});

test("images have alt text and link to the original, and sensitive ones are hidden", async () => {
  const [media, other] = [await uploaded(alice, { description: 'a "wren"' }), await uploaded(alice, {}, 40)];
  const status = await alice.publish({ status: "look", media_ids: [media.id] });
  const { html } = await see(status);
  const [small, whole] = [media.preview_url, media.url].map((url) => new URL(url).pathname);
  expect(html).toContain(`<a href="${whole}"><img`);
  expect(html).toMatch(
    new RegExp(`<img [^>]*src="${small}" alt="a &quot;wren&quot;" width="40" height="30" loading="lazy"`),
  );
  expect(html).toContain(`<meta property="og:image" content="${media.preview_url}"/>`);
  const hidden = await alice.publish({ status: "don't look", media_ids: [other.id], sensitive: true });
  const { html: covered } = await see(hidden);
  expect(covered).toMatch(/<details><summary>Show sensitive media<\/summary>.*<img .*<\/details>/);
  expect(covered).not.toContain('og:image" content="' + other.preview_url);
});

test("a poll shows its results unless they are hidden", async () => {
  const poll = { options: ["Wren", "Robin"], expires_in: 3600 };
  const open = await alice.publish({ status: "which?", poll });
  await bob.post(`/api/v1/polls/${open.poll.id}/votes`, { choices: [1] });
  expect((await see(open)).text).toMatch(/Wren 0% Robin 100% 1 vote · open until 21 Nov 2026, 13:00 UTC/);
  const secret = await alice.publish({ status: "which?", poll: { ...poll, hide_totals: true } });
  await bob.post(`/api/v1/polls/${secret.poll.id}/votes`, { choices: [1] });
  expect((await see(secret)).text).toMatch(/Wren Robin 1 vote · open/);
});

test("a preview card is a link, and a quoted post is shown in the quoting post", async () => {
  const address = site.put("/wrens", page("Of wrens", meta({ "og:description": "They are <small>." })));
  const linked = await alice.publish(`read ${address}`);
  await server.drain();
  const { html, text } = await see(linked);
  expect(html).toContain(`<a class="card" href="${address}" rel="nofollow noopener noreferrer"`);
  expect(text).toContain("Of wrens");
  const quoting = await bob.publish({ status: "see this", quoted_status_id: linked.id });
  expect((await see(quoting)).html).toMatch(
    /see this.*<blockquote class="quote u-quotation-of h-cite">.*@alice@localhost:3000.*read .*<\/blockquote>/,
  );
  await alice.delete(`/api/v1/statuses/${linked.id}`);
  expect((await see(quoting)).text).toContain("can't be shown");
});

test("the metadata describe the page and its oEmbed, which links back to it", async () => {
  const status = await alice.publish({ status: "words & more", visibility: "unlisted" });
  const { html } = await see(status);
  expect(html).toContain(`<link rel="canonical" href="${status.url}"/>`);
  expect(html).toContain('<meta property="og:type" content="article"/>');
  expect(html).toContain('<meta property="og:description" content="words &amp; more"/>');
  const [, asked] = /<link rel="alternate" type="application\/json\+oembed" href="([^"]*)"/.exec(html)!;
  const { pathname, search } = new URL(asked!.replaceAll("&amp;", "&"));
  const { json } = await server.stranger().get(pathname + search);
  expect(json.html).toContain(`cite="${status.url}"`);
  expect((await visitor.get(new URL(json.author_url).pathname)).status).toBe(200);
});

test("a post that isn't public is shown only to users who may see it, with its audience", async () => {
  const reply = { in_reply_to_id: (await alice.publish("for all")).id };
  const [followers, direct, here] = [
    await alice.publish({ status: "for followers", visibility: "private", ...reply }),
    await alice.publish({ status: "@alice for you", visibility: "direct" }),
    await alice.publish({ status: "for us", local_only: true, ...reply }),
  ];
  const seenBy = async (who: Visitor) =>
    (await Promise.all([followers, direct, here].map((post) => who.get(pathOf(post))))).map(({ status, text }) =>
      status === 200 ? /UTC (Followers|Mentioned accounts|Only on this server)/.exec(text)![1] : status,
    );
  expect(await seenBy(visitor)).toEqual([404, 404, 404]);
  const [author, other] = [new Visitor(server), new Visitor(server)];
  await author.signIn("alice");
  await other.signIn("bob");
  expect(await seenBy(author)).toEqual(["Followers", "Mentioned accounts", "Only on this server"]);
  expect(await seenBy(other)).toEqual([404, 404, "Only on this server"]);
  const { text } = await visitor.get(pathOf({ url: here.url.replace(here.id, reply.in_reply_to_id) }));
  expect([text.includes("for us"), text.includes("for all")]).toEqual([false, true]);
});

test("a post that belongs to another account is not found, and a deleted one is gone", async () => {
  const own = await alice.publish("for all");
  await visitor.signIn("alice");
  const remote = remoteStatus(server, remoteAccount(server, "dora", "elsewhere.example"), "afar");
  for (const path of [
    `/@bob/${own.id}`,
    `/@alice/${remote}`,
    "/@alice/1",
    "/@alice/x",
    "/@alice/99999999999999999999",
  ]) {
    const { status, text } = await visitor.get(path);
    expect([path, status, text.includes("Page not found")]).toEqual([path, 404, true]);
  }
  await alice.delete(`/api/v1/statuses/${own.id}`);
  const { status, text } = await see(own);
  expect([status, text.includes("Page not found")]).toEqual([410, true]);
});

test("the URIs of posts redirect browsers to their pages", async () => {
  const status = await alice.publish("original");
  const { json: reblog } = await bob.post(`/api/v1/statuses/${status.id}/reblog`);
  for (const address of [status.uri, reblog.url]) {
    expect((await visitor.get(new URL(address).pathname)).location).toBe(pathOf(status));
  }
  const secret = await alice.publish({ status: "secret", visibility: "private" });
  expect((await visitor.get(new URL(secret.uri).pathname)).status).toBe(404);
});
