import { beforeAll, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { remoteAccount, remoteFollow } from "../support/remote-rows.ts";
import { remoteStatus } from "../support/rows.ts";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const { server, alice } = serverForAllTests(["alice"]);
const visitor = new Visitor(server);
let thread: Json[];
let question: Json;

const pathOf = ({ url }: Json): string => new URL(url).pathname;

beforeAll(async () => {
  const bob = await server.person("bob", { role: "user" });
  await alice.patch("/api/v1/accounts/update_credentials", { indexable: true });
  thread = [await alice.publish("thread one")];
  for (const text of ["thread two", "thread three", "thread four"]) {
    thread.push(await alice.publish({ status: text, in_reply_to_id: thread.at(-1)!.id }));
  }
  question = await bob.publish("a question");
  await alice.publish({ status: "an answer #hedge", in_reply_to_id: question.id });
  await alice.publish({ status: "a picture #hedge", media_ids: [(await uploaded(alice)).id] });
  await alice.publish({ status: "a secret #hedge", visibility: "private" });
});

test("a thread on a profile is in the order in which it was written, as one group", async () => {
  const { text, html } = await visitor.get("/@alice");
  expect(text).toMatch(/a picture .*thread one .*thread two .*thread three .*thread four/);
  expect(html.match(/class="thread"/g)).toHaveLength(1);
  expect(text).not.toContain("an answer");
});

test("a profile has lists with replies, with media, and with a hashtag", async () => {
  const lists = {
    with_replies: ["an answer", "a picture"],
    media: ["a picture"],
    "tagged/Hedge": ["an answer", "a picture"],
  };
  for (const [path, expected] of Object.entries(lists)) {
    const { status, text } = await visitor.get(`/@alice/${path}`);
    expect([path, status]).toEqual([path, 200]);
    for (const post of ["an answer", "a picture", "a secret"]) {
      expect([path, post, text.includes(post)]).toEqual([path, post, expected.includes(post)]);
    }
  }
});

test("the archive lists the months with posts, and each month has a page", async () => {
  expect((await visitor.get("/@alice/archive")).text).toContain("2026 November 2026 5 posts");
  expect((await visitor.get("/@alice/archive/2026-11")).text).toMatch(/Posts in November 2026.*a picture.*thread one/);
  expect((await visitor.get("/@alice/archive/2026-10")).text).toContain("There are no posts here.");
  for (const month of ["2026-13", "2026-00", "26-11", "x"])
    expect((await visitor.get(`/@alice/archive/${month}`)).status).toBe(404);
});

test("the archive of an account of another server has the posts that are known here", async () => {
  const wren = remoteAccount(server, { username: "wren" });
  remoteStatus(server, wren.id, "from afar", { at: Date.UTC(2024, 4, 7) });
  const reader = new Visitor(server, { "accept-language": "en" });
  await reader.signIn("alice");
  expect((await reader.get("/@wren@far.example/archive")).text).toContain("2024 May 2024 1 post");
  expect((await reader.get("/@alice/archive")).text).toContain("2026 November 2026 6 posts");
});

test("visitors can search an account's public posts if the account allows it", async () => {
  await visitor.get("/@alice/search");
  const { text } = await visitor.get("/@alice/search?q=thread%20three");
  expect(text).toContain("thread three");
  expect(text).not.toContain("thread four");
  expect((await visitor.get("/@alice/search?q=secret")).text).toContain("No post matches.");
  expect((await visitor.get("/@bob/search?q=question")).status).toBe(404);
  expect((await visitor.get("/@alice/search?q=%22%20OR%20*")).status).toBe(200);
});

test("the page of a post is titled with its text, and shows the thread before its parent on demand", async () => {
  const { html, text } = await visitor.get(pathOf(thread[3]!));
  expect(html).toContain("<title>alice: thread four · Linnet</title>");
  expect(html).toMatch(
    /<details class="earlier"><summary>Show 2 earlier posts<\/summary>.*thread two.*<\/details>.*thread three/,
  );
  expect(text).toMatch(/thread one .*thread two .*thread three .*thread four/);
});

test("a long post is shortened in lists, and whole on its own page", async () => {
  const long = await alice.publish("word ".repeat(400));
  expect((await visitor.get("/@alice")).html).toMatch(/class="prose content e-content folded".*Show the whole post/);
  expect((await visitor.get(pathOf(long))).html).not.toContain("folded");
});

test("programs find a feed of posts, and of a post its author, date, text and parent, by microformats", async () => {
  const { html } = await visitor.get(pathOf(thread[1]!));
  const parts = [
    `<article class="post main h-entry"`,
    `<data class="u-in-reply-to" value="${pathOf(thread[0]!)}">`,
    `<a class="author p-author h-card" href="/@alice"><img src=`,
    `<bdi class="p-name">alice</bdi>`,
    `e-content`,
    `<a class="u-url u-uid" href="${pathOf(thread[1]!)}"><time class="dt-published"`,
  ];
  for (const part of parts) expect(html).toContain(part);
  expect((await visitor.get("/@alice")).html).toMatch(/<section class="h-feed"><h2 class="[^"]*p-name">.*h-entry/);
});

test("a reply says to which post, unless that is just above it or hidden from the reader", async () => {
  const seen = async (who = visitor) => {
    const { html } = await who.get("/@alice/with_replies?lang=en");
    return [...html.matchAll(/u-in-reply-to" href="([^"]*)"><bdi>([^<]*)/g)].map(([, path, text]) => [path, text]);
  };
  const answered = [pathOf(question), "In reply to bob"];
  expect(await seen()).toEqual([answered]);
  const hidden = await alice.publish({ status: "for followers", visibility: "private" });
  await alice.publish({ status: "more, for all", in_reply_to_id: hidden.id });
  await alice.publish({ status: "even more", in_reply_to_id: question.id });
  expect(await seen()).toEqual([answered, answered]);
});

test("every list of a profile is also in German and French", async () => {
  for (const path of ["with_replies", "media", "archive", "search", "tagged/hedge", "followers"]) {
    const [german, french] = [
      await visitor.get(`/@alice/${path}?lang=de`),
      await visitor.get(`/@alice/${path}?lang=fr`),
    ];
    expect(german.text).not.toBe(french.text);
    expect(german.text + french.text).not.toMatch(/Posts|Archive\b.*Archive\b|Search/);
  }
});

describe("The pages of followers and followed accounts", () => {
  test("are linked from their counts, are paged, and offer users to follow these accounts", async () => {
    const names = Array.from({ length: 21 }, (_, at) => `fan${at + 1}`);
    for (const username of names) remoteFollow(server, remoteAccount(server, { username }), alice);
    await server.drain();
    expect((await visitor.get("/@alice")).html).toContain('<a href="/@alice/followers">21 followers</a>');
    const first = await visitor.get("/@alice/followers");
    expect(first.html).toContain('name="robots" content="noindex"');
    const next = /href="([^"]*)" rel="next"/.exec(first.html)![1]!;
    const handles = [first, await visitor.get(next)].flatMap(({ text }) => text.match(/@fan\d+@far.example/g) ?? []);
    expect(handles).toEqual(names.toReversed().map((name) => `@${name}@far.example`));
    expect(first.forms).toEqual([]);

    const user = new Visitor(server);
    await user.signIn("bob");
    await user.get("/@alice/followers?lang=en");
    expect((await user.press("Follow")).location).toStartWith("/@alice/followers");
    expect((await user.get("/@bob/following")).text).toContain("There is nothing here yet.");
  });

  test("show nothing but to their own account if it hides them, in the API and to other servers neither", async () => {
    const carol = await server.person("carol", { role: "user" });
    await carol.follow(alice);
    const seenBy = async (who: Visitor, client?: Client) => {
      const list = `/api/v1/accounts/${carol.id}/following`;
      const { json } = await (client ?? server.stranger()).get(list);
      const { text } = await who.get("/@carol/following?lang=en");
      return [text.includes("carol doesn’t show this list"), text.includes("@alice@"), json.length];
    };
    const own = new Visitor(server);
    await own.signIn("carol");
    expect([await seenBy(visitor), await seenBy(own, carol)]).toEqual([
      [false, true, 1],
      [false, true, 1],
    ]);
    await carol.patch("/api/v1/accounts/update_credentials", { hide_collections: true });
    expect([await seenBy(visitor), await seenBy(own, carol)]).toEqual([
      [true, false, 0],
      [false, true, 1],
    ]);
    const accept = "application/activity+json";
    const collection = await fetch(`${server.origin}/users/carol/following`, { headers: { accept } });
    expect(await collection.json()).toEqual(expect.not.objectContaining({ first: expect.anything() }));
  });

  test("of a remote account list what is known here, and say so; visitors don't see them", async () => {
    const rita = remoteAccount(server, { username: "rita" });
    remoteFollow(server, rita, alice);
    expect((await visitor.get("/@rita@far.example/following")).status).toBe(404);
    const user = new Visitor(server);
    await user.signIn("bob");
    const { text, html } = await user.get("/@rita@far.example/following?lang=en");
    expect(text).toMatch(/This server knows only some of these accounts. See all on the original page .*@alice@/);
    expect(html).toContain('href="https://far.example/@rita"');
  });
});
