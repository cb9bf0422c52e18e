import { beforeAll, describe, expect } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { clearEntityCache } from "../support/entity-cache.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";

/*
 * A page of one item costs the same number of statements as a page of twenty, whether the entity cache has them or not.
 */

const { server, alice, bob, carol } = serverForAllTests(["alice", "bob", "carol"]);
let root: string;
/** The key of the group of Alice's new followers. */
let group: string;
let list: string;
const statuses: string[] = [];

beforeAll(async () => {
  await carol.patch("/api/v2/notifications/policy", { for_not_following: "filter" });
  await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
  root = (await alice.publish("root")).id;
  const media = await Promise.all(Array.from({ length: 8 }, (_, at) => uploaded(alice, {}, at)));
  for (let at = 0; at < 20; at++) {
    const who = await server.person(`person${at}`);
    await who.follow(alice);
    await alice.follow(who);
    await who.follow(bob);
    await who.patch("/api/v1/accounts/update_credentials", { discoverable: true });
    await alice.post(`/api/v1/accounts/${who.id}/endorse`);
    // All statuses differ: with images, mentions, tags, remote, boosted, with replies, edited.
    const own = await who.publish(`@alice @carol #tag #tag${at} https://example.org/${at}`);
    const mine = await alice.publish({
      status: `#tag picture ${at}`,
      in_reply_to_id: at % 2 ? root : null,
      media_ids: media.slice(at, at + 1).map((it: Json) => it.id),
    });
    const dora = remoteAccount(server, `dora${at}`, `elsewhere${at}.example`);
    for (const id of [own.id, remoteStatus(server, dora, `remote ${at}`)]) {
      for (const verb of ["favourite", "bookmark", "reblog"]) await alice.post(`/api/v1/statuses/${id}/${verb}`);
    }
    for (const verb of ["block", "mute"]) await bob.post(`/api/v1/accounts/${dora}/${verb}`);
    for (const verb of ["favourite", "reblog"]) await who.post(`/api/v1/statuses/${root}/${verb}`);
    await who.publish({ status: `reply ${at}`, in_reply_to_id: root });
    await alice.put(`/api/v1/statuses/${root}`, { status: `root ${at}` });
    statuses.push(mine.id, own.id);
  }
  const { notification_groups: groups } = (await alice.get("/api/v2/notifications?types[]=follow")).json;
  group = groups[0].group_key;
  await prepareLists();
  await server.drain();
});

/** Gives Alice lists, filters, followed tags, scheduled posts and conversations, and the server trends. */
async function prepareLists(): Promise<void> {
  const people: Json[] = (await alice.get(`/api/v1/accounts/${alice.id}/following`)).json;
  for (let at = 0; at < 20; at++) {
    list = (await alice.post("/api/v1/lists", { title: `List ${at}` })).json.id;
    await alice.post(`/api/v1/tags/tag${at}/follow`);
    const keywords_attributes = [{ keyword: `picture ${at}` }];
    await alice.post("/api/v2/filters", { title: `Filter ${at}`, context: ["home"], keywords_attributes });
    const scheduled_at = new Date(server.clock.now() + (at + 1) * 24 * 3600_000).toISOString();
    await alice.post("/api/v1/statuses", { status: `later ${at}`, scheduled_at });
    await alice.publish({ status: `@bob note ${at}`, visibility: "direct" });
  }
  // Without an image in the page, the query for images would be skipped.
  await alice.publish({ status: "the last picture", media_ids: [(await uploaded(alice)).id] });
  await alice.post(`/api/v1/lists/${list}/accounts`, { account_ids: people.map(({ id }) => id) });
  server.ctx.db.transaction((tx) => {
    tx.run("INSERT INTO trends (kind, subject_id, score) SELECT 'tag', id, id FROM tags");
    tx.run(
      "INSERT INTO trends (kind, subject_id, score) SELECT 'status', id, id FROM statuses WHERE visibility = 'public'",
    );
  });
}

const LISTS: [string, () => Client][] = [
  ["/api/v1/timelines/home", () => alice],
  ["/api/v1/timelines/public", () => alice],
  ["/api/v1/timelines/public?local=true", () => server.stranger()],
  ["/api/v1/timelines/public?only_media=true", () => alice],
  ["/api/v1/timelines/tag/tag", () => alice],
  ["/api/v1/timelines/tag/tag?any[]=tag1&none[]=tag2", () => alice],
  ["/api/v1/accounts/ALICE/statuses", () => bob],
  ["/api/v1/accounts/ALICE/statuses", () => server.stranger()],
  ["/api/v1/accounts/ALICE/followers", () => bob],
  ["/api/v1/accounts/ALICE/following", () => bob],
  ["/api/v1/follow_requests", () => bob],
  ["/api/v1/statuses/ROOT/favourited_by", () => bob],
  ["/api/v1/statuses/ROOT/reblogged_by", () => bob],
  ["/api/v1/favourites", () => alice],
  ["/api/v1/bookmarks", () => alice],
  ["/api/v1/notifications", () => alice],
  ["/api/v2/notifications", () => alice],
  ["/api/v2/notifications?expand_accounts=partial_avatars&exclude_types[]=poll", () => alice],
  ["/api/v2/notifications/GROUP/accounts", () => alice],
  ["/api/v1/notifications/requests", () => carol],
  ["/api/v1/accounts/search?q=person", () => alice],
  ["/api/v1/accounts/ALICE/endorsements", () => server.stranger()],
  ["/api/v1/endorsements", () => alice],
  ["/api/v1/blocks", () => bob],
  ["/api/v1/mutes", () => bob],
  ["/api/v1/directory", () => bob],
  ["/api/v1/directory?order=new", () => server.stranger()],
  ["/api/v1/suggestions", () => bob],
  ["/api/v2/suggestions", () => bob],
  ["/api/v1/timelines/list/LIST", () => alice],
  ["/api/v1/lists/LIST/accounts", () => alice],
  ["/api/v1/followed_tags", () => alice],
  ["/api/v1/conversations", () => alice],
  ["/api/v1/scheduled_statuses", () => alice],
  ["/api/v1/trends/tags", () => alice],
  ["/api/v1/trends/statuses", () => alice],
  ["/api/v2/search?type=statuses&q=picture", () => alice],
  ["/api/v2/search?type=hashtags&q=tag", () => alice],
  ["/api/v2/search?type=accounts&q=person", () => alice],
];

/** The number of statements that a request runs. With `cold`, the entity cache is empty. */
async function statementsFor(client: Client, path: string, cold: boolean): Promise<{ count: number; length: number }> {
  const { db } = server.ctx;
  if (cold) clearEntityCache(server);
  const before = db.statements;
  const { status, json } = await client.get(
    path.replace("ALICE", alice.id).replace("ROOT", root).replace("LIST", list).replace("GROUP", group),
  );
  expect(status).toBe(200);
  const found = [json, json.notification_groups, json.descendants, json.accounts, json.statuses, json.hashtags];
  return { count: db.statements - before, length: found.find((each) => each?.length > 0)?.length };
}

describe.each(LISTS)("%s", (path, reader) => {
  inProcess("needs as many statements for one item as for twenty", async () => {
    const limited = (limit: number) => `${path}${path.includes("?") ? "&" : "?"}limit=${limit}`;
    // The first request reads the viewer's filters, which stay cached.
    await statementsFor(reader(), limited(1), false);
    for (const cold of [true, false]) {
      const one = await statementsFor(reader(), limited(1), cold);
      const many = await statementsFor(reader(), limited(20), cold);
      expect([one.length, many.length > 5]).toEqual([1, true]);
      // With a partly filled cache, one item may cost less than many.
      expect(one.count).toBeLessThanOrEqual(many.count);
      if (cold) expect(many.count).toBe(one.count);
      expect(many.count).toBeLessThanOrEqual(13);
    }
  });
});

inProcess("requests by ids need as many statements for one item as for twenty", async () => {
  const ids = (count: number, of: string[]) =>
    of
      .slice(0, count)
      .map((id) => `id[]=${id}`)
      .join("&");
  const people = (await alice.get(`/api/v1/accounts/${alice.id}/following`)).json.map((it: Json) => it.id);
  for (const [path, all] of [
    ["/api/v1/statuses", statuses],
    ["/api/v1/accounts", people],
    ["/api/v1/accounts/relationships", people],
    ["/api/v1/accounts/familiar_followers", people],
  ] as const) {
    const one = await statementsFor(alice, `${path}?${ids(1, all)}`, true);
    const many = await statementsFor(alice, `${path}?${ids(20, all)}`, true);
    expect([path, one.length, many.length, many.count]).toEqual([path, 1, 20, one.count]);
  }
});

inProcess("a thread needs a constant number of statements", async () => {
  const lonely = (await alice.publish("lonely")).id;
  // With an image, because the query for images would be skipped otherwise.
  await bob.publish({ status: "reply", in_reply_to_id: lonely, media_ids: [(await uploaded(bob)).id] });
  const short = await statementsFor(alice, `/api/v1/statuses/${lonely}/context`, true);
  const long = await statementsFor(alice, `/api/v1/statuses/ROOT/context`, true);
  expect([short.length, long.length > 20, long.count]).toEqual([1, true, short.count]);
});

inProcess("an edit history needs a constant number of statements", async () => {
  const { id } = await alice.publish("once");
  await alice.put(`/api/v1/statuses/${id}`, { status: "twice" });
  const short = await statementsFor(bob, `/api/v1/statuses/${id}/history`, true);
  const long = await statementsFor(bob, `/api/v1/statuses/ROOT/history`, true);
  expect([short.length, long.length, long.count]).toEqual([2, 21, short.count]);
});
