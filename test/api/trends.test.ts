import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { reviewTrend } from "../../src/core/discovery/trends.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import type { Client, Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { block, mute } from "../support/rows.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { page, Site } from "../support/site.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;
/** Midnight in UTC of the day on which the tests' clock begins, in seconds. */
const TODAY = Date.UTC(2026, 10, 21) / 1000;

let server: TestServer;
let site: Site;
let alice: Client;
let bob: Client;
let carol: Client;

beforeEach(() => start());
afterEach(() => stop());

async function start(trends = "on"): Promise<void> {
  server = await startServer({ LINNET_ALLOW_PRIVATE_ADDRESSES: "on", LINNET_TRENDS: trends });
  site = new Site();
  [alice, bob, carol] = [await person("alice"), await person("bob"), await person("carol")];
}

async function stop(): Promise<void> {
  await server.stop();
  await site.stop();
}

async function restart(trends: string): Promise<void> {
  await stop();
  await start(trends);
}

/** Creates a discoverable user. */
async function person(name: string): Promise<Client> {
  const client = await server.person(name);
  await setDiscoverable(client, true);
  return client;
}

async function setDiscoverable(client: Client, discoverable: boolean): Promise<void> {
  await client.patch("/api/v1/accounts/update_credentials", { discoverable });
}

/** Advances the clock, and ranks like the server's hourly job. */
async function rank(later = 0): Promise<void> {
  await server.drain();
  server.clock.advance(later);
  server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "trends.rank", server.clock.now()));
  await server.drain();
}

async function trends(kind: "tags" | "statuses" | "links", query = "", by = server.stranger()): Promise<Json[]> {
  const { status, json } = await by.get(`/api/v1/trends/${kind}${query}`);
  expect(status).toBe(200);
  return json;
}

const tags = async (query = ""): Promise<string[]> => (await trends("tags", query)).map(({ name }) => name);
const ids = (statuses: Json[]): string[] => statuses.map(({ id }) => id);

/** Creates a post that these users favourite. */
async function liked(author: Client, text: string | object, ...fans: Client[]): Promise<string> {
  const { id } = await author.publish(text);
  for (const fan of fans) await fan.post(`/api/v1/statuses/${id}/favourite`);
  return id;
}

describe("A hashtag", () => {
  test("trends after the next ranking if two users use it, ordered by their number", async () => {
    for (const who of [alice, bob]) await who.publish("#Quiet");
    for (const who of [alice, bob, carol]) await who.publish("#loud");
    for (let at = 0; at < 5; at += 1) await alice.publish("#mine alone");
    expect(await tags()).toEqual([]);
    await rank();
    expect(await tags()).toEqual(["loud", "Quiet"]);
    const [loud] = await trends("tags");
    expectShape(loud, "Tag");
    expect(loud.url).toBe(`${server.origin}/tags/loud`);
    expect((await server.stranger().get("/api/v1/trends")).json).toEqual(await trends("tags"));
  });

  test("has a history of seven days, newest first, as text, updated at once", async () => {
    for (const who of [alice, alice, bob]) await who.publish("#birds #birds");
    await rank(2 * DAY);
    await carol.publish("#birds");
    const history = async () => (await alice.get("/api/v2/search?q=birds&type=hashtags")).json.hashtags[0].history;
    const day = (age: number, uses = "0", accounts = "0") => ({
      day: String(TODAY + (2 - age) * 86_400),
      uses,
      accounts,
    });
    expect(await history()).toEqual([
      day(0, "1", "1"),
      day(1),
      day(2, "3", "2"),
      ...[3, 4, 5, 6].map((age) => day(age)),
    ]);
    await rank(7 * DAY);
    expect(new Set((await history()).map(({ uses }: Json) => uses))).toEqual(new Set(["0"]));
    expect(server.ctx.db.get("SELECT 1 FROM trend_uses")).toBeNull();
    expect(server.ctx.db.get("SELECT 1 FROM trend_days")).toBeNull();
  });

  test("counts current uses: edits and deletions reduce the count, and posts that aren't public never count", async () => {
    const counted = async () => {
      const { hashtags } = (await alice.get("/api/v2/search?q=fox&type=hashtags")).json;
      return [hashtags[0].history[0].uses, hashtags[0].history[0].accounts];
    };
    const first = await alice.publish("#fox");
    const second = await alice.publish("#fox again");
    await bob.publish({ status: "#fox", visibility: "unlisted" });
    await bob.publish({ status: "#fox", sensitive: true });
    await bob.post(`/api/v1/statuses/${first.id}/reblog`);
    expect(await counted()).toEqual(["2", "1"]);
    await alice.put(`/api/v1/statuses/${first.id}`, { status: "#fox, better" });
    expect(await counted()).toEqual(["2", "1"]);
    await alice.put(`/api/v1/statuses/${first.id}`, { status: "#fox, worse", sensitive: true });
    expect(await counted()).toEqual(["1", "1"]);
    await alice.delete(`/api/v1/statuses/${second.id}`);
    expect(await counted()).toEqual(["0", "0"]);
  });

  test("decays: recent tags outrank older ones with more users, which later disappear", async () => {
    for (const who of [alice, bob, carol]) await who.publish("#old");
    await rank(2 * DAY);
    for (const who of [alice, bob]) await who.publish("#new");
    await rank();
    expect(await tags()).toEqual(["new", "old"]);
    await rank(2 * DAY);
    expect(await tags()).toEqual(["new"]);
    await rank(2 * DAY);
    expect(await tags()).toEqual([]);
  });

  test("is ranked every hour by a job", async () => {
    await rank();
    for (const who of [alice, bob]) await who.publish("#later");
    await server.drain();
    expect(await tags()).toEqual([]);
    server.clock.advance(HOUR);
    await server.drain();
    expect(await tags()).toEqual(["later"]);
  });

  test("trends only by discoverable users", async () => {
    for (const who of [alice, bob]) await who.publish("#shy");
    await setDiscoverable(bob, false);
    await rank();
    expect(await tags()).toEqual([]);
    await setDiscoverable(bob, true);
    await rank();
    expect(await tags()).toEqual(["shy"]);
  });

  test("loses the uses of deleted accounts", async () => {
    for (const who of [alice, bob]) await who.publish("#gone");
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM accounts WHERE id = $bobId", { bobId: Number(bob.id) }));
    const { hashtags } = (await alice.get("/api/v2/search?q=gone&type=hashtags")).json;
    expect([hashtags[0].history[0].uses, hashtags[0].history[0].accounts]).toEqual(["1", "1"]);
  });
});

describe("A list of trends", () => {
  test("is paged by limit and offset, with links in both directions", async () => {
    for (const who of [alice, bob]) await who.publish("#one #two #three #four #five");
    await rank();
    const all = await tags();
    expect(all).toHaveLength(5);
    const answer = await alice.get("/api/v1/trends/tags?limit=2&offset=2");
    expect(answer.json.map(({ name }: Json) => name)).toEqual(all.slice(2, 4));
    const at = `<${server.origin}/api/v1/trends/tags?limit=2&offset=`;
    expect(answer.headers.get("link")).toBe(`${at}4>; rel="next", ${at}0>; rel="prev"`);
    expect((await alice.get("/api/v1/trends/tags?limit=2&offset=4")).headers.get("link")).toBe(`${at}2>; rel="prev"`);
    expect((await alice.get("/api/v1/trends/tags")).headers.get("link")).toBeNull();
    expect(await tags("?offset=5")).toEqual([]);
  });

  test("contains ten hashtags and links by default and twenty at most; statuses twenty and forty", async () => {
    const names = Array.from({ length: 25 }, (_, at) => `#tag${at}x`).join(" ");
    for (const who of [alice, bob]) await who.publish(names);
    for (let at = 0; at < 41; at += 1) await liked(alice, `number ${at}`, bob, carol);
    await rank();
    for (const [kind, usual, most] of [
      ["tags", 10, 20],
      ["statuses", 20, 40],
    ] as const) {
      expect(await trends(kind)).toHaveLength(usual);
      expect(await trends(kind, "?limit=999")).toHaveLength(most);
      expect(await trends(kind, "?limit=0")).toHaveLength(1);
    }
  });

  inProcess("needs the same number of queries for any length", async () => {
    for (const who of [alice, bob]) await who.publish("#one #two #three #four");
    for (const name of ["a", "b", "c", "d"]) {
      const url = site.put(`/${name}`, page(name));
      await liked(alice, url, bob, carol);
      await bob.publish(url);
    }
    await rank();
    for (const kind of ["tags", "statuses", "links"] as const) {
      const cost = async (limit: number) => {
        clearEntityCache(server);
        const before = server.ctx.db.statements;
        expect(await trends(kind, `?limit=${limit}`, carol)).toHaveLength(limit);
        return server.ctx.db.statements - before;
      };
      await cost(1);
      expect(await cost(4)).toBe(await cost(1));
    }
  });
});

describe("A post", () => {
  test("trends if two others favourite or boost it, the most popular first", async () => {
    const both = await liked(alice, "favourited and reblogged", bob);
    await carol.post(`/api/v1/statuses/${both}/reblog`);
    await liked(alice, "twice by one", bob);
    const dave = await person("dave");
    const three = await liked(bob, "by three", alice, carol, dave);
    const own = await liked(carol, "by oneself and one more", carol, bob);
    await bob.post(`/api/v1/statuses/${own}/reblog`);
    await rank();
    const found = await trends("statuses");
    expect(ids(found)).toEqual([three, both]);
    expectShape(found, ["Status"]);
  });

  test("decays with its age", async () => {
    const old = await liked(alice, "old", bob, carol);
    await rank(DAY);
    const fresh = await liked(bob, "fresh", alice, carol);
    await rank();
    expect(ids(await trends("statuses"))).toEqual([fresh, old]);
    await rank(1.5 * DAY);
    expect(ids(await trends("statuses"))).toEqual([fresh]);
    await rank(DAY);
    expect(await trends("statuses")).toEqual([]);
  });

  test("doesn't trend if it is a reply, sensitive, has a warning, or isn't public", async () => {
    const { id } = await carol.publish("a question");
    for (const draft of [
      { in_reply_to_id: id },
      { sensitive: true },
      { spoiler_text: "careful" },
      { visibility: "unlisted" },
    ]) {
      await liked(alice, { status: "no", ...draft }, bob, carol);
    }
    await rank();
    expect(await trends("statuses")).toEqual([]);
  });

  test("stops trending at once if it is deleted, marked as sensitive, or its author isn't discoverable any more", async () => {
    const [first, second, third] = [
      await liked(alice, "first", bob, carol),
      await liked(alice, "second", bob, carol),
      await liked(bob, "third", alice, carol),
    ];
    await rank();
    expect(ids(await trends("statuses"))).toEqual([third, second, first]);
    await alice.delete(`/api/v1/statuses/${first}`);
    await alice.put(`/api/v1/statuses/${second}`, { status: "second", sensitive: true });
    await setDiscoverable(bob, false);
    expect(await trends("statuses")).toEqual([]);
  });

  test("is hidden from users who block or mute its author, and from users its author blocks", async () => {
    const id = await liked(alice, "hello", bob, carol);
    await rank();
    const [dave, erin, frank] = [await person("dave"), await person("erin"), await person("frank")];
    block(server, dave, alice);
    mute(server, erin, alice);
    block(server, alice, frank);
    for (const who of [dave, erin, frank]) expect(await trends("statuses", "", who)).toEqual([]);
    expect(ids(await trends("statuses", "", bob))).toEqual([id]);
    expect((await trends("statuses", "", bob))[0].favourited).toBe(true);
  });
});

describe("A link", () => {
  const CANONICAL = '<link rel="canonical" href="/article">';
  const link = (address: string) => `/api/v1/timelines/link?url=${encodeURIComponent(address)}`;

  test("trends as the preview card of its page, with the history of all its URLs", async () => {
    const canonical = site.put("/article", page("News", CANONICAL));
    const other = `${canonical}?from=app`;
    await alice.publish(canonical);
    await bob.publish(other);
    await rank();
    const found = await trends("links", "", alice);
    expectShape(found, ["TrendsLink"]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ url: canonical, title: "News", type: "link", missing_attribution: false });
    expect(found[0].history).toHaveLength(7);
    expect(found[0].history[0]).toEqual({ day: String(TODAY), uses: "2", accounts: "2" });
  });

  test("doesn't trend by one user, by users who aren't discoverable, or without a page", async () => {
    const [one, shy, none] = [site.put("/one", page("One")), site.put("/shy", page("Shy")), site.url("/none")];
    for (const who of [alice, alice]) await who.publish(one);
    await setDiscoverable(carol, false);
    for (const who of [alice, carol]) await who.publish(shy);
    for (const who of [alice, bob]) await who.publish(none);
    await rank();
    expect(await trends("links")).toEqual([]);
  });

  test("has a paged timeline of public posts by discoverable users while it trends", async () => {
    const canonical = site.put("/article", page("News", CANONICAL));
    const other = `${canonical}?from=app`;
    const posts = [
      (await alice.publish(`first ${canonical}`)).id,
      (await bob.publish(`second ${other}`)).id,
      (await alice.publish(`third ${canonical}`)).id,
    ].toReversed();
    await alice.publish({ status: canonical, visibility: "unlisted" });
    await setDiscoverable(carol, false);
    await carol.publish(canonical);
    const before = await alice.get(link(canonical));
    expect([before.status, before.json]).toEqual([404, { error: "Record not found" }]);
    await rank();
    const stranger = server.stranger();
    for (const address of [canonical, other]) expect(ids((await stranger.get(link(address))).json)).toEqual(posts);
    const first = await stranger.get(`${link(canonical)}&limit=2`);
    expect(ids(first.json)).toEqual(posts.slice(0, 2));
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link")!)![1]!;
    expect(ids((await stranger.get(next.slice(server.origin.length))).json)).toEqual(posts.slice(2));
    block(server, carol, alice);
    expect(ids((await carol.get(link(canonical))).json)).toEqual([posts[1]!]);
    await rank(7 * DAY);
    expect((await stranger.get(link(canonical))).status).toBe(404);
  });

  test("requires a URL, and a token needs the scope for posts", async () => {
    expect((await server.stranger().get("/api/v1/timelines/link")).status).toBe(422);
    expect((await server.otherApp(alice, "write").get(link("https://example.org"))).status).toBe(403);
  });
});

describe("The owner", () => {
  const idOf = (tag: string) => server.ctx.db.get<{ id: number }>("SELECT id FROM tags WHERE name = $tag", { tag })!.id;

  test("can restrict trends to approved ones", async () => {
    await restart("review");
    const url = site.put("/article", page("News"));
    const post = await liked(alice, `${url} #good #bad`, bob, carol);
    await bob.publish(`${url} #good #bad`);
    await rank();
    for (const kind of ["tags", "statuses", "links"] as const) expect(await trends(kind)).toEqual([]);
    const timeline = `/api/v1/timelines/link?url=${encodeURIComponent(url)}`;
    expect((await alice.get(timeline)).status).toBe(404);
    const card = server.ctx.db.get<{ id: number }>("SELECT id FROM preview_cards")!.id;
    reviewTrend(server.ctx, "tag", idOf("good"), true);
    reviewTrend(server.ctx, "tag", idOf("bad"), false);
    reviewTrend(server.ctx, "status", Number(post), true);
    reviewTrend(server.ctx, "link", card, true);
    expect(await tags()).toEqual(["good"]);
    expect(ids(await trends("statuses"))).toEqual([post]);
    expect(await trends("links")).toHaveLength(1);
    expect((await alice.get(timeline)).json).toHaveLength(2);
    await rank(HOUR);
    expect(await tags()).toEqual(["good"]);
    reviewTrend(server.ctx, "tag", idOf("good"), false);
    expect(await tags()).toEqual([]);
  });

  test("can reject a trend without reviewing all others", async () => {
    for (const who of [alice, bob]) await who.publish("#good #bad");
    await rank();
    reviewTrend(server.ctx, "tag", idOf("bad"), false);
    expect(await tags()).toEqual(["good"]);
  });

  test("can turn trends off, and hashtags keep their history", async () => {
    await restart("off");
    for (const who of [alice, bob]) await who.publish("#good");
    await rank();
    expect(await tags()).toEqual([]);
    const { hashtags } = (await alice.get("/api/v2/search?q=good&type=hashtags")).json;
    expect(hashtags[0].history[0].accounts).toBe("2");
  });
});
