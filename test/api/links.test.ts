import type { Params } from "../../src/db/open.ts";
import { beforeAll, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { idsOf, linksOf, pagesOf, turn } from "../support/reading.ts";
import { followRemote } from "../support/remote-rows.ts";
import { remoteAccount } from "../support/rows.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";

/*
 * Seven rows in every list. Alice makes the requests unless the list belongs to someone else.
 */
const COUNT = 7;

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);
let root: string;
const people: Client[] = [];
const statuses: string[] = [];

beforeAll(async () => {
  await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
  root = (await alice.publish({ status: "root", visibility: "unlisted" })).id;
  // The orders of accounts, statuses and rows differ from each other.
  for (let at = 0; at < COUNT; at++) people.push(await server.person(`person${at}`));
  for (const who of people.toReversed()) {
    await who.follow(alice);
    await alice.follow(who);
    await who.follow(bob);
    await who.post(`/api/v1/statuses/${root}/favourite`);
    await who.post(`/api/v1/statuses/${root}/reblog`, { visibility: "unlisted" });
  }
  for (let at = 0; at < COUNT; at++) statuses.push((await bob.publish(`#tag ${at}`)).id);
  for (const id of [...statuses.slice(3), ...statuses.slice(0, 3)]) {
    await alice.post(`/api/v1/statuses/${id}/favourite`);
    await alice.post(`/api/v1/statuses/${id}/bookmark`);
  }
  await prepareLists();
  await prepareCarol();
});

/** Creates a list of Alice's people, a list of Bob with his own statuses, followed hashtags and a trending link. */
async function prepareLists(): Promise<void> {
  const newList = async (owner: Client, ...members: Client[]): Promise<string> => {
    const { id } = (await owner.post("/api/v1/lists", { title: "A list" })).json;
    for (const member of members) await owner.post(`/api/v1/lists/${id}/accounts`, { account_ids: [member.id] });
    return id;
  };
  lists = { alice: await newList(alice, ...people.toReversed()), bob: await newList(bob, bob) };
  for (const name of ["b", "d", "a", "g", "c", "e", "f"]) {
    tags.unshift((await alice.post(`/api/v1/tags/${name}/follow`)).json.id);
  }
  server.ctx.db.transaction((tx) => {
    tx.run(
      `INSERT INTO preview_cards (id, url, type, title, description, author_name, author_url, provider_name, provider_url,
         html, width, height, embed_url, image_description, updated_at)
       VALUES (1, $trending, 'link', '', '', '', '', '', '', '', 0, 0, '', '', 0)`,
      { trending: TRENDING },
    );
    tx.run("INSERT INTO links (id, url, card_id) VALUES (1, $trending, 1)", { trending: TRENDING });
    for (const id of statuses) tx.run("INSERT INTO status_links (status_id, link_id) VALUES ($id, 1)", { id });
    tx.run("INSERT INTO trends (kind, subject_id, score) VALUES ('link', 1, 1)");
    tx.run("UPDATE accounts SET discoverable = 1 WHERE id = $bobId", { bobId: bob.id });
  });
}

/** Creates Carol with mutes, endorsements, conversations, scheduled statuses and quotes, none in the order of their ids. */
async function prepareCarol(): Promise<void> {
  carol = await server.person("carol");
  const others = [3, 1, 6, 0, 5, 2, 4];
  const strangers = others.map((at) => remoteAccount(server, `stranger${at}`, "elsewhere.example")).toSorted();
  const quoted: Json[] = [];
  for (const at of others)
    quoted[at] = await carol.publish({ status: `quote ${at}`, quoted_status_id: root, visibility: "unlisted" });
  for (const at of others) {
    const id = strangers[at]!;
    await followRemote(server, carol, { id });
    for (const verb of ["endorse", "mute"]) await carol.post(`/api/v1/accounts/${id}/${verb}`);
    avoided.unshift(id);
    await carol.publish({ status: `note ${at}`, visibility: "direct" });
    const scheduled_at = new Date(server.clock.now() + (at + 1) * 3600_000).toISOString();
    scheduled.unshift((await carol.post("/api/v1/statuses", { status: `later ${at}`, scheduled_at })).json.id);
  }
  conversations.push(...idsOf(await carol.get("/api/v1/conversations")));
  quotes.push(...others.map((at) => quoted[at]!.id).toReversed());
}

const TRENDING = "https://news.example/";
let carol: Client;
let lists: { alice: string; bob: string };
const tags: string[] = [];
const avoided: string[] = [];
const scheduled: string[] = [];
const conversations: string[] = [];
const quotes: string[] = [];

interface Listed {
  path: string;
  reader: Client;
  ids: string[];
  /** Whether the cursors are ids of rows rather than of the listed things. */
  byRow: boolean;
  /** Whether a limit of 0 means no limit. */
  zeroIsAll?: true;
}

/** Each list with its path, its reader and its ids from the newest to the oldest. */
const LISTS: [string, () => Listed][] = [
  ["public timeline", () => ofStatuses("/api/v1/timelines/public")],
  ["timeline of a hashtag", () => ofStatuses("/api/v1/timelines/tag/tag")],
  ["home timeline", () => ({ ...ofStatuses("/api/v1/timelines/home"), reader: bob })],
  ["list of an account's statuses", () => ofStatuses(`/api/v1/accounts/${bob.id}/statuses`)],
  ["list of favourites", () => ofMarked("/api/v1/favourites")],
  ["list of bookmarks", () => ofMarked("/api/v1/bookmarks")],
  ["list of followers", () => ofPeople(`/api/v1/accounts/${alice.id}/followers`)],
  ["list of followed accounts", () => ofPeople(`/api/v1/accounts/${alice.id}/following`)],
  ["list of follow requests", () => ({ ...ofPeople("/api/v1/follow_requests"), reader: bob })],
  ["list of accounts that favourited", () => ofPeople(`/api/v1/statuses/${root}/favourited_by`)],
  ["list of accounts that boosted", () => ofPeople(`/api/v1/statuses/${root}/reblogged_by`)],
  ["timeline of a list", () => ({ ...ofStatuses(`/api/v1/timelines/list/${lists.bob}`), reader: bob })],
  ["timeline of a link", () => ofStatuses(`/api/v1/timelines/link?url=${encodeURIComponent(TRENDING)}`)],
  ["list of a list's members", () => ({ ...ofPeople(`/api/v1/lists/${lists.alice}/accounts`), zeroIsAll: true })],
  ["list of followed hashtags", () => ({ path: "/api/v1/followed_tags", reader: alice, ids: tags, byRow: true })],
  ["list of muted accounts", () => ({ path: "/api/v1/mutes", reader: carol, ids: avoided, byRow: true })],
  ["list of endorsed accounts", () => ({ ...ofCarol("/api/v1/endorsements", avoided, true), zeroIsAll: true })],
  ["list of conversations", () => ofCarol("/api/v1/conversations", conversations, true)],
  ["list of scheduled statuses", () => ofCarol("/api/v1/scheduled_statuses", scheduled, false)],
  ["list of a status's quotes", () => ofCarol(`/api/v1/statuses/${root}/quotes`, quotes, true)],
];

function ofCarol(path: string, ids: string[], byRow: boolean): Listed {
  return { path, reader: carol, ids, byRow };
}

function ofStatuses(path: string) {
  return { path, reader: alice, ids: statuses.toReversed(), byRow: false };
}

function ofMarked(path: string) {
  return {
    path,
    reader: alice,
    ids: [...statuses.slice(0, 3).toReversed(), ...statuses.slice(3).toReversed()],
    byRow: true,
  };
}

function ofPeople(path: string) {
  return { path, reader: alice, ids: people.map((who) => who.id), byRow: true };
}

const asking = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;

describe.each(LISTS)("The %s", (_, list) => {
  test("leads through all its pages in order, without gaps or repetitions", async () => {
    const { path, reader, ids } = list();
    const pages = await pagesOf(reader, asking(path, "limit=3"));
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(idsOf(pages.flat())).toEqual(ids);
  });

  test("has absolute links, next before prev, and no next link on its last page", async () => {
    const { path, reader } = list();
    const first = await reader.get(asking(path, "limit=3"));
    const links = linksOf(first);
    expect(links.rels).toEqual(["next", "prev"]);
    for (const link of [links.next!, links.prev!]) {
      expect(link.origin + link.pathname).toBe(server.origin + path.split("?")[0]);
      expect(link.searchParams.get("limit")).toBe("3");
    }
    const asked = [...new URL(path, server.origin).searchParams.keys()];
    expect([...links.next!.searchParams.keys()].toSorted()).toEqual(["limit", "max_id", ...asked]);
    expect([...links.prev!.searchParams.keys()].toSorted()).toEqual(["limit", "min_id", ...asked]);
    expect(links.next!.searchParams.get("max_id")).toMatch(/^\d+$/);
    expect(linksOf(await reader.get(path)).rels).toEqual(["prev"]);
  });

  test("leads back page by page", async () => {
    const { path, reader, ids } = list();
    const last = await turn(
      reader,
      linksOf(await turn(reader, linksOf(await reader.get(asking(path, "limit=3"))).next)).next,
    );
    expect(idsOf(last)).toEqual(ids.slice(6));
    const middle = await turn(reader, linksOf(last).prev);
    expect(idsOf(middle)).toEqual(ids.slice(3, 6));
    expect(idsOf(await turn(reader, linksOf(middle).prev))).toEqual(ids.slice(0, 3));
  });

  test("has an empty page without links above the first", async () => {
    const { path, reader } = list();
    const above = await turn(reader, linksOf(await reader.get(path)).prev);
    expect([above.status, above.json, above.headers.get("link")]).toEqual([200, [], null]);
  });

  test("has cursors of rows if its order is that of rows", async () => {
    const { path, reader, ids, byRow } = list();
    const cursor = linksOf(await reader.get(asking(path, "limit=3"))).next!.searchParams.get("max_id")!;
    expect(cursor === ids[2]).toBe(!byRow);
  });

  test("respects min_id, since_id and max_id", async () => {
    const { path, reader, ids } = list();
    const cursors: string[] = [];
    for (const page of await everyCursor(reader, path)) cursors.push(page);
    const read = async (query: string) => idsOf(await reader.get(asking(path, query)));
    expect(await read(`limit=2&min_id=${cursors[5]}`)).toEqual(ids.slice(3, 5));
    expect(await read(`limit=2&since_id=${cursors[5]}`)).toEqual(ids.slice(0, 2));
    expect(await read(`limit=2&max_id=${cursors[3]}`)).toEqual(ids.slice(4, 6));
    expect(await read(`min_id=${cursors[5]}&max_id=${cursors[2]}`)).toEqual(ids.slice(3, 5));
    expect(await read(`limit=1&since_id=${cursors[5]}&max_id=${cursors[2]}`)).toEqual(ids.slice(3, 4));
    expect(await read(`limit=1&min_id=${cursors[5]}&max_id=${cursors[2]}`)).toEqual(ids.slice(4, 5));
    expect(await read(`min_id=${cursors[2]}&max_id=${cursors[5]}`)).toEqual([]);
  });

  test("accepts any number as cursor and limit, and reduces a limit that is too high", async () => {
    const { path, reader, ids, zeroIsAll } = list();
    const read = async (query: string) => idsOf(await reader.get(asking(path, query)));
    expect(await read("limit=100000")).toEqual(ids);
    expect(await read("limit=0")).toEqual(zeroIsAll ? ids : ids.slice(0, 1));
    expect(await read("limit=-5")).toEqual(zeroIsAll ? ids : ids.slice(0, 1));
    expect(await read("max_id=99999999999999999999")).toEqual(ids);
    expect(await read("max_id=0")).toEqual([]);
    expect(await read("since_id=0")).toEqual(ids);
    expect(await read("min_id=0&limit=2")).toEqual(ids.slice(-2));
    expect(await read("since_id=109876543210987654")).toEqual([]);
    expect(await read("min_id=99999999999999999999")).toEqual([]);
    expect(await read("max_id=&since_id=")).toEqual(ids);
  });
});

/** The cursor of every row from the first one, from pages with one row each. */
async function everyCursor(reader: Client, path: string): Promise<string[]> {
  const cursors: string[] = [];
  let next: string | null = asking(path, "limit=1");
  while (next !== null) {
    const { next: link }: { next: URL | null } = linksOf(await reader.get(next));
    if (link) cursors.push(link.searchParams.get("max_id")!);
    next = link && link.pathname + link.search;
  }
  return cursors;
}

describe("A page", () => {
  test("keeps other parameters in its links, including repeated and nested ones", async () => {
    const query = "limit=2&exclude_replies=true&tagged=tag";
    const { next } = linksOf(await alice.get(`/api/v1/accounts/${bob.id}/statuses?${query}`));
    expect(Object.fromEntries(next!.searchParams)).toMatchObject({
      limit: "2",
      exclude_replies: "true",
      tagged: "tag",
    });
    const types = linksOf(await alice.get("/api/v1/notifications?types[]=follow&types[]=reblog&limit=2")).next!;
    expect(types.searchParams.getAll("types[]")).toEqual(["follow", "reblog"]);
    const tag = linksOf(await alice.get("/api/v1/timelines/tag/TAG?any[]=b&limit=2")).next!;
    expect([tag.pathname, tag.searchParams.get("any[]")]).toEqual(["/api/v1/timelines/tag/TAG", "b"]);
  });

  test("replaces the cursors of its request in its links", async () => {
    const { next } = linksOf(await alice.get(`/api/v1/timelines/public?limit=2&since_id=1&max_id=9007199254740991`));
    expect([...next!.searchParams.keys()].toSorted()).toEqual(["limit", "max_id"]);
  });

  test("links to the public address of the server, not to that of the request", async () => {
    const proxied = await startServer({ LINNET_URL: "https://social.example" });
    const ada = await proxied.person("ada");
    await ada.publish("one");
    const { prev } = linksOf(await ada.get("/api/v1/timelines/home"));
    expect(prev!.origin).toBe("https://social.example");
    await proxied.stop();
  });

  test("continues at the same place after its last item was removed", async () => {
    const quiet = await startServer();
    const [ada, bea] = [await quiet.person("ada"), await quiet.person("bea")];
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) ids.unshift((await bea.publish(`${at}`)).id);
    for (const id of ids.toReversed()) await ada.post(`/api/v1/statuses/${id}/favourite`);
    const [marked, written] = [
      await ada.get("/api/v1/favourites?limit=3"),
      await ada.get("/api/v1/timelines/public?limit=3"),
    ];
    await ada.post(`/api/v1/statuses/${ids[2]}/unfavourite`);
    expect(idsOf(await turn(ada, linksOf(marked).next))).toEqual(ids.slice(3));
    await bea.delete(`/api/v1/statuses/${ids[2]}`);
    await bea.delete(`/api/v1/statuses/${ids[3]}`);
    for (const first of [marked, written]) expect(idsOf(await turn(ada, linksOf(first).next))).toEqual(ids.slice(4));
    await quiet.stop();
  });
});

describe("The default and the maximum length of a page of", () => {
  const { server: busy, ada } = serverForAllTests(["ada"]);
  let list: string;
  let post: string;
  const run = (sql: string, params?: Params) => busy.ctx.db.transaction((tx) => tx.run(sql, params));

  beforeAll(async () => {
    list = (await ada.post("/api/v1/lists", { title: "Everyone" })).json.id;
    for (let at = 0; at < 45; at++) post = (await ada.publish(`#tag ${at}`)).id;
    for (let at = 0; at < 85; at++) remoteAccount(busy, `person${at}`, "elsewhere.example");
    for (const table of ["favourites", "bookmarks"]) {
      run(`INSERT INTO ${table} (account_id, status_id, created_at) SELECT account_id, id, 0 FROM statuses`);
    }
    const others = "FROM accounts WHERE domain IS NOT NULL";
    run(`INSERT INTO follows (account_id, target_account_id, created_at) SELECT $ada, id, 0 ${others}`, {
      ada: ada.id,
    });
    for (const table of ["follows", "follow_requests"]) {
      run(`INSERT INTO ${table} (account_id, target_account_id, created_at) SELECT id, $ada, 0 ${others}`, {
        ada: ada.id,
      });
    }
    run(`INSERT INTO favourites (account_id, status_id, created_at) SELECT id, $post, 0 ${others}`, { post });
    run(
      `INSERT INTO list_accounts (list_id, account_id, follow_id) SELECT $list, target_account_id, id FROM follows WHERE account_id = $ada`,
      { list, ada: ada.id },
    );
    run(`INSERT INTO list_timeline (list_id, status_id) SELECT $list, id FROM statuses`, { list });
    run(`INSERT INTO list_accounts (list_id, account_id) VALUES ($list, $ada)`, { list, ada: ada.id });
  });

  test.each([
    ["timelines/public", 20, 40],
    ["timelines/home", 20, 40],
    ["timelines/tag/tag", 20, 40],
    ["timelines/list/LIST", 20, 40],
    ["favourites", 20, 40],
    ["bookmarks", 20, 40],
    ["accounts/ADA/statuses", 20, 40],
    ["accounts/ADA/followers", 40, 80],
    ["accounts/ADA/following", 40, 80],
    ["follow_requests", 40, 80],
    ["lists/LIST/accounts", 40, 80],
    ["statuses/POST/favourited_by", 40, 80],
  ])("%s are %i and %i", async (name, usual, most) => {
    const path = `/api/v1/${name.replace("ADA", ada.id).replace("LIST", list).replace("POST", post)}`;
    const length = async (query: string): Promise<number> => (await ada.get(path + query)).json.length;
    expect([await length(""), await length("?limit=999")]).toEqual([usual, most]);
  });
});
