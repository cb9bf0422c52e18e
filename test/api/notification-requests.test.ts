import { describe, expect, test } from "bun:test";
import type { Answer, Json } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { act as moderate, undo } from "../support/moderation.ts";
import { idsOf, linksOf, pagesOf, wordsOf } from "../support/reading.ts";
import { block } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { EventReader, Socket } from "../support/streams.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const PATH = "/api/v1/notifications/requests";

const hold = (kind = "for_not_following", who = alice): Promise<Answer> =>
  who.patch("/api/v2/notifications/policy", { [kind]: "filter" });
const requests = async (query = ""): Promise<Json[]> => (await alice.get(PATH + query)).json;
const types = async (query = ""): Promise<string[]> =>
  (await alice.get(`/api/v1/notifications${query}`)).json.map((it: Json) => it.type);
const groupTypes = async (query = ""): Promise<string[]> =>
  (await alice.get(`/api/v2/notifications${query}`)).json.notification_groups.map((it: Json) => it.type);
const summary = async (): Promise<Json> => (await alice.get("/api/v2/notifications/policy")).json.summary;
const merged = async (): Promise<boolean> => (await alice.get(`${PATH}/merged`)).json.merged;
const accept = ({ id }: Json): Promise<Answer> => alice.post(`${PATH}/${id}/accept`);
const dismiss = ({ id }: Json): Promise<Answer> => alice.post(`${PATH}/${id}/dismiss`);
const conversations = async (): Promise<string[]> =>
  wordsOf((await alice.get("/api/v1/conversations")).json.map((it: Json) => it.last_status));

describe("A filtered notification", () => {
  test("is in lists and counts only if requested", async () => {
    await hold();
    await bob.publish("@alice hello");
    for (const version of ["v1", "v2"]) {
      const path = `/api/${version}/notifications`;
      expect((await alice.get(`${path}/unread_count`)).json).toEqual({ count: 0 });
      expect((await alice.get(`${path}/unread_count?include_filtered=true`)).json).toEqual({ count: 1 });
    }
    expect([await types(), await groupTypes()]).toEqual([[], []]);
    const query = "?include_filtered=true";
    expect([await types(query), await groupTypes(query)]).toEqual([["mention"], ["mention"]]);
    const [notification] = (await alice.get(`/api/v1/notifications${query}`)).json;
    expect(notification.filtered).toBe(true);
    expect((await alice.get(`/api/v1/notifications/${notification.id}`)).json).toEqual(notification);
  });

  test("is listed together with earlier ones when filtering by account, as in Mastodon", async () => {
    await bob.publish("@alice before");
    await hold();
    await bob.publish("@alice hello");
    await carol.publish("@alice hello");
    const query = `?account_id=${bob.id}`;
    expect([await types(query), await groupTypes(query)]).toEqual([
      ["mention", "mention"],
      ["mention", "mention"],
    ]);
  });

  test("isn't streamed", async () => {
    await hold();
    const socket = await Socket.open(alice, "?stream=user:notification");
    await bob.publish("@alice hello");
    await alice.follow(carol);
    await carol.publish("@alice hi");
    expect(await socket.next()).toMatchObject({ event: "notification", payload: { account: { id: carol.id } } });
    await socket.close();
  });

  test("is never grouped", async () => {
    const mine = await alice.publish("mine");
    await hold();
    for (const who of [bob, carol]) await who.post(`/api/v1/statuses/${mine.id}/favourite`);
    expect(await groupTypes("?include_filtered=true")).toEqual(["favourite", "favourite"]);
  });
});

describe("A notification request", () => {
  test("is created by a mention, and has the count, the dates and the last status", async () => {
    await hold();
    await bob.publish("@alice one");
    server.clock.advance(1000);
    const last = await bob.publish("@alice two");
    const answer = await alice.get(PATH);
    expect(answer.status).toBe(200);
    expectShape(answer.json, ["NotificationRequest"]);
    expect(answer.json).toMatchObject([
      {
        notifications_count: "2",
        created_at: "2026-11-21T12:00:00.000Z",
        updated_at: "2026-11-21T12:00:01.000Z",
        account: { id: bob.id },
        last_status: { id: last.id, favourited: false },
      },
    ]);
    const { status, json } = await alice.get(`${PATH}/${answer.json[0].id}`);
    expect([status, json]).toEqual([200, answer.json[0]]);
    expect(await summary()).toEqual({ pending_requests_count: 1, pending_notifications_count: 2 });
  });

  test("is created by a quote, but not by a favourite, a boost or a follow", async () => {
    const mine = await alice.publish("mine");
    await hold();
    for (const verb of ["favourite", "reblog"]) await bob.post(`/api/v1/statuses/${mine.id}/${verb}`);
    await bob.follow(alice);
    expect(await requests()).toEqual([]);
    expect(await summary()).toEqual({ pending_requests_count: 0, pending_notifications_count: 0 });
    const quote = await carol.publish({ status: "look", quoted_status_id: mine.id });
    expect(await requests()).toMatchObject([{ account: { id: carol.id }, last_status: { id: quote.id } }]);
  });

  test("counts up to a hundred", async () => {
    await hold();
    const { id } = await bob.publish("@alice hello");
    server.ctx.db.transaction((tx) => {
      for (let at = 0; at < 120; at++) {
        tx.run(
          `INSERT INTO notifications (account_id, type, from_account_id, status_id, filtered, created_at)
           VALUES ($aliceId, 'mention', $bobId, $id, 1, 0)`,
          { aliceId: Number(alice.id), bobId: Number(bob.id), id: Number(id) },
        );
      }
    });
    expect(await requests()).toMatchObject([{ notifications_count: "100" }]);
    expect(await summary()).toEqual({ pending_requests_count: 1, pending_notifications_count: 100 });
  });

  test("hides a status that the user may no longer see", async () => {
    await hold();
    await bob.publish("@alice hello");
    block(server, bob, alice);
    const [request] = await requests();
    expectShape(request, "NotificationRequest");
    expect(request.last_status).toBeNull();
  });

  test.each(["delete", "block", "clear"])("disappears with its last notification (%s)", async (how) => {
    await hold();
    const { id } = await bob.publish("@alice hello");
    await bob.publish("@carol hello");
    const [request] = await requests();
    if (how === "delete") await bob.delete(`/api/v1/statuses/${id}`);
    if (how === "block") await alice.post(`/api/v1/accounts/${bob.id}/block`);
    if (how === "clear") await alice.post("/api/v1/notifications/clear");
    expect(await requests()).toEqual([]);
    expect((await alice.get(`${PATH}/${request.id}`)).status).toBe(404);
    expect(await summary()).toEqual({ pending_requests_count: 0, pending_notifications_count: 0 });
  });

  test("of a suspended account is hidden until the suspension ends", async () => {
    await hold();
    await bob.publish("@alice hello");
    const [{ id }] = await requests();
    await moderate(server, "suspend", bob);
    expect(await requests()).toEqual([]);
    expect((await alice.get(`${PATH}/${id}`)).status).toBe(404);
    expect(await summary()).toEqual({ pending_requests_count: 0, pending_notifications_count: 0 });
    undo(server, "suspend", bob);
    expect(idsOf(await requests())).toEqual([id]);
  });

  test("remains while it has notifications", async () => {
    await hold();
    const [first, second] = [await bob.publish("@alice one"), await bob.publish("@alice two")];
    await bob.delete(`/api/v1/statuses/${second.id}`);
    expect(await requests()).toMatchObject([{ notifications_count: "1", last_status: { id: first.id } }]);
  });

  test("is hidden from other users", async () => {
    await hold();
    await bob.publish("@alice hello");
    const [{ id }] = await requests();
    expect((await carol.get(PATH)).json).toEqual([]);
    expect((await carol.get(`${PATH}/${id}`)).status).toBe(404);
    for (const verb of ["accept", "dismiss"]) {
      expect((await carol.post(`${PATH}/${id}/${verb}`)).status).toBe(404);
      expect((await carol.post(`${PATH}/${verb}`, { id: [id] })).status).toBe(200);
    }
    expect((await requests()).length).toBe(1);
  });

  test.each(["999", "x", "99999999999999999999"])("isn't found as %s", async (id) => {
    expect((await alice.get(`${PATH}/${id}`)).status).toBe(404);
    for (const verb of ["accept", "dismiss"]) expect((await alice.post(`${PATH}/${id}/${verb}`)).status).toBe(404);
  });
});

describe("Notification requests", () => {
  test("are listed on consistent pages, latest first", async () => {
    await hold();
    for (let at = 0; at < 5; at++) await (await server.person(`person${at}`)).publish("@alice hello");
    const all = idsOf(await requests());
    expect(all.map(Number)).toEqual(all.map(Number).toSorted((a, b) => b - a));
    const pages = await pagesOf(alice, `${PATH}?limit=2`);
    expect(pages.map((page) => idsOf(page))).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    expect(idsOf(await requests(`?limit=2&min_id=${all[4]}`))).toEqual(all.slice(2, 4));
    expect(idsOf(await requests(`?limit=2&since_id=${all[4]}`))).toEqual(all.slice(0, 2));
    const { next, prev } = linksOf(await alice.get(`${PATH}?limit=2`));
    expect([next!.searchParams.get("max_id"), prev!.searchParams.get("min_id")]).toEqual([all[1]!, all[0]!]);
  });

  test("can be accepted and dismissed in bulk, and missing ones are ignored", async () => {
    await hold();
    for (const who of [bob, carol]) await who.publish("@alice hello");
    const ids = idsOf(await requests());
    expect((await alice.post(`${PATH}/accept`, { id: [ids[0], "999", "x"] })).json).toEqual({});
    expect(idsOf(await requests())).toEqual([ids[1]!]);
    const form = new URLSearchParams([["id[]", ids[1]!]]);
    expect((await alice.post(`${PATH}/dismiss`, form)).json).toEqual({});
    expect(await requests()).toEqual([]);
    await server.drain();
    expect(await types()).toEqual(["mention"]);
  });

  test("are unchanged if a bulk call contains no ids", async () => {
    await hold();
    await bob.publish("@alice hello");
    for (const verb of ["accept", "dismiss"]) {
      for (const body of [undefined, {}, { id: [] }, { id: null }, new URLSearchParams("id[]=")]) {
        const { status, json } = await alice.post(`${PATH}/${verb}`, body);
        expect([status, json]).toEqual([200, {}]);
      }
    }
    await server.drain();
    expect((await requests()).length).toBe(1);
    expect(await types()).toEqual([]);
  });
});

describe("Accepting a request", () => {
  test("delivers later notifications whatever the policy, and earlier ones through a job", async () => {
    const mine = await alice.publish("mine");
    await hold();
    await bob.post(`/api/v1/statuses/${mine.id}/favourite`);
    await bob.publish("@alice hello");
    const [request] = await requests();
    const { status, json } = await accept(request);
    expect([status, json]).toEqual([200, {}]);
    expect(await requests()).toEqual([]);
    expect(await merged()).toBe(false);
    expect(await types()).toEqual([]);
    await bob.publish("@alice again");
    expect(await types()).toEqual(["mention"]);
    await server.drain();
    expect(await merged()).toBe(true);
    expect(await types()).toEqual(["mention", "mention", "favourite"]);
    expect(await groupTypes()).toEqual(["mention", "mention", "favourite"]);
    expect((await alice.get("/api/v1/notifications")).json.every((it: Json) => it.filtered === undefined)).toBe(true);
    await alice.patch("/api/v2/notifications/policy", { for_not_following: "drop" });
    await bob.publish("@alice still");
    expect((await types()).length).toBe(4);
  });

  inProcess("merges many notifications in batches, so that other requests are served meanwhile", async () => {
    await hold();
    const { id } = await bob.publish("@alice hello");
    server.ctx.db.transaction((tx) => {
      for (let times = 1; times < 250; times++) {
        tx.run(
          `INSERT INTO notifications (account_id, type, from_account_id, status_id, created_at, filtered)
           VALUES ($to, 'mention', $from, $status, $now, 1)`,
          { to: alice.id, from: bob.id, status: id, now: server.clock.now() },
        );
      }
    });
    const [request] = await requests();
    await accept(request);
    const left = (): number =>
      server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM notifications WHERE filtered")!.count;
    const seen: number[] = [];
    const drained = server.drain();
    while (seen.at(-1) !== 0) {
      seen.push(left());
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await drained;
    expect([...new Set(seen)]).toEqual([250, 150, 50, 0]);
    expect(await merged()).toBe(true);
  });

  test("is undone by a block", async () => {
    await hold();
    await bob.publish("@alice hello");
    await accept((await requests())[0]);
    await alice.post(`/api/v1/accounts/${bob.id}/block`);
    await alice.post(`/api/v1/accounts/${bob.id}/unblock`);
    await bob.publish("@alice again");
    await server.drain();
    expect(await types()).toEqual([]);
    expect(await requests()).toMatchObject([{ notifications_count: "1" }]);
    expect(await merged()).toBe(true);
  });

  test("is announced on the notification streams once all notifications are merged", async () => {
    await hold();
    for (const who of [bob, carol]) await who.publish("@alice hello");
    const [user, notifications] = [
      await Socket.open(alice, "?stream=user"),
      await EventReader.open(alice, "user/notification"),
    ];
    await alice.post(`${PATH}/accept`, { id: idsOf(await requests()) });
    await server.drain();
    await alice.follow(carol);
    await carol.follow(alice);
    for (const stream of [user, notifications]) {
      expect(await stream.next()).toMatchObject({ event: "notifications_merged", payload: 1 });
      expect(await stream.next()).toMatchObject({ event: "notification", payload: { type: "follow" } });
    }
    await Promise.all([user.close(), notifications.close()]);
  });

  test("counts as merged if there was nothing to merge", async () => {
    expect((await alice.get(`${PATH}/merged`)).json).toEqual({ merged: true });
  });
});

describe("Dismissing a request", () => {
  test("deletes its notifications, and a new mention creates a new request", async () => {
    await hold();
    for (const words of ["one", "two"]) await bob.publish(`@alice ${words}`);
    const [request] = await requests();
    const { status, json } = await dismiss(request);
    expect([status, json]).toEqual([200, {}]);
    expect(await requests()).toEqual([]);
    expect(await types("?include_filtered=true")).toEqual([]);
    expect(await summary()).toEqual({ pending_requests_count: 0, pending_notifications_count: 0 });
    await bob.publish("@alice three");
    const [again] = await requests();
    expect(again.notifications_count).toBe("1");
    expect(Number(again.id)).toBeGreaterThan(Number(request.id));
  });
});

describe("A filtered private mention", () => {
  test("creates no conversation until its author is accepted", async () => {
    await hold("for_private_mentions");
    for (const words of ["one", "two"]) await bob.publish({ status: `@alice ${words}`, visibility: "direct" });
    expect(await conversations()).toEqual([]);
    const own = (await bob.get("/api/v1/conversations")).json;
    expect(own.length).toBe(2);
    await accept((await requests())[0]);
    await server.drain();
    expect(await conversations()).toEqual(["@alice two", "@alice one"]);
    expect((await alice.get("/api/v1/conversations")).json.every((it: Json) => it.unread)).toBe(true);
    await bob.publish({ status: "@alice three", visibility: "direct" });
    expect((await conversations())[0]).toBe("@alice three");
  });

  test("creates a conversation for recipients who don't filter it", async () => {
    await hold("for_private_mentions");
    await bob.publish({ status: "@alice @carol psst", visibility: "direct" });
    expect(await conversations()).toEqual([]);
    expect((await carol.get("/api/v1/conversations")).json.length).toBe(1);
  });
});

test("Notification requests require a token with the scope", async () => {
  await expectGuarded(server, alice, "read:notifications", [
    ["get", PATH],
    ["get", `${PATH}/1`],
    ["get", `${PATH}/merged`],
  ]);
  await expectGuarded(server, alice, "write:notifications", [
    ["post", `${PATH}/1/accept`],
    ["post", `${PATH}/1/dismiss`],
    ["post", `${PATH}/accept`, { id: ["1"] }],
    ["post", `${PATH}/dismiss`, { id: ["1"] }],
  ]);
});
