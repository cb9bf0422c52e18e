import { beforeEach, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { remoteAccount, remoteFollows, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const { server, bob } = serverForAllTests(["bob"]);
let users = 0;
let reader: Client;
let visitor: Visitor;

/** Each test has a reader of its own, who follows bob. */
beforeEach(async () => {
  users += 1;
  reader = await server.person(`reader${users}`, { role: "user" });
  visitor = new Visitor(server);
  await visitor.signIn(`reader${users}`);
  await reader.follow(bob);
  await server.drain();
});

const marker = async (timeline: string): Promise<string | undefined> =>
  (await reader.get(`/api/v1/markers?timeline[]=${timeline}`)).json[timeline]?.last_read_id;
const badge = ({ html }: { html: string }) => /class="count"><span aria-hidden="true">([^<]*)</.exec(html)?.[1];

async function filter(action: string, context: string[], word: string): Promise<void> {
  const keywords_attributes = [{ keyword: word, whole_word: true }];
  await reader.post("/api/v2/filters", { title: `No ${word}`, context, filter_action: action, keywords_attributes });
}

describe("Home", () => {
  test("is where a user starts after signing in, and helps to find someone to follow", async () => {
    await server.person("newcomer", { role: "user" });
    const newcomer = new Visitor(server);
    expect((await newcomer.signIn("newcomer")).location).toBe("/home");
    expect((await newcomer.follow()).text).toContain("Your timeline is empty");
    const { location, status } = await new Visitor(server).get("/home");
    expect([status, location]).toEqual([200, null]);
  });

  test("shows where the user has read to, also on the next page, and notes that they have read on", async () => {
    const first = await bob.publish("read before");
    await reader.post("/api/v1/markers", { home: { last_read_id: first.id } });
    const texts = Array.from({ length: 20 }, (_, at) => `unread ${at}`);
    const posted: Json[] = [];
    for (const text of texts) posted.push(await bob.publish(text));
    const page = await visitor.get("/home");
    expect(page.text).toMatch(/unread 19.*unread 0/);
    expect(page.text).not.toContain("You have read");
    expect(await marker("home")).toBe(posted.at(-1).id);
    const [, older] = /href="(\/home\?max_id=[^"]*)" rel="next"/.exec(page.html)!;
    const next = await visitor.get(older!.replaceAll("&amp;", "&"));
    expect(next.text).toContain("read before");
    await bob.publish("newest");
    expect((await visitor.get("/home")).text).toMatch(/newest.*You have read everything below.*unread 19/);
  });

  test("is not marked as read by a browser that only loads it in advance", async () => {
    await bob.publish("for later");
    const ahead = new Visitor(server, { "sec-purpose": "prefetch" });
    ahead.cookies.set("linnet_session", visitor.cookies.get("linnet_session")!);
    expect((await ahead.get("/home")).text).toContain("for later");
    expect(await marker("home")).toBeUndefined();
  });

  test("applies the user's filters for it, and no others", async () => {
    await filter("hide", ["home"], "spiders");
    await filter("warn", ["home"], "snakes");
    await filter("hide", ["public"], "wasps");
    for (const word of ["spiders", "snakes", "wasps"]) await bob.publish(`beware of ${word}`);
    const { text, html } = await visitor.get("/home");
    expect(text).not.toContain("beware of spiders");
    expect(text).toContain("beware of wasps");
    expect(html).toMatch(/<details class="filtered"><summary><span dir="auto">Filtered: No snakes<.*beware of snakes/);
  });
});

describe("Notifications", () => {
  test("are grouped, say what happened, and are counted in the bar until they were seen", async () => {
    const status = await reader.publish("a fine bird");
    const fans = await Promise.all([1, 2].map((at) => server.person(`fan${users}x${at}`, { role: "user" })));
    for (const fan of fans) await fan.post(`/api/v1/statuses/${status.id}/favourite`);
    await bob.publish(`@reader${users} hello`);
    expect(badge(await visitor.get("/home"))).toBe("3");
    const seen = await visitor.get("/notifications");
    expect(seen.text).toMatch(/New: bob mentioned you.*hello/);
    expect(seen.text).toMatch(new RegExp(`New: fan${users}x2 and 1 other favourited your post .* a fine bird`));
    expect(badge(seen)).toBeUndefined();
    expect((await visitor.get("/notifications?lang=de")).text).toContain("haben deinen Beitrag favorisiert");
    expect((await visitor.get("/notifications?lang=fr")).text).toContain("ont ajouté votre message à leurs favoris");
    expect((await visitor.get("/notifications")).text).not.toContain("New:");
  });

  test("about posts that the user's filters hide are left out", async () => {
    await filter("hide", ["notifications"], "lottery");
    for (const word of ["lottery", "weather"]) await bob.publish(`@reader${users} the ${word}`);
    const { text } = await visitor.get("/notifications");
    expect(text.match(/mentioned you|the (lottery|weather)/g)).toEqual(["mentioned you", "the weather"]);
  });

  test("about a follow request have its answers", async () => {
    const far = remoteAccount(server, `asker${users}`, "far.example");
    remoteFollows(server, far, reader, "follow_requests");
    const { text } = await visitor.get("/notifications");
    expect(text).toMatch(/Some accounts have asked to follow you. Follow requests .*has asked to follow you/);
    expect((await visitor.press("Accept")).location).toBe("/notifications");
    expect((await reader.get("/api/v1/follow_requests")).json).toEqual([]);
  });

  test("help a user who has none", async () => {
    expect((await visitor.get("/notifications")).text).toContain("No notifications yet");
  });
});

test("bookmarks and favourites have pages of their own", async () => {
  const [kept, liked] = [await bob.publish("to keep"), await bob.publish("to like")];
  await reader.post(`/api/v1/statuses/${kept.id}/bookmark`);
  await reader.post(`/api/v1/statuses/${liked.id}/favourite`);
  expect((await visitor.get("/bookmarks")).text).toMatch(/^(?!.*to like).*to keep/);
  expect((await visitor.get("/favourites")).text).toMatch(/^(?!.*to keep).*to like/);
  await visitor.press("Favourite");
  expect((await visitor.follow()).text).toContain("There are no posts here.");
});

describe("The search", () => {
  test("finds accounts to follow, hashtags, and the user's own posts", async () => {
    const far = remoteAccount(server, `nightjar${users}`, "far.example");
    await reader.publish("a nightjar sings #nightjars");
    const found = await visitor.get("/search?q=nightjar");
    expect(found.text).toMatch(/Accounts .*@far\.example Follow Hashtags #nightjars Posts .*a nightjar sings/);
    const { location } = await visitor.press("Follow", {}, `/accounts/${far}`);
    expect(location).toBe("/search?q=nightjar");
    expect((await reader.get(`/api/v1/accounts/relationships?id[]=${far}`)).json[0].requested).toBe(true);
    expect((await visitor.get("/search?q=%23nightjars")).text).not.toContain("Accounts");
    expect((await visitor.get("/search?q=qqqq")).text).toContain("Nothing found");
  });

  test("finds an account or a post by its address", async () => {
    const far = remoteAccount(server, `dipper${users}`, "far.example");
    const id = remoteStatus(server, far, "in the brook");
    const uri = (await reader.get(`/api/v1/statuses/${id}`)).json.uri;
    expect((await visitor.get(`/search?${new URLSearchParams({ q: uri })}`)).text).toContain("in the brook");
    const handle = `@dipper${users}@far.example`;
    expect((await visitor.get(`/search?${new URLSearchParams({ q: handle })}`)).text).toContain(handle);
  });
});

inProcess("home, notifications and a search take as many queries for many posts as for one", async () => {
  const cost = async (path: string) => {
    await visitor.get(path);
    clearEntityCache(server);
    const before = server.ctx.db.statements;
    expect((await visitor.get(path)).status).toBe(200);
    return server.ctx.db.statements - before;
  };
  const paths = ["/home", "/notifications", "/search?q=quail"];
  const add = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const media = await uploaded(bob, {}, at);
      await bob.publish({ status: `@reader${users} quail`, media_ids: [media.id] });
      await bob.post(`/api/v1/statuses/${(await reader.publish("quail")).id}/favourite`);
    }
  };
  const costs = async () => {
    const counts: number[] = [];
    for (const path of paths) counts.push(await cost(path));
    return counts;
  };
  await add(1);
  const few = await costs();
  await add(8);
  expect(await costs()).toEqual(few);
});
