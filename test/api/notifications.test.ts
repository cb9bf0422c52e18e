import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { approveUser, updateUser, findUser } from "../../src/core/people/users.ts";
import { type Answer, Client, type Json } from "../support/client.ts";
import { act, undo } from "../support/moderation.ts";
import { idsOf, linksOf, pagesOf } from "../support/reading.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";

let server: TestServer;
let alice: Client;
let bob: Client;
let carol: Client;

beforeEach(async () => {
  server = await startServer();
  [alice, bob, carol] = [await server.person("alice"), await server.person("bob"), await server.person("carol")];
});
afterEach(() => server.stop());

const list = (query = ""): Promise<Answer> => alice.get(`/api/v1/notifications${query}`);
const types = async (query = ""): Promise<string[]> => (await list(query)).json.map((it: Json) => it.type);
const unread = async (query = ""): Promise<number> =>
  (await alice.get(`/api/v1/notifications/unread_count${query}`)).json.count;

/** Creates a notification of each type, in the order of their listing. */
const ALL = ["status", "update", "follow_request", "follow", "mention", "reblog", "favourite"];

async function oneOfEach(): Promise<void> {
  const mine = await alice.publish("mine");
  await bob.post(`/api/v1/statuses/${mine.id}/favourite`);
  await carol.post(`/api/v1/statuses/${mine.id}/reblog`);
  await bob.publish("@alice hello");
  await bob.follow(alice);
  await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
  await carol.follow(alice);
  const bobs = await bob.publish("bob's");
  await alice.post(`/api/v1/statuses/${bobs.id}/reblog`);
  await bob.put(`/api/v1/statuses/${bobs.id}`, { status: "bob's, better" });
  await alice.follow(carol, { notify: true });
  await carol.publish("news");
}

describe("Notifications", () => {
  test("cover every type of event, newest first", async () => {
    await oneOfEach();
    const answer = await list();
    expect(answer.status).toBe(200);
    expectShape(answer.json, ["Notification"]);
    expect(answer.json.map((it: Json) => it.type)).toEqual(ALL);
    const withStatus = answer.json.filter((it: Json) => it.status).map((it: Json) => it.type);
    expect(withStatus).toEqual(["status", "update", "mention", "reblog", "favourite"]);
    const [news] = answer.json;
    expect(news).toMatchObject({ account: { id: carol.id }, status: { content: "<p>news</p>", favourited: false } });
  });

  test("have small consecutive ids", async () => {
    await oneOfEach();
    const ids = idsOf(await list()).map(Number);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(Math.max(...ids)).toBeLessThan(1000);
    await alice.post("/api/v1/notifications/clear");
    await bob.publish("@alice again");
    expect(Number(idsOf(await list())[0])).toBeGreaterThan(Math.max(...ids));
  });

  test("can be limited to types or exclude types, and unknown types are ignored", async () => {
    await oneOfEach();
    expect(await types("?types[]=mention&types[]=follow")).toEqual(["follow", "mention"]);
    expect(await types("?exclude_types[]=mention&exclude_types[]=status&exclude_types[]=update")).toEqual([
      "follow_request",
      "follow",
      "reblog",
      "favourite",
    ]);
    expect(await types("?types[]=mention&exclude_types[]=mention")).toEqual([]);
    expect(await types("?types[]=mention&types[]=pleroma:emoji_reaction")).toEqual(["mention"]);
    expect(await types("?exclude_types[]=reaction&exclude_types[]=severed_relationships")).toEqual(ALL);
    expect(await types("?types[]=poll&types[]=admin.sign_up&types[]=moderation_warning")).toEqual([]);
    expect(await types("?types[0]=follow&types[1]=status")).toEqual(["status", "follow"]);
  });

  test("can be limited to an account", async () => {
    await oneOfEach();
    expect(await types(`?account_id=${carol.id}`)).toEqual(["status", "follow_request", "reblog"]);
    expect(await types("?account_id=7")).toEqual([]);
    expect(await types("?account_id=x")).toEqual([]);
  });

  inProcess("of one account are found by an index on that account", async () => {
    const { raw } = server.ctx.db;
    const prepare = raw.prepare.bind(raw);
    const plans: string[] = [];
    raw.prepare = ((sql: string) => {
      if (sql.includes('from "notifications" "n"')) {
        const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
        plans.push(...plan.map(({ detail }) => detail).filter((detail) => detail.startsWith("SEARCH n ")));
      }
      return prepare(sql);
    }) as typeof raw.prepare;
    for (const query of ["", "&min_id=1"]) {
      for (const version of ["v1", "v2"])
        await alice.get(`/api/${version}/notifications?account_id=${carol.id}${query}`);
    }
    const SENDERS =
      "SEARCH n USING INDEX notifications_from_account (from_account_id=? AND account_id=? AND id>? AND id<?)";
    expect(plans).toEqual(Array(4).fill(SENDERS));
  });

  test("are paged", async () => {
    for (let at = 0; at < 7; at++) await bob.publish(`@alice ${at}`);
    const all = idsOf(await list());
    const pages = await pagesOf(alice, "/api/v1/notifications?limit=3&types[]=mention");
    expect(pages.map((page) => idsOf(page))).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
    const { next, prev } = linksOf(await list("?limit=3"));
    expect([next!.searchParams.get("max_id"), prev!.searchParams.get("min_id")]).toEqual([all[2]!, all[0]!]);
    expect(idsOf(await list(`?limit=2&min_id=${all[5]}`))).toEqual(all.slice(3, 5));
    expect(idsOf(await list(`?limit=2&since_id=${all[5]}`))).toEqual(all.slice(0, 2));
  });

  test("belong to one user", async () => {
    await bob.publish("@alice hello");
    expect((await bob.get("/api/v1/notifications")).json).toEqual([]);
    const [id] = idsOf(await list());
    for (const answer of [
      await bob.get(`/api/v1/notifications/${id}`),
      await bob.post(`/api/v1/notifications/${id}/dismiss`),
    ]) {
      expect([answer.status, answer.json]).toEqual([404, { error: "Record not found" }]);
    }
    await bob.post("/api/v1/notifications/clear");
    expect((await types()).length).toBe(1);
  });

  test("are never about the user's own actions", async () => {
    const { id } = await alice.publish("@alice hello");
    for (const verb of ["favourite", "reblog"]) await alice.post(`/api/v1/statuses/${id}/${verb}`);
    await alice.publish({ status: "@alice again", in_reply_to_id: id });
    await alice.put(`/api/v1/statuses/${id}`, { status: "@alice edited" });
    expect(await types()).toEqual([]);
  });

  test("report a reply as a mention, only if it mentions the user", async () => {
    const { id } = await alice.publish("root");
    await alice.follow(bob, { notify: true });
    await bob.publish({ status: "@alice named", in_reply_to_id: id });
    await bob.publish({ status: "not named", in_reply_to_id: id });
    expect(await types()).toEqual(["mention"]);
  });

  test("can be read one by one", async () => {
    await bob.publish("@alice hello");
    const [notification] = (await list()).json;
    const { status, json } = await alice.get(`/api/v1/notifications/${notification.id}`);
    expect([status, json]).toEqual([200, notification]);
    for (const id of ["999", "x", "99999999999999999999"]) {
      expect((await alice.get(`/api/v1/notifications/${id}`)).status).toBe(404);
      expect((await alice.post(`/api/v1/notifications/${id}/dismiss`)).status).toBe(404);
    }
  });

  test("can be dismissed one by one or all together", async () => {
    for (const words of ["one", "two", "three"]) await bob.publish(`@alice ${words}`);
    const ids = idsOf(await list());
    const { status, json } = await alice.post(`/api/v1/notifications/${ids[1]}/dismiss`);
    expect([status, json]).toEqual([200, {}]);
    expect(idsOf(await list())).toEqual([ids[0]!, ids[2]!]);
    expect((await alice.post("/api/v1/notifications/clear")).json).toEqual({});
    expect(await types()).toEqual([]);
  });
});

describe("Moderators", () => {
  /** Restarts the server with this registration mode, and signs a user up. */
  async function registered(mode: string, username: string): Promise<number> {
    await server.stop();
    server = await startServer({ LINNET_REGISTRATIONS: mode });
    alice = await server.person("alice");
    return register(username);
  }

  async function register(username: string): Promise<number> {
    const app = new Client(server.origin, server.token(null, "read write"));
    const { status } = await app.post("/api/v1/accounts", {
      username,
      email: `${username}@example.org`,
      password: "correct horse",
      agreement: true,
      locale: "en",
      reason: "to talk",
    });
    expect(status).toBe(200);
    return findUser(server.ctx, username)!.id;
  }

  test("are notified of sign-ups, in one group", async () => {
    await registered("open", "zoe");
    await register("yan");
    expect(await types()).toEqual(["admin.sign_up", "admin.sign_up"]);
    const { notification_groups: groups } = (await alice.get("/api/v2/notifications")).json;
    expect(groups).toMatchObject([{ type: "admin.sign_up", notifications_count: 2 }]);
    const { status, json } = await alice.get(`/api/v2/notifications/${groups[0].group_key}`);
    expect([status, json.notification_groups[0].sample_account_ids.length]).toEqual([200, 2]);
  });

  inProcess("are notified of a pending sign-up when it is approved, and other users are not", async () => {
    const zoe = await registered("approval", "zoe");
    const [mo, ugo] = [await server.person("mo", { role: "moderator" }), await server.person("ugo", { role: "user" })];
    expect(await types()).toEqual([]);
    for (const _ of ["once", "twice"]) approveUser(server.ctx, zoe);
    for (const who of [alice, mo]) {
      const { json } = await who.get("/api/v1/notifications");
      expectShape(json, ["Notification"]);
      expect(json).toMatchObject([{ type: "admin.sign_up", account: { username: "zoe" } }]);
    }
    expect((await ugo.get("/api/v1/notifications")).json).toEqual([]);
  });

  inProcess("get no notifications of sign-ups while they are pending, disabled or suspended", async () => {
    const mo = await registered("approval", "mo");
    updateUser(server.ctx, findUser(server.ctx, "mo")!, { role: "moderator" });
    const staff: Client[] = [];
    for (const action of ["disable", "suspend"] as const) {
      const moderator = await server.person(action, { role: "moderator" });
      await act(server, action, moderator);
      staff.push(moderator);
    }
    approveUser(server.ctx, await register("zoe"));
    approveUser(server.ctx, mo);
    undo(server, "disable", staff[0]!);
    undo(server, "suspend", staff[1]!);
    staff.push(new Client(server.origin, server.token(mo, "read")));
    for (const who of staff) {
      expect((await who.get("/api/v1/notifications?types[]=admin.sign_up")).json).toEqual([]);
    }
    expect(await types()).toEqual(["admin.sign_up", "admin.sign_up"]);
  });
});

describe("The number of unread notifications", () => {
  test("counts those above the marker, up to a limit, by type and account", async () => {
    await oneOfEach();
    expect(await unread()).toBe(7);
    expect(await unread("?limit=3")).toBe(3);
    expect(await unread("?types[]=mention&types[]=follow")).toBe(2);
    expect(await unread("?exclude_types[]=mention")).toBe(6);
    expect(await unread(`?account_id=${carol.id}`)).toBe(3);
    await alice.post("/api/v1/markers", { notifications: { last_read_id: idsOf(await list())[2] } });
    expect(await unread()).toBe(2);
  });

  test("is limited to a hundred by default and to a thousand at most", async () => {
    server.ctx.db.transaction((tx) => {
      for (let at = 0; at < 1010; at++) {
        tx.run(
          "INSERT INTO notifications (account_id, type, from_account_id, created_at) VALUES ($aliceId, 'follow', $bobId, 0)",
          { aliceId: Number(alice.id), bobId: Number(bob.id) },
        );
      }
    });
    expect([await unread(), await unread("?limit=500"), await unread("?limit=9999")]).toEqual([100, 500, 1000]);
  });

  test("is returned as the field count", async () => {
    expect((await alice.get("/api/v1/notifications/unread_count")).json).toEqual({ count: 0 });
  });
});
