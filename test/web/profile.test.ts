import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { act, undo } from "../support/moderation.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess, startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { formOf, pictureFile, uploaded } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const { server, alice } = serverForAllTests(["alice"]);
let visitor: Visitor;
let bob: Client;

beforeAll(async () => {
  bob = await server.person("bob", { role: "user" });
});
beforeEach(() => {
  visitor = new Visitor(server);
});

/** The number of users created for single tests. */
let users = 0;
const newUser = () => server.person(`user${(users += 1)}`, { role: "user" });
const nameOf = async (who: Client): Promise<string> =>
  (await who.get("/api/v1/accounts/verify_credentials")).json.username;

test("a profile shows the account's name, note, fields, images and counts", async () => {
  await ownEmoji(server, "linnet");
  const profile = {
    display_name: "Alice <b> :linnet:",
    note: "Hedges & #birds :linnet:",
    "fields_attributes[0][name]": "Site",
    "fields_attributes[0][value]": "https://alice.example/",
    avatar: await pictureFile("png", { width: 400, height: 400 }),
    header: await pictureFile("png", { width: 600, height: 200 }),
    avatar_description: "a face",
  };
  const account = (await alice.patch("/api/v1/accounts/update_credentials", formOf(profile))).json;
  const { status, html, text, headers } = await visitor.get(new URL(account.url).pathname);
  expect(status).toBe(200);
  expect(text).toContain("Alice <b> @alice@localhost:3000 Hedges & # birds");
  expect(text).toMatch(/Site .*alice\.example.* 0 posts 0 following 0 followers here since November 2026/);
  const emoji = new URL(account.emojis[0].url).pathname;
  expect(html).toContain(`<bdi class="p-name">Alice &lt;b&gt; <img class="emoji" src="${emoji}" alt=":linnet:"`);
  for (const picture of [account.avatar, account.header]) expect(html).toContain(`src="${new URL(picture).pathname}"`);
  expect(html).toContain('alt="a face"');
  expect(html).not.toMatch(/<script|style=/);
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(headers.get("cache-control")).toBe("no-cache");
});

test("the metadata describe the page, and search engines may index only accounts that allow it", async () => {
  const carol = await newUser();
  const name = await nameOf(carol);
  await carol.patch("/api/v1/accounts/update_credentials", { note: "I & mine", display_name: "Carol" });
  const { html } = await visitor.get(`/@${name}`);
  expect(html).toContain(`<link rel="canonical" href="${server.ctx.config.origin}/@${name}"/>`);
  expect(html).toContain(`<meta property="og:title" content="Carol (@${name}@localhost:3000)"/>`);
  expect(html).toContain('<meta property="og:description" content="I &amp; mine"/>');
  expect(html).toContain('<meta name="robots" content="noindex"/>');
  await carol.patch("/api/v1/accounts/update_credentials", { indexable: true });
  expect((await visitor.get(`/@${name}`)).html).not.toContain("noindex");
});

test("a profile shows public and unlisted posts without replies, pinned posts first", async () => {
  const carol = await newUser();
  const name = await nameOf(carol);
  const pinned = await carol.publish("on top");
  await carol.publish("public words");
  await carol.publish({ status: "unlisted words", visibility: "unlisted" });
  await carol.publish({ status: "for followers", visibility: "private" });
  await carol.publish({ status: "for one", visibility: "direct" });
  const bobs = await bob.publish("words by bob");
  await carol.publish({ status: "an answer", in_reply_to_id: bobs.id });
  await carol.post(`/api/v1/statuses/${bobs.id}/reblog`);
  await carol.post(`/api/v1/statuses/${pinned.id}/pin`);
  const { text } = await visitor.get(`/@${name}`);
  expect(text).toMatch(/Pinned .*on top.*Boosted by .* bob @bob@.*words by bob.*unlisted words.*public words/);
  expect(text.split("on top")).toHaveLength(2);
  for (const hidden of ["for followers", "for one", "an answer"]) expect(text).not.toContain(hidden);
});

test("custom emoji are shown in names, including those of boosts and on the start page", async () => {
  await ownEmoji(server, "robin");
  const carol = await newUser();
  const name = await nameOf(carol);
  await carol.patch("/api/v1/accounts/update_credentials", { display_name: "Carol :robin:", discoverable: true });
  await carol.post(`/api/v1/statuses/${(await bob.publish("to boost")).id}/reblog`);
  expect((await visitor.get(`/@${name}`)).html).toMatch(/Boosted by Carol <img class="emoji"/);
  expect((await visitor.get("/")).html).toMatch(/<bdi class="p-name">Carol <img class="emoji"/);
});

test("pages of older posts are linked, and link back to the latest", async () => {
  const carol = await newUser();
  const name = await nameOf(carol);
  for (let at = 1; at <= 45; at++) await carol.publish(`number ${at}.`);
  const numbers: number[] = [];
  let path = `/@${name}?lang=de`;
  for (const links of [1, 2, 1]) {
    const { html, text } = await visitor.get(path);
    numbers.push(...[...text.matchAll(/number (\d+)\./g)].map(([, number]) => Number(number)));
    const found = [.../<nav class="links.*?<\/nav>/.exec(html)![0].matchAll(/href="([^"]*)"/g)].map(
      ([, href]) => href!,
    );
    expect(found).toHaveLength(links);
    path = found.at(-1)!.replaceAll("&amp;", "&");
  }
  expect(numbers).toEqual(Array.from({ length: 45 }, (_, at) => 45 - at));
  expect(path).toBe(`/@${name}?lang=de`);
});

test("usernames match in any case and with this server's domain, and unknown ones are not found", async () => {
  const status = async (path: string) => (await visitor.get(path)).status;
  for (const path of ["/@ALICE", "/@alice@localhost:3000"]) expect([path, await status(path)]).toEqual([path, 200]);
  remoteAccount(server, "dora", "elsewhere.example");
  for (const path of ["/@nobody", "/@dora@elsewhere.example", "/@", "/@%ff", "/@a%2Fb"]) {
    expect([path, await status(path)]).toEqual([path, 404]);
  }
  expect((await visitor.get("/users/alice")).location).toBe("/@alice");
});

test("suspended accounts and their posts are hidden everywhere until the suspension ends", async () => {
  const carol = await newUser();
  const name = await nameOf(carol);
  await carol.patch("/api/v1/accounts/update_credentials", { discoverable: true });
  const { url } = await carol.publish("words #gone");
  const post = new URL(url).pathname;
  const seen = async () => {
    const pages = await Promise.all(
      [`/@${name}`, post, "/tags/gone", "/"].map((path) => new Visitor(server).get(path)),
    );
    return pages.map(({ status, text }) => [status, text.includes(name)]);
  };
  const there = [
    [200, true],
    [200, true],
    [200, true],
    [200, true],
  ];
  expect(await seen()).toEqual(there);
  await act(server, "suspend", carol);
  expect(await seen()).toEqual([
    [410, false],
    [404, false],
    [200, false],
    [200, false],
  ]);
  undo(server, "suspend", carol);
  expect(await seen()).toEqual(there);
});

test("an account pending approval has no page", async () => {
  const waiting = await newUser();
  const name = await nameOf(waiting);
  server.ctx.db.transaction((tx) =>
    tx.run("UPDATE users SET approved = 0 WHERE account_id = $waitingId", { waitingId: Number(waiting.id) }),
  );
  expect((await visitor.get(`/@${name}`)).status).toBe(404);
});

test("the page of a hashtag shows its latest public posts and its first spelling", async () => {
  await alice.publish("one #BlueTits");
  await bob.publish("two #bluetits");
  await bob.publish({ status: "three #bluetits", visibility: "unlisted" });
  const dora = remoteAccount(server, "dora2", "elsewhere.example");
  const remote = remoteStatus(server, dora, "from afar");
  server.ctx.db.transaction((tx) =>
    tx.run("INSERT INTO status_tags (tag_id, status_id) SELECT id, $remote FROM tags WHERE name = 'bluetits'", {
      remote: Number(remote),
    }),
  );
  const { status, text } = await visitor.get("/tags/bluetits");
  expect(status).toBe(200);
  expect(text).toMatch(/^#BlueTits .*@dora2@elsewhere\.example from afar .*two .*one /);
  expect(text).not.toContain("three");
});

test("the page of an unused hashtag says that there are no posts yet", async () => {
  for (const [language, sentence] of [
    ["en", "There are no public posts with this hashtag yet."],
    ["de", "Es gibt noch keine öffentlichen Beiträge mit diesem Hashtag."],
    ["fr", "Il n’y a pas encore de messages publics avec ce hashtag."],
  ] as const) {
    const { status, text } = await visitor.get(`/tags/neverused?lang=${language}`);
    expect(status).toBe(200);
    expect(text).toStartWith("#neverused ");
    expect(text).toContain(sentence);
  }
});

test("the page after the oldest post of a hashtag doesn't say that the hashtag is unused", async () => {
  const { id } = await alice.publish("#onlyonce");
  const { status, text } = await visitor.get(`/tags/onlyonce?max_id=${id}`);
  expect(status).toBe(200);
  expect(text).toContain("There are no posts here.");
  expect(text).not.toContain("yet");
});

test("an invalid hashtag has no page", async () => {
  for (const name of ["100%25", "12", "a%20b", "%20", "x".repeat(5000)]) {
    expect((await visitor.get(`/tags/${name}`)).status).toBe(404);
  }
});

test("pages closed to anonymous visitors explain that, and are open to signed-in users", async () => {
  const closed = await startServer({ LINNET_LIMITED_FEDERATION: "on" });
  try {
    const erin = await closed.person("erin");
    const { url } = await erin.publish("words #closed");
    const stranger = new Visitor(closed);
    const member = new Visitor(closed);
    await member.signIn("erin");
    for (const path of ["/@erin", new URL(url).pathname, "/tags/closed", "/@nobody"]) {
      const { status, text } = await stranger.get(path);
      expect([path, status, text.includes("Only for users of this server"), text.includes("words")]).toEqual([
        path,
        403,
        true,
        false,
      ]);
    }
    for (const path of ["/@erin", new URL(url).pathname, "/tags/closed"]) {
      expect((await member.get(path)).text).toContain("words");
    }
  } finally {
    await closed.stop();
  }
});

test("without a public preview only hashtag pages are closed to anonymous visitors", async () => {
  const discreet = await startServer({ LINNET_PUBLIC_PREVIEW: "off" });
  try {
    const erin = await discreet.person("erin");
    const { url } = await erin.publish("words #closed");
    const stranger = new Visitor(discreet);
    const status = async (path: string) => (await stranger.get(path)).status;
    expect(await status("/tags/closed")).toBe(403);
    expect([await status("/@erin"), await status(new URL(url).pathname)]).toEqual([200, 200]);
    await stranger.signIn("erin");
    expect(await status("/tags/closed")).toBe(200);
  } finally {
    await discreet.stop();
  }
});

inProcess("a page with twenty posts needs as many queries as one with a single post", async () => {
  const [few, many] = [await newUser(), await newUser()];
  const cost = async (path: string) => {
    const { db } = server.ctx;
    clearEntityCache(server);
    const before = db.statements;
    const { status } = await new Visitor(server).get(path);
    expect(status).toBe(200);
    return db.statements - before;
  };
  const write = async (who: Client, count: number, tag: string): Promise<Json> => {
    let root: Json = null;
    for (let at = 0; at < count; at++) {
      const media = await uploaded(who, {}, at);
      root = await who.publish({ status: `words ${at} #${tag}`, media_ids: [media.id], in_reply_to_id: root?.id });
    }
    return root;
  };
  const one = await write(few, 1, "few");
  const last = await write(many, 20, "many");
  for (const [short, long] of [
    [`/@${await nameOf(few)}`, `/@${await nameOf(many)}`],
    ["/tags/few", "/tags/many"],
    [new URL(one.url).pathname, new URL(last.url).pathname],
  ] as const) {
    const most = await cost(short);
    expect(await cost(long)).toBe(most);
    expect(most).toBeLessThan(16);
  }
});
