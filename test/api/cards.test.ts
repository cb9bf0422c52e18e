import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { schedule } from "../../src/jobs/recurring.ts";
import { picture } from "../fixtures/pictures.ts";
import type { Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { putBytes } from "../support/remote-media.ts";
import { remoteAccount } from "../support/rows.ts";
import { inProcess, startServer } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { meta, page, Site } from "../support/site.ts";
import { uploaded } from "../support/uploads.ts";

const DAY = 24 * 3600_000;

const { server, alice, bob } = serverForEachTest(["alice", "bob"], { LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
let site: Site;

beforeEach(() => {
  site = new Site();
});
afterEach(() => site.stop());

const seen = async (id: string, by = alice): Promise<Json> => (await by.get(`/api/v1/statuses/${id}`)).json;
const cardOf = async (id: string, by = alice): Promise<Json> => (await seen(id, by)).card;

/** Publishes, runs the jobs and returns the status's card. */
async function linked(text: string | object, by = alice): Promise<Json> {
  const { id } = await by.publish(text);
  await server.drain();
  return cardOf(id, by);
}

/** Advances the clock and runs the hourly clean-up. */
async function cleanUpAfter(later: number): Promise<void> {
  server.clock.advance(later);
  server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "clean_up", server.clock.now()));
  await server.drain();
}

async function putPicture(path = "/picture.png", width = 960, height = 540): Promise<string> {
  const bytes = await picture(width, height).png().toBuffer();
  return site.put(path, () => new Response(new Uint8Array(bytes), { headers: { "content-type": "image/png" } }));
}

/** The files in the cache of cards. */
function files(): string[] {
  const folder = join(server.ctx.config.data, "cache", "cards");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? entry.name : [],
  );
}

describe("A link in a post", () => {
  test("gets a card with the page's metadata soon after the post is published", async () => {
    const image = await putPicture();
    const properties = {
      "og:description": "What it is about",
      "og:image": image,
      "og:image:alt": "A slope",
      "og:site_name": "The News",
      "og:author": "Ada",
      "article:published_time": "2026-11-20T10:00:00Z",
    };
    const url = site.put("/article", page("A title", meta(properties)));
    const status = await alice.publish(`See ${url} there`);
    expect(status.card).toBeNull();
    await server.drain();
    const { card } = await seen(status.id);
    expectShape(card, "PreviewCard");
    expect(card).toEqual({
      url,
      title: "A title",
      description: "What it is about",
      language: "en",
      type: "link",
      author_name: "Ada",
      author_url: "",
      provider_name: "The News",
      provider_url: "",
      html: "",
      width: 640,
      height: 360,
      image: expect.stringMatching(new RegExp(`^${server.origin}/media/cache/cards/\\d+/[\\w-]{22}/preview$`)),
      image_description: "A slope",
      embed_url: "",
      blurhash: expect.stringMatching(/^.{36}$/),
      published_at: "2026-11-20T10:00:00.000Z",
      authors: [{ name: "Ada", url: "", account: null }],
      missing_attribution: false,
    });
    expect(await cardOf(status.id, server.stranger())).toEqual({ ...card, missing_attribution: undefined });
  });

  test("gets a card whose picture this server serves from its cache", async () => {
    const image = await putPicture();
    const { image: ours } = await linked(site.put("/article", page("T", meta({ "og:image": image }))));
    const served = await fetch(ours);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect(served.headers.get("cache-control")).toContain("immutable");
  });

  test("gets a card that is shown wherever the post is, including in a boost", async () => {
    const { id } = await alice.publish(site.put("/article", page("T")));
    await server.drain();
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    const [reblog] = (await bob.get("/api/v1/timelines/home")).json;
    expect([reblog.card, reblog.reblog.card.title]).toEqual([null, "T"]);
    expectShape(reblog, "Status");
  });

  test("gets a card only if it is the first that leads to a page elsewhere", async () => {
    remoteAccount(server, "carol", "social.example");
    const article = site.put("/article", page("The article"));
    const other = site.put("/other", page("Another"));
    const text = `@bob #tag @carol@social.example ${server.origin}/@alice xmpp:a@b.example ${article} ${other}`;
    expect(await linked(text)).toMatchObject({ url: article, title: "The article" });
    expect(await linked(`@bob and #tag and ${server.origin}/@alice`)).toBeNull();
    expect(site.asked).toEqual(["/article"]);
  });

  test("gets no card in a post with pictures, unless they are removed", async () => {
    const url = site.put("/article", page("T"));
    const media = await uploaded(alice);
    const { id } = await alice.publish({ status: url, media_ids: [media.id] });
    await server.drain();
    expect([await cardOf(id), site.asked]).toEqual([null, []]);
    await alice.put(`/api/v1/statuses/${id}`, { status: url, media_ids: [] });
    await server.drain();
    expect((await cardOf(id)).title).toBe("T");
    const another = await uploaded(alice);
    await alice.put(`/api/v1/statuses/${id}`, { status: url, media_ids: [another.id] });
    expect(await cardOf(id)).toBeNull();
  });

  test("gets no card from a page without metadata, a file or a failed request", async () => {
    const file = () => new Response("%PDF", { headers: { "content-type": "application/pdf" } });
    const dead = "http://news.example:1/";
    const urls = [site.put("/empty", "<p>Hello"), site.put("/file.pdf", file), site.url("/nowhere"), dead];
    for (const url of urls) expect(await linked(url)).toBeNull();
  });

  test("gets a card without a picture if the picture is invalid or missing", async () => {
    const broken = () => new Response("no picture", { headers: { "content-type": "image/png" } });
    for (const image of [site.put("/broken.png", broken), site.url("/nowhere.png"), site.put("/html.png", page("T"))]) {
      const url = site.put(`/article${site.asked.length}`, page("T", meta({ "og:image": image })));
      expect(await linked(url)).toMatchObject({ title: "T", image: null, blurhash: null, width: 0, height: 0 });
    }
    expect(files()).toEqual([]);
  });

  test("gets a card in the page's own encoding", async () => {
    const bytes = Buffer.concat([
      Buffer.from("<meta charset=shift_jis><title>"),
      Buffer.from([0x83, 0x79, 0x81, 0x5b]),
    ]);
    const url = site.put("/sjis", () => new Response(bytes, { headers: { "content-type": "text/html" } }));
    expect((await linked(url)).title).toBe("ペー");
  });

  test("gets a card with the page's oEmbed player", async () => {
    const embed = {
      version: "1.0",
      type: "video",
      title: "A video",
      author_name: "Ada",
      author_url: "https://video.example/@ada",
      provider_name: "Videos",
      provider_url: "https://video.example",
      html: '<iframe src="https://video.example/embed/1"></iframe><script src="https://video.example/1.js"></script>',
      width: 560,
      height: 315,
      thumbnail_url: await putPicture(),
    };
    const endpoint = site.put("/oembed", () => Response.json(embed));
    const link = `<link rel="alternate" type="application/json+oembed" href="${endpoint}?url=1">`;
    const card = await linked(site.put("/video", page("Of the page", link)));
    expectShape(card, "PreviewCard");
    expect(card).toMatchObject({
      type: "video",
      title: "A video",
      authors: [{ name: "Ada", url: "https://video.example/@ada", account: null }],
      provider_url: "https://video.example/",
      width: 560,
      height: 315,
      html: expect.stringMatching(
        /^<iframe src="https:\/\/video\.example\/embed\/1" [^<>]*sandbox="[^<>]*><\/iframe>$/,
      ),
      image: expect.stringContaining("/media/cache/cards/"),
    });
    expect(site.asked).toEqual(["/video", "/oembed?url=1", "/picture.png"]);
  });
});

describe("A page", () => {
  test("is fetched once a day, however many posts link to it", async () => {
    const url = site.put("/article", page("Old"));
    const first = await alice.publish(url);
    expect((await linked(`also ${url}`, bob)).title).toBe("Old");
    expect((await alice.publish(url)).card.title).toBe("Old");
    await server.drain();
    expect(site.asked).toEqual(["/article"]);
    server.clock.advance(DAY);
    site.put("/article", page("New"));
    expect((await linked(url)).title).toBe("New");
    expect((await cardOf(first.id)).title).toBe("New");
    expect(site.asked).toEqual(["/article", "/article"]);
  });

  test("that fails is not fetched again for a day", async () => {
    const url = site.url("/later");
    const first = await alice.publish(url);
    expect(await linked(url)).toBeNull();
    site.put("/later", page("T"));
    expect(await linked(url)).toBeNull();
    expect(site.asked).toEqual(["/later"]);
    server.clock.advance(DAY);
    expect((await linked(url)).title).toBe("T");
    expect((await cardOf(first.id)).title).toBe("T");
  });

  test("that fails later keeps its card, and a picture that fails later stays on the card", async () => {
    const image = await putPicture();
    const url = site.put("/article", page("Old", meta({ "og:image": image })));
    const before = await linked(url);
    site.remove("/article");
    server.clock.advance(DAY);
    expect(await linked(url)).toEqual(before);
    site.put("/article", page("New", meta({ "og:image": image })));
    site.remove("/picture.png");
    server.clock.advance(DAY);
    expect(await linked(url)).toEqual({ ...before, title: "New" });
    site.put("/article", page("Newer"));
    server.clock.advance(DAY);
    expect(await linked(url)).toMatchObject({ title: "Newer", image: null, blurhash: null, width: 0 });
    await server.cleanUpAfter(1000, "cache.evict");
    expect(files()).toEqual([]);
  });

  test("has one card for all its addresses; each post keeps the link that it contains", async () => {
    const article = site.put("/article", page("T", '<link rel="canonical" href="/article">'));
    const short = site.put(
      "/s",
      () => new Response(null, { status: 301, headers: { location: article } }),
      "short.example",
    );
    const cards = [await linked(short), await linked(`${article}?from=feed`), await linked(article)];
    expect(cards.map(({ url, title }) => [url, title])).toEqual([
      [short, "T"],
      [`${article}?from=feed`, "T"],
      [article, "T"],
    ]);
    expect(server.ctx.db.all("SELECT url FROM preview_cards")).toEqual([{ url: article }]);
  });

  test("at a private address is not fetched unless the owner allows it", async () => {
    const careful = await startServer();
    const carol = await careful.person("carol");
    const { id } = await carol.publish(site.put("/admin", page("Secrets of the house")));
    await careful.drain();
    expect([await cardOf(id, carol), site.asked]).toEqual([null, []]);
    await careful.stop();
  });
});

describe("A site that doesn't respond", () => {
  test("delays only the previews of its own links", async () => {
    const released = Promise.withResolvers<void>();
    for (let at = 0; at < 12; at++) {
      const silent = async () => {
        await released.promise;
        return new Response("nothing");
      };
      await alice.publish(site.put(`/silent/${at}`, silent, "silent.example"));
    }
    const { id } = await bob.publish(site.put("/story", page("Story")));
    const poll = await bob.publish({ status: "?", poll: { options: ["a", "b"], expires_in: 300 } });
    server.clock.advance(300_000);
    const drained = server.drain();
    while ((await cardOf(id)) === null);
    while ((await bob.get("/api/v1/notifications?types[]=poll")).json.length === 0);
    expect((await seen(poll.id)).poll.expired).toBe(true);
    expect(site.asked.toSorted()).toEqual(["/silent/0", "/story"]);
    released.resolve();
    await drained;
    expect(site.asked.length).toBe(13);
  });
});

describe("Editing a post", () => {
  test("replaces its card if the link changes", async () => {
    const { id } = await alice.publish(site.put("/one", page("One")));
    await server.drain();
    await alice.put(`/api/v1/statuses/${id}`, { status: site.put("/two", page("Two")) });
    expect(await cardOf(id)).toBeNull();
    await server.drain();
    expect((await cardOf(id)).title).toBe("Two");
    await alice.put(`/api/v1/statuses/${id}`, { status: "no link at all" });
    expect(await cardOf(id)).toBeNull();
  });

  test("keeps its card if the link stays", async () => {
    const url = site.put("/one", page("One"));
    const { id } = await alice.publish(url);
    await server.drain();
    server.clock.advance(DAY);
    await alice.put(`/api/v1/statuses/${id}`, { status: `More words: ${url}` });
    expect((await cardOf(id)).title).toBe("One");
    await server.drain();
    expect(site.asked).toEqual(["/one"]);
  });
});

describe("A page's author", () => {
  const own = (domains: string[], by = alice) =>
    by.patch("/api/v1/accounts/update_credentials", { attribution_domains: domains });

  test("is the account that the page names, if that account lists the page's domain", async () => {
    const url = site.put("/post", page("T", meta({ "fediverse:creator": "@alice" })), "blog.ada.example");
    const { id } = await bob.publish(url);
    await server.drain();
    expect([(await cardOf(id)).authors, (await cardOf(id)).missing_attribution]).toEqual([[], true]);
    expect((await cardOf(id, bob)).missing_attribution).toBe(false);
    await own(["ada.example"]);
    const card = await cardOf(id);
    expectShape(card, "PreviewCard");
    expect(card.authors).toMatchObject([{ name: "", url: "", account: { id: alice.id, acct: "alice" } }]);
    expect(card.missing_attribution).toBe(false);
    await own(["xada.example", "example.org"]);
    expect((await cardOf(id)).authors).toEqual([]);
  });

  test("is shown with the account's current profile", async () => {
    await own(["news.example"]);
    const { id } = await bob.publish(site.put("/post", page("T", meta({ "fediverse:creator": "alice" }))));
    await server.drain();
    expect((await cardOf(id)).authors[0].account.display_name).toBe("");
    await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice A." });
    expect((await cardOf(id)).authors[0].account.display_name).toBe("Alice A.");
  });
});

describe("A page without links to it", () => {
  test("is not fetched if the post is deleted first", async () => {
    const { id } = await alice.publish(site.put("/article", page("T")));
    await alice.delete(`/api/v1/statuses/${id}`);
    await server.drain();
    expect(site.asked).toEqual([]);
  });

  test("keeps its card for a post that is deleted and published again", async () => {
    const url = site.put("/article", page("T"));
    const { id } = await alice.publish(url);
    await server.drain();
    await alice.delete(`/api/v1/statuses/${id}`);
    await cleanUpAfter(DAY / 2);
    expect((await alice.publish(url)).card.title).toBe("T");
    expect(site.asked).toEqual(["/article"]);
  });

  test("loses its card and picture after a day", async () => {
    const image = await putPicture();
    const kept = await alice.publish(site.put("/kept", page("Kept", meta({ "og:image": image }))));
    const { id } = await alice.publish(site.put("/gone", page("Gone", meta({ "og:image": image }))));
    await server.drain();
    expect(files()).toHaveLength(2);
    await alice.delete(`/api/v1/statuses/${id}`);
    await cleanUpAfter(DAY);
    await server.cleanUpAfter(1000, "cache.evict");
    expect(files()).toHaveLength(1);
    expect(server.ctx.db.all("SELECT c.title FROM preview_cards c")).toEqual([{ title: "Kept" }]);
    expect((await fetch((await cardOf(kept.id)).image)).status).toBe(200);
  });
});

test("A picture that is missing from the cache is fetched again, without its page", async () => {
  const image = await putPicture();
  const { id } = await alice.publish(site.put("/article", page("T", meta({ "og:image": image }))));
  await server.drain();
  const before = await cardOf(id);
  rmSync(join(server.ctx.config.data, "cache"), { recursive: true });
  expect((await fetch(before.image)).status).toBe(200);
  expect(await cardOf(id)).toEqual(before);
  expect(site.asked).toEqual(["/article", "/picture.png", "/picture.png"]);
  site.remove("/picture.png");
  rmSync(join(server.ctx.config.data, "cache"), { recursive: true });
  for (const status of [404, 404]) expect((await fetch(before.image)).status).toBe(status);
  expect(site.asked).toHaveLength(4);
});

describe("Many links at once", () => {
  inProcess("to subdomains of a slow site don't delay the cards of other sites", async () => {
    const release = Promise.withResolvers<void>();
    const slow = async () => {
      await release.promise;
      return new Response("too late", { status: 404 });
    };
    for (let at = 0; at < 8; at++) await alice.publish(site.put(`/${at}`, slow, `${at}.slow.example`));
    const asked = Promise.withResolvers<void>();
    const quick = () => {
      asked.resolve();
      return new Response("nothing here", { status: 404 });
    };
    await alice.publish(site.put("/quick", quick, "quick.example"));
    const drained = server.drain();
    await asked.promise;
    release.resolve();
    await drained;
    expect(site.asked.length).toBe(9);
  });

  inProcess("get their pictures in turn for each site", async () => {
    const run = spyOn(server.ctx.media, "run");
    const bytes = await picture(960, 540).png().toBuffer();
    for (const host of ["one.example", "www.one.example", "two.example"]) {
      const image = putBytes(site, `/${host}.png`, bytes, "image/png", host);
      await linked(site.put(`/${host}`, page("T", meta({ "og:image": image })), host));
    }
    const beneficiaries = run.mock.calls.map(([user]) => user);
    run.mockRestore();
    expect(beneficiaries).toEqual(["media one.example", "media one.example", "media two.example"]);
  });
});

inProcess("A page of posts with cards takes as many queries as a single post", async () => {
  for (let at = 0; at < 12; at += 1) await alice.publish(site.put(`/${at}`, page(`Page ${at}`)));
  await server.drain();
  const cost = async (limit: number) => {
    clearEntityCache(server);
    const before = server.ctx.db.statements;
    const { json } = await alice.get(`/api/v1/timelines/home?limit=${limit}`);
    expect(json.filter((status: Json) => status.card !== null)).toHaveLength(limit);
    return server.ctx.db.statements - before;
  };
  await cost(1);
  expect(await cost(12)).toBe(await cost(1));
});
