import { describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { act as moderate, undo } from "../support/moderation.ts";
import { idsOf, linksOf, turn } from "../support/reading.ts";
import { block } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const HOUR = 3600_000;

const list = (query = ""): Promise<Answer> => alice.get(`/api/v2/notifications${query}`);
const groups = async (query = ""): Promise<Json[]> => (await list(query)).json.notification_groups;
/** The type and size of each group. */
const outline = async (query = ""): Promise<string[]> =>
  (await groups(query)).map((group) => `${group.type} ${group.notifications_count}`);
const group = (key: string): Promise<Answer> => alice.get(`/api/v2/notifications/${key}`);
const accountsOf = (key: string, query = ""): Promise<Answer> =>
  alice.get(`/api/v2/notifications/${key}/accounts${query}`);
const unread = async (query = ""): Promise<number> =>
  (await alice.get(`/api/v2/notifications/unread_count${query}`)).json.count;
const single = async (query = ""): Promise<Json[]> => (await alice.get(`/api/v1/notifications${query}`)).json;

const act = (who: Client, verb: string, { id }: Json): Promise<Answer> => who.post(`/api/v1/statuses/${id}/${verb}`);

async function crowd(count: number): Promise<Client[]> {
  const people: Client[] = [];
  for (let at = 0; at < count; at++) people.push(await server.person(`person${at}`));
  return people;
}

describe("Grouped notifications", () => {
  test("combine notifications about the same target, and leave mentions ungrouped", async () => {
    const [mine, other] = [await alice.publish("mine"), await alice.publish("other")];
    for (const who of [bob, carol]) {
      await act(who, "favourite", mine);
      await act(who, "reblog", mine);
      await who.follow(alice);
      await who.publish("@alice hello");
    }
    await act(bob, "favourite", other);
    const answer = await list();
    expect(answer.status).toBe(200);
    expectShape(answer.json, "GroupedNotificationsResults");
    expect(await outline()).toEqual(["favourite 1", "mention 1", "follow 2", "reblog 2", "favourite 2", "mention 1"]);
    const [, , , , favourites] = answer.json.notification_groups;
    expect(favourites.status_id).toBe(mine.id);
    expect(favourites.sample_account_ids).toEqual([carol.id, bob.id]);
    expect(answer.json.accounts.map((it: Json) => it.id).toSorted()).toEqual([bob.id, carol.id].toSorted());
    expect(new Set(idsOf(answer.json.statuses)).size).toBe(answer.json.statuses.length);
    expect(idsOf(answer.json.statuses)).toContain(mine.id);
    expect(answer.json).not.toHaveProperty("partial_accounts");
  });

  test("have the same keys as in the plain list, and ungrouped notifications have their own", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) await act(who, "favourite", mine);
    await bob.publish("@alice hello");
    const [mention, second, first] = await single();
    expect(mention.group_key).toBe(`ungrouped-${mention.id}`);
    expect(first.group_key).toBe(second.group_key);
    expect(first.group_key).toStartWith(`favourite-${mine.id}-`);
    expect((await groups()).map((it) => it.group_key)).toEqual([mention.group_key, second.group_key]);
  });

  test("combine notifications within twelve hours of the hour in which the group began", async () => {
    const mine = await alice.publish("mine");
    const people = await crowd(4);
    await act(people[0]!, "favourite", mine);
    server.clock.advance(11 * HOUR);
    await act(people[1]!, "favourite", mine);
    expect(await outline()).toEqual(["favourite 2"]);
    server.clock.advance(HOUR);
    await act(people[2]!, "favourite", mine);
    expect(await outline()).toEqual(["favourite 1", "favourite 2"]);
    server.clock.advance(11 * HOUR);
    await act(people[3]!, "favourite", mine);
    expect(await outline()).toEqual(["favourite 2", "favourite 2"]);
  });

  test("list the latest eight accounts, and count all", async () => {
    const mine = await alice.publish("mine");
    const people = await crowd(10);
    for (const who of people) await act(who, "favourite", mine);
    const [favourites] = await groups();
    expect(favourites.notifications_count).toBe(10);
    const latest = people.map(({ id }) => id).toReversed();
    expect(favourites.sample_account_ids).toEqual(latest.slice(0, 8));
  });

  test("can reduce all accounts but the latest of each group to partial avatars", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) await act(who, "favourite", mine);
    const { json } = await list("?expand_accounts=partial_avatars");
    expectShape(json, "GroupedNotificationsResults");
    expect(idsOf(json.accounts)).toEqual([carol.id]);
    expect(idsOf(json.partial_accounts)).toEqual([bob.id]);
    const whole = (await list()).json.accounts.find((it: Json) => it.id === bob.id);
    const { id, acct, locked, bot, url, avatar, avatar_static, avatar_description } = whole;
    expect(json.partial_accounts).toEqual([{ id, acct, locked, bot, url, avatar, avatar_static, avatar_description }]);
    expect((await list("?expand_accounts=half")).status).toBe(422);
  });

  test("group only the requested types, and give others separate keys", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) {
      await act(who, "favourite", mine);
      await act(who, "reblog", mine);
    }
    const found = await groups("?grouped_types[]=reblog&grouped_types[]=mention");
    expect(found.map((it) => `${it.type} ${it.notifications_count}`)).toEqual([
      "reblog 2",
      "favourite 1",
      "favourite 1",
    ]);
    const favourites = (await single("?types[]=favourite")).map(({ id }) => id);
    expect(found.slice(1).map((it) => it.group_key)).toEqual(favourites.map((id) => `ungrouped-${id}`));
    expect(found.slice(1).map((it) => it.sample_account_ids)).toEqual([[carol.id], [bob.id]]);
    expect(await outline("?grouped_types[]=reaction")).toEqual(["reblog 1", "favourite 1", "reblog 1", "favourite 1"]);
  });

  test("can be limited to types or to an account, or exclude types", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) {
      await act(who, "favourite", mine);
      await who.follow(alice);
    }
    await bob.publish("@alice hello");
    expect(await outline("?types[]=favourite&types[]=mention&types[]=reaction")).toEqual(["mention 1", "favourite 2"]);
    expect(await outline("?exclude_types[]=favourite")).toEqual(["mention 1", "follow 2"]);
    expect(await outline(`?account_id=${bob.id}`)).toEqual(["mention 1", "follow 1", "favourite 1"]);
    const [, , favourites] = await groups(`?account_id=${bob.id}`);
    expect(favourites.sample_account_ids).toEqual([bob.id]);
    expect(await outline("?account_id=7")).toEqual([]);
  });

  test("omit statuses that the user may no longer see", async () => {
    const theirs = await bob.publish("theirs");
    await act(alice, "reblog", theirs);
    await bob.put(`/api/v1/statuses/${theirs.id}`, { status: "edited" });
    expect(await outline()).toEqual(["update 1"]);
    const [{ group_key }] = await groups();
    block(server, bob, alice);
    expect(await outline()).toEqual([]);
    expect((await group(group_key)).status).toBe(404);
    expect(idsOf(await accountsOf(group_key))).toEqual([]);
  });

  test("include warnings and reports as in the plain list, ungrouped", async () => {
    await moderate(server, "sensitive", alice, "Mind what you post");
    await bob.post("/api/v1/reports", { account_id: carol.id, comment: "rude" });
    await server.drain();
    const answer = await list();
    expectShape(answer.json, "GroupedNotificationsResults");
    const [report, warning] = answer.json.notification_groups;
    const [plainReport, plainWarning] = await single();
    expect([report.type, report.report]).toEqual(["admin.report", plainReport.report]);
    expect(report.report.comment).toBe("rude");
    expect([warning.type, warning.moderation_warning]).toEqual(["moderation_warning", plainWarning.moderation_warning]);
    expect(warning.moderation_warning.text).toBe("Mind what you post");
    expect([report.sample_account_ids, warning.sample_account_ids]).toEqual([[bob.id], [alice.id]]);
  });

  test("omit suspended accounts during their suspension, like the plain list", async () => {
    const mine = await alice.publish("mine");
    const people = await crowd(3);
    for (const who of people) await act(who, "favourite", mine);
    const [first, second, third] = people.map(({ id }) => id);
    const { group_key } = (await single())[0];
    await moderate(server, "suspend", people[2]!);
    const seen = async (query = "") =>
      (await groups(query)).map((it) => [it.notifications_count, it.sample_account_ids]);
    for (const query of ["", "?min_id=0"]) expect(await seen(query)).toEqual([[2, [second, first]]]);
    expect((await single()).map((it) => it.account.id)).toEqual([second, first]);
    expect((await group(group_key)).json.notification_groups).toMatchObject([{ notifications_count: 2 }]);
    expect(idsOf(await accountsOf(group_key))).toEqual([second!, first!]);
    expect(await unread("?grouped_types[]=follow")).toBe(2);
    undo(server, "suspend", people[2]!);
    expect(await seen()).toEqual([[3, [third, second, first]]]);
  });

  test("shrink when an interaction is undone, and disappear with the last", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) await act(who, "favourite", mine);
    await act(carol, "unfavourite", mine);
    const [favourites] = await groups();
    expect([favourites.notifications_count, favourites.sample_account_ids]).toEqual([1, [bob.id]]);
    await act(bob, "unfavourite", mine);
    expect(await groups()).toEqual([]);
  });
});

describe("Pages of groups", () => {
  /** Interactions with two posts in turn, and mentions in between, over more than a day. */
  async function busyDays(): Promise<void> {
    const posts = [await alice.publish("one"), await alice.publish("two")];
    const people = await crowd(9);
    for (const [at, who] of people.entries()) {
      await act(who, "favourite", posts[at % 2]);
      if (at % 3 === 0) await who.publish("@alice hello");
      if (at % 2 === 0) await act(who, "reblog", posts[0]);
      if (at % 4 === 1) await who.follow(alice);
      server.clock.advance(3 * HOUR);
    }
  }

  /** All pages that follow each other by their links in one direction, as [page, group]. */
  async function walk(path: string, rel: "next" | "prev"): Promise<Json[][]> {
    const pages: Json[][] = [];
    let next: string | null = path;
    while (next !== null && pages.length < 50) {
      const answer: Answer = await alice.get(next);
      expect(answer.status).toBe(200);
      if (answer.json.notification_groups.length === 0) break;
      pages.push(answer.json.notification_groups);
      const link: URL | null = linksOf(answer)[rel];
      next = link && link.pathname + link.search;
    }
    return pages;
  }

  /** The ids of the notifications that a group covers on its page. */
  function coveredBy(all: Json[], { group_key, page_min_id, page_max_id }: Json): string[] {
    const isWithin = (id: string) => Number(page_min_id) <= Number(id) && Number(id) <= Number(page_max_id);
    const isOne = (it: Json) => it.group_key === group_key || `ungrouped-${it.id}` === group_key;
    return all.filter((it) => isOne(it) && isWithin(it.id)).map(({ id }) => id);
  }

  test.each([
    ["from newest to oldest", "next", ""],
    ["from oldest to newest", "prev", "&min_id=0"],
    ["of grouped reblogs only", "next", "&grouped_types[]=reblog"],
    ["of some types", "next", "&types[]=favourite&types[]=mention"],
  ] as const)("%s cover every notification of the plain list exactly once", async (_, rel, query) => {
    await busyDays();
    const all = await single(`?limit=80${query.replace("&min_id=0", "")}`);
    for (const limit of [1, 2, 3, 5, 40]) {
      const pages = await walk(`/api/v2/notifications?limit=${limit}${query}`, rel);
      const covered = pages.flatMap((page) => page.flatMap((it) => coveredBy(all, it)));
      expect(covered.toSorted()).toEqual(idsOf(all).toSorted());
      for (const page of pages.slice(0, -1)) expect(page.length).toBe(limit);
      for (const page of pages) expect(new Set(page.map((it) => it.group_key)).size).toBe(page.length);
    }
  });

  test("count a group's notifications up to the page, and name its newest and oldest on the page", async () => {
    const mine = await alice.publish("mine");
    const people = await crowd(4);
    for (const who of people) {
      await act(who, "favourite", mine);
      await who.publish("@alice hello");
    }
    const ids = idsOf(await single("?types[]=favourite")).map(Number);
    const [first] = await walk("/api/v2/notifications?limit=2", "next");
    expect(first!.map((it) => it.type)).toEqual(["mention", "favourite"]);
    expect(first![1]).toMatchObject({
      notifications_count: 4,
      most_recent_notification_id: ids[0],
      page_max_id: String(ids[0]),
      page_min_id: String(ids[0]),
      latest_page_notification_at: "2026-11-21T12:00:00.000Z",
    });
    const [second] = await walk(`/api/v2/notifications?max_id=${ids[0]}`, "next");
    expect(second!.find((it) => it.type === "favourite")).toMatchObject({
      notifications_count: 3,
      most_recent_notification_id: ids[1],
      page_max_id: String(ids[1]),
      page_min_id: String(ids[3]),
    });
  });

  test("have absolute links based on the first and last group, with the other parameters", async () => {
    await busyDays();
    const answer = await list("?limit=3&types[]=favourite&types[]=mention&expand_accounts=partial_avatars");
    const { rels, next, prev } = linksOf(answer);
    expect(rels).toEqual(["next", "prev"]);
    const shown: Json[] = answer.json.notification_groups;
    expect(next!.searchParams.get("max_id")).toBe(shown[2].page_max_id);
    expect(prev!.searchParams.get("min_id")).toBe(shown[0].page_max_id);
    expect(next!.origin).toBe(server.origin);
    expect(next!.searchParams.getAll("types[]")).toEqual(["favourite", "mention"]);
    expect(next!.searchParams.get("expand_accounts")).toBe("partial_avatars");
  });

  test("return nothing newer than the newest notification", async () => {
    await busyDays();
    const newest = (await groups())[0].page_max_id;
    expect(await groups(`?since_id=${newest}`)).toEqual([]);
    expect(await groups(`?min_id=${newest}`)).toEqual([]);
    const mine = await alice.publish("mine");
    await act(bob, "favourite", mine);
    expect(await outline(`?since_id=${newest}`)).toEqual(["favourite 1"]);
    expect(await outline(`?min_id=${newest}`)).toEqual(["favourite 1"]);
  });

  test("have forty groups by default, and at most eighty", async () => {
    server.ctx.db.transaction((tx) => {
      for (let at = 0; at < 90; at++) {
        tx.run(
          "INSERT INTO notifications (account_id, type, from_account_id, created_at) VALUES ($aliceId, 'mention', $bobId, 0)",
          { aliceId: Number(alice.id), bobId: Number(bob.id) },
        );
      }
    });
    const lengths = await Promise.all(["", "?limit=7", "?limit=999"].map(async (it) => (await groups(it)).length));
    expect(lengths).toEqual([40, 7, 80]);
  });
});

describe("A single group", () => {
  test("is returned by its key, without the fields of a page", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) await act(who, "favourite", mine);
    const [listed] = await groups();
    const { status, json } = await group(listed.group_key);
    expect(status).toBe(200);
    expectShape(json, "GroupedNotificationsResults");
    const { page_min_id, page_max_id, latest_page_notification_at, ...rest } = listed;
    expect([page_min_id, page_max_id, latest_page_notification_at].every(Boolean)).toBe(true);
    expect(json.notification_groups).toEqual([rest]);
    expect(idsOf(json.accounts)).toEqual([carol.id, bob.id]);
    expect(idsOf(json.statuses)).toEqual([mine.id]);
  });

  test("may be an ungrouped notification, and a grouped one returns its group", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) await act(who, "favourite", mine);
    await bob.publish("@alice hello");
    const [mention, favourite] = await single();
    const alone = (await group(`ungrouped-${mention.id}`)).json.notification_groups;
    expect(alone).toMatchObject([{ type: "mention", notifications_count: 1, group_key: `ungrouped-${mention.id}` }]);
    const grouped = (await group(`ungrouped-${favourite.id}`)).json.notification_groups;
    expect(grouped).toMatchObject([{ notifications_count: 2, group_key: favourite.group_key }]);
  });

  test("lists its accounts in pages, latest first", async () => {
    const mine = await alice.publish("mine");
    const people = await crowd(5);
    for (const who of people) await act(who, "favourite", mine);
    const [{ group_key }] = await groups();
    const latest = people.map(({ id }) => id).toReversed();
    const answer = await accountsOf(group_key);
    expectShape(answer.json, ["Account"]);
    expect(idsOf(answer)).toEqual(latest);
    const first = await accountsOf(group_key, "?limit=2");
    expect(idsOf(first)).toEqual(latest.slice(0, 2));
    const { next, prev } = linksOf(first);
    expect(idsOf(await turn(alice, next))).toEqual(latest.slice(2, 4));
    expect(idsOf(await turn(alice, prev))).toEqual([]);
    const [{ id }] = await single();
    expect(idsOf(await accountsOf(`ungrouped-${id}`))).toEqual([latest[0]!]);
    expect(linksOf(await accountsOf(`ungrouped-${id}`, "?limit=1")).next!.searchParams.get("max_id")).toBe(id);
    expect(idsOf(await accountsOf(`ungrouped-${id}`, `?limit=1&max_id=${id}`))).toEqual([]);
  });

  test("is dismissed as a whole, or one notification at a time", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) {
      await act(who, "favourite", mine);
      await act(who, "reblog", mine);
    }
    const [reblogs, favourites] = await groups();
    const { status, json } = await alice.post(`/api/v2/notifications/${reblogs.group_key}/dismiss`);
    expect([status, json]).toEqual([200, {}]);
    expect(await outline()).toEqual(["favourite 2"]);
    expect((await single()).length).toBe(2);
    await alice.post(`/api/v2/notifications/ungrouped-${favourites.most_recent_notification_id}/dismiss`);
    expect(await outline()).toEqual(["favourite 1"]);
    expect((await alice.post(`/api/v2/notifications/${reblogs.group_key}/dismiss`)).status).toBe(200);
  });

  test.each(["favourite-1-1", "ungrouped-999", "ungrouped-x", "ungrouped-", "%00"])(
    "isn't found as %s",
    async (key) => {
      expect((await group(key)).status).toBe(404);
      expect((await accountsOf(key)).json).toEqual([]);
    },
  );

  test("is hidden from other users", async () => {
    const mine = await alice.publish("mine");
    await act(bob, "favourite", mine);
    await bob.publish("@alice hello");
    for (const { group_key } of await groups()) {
      expect((await bob.get(`/api/v2/notifications/${group_key}`)).status).toBe(404);
      expect((await bob.get(`/api/v2/notifications/${group_key}/accounts`)).json).toEqual([]);
      await bob.post(`/api/v2/notifications/${group_key}/dismiss`);
    }
    expect(await outline()).toEqual(["mention 1", "favourite 1"]);
  });
});

describe("Unread groups", () => {
  test("are counted above the marker, up to a limit, by type and account", async () => {
    const mine = await alice.publish("mine");
    for (const who of [bob, carol]) {
      await act(who, "favourite", mine);
      await act(who, "reblog", mine);
      await who.publish("@alice hello");
    }
    expect((await alice.get("/api/v2/notifications/unread_count")).json).toEqual({ count: 4 });
    expect(await unread("?limit=3")).toBe(3);
    expect(await unread("?types[]=favourite&types[]=reblog")).toBe(2);
    expect(await unread("?exclude_types[]=mention")).toBe(2);
    expect(await unread("?grouped_types[]=favourite")).toBe(5);
    expect(await unread(`?account_id=${bob.id}`)).toBe(3);
    // A new notification makes a group unread that was read.
    const last = idsOf(await single())[1];
    await alice.post("/api/v1/markers", { notifications: { last_read_id: last } });
    expect(await unread()).toBe(1);
    const [dora] = await crowd(1);
    await act(dora!, "favourite", mine);
    expect(await unread()).toBe(2);
  });
});

test("Grouped notifications require a token with the scope", async () => {
  await expectGuarded(server, alice, "read:notifications", [
    ["get", "/api/v2/notifications"],
    ["get", "/api/v2/notifications/unread_count"],
    ["get", "/api/v2/notifications/follow-1"],
  ]);
  await expectGuarded(server, alice, "write:notifications", [["post", "/api/v2/notifications/follow-1/dismiss"]]);
  const path = "/api/v2/notifications/follow-1/accounts";
  for (const [scope, status] of [
    ["read:notifications", 200],
    ["write:notifications", 200],
    ["read:accounts", 403],
  ] as const) {
    const response = await server.otherApp(alice, scope).get(path);
    expect([scope, response.status]).toEqual([scope, status]);
  }
  expect((await server.stranger().get(path)).status).toBe(401);
});
