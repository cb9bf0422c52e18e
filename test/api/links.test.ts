import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, linksOf, pagesOf } from "../support/reading.ts";
import { startServer, type TestServer } from "../support/server.ts";

/*
 * Seven of everything. Who asks is Alice, save where a list is somebody else's to read.
 */
const COUNT = 7;

let server: TestServer;
let alice: Client;
let bob: Client;
let root: string;
const people: Client[] = [];
const statuses: string[] = [];

beforeAll(async () => {
  server = await startServer();
  [alice, bob] = [await server.person("alice"), await server.person("bob")];
  await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
  root = (await alice.publish({ status: "root", visibility: "unlisted" })).id;
  // So that the order of accounts, of statuses and of rows are three different ones.
  for (let at = 0; at < COUNT; at++) people.push(await server.person(`person${at}`));
  for (const who of people.toReversed()) {
    await who.post(`/api/v1/accounts/${alice.id}/follow`);
    await alice.post(`/api/v1/accounts/${who.id}/follow`);
    await who.post(`/api/v1/accounts/${bob.id}/follow`);
    await who.post(`/api/v1/statuses/${root}/favourite`);
    await who.post(`/api/v1/statuses/${root}/reblog`, { visibility: "unlisted" });
  }
  for (let at = 0; at < COUNT; at++) statuses.push((await bob.publish(`#tag ${at}`)).id);
  for (const id of [...statuses.slice(3), ...statuses.slice(0, 3)]) {
    await alice.post(`/api/v1/statuses/${id}/favourite`);
    await alice.post(`/api/v1/statuses/${id}/bookmark`);
  }
});
afterAll(() => server.stop());

/** Each list: its path, who reads it, and what it holds from the newest to the oldest. */
const LISTS: [string, () => { path: string; reader: Client; ids: string[]; byRow: boolean }][] = [
  ["public timeline", () => ofStatuses("/api/v1/timelines/public")],
  ["timeline of a hashtag", () => ofStatuses("/api/v1/timelines/tag/tag")],
  ["home timeline", () => ({ ...ofStatuses("/api/v1/timelines/home"), reader: bob })],
  ["statuses of an account", () => ofStatuses(`/api/v1/accounts/${bob.id}/statuses`)],
  ["favourites", () => ofMarked("/api/v1/favourites")],
  ["bookmarks", () => ofMarked("/api/v1/bookmarks")],
  ["followers", () => ofPeople(`/api/v1/accounts/${alice.id}/followers`)],
  ["accounts followed", () => ofPeople(`/api/v1/accounts/${alice.id}/following`)],
  ["requests to follow", () => ({ ...ofPeople("/api/v1/follow_requests"), reader: bob })],
  ["accounts that favourited", () => ofPeople(`/api/v1/statuses/${root}/favourited_by`)],
  ["accounts that reblogged", () => ofPeople(`/api/v1/statuses/${root}/reblogged_by`)],
];

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

const follow = (reader: Client, link: URL | null): Promise<Answer> => reader.get(link!.pathname + link!.search);

describe.each(LISTS)("The %s", (_, list) => {
  test("goes through all its pages by its links, each thing once and in order", async () => {
    const { path, reader, ids } = list();
    const pages = await pagesOf(reader, `${path}?limit=3`);
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(idsOf(pages.flat())).toEqual(ids);
  });

  test("links absolutely, next before prev, and has no next at its end", async () => {
    const { path, reader } = list();
    const first = await reader.get(`${path}?limit=3`);
    const links = linksOf(first);
    expect(links.rels).toEqual(["next", "prev"]);
    for (const link of [links.next!, links.prev!]) {
      expect(link.origin + link.pathname).toBe(server.origin + path);
      expect(link.searchParams.get("limit")).toBe("3");
    }
    expect([...links.next!.searchParams.keys()].toSorted()).toEqual(["limit", "max_id"]);
    expect([...links.prev!.searchParams.keys()].toSorted()).toEqual(["limit", "min_id"]);
    expect(links.next!.searchParams.get("max_id")).toMatch(/^\d+$/);
    expect(linksOf(await reader.get(path)).rels).toEqual(["prev"]);
  });

  test("goes back by its links, page by page", async () => {
    const { path, reader, ids } = list();
    const last = await follow(
      reader,
      linksOf(await follow(reader, linksOf(await reader.get(`${path}?limit=3`)).next)).next,
    );
    expect(idsOf(last)).toEqual(ids.slice(6));
    const middle = await follow(reader, linksOf(last).prev);
    expect(idsOf(middle)).toEqual(ids.slice(3, 6));
    expect(idsOf(await follow(reader, linksOf(middle).prev))).toEqual(ids.slice(0, 3));
  });

  test("above its first page has nothing, and no links", async () => {
    const { path, reader } = list();
    const above = await follow(reader, linksOf(await reader.get(path)).prev);
    expect([above.status, above.json, above.headers.get("link")]).toEqual([200, [], null]);
  });

  test("pages by cursors that are rows where rows are what is listed", async () => {
    const { path, reader, ids, byRow } = list();
    const cursor = linksOf(await reader.get(`${path}?limit=3`)).next!.searchParams.get("max_id")!;
    expect(cursor === ids[2]).toBe(!byRow);
  });

  test("keeps to its bounds: min_id is the page just above, since_id the newest, both below max_id", async () => {
    const { path, reader, ids } = list();
    const cursors: string[] = [];
    for (const page of await everyCursor(reader, path)) cursors.push(page);
    const read = async (query: string) => idsOf(await reader.get(`${path}?${query}`));
    expect(await read(`limit=2&min_id=${cursors[5]}`)).toEqual(ids.slice(3, 5));
    expect(await read(`limit=2&since_id=${cursors[5]}`)).toEqual(ids.slice(0, 2));
    expect(await read(`limit=2&max_id=${cursors[3]}`)).toEqual(ids.slice(4, 6));
    expect(await read(`min_id=${cursors[5]}&max_id=${cursors[2]}`)).toEqual(ids.slice(3, 5));
    expect(await read(`limit=1&since_id=${cursors[5]}&max_id=${cursors[2]}`)).toEqual(ids.slice(3, 4));
    expect(await read(`limit=1&min_id=${cursors[5]}&max_id=${cursors[2]}`)).toEqual(ids.slice(4, 5));
    expect(await read(`min_id=${cursors[2]}&max_id=${cursors[5]}`)).toEqual([]);
  });

  test("takes any number for a cursor and any limit, and lowers what is too high", async () => {
    const { path, reader, ids } = list();
    const read = async (query: string) => idsOf(await reader.get(`${path}?${query}`));
    expect(await read("limit=100000")).toEqual(ids);
    expect(await read("limit=0")).toEqual(ids.slice(0, 1));
    expect(await read("limit=-5")).toEqual(ids.slice(0, 1));
    expect(await read("max_id=99999999999999999999")).toEqual(ids);
    expect(await read("max_id=0")).toEqual([]);
    expect(await read("since_id=0")).toEqual(ids);
    expect(await read("min_id=0&limit=2")).toEqual(ids.slice(-2));
    expect(await read("since_id=109876543210987654")).toEqual([]);
    expect(await read("min_id=99999999999999999999")).toEqual([]);
    expect(await read("max_id=&since_id=")).toEqual(ids);
  });
});

/** The cursor of every row, from the first: where each page of one ends. */
async function everyCursor(reader: Client, path: string): Promise<string[]> {
  const cursors: string[] = [];
  let next: string | null = `${path}?limit=1`;
  while (next !== null) {
    const { next: link }: { next: URL | null } = linksOf(await reader.get(next));
    if (link) cursors.push(link.searchParams.get("max_id")!);
    next = link && link.pathname + link.search;
  }
  return cursors;
}

describe("A page", () => {
  test("keeps the other parameters in its links, also repeated and nested ones", async () => {
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

  test("replaces the cursors that it was asked for with", async () => {
    const { next } = linksOf(await alice.get(`/api/v1/timelines/public?limit=2&since_id=1&max_id=9007199254740991`));
    expect([...next!.searchParams.keys()].toSorted()).toEqual(["limit", "max_id"]);
  });

  test("links to the address that people use, not to the one that it was asked at", async () => {
    const proxied = await startServer({ LINNET_URL: "https://social.example" });
    const ada = await proxied.person("ada");
    await ada.publish("one");
    const { prev } = linksOf(await ada.get("/api/v1/timelines/home"));
    expect(prev!.origin).toBe("https://social.example");
    await proxied.stop();
  });

  test.each([
    ["/api/v1/timelines/public", 20, 40],
    ["/api/v1/accounts/ALICE/statuses", 20, 40],
  ])("of %s has %i things, or up to %i", async (path, usual, most) => {
    const busy = await startServer();
    const ada = await busy.person("ada");
    for (let at = 0; at < 45; at++) await ada.publish(`${at}`);
    const length = async (query: string): Promise<number> =>
      ((await ada.get(path.replace("ALICE", ada.id) + query)).json as Json[]).length;
    expect([await length(""), await length("?limit=999")]).toEqual([usual, most]);
    await busy.stop();
  });
});
