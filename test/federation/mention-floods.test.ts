import { beforeEach, describe, expect, test } from "bun:test";
import { liftAction, moderate } from "../../src/core/moderation/moderation.ts";
import { resolveReport } from "../../src/core/moderation/reports.ts";
import type { Client, Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import {
  accountId,
  befriend,
  count,
  type HostileAccount,
  hostilePeerForEachTest,
  PUBLIC,
} from "../support/hostile-peer.ts";
import { remoteStatus } from "../support/rows.ts";
import { inProcess, type TestServer } from "../support/server.ts";
import { recordStatements } from "../support/sql/recorded.ts";

const HOUR = 3600_000;

/** Adds users without tokens. Returns their URIs. */
function addUsers({ ctx }: TestServer, many: number): string[] {
  return Array.from({ length: many }, (_, at) => {
    const uri = `${ctx.config.origin}/users/user${at}`;
    const id = ctx.ids.next();
    ctx.db.transaction((tx) => {
      tx.run(
        `INSERT INTO accounts (id, username, uri, url, created_at, updated_at) VALUES ($id, $name, $uri, $uri, 0, 0)`,
        { id, name: `user${at}`, uri },
      );
      tx.run("INSERT INTO users (account_id, password_hash, role, created_at) VALUES ($id, '', 'user', 0)", { id });
    });
    return uri;
  });
}

const mentioning = (uris: readonly string[], more: Json = {}): Json => ({
  to: [PUBLIC, ...uris],
  tag: uris.map((href) => ({ type: "Mention", href })),
  ...more,
});

/** The number of statements of the check that are prepared for the first time. */
async function newFloodQueries({ ctx }: TestServer, work: () => Promise<unknown>): Promise<number> {
  const recorded = await recordStatements(ctx.db, async () => void (await work()));
  return recorded.filter(({ query }) => query.startsWith("core/moderation/floods.ts")).length;
}

describe("With LINNET_HOLD_MENTION_FLOODS=on, an account that mentions many strangers", () => {
  const { alice } = neighboursForEachTest(["alice"], { LINNET_HOLD_MENTION_FLOODS: "on" });
  const peer = hostilePeerForEachTest();
  let bob: HostileAccount;
  let dora: Client;
  let strangers: string[];

  beforeEach(async () => {
    const { server } = alice;
    bob = peer.account("bob", "good.test");
    dora = await server.person("dora", { role: "user" });
    strangers = addUsers(server, 20);
  });

  const doraUri = () => `${alice.server.ctx.config.origin}/users/dora`;
  const post = (uris: readonly string[], more?: Json) =>
    bob.deliver(alice.server, bob.create(bob.note(mentioning(uris, more))));
  const typesOf = async (who: Client) =>
    (await who.get("/api/v1/notifications")).json.map(({ type }: Json) => type as string);
  const reports = () =>
    alice.server.ctx.db.all<Json>("SELECT id, account_id, category, comment, action_taken_at FROM reports");
  const isLimited = async () => (await alice.profile(bob)).limited === true;
  /** Dora first, then more than twenty in all. */
  const flood = async () => {
    await post([doraUri(), ...strangers.slice(0, 10)]);
    alice.server.clock.advance(60_000);
    await post(strangers.slice(10));
  };

  test("is limited and reported by the server, and its notifications are held back, earlier ones too", async () => {
    await post([doraUri(), ...strangers.slice(0, 19)]);
    expect([await typesOf(dora), await isLimited(), reports()]).toEqual([["mention"], false, []]);
    await post([strangers[19]!, doraUri()]);
    expect([await typesOf(dora), await isLimited()]).toEqual([[], true]);
    expect(reports()).toEqual([
      {
        id: 1,
        account_id: null,
        category: "spam",
        comment: expect.stringContaining("21 local accounts"),
        action_taken_at: null,
      },
    ]);
    expect(await typesOf(alice)).toEqual(["admin.report"]);
    const { json } = await alice.get("/api/v1/notifications");
    expect(json[0]).toMatchObject({ account: { acct: "alice" }, report: { target_account: { acct: bob.handle } } });
    await post([doraUri()], { to: [doraUri()], cc: [] });
    expect(await typesOf(dora)).toEqual([]);
    for (const path of ["/api/v1/notifications/requests", "/api/v1/conversations"]) {
      expect((await dora.get(path)).json).toEqual([]);
    }
    expect((await dora.get("/api/v1/notifications/unread_count")).json.count).toBe(0);
    expect(count(alice.server, "reports")).toBe(1);
  });

  inProcess("sends no notification to streams and devices while it is held", async () => {
    const events: string[] = [];
    alice.server.ctx.eventBus.subscribe(`user:${dora.id}`, ({ event }) => void events.push(event));
    await post([doraUri()]);
    expect(events).toContain("notification");
    events.length = 0;
    await post([...strangers.slice(0, 10), doraUri()]);
    await post(strangers.slice(10));
    events.length = 0;
    await post([doraUri()]);
    expect(events).toEqual([]);
  });

  test("is released when the report is resolved, with its notifications, and not held again", async () => {
    await flood();
    await post([doraUri()], { to: [doraUri()], cc: [] });
    resolveReport(alice.server.ctx, 1, null);
    expect([await typesOf(dora), await isLimited()]).toEqual([["mention", "mention"], false]);
    expect((await dora.get("/api/v1/conversations")).json).toHaveLength(1);
    await post([doraUri()]);
    expect([await typesOf(dora), await isLimited(), reports().length]).toEqual([
      ["mention", "mention", "mention"],
      false,
      1,
    ]);
  });

  test("is also released when its limit is lifted", async () => {
    await flood();
    const id = Number(accountId(alice.server, bob.uri));
    liftAction(alice.server.ctx, id, "silence");
    expect([await typesOf(dora), await isLimited()]).toEqual([["mention"], false]);
    expect(reports()).toMatchObject([{ action_taken_at: expect.any(Number) }]);
  });

  test.each(["silence", "suspend"] as const)(
    "loses these notifications if a moderator decides on %s",
    async (action) => {
      const { ctx } = alice.server;
      await flood();
      const id = Number(accountId(alice.server, bob.uri));
      moderate(ctx, id, action, { by: null, text: "", reportId: 1 });
      expect(reports()).toMatchObject([{ action_taken_at: expect.any(Number) }]);
      liftAction(ctx, id, action);
      expect(await typesOf(dora)).toEqual([]);
    },
  );

  test("is not held if the mentions are an hour apart", async () => {
    await post(strangers.slice(0, 15));
    alice.server.clock.advance(HOUR + 1000);
    await post(strangers.slice(15));
    expect([reports(), await isLimited()]).toEqual([[], false]);
  });

  test("is held for posts with an old date, too, and for edits that add mentions", async () => {
    const old = { published: new Date(alice.server.clock.now() - 5 * HOUR).toISOString() };
    await post([doraUri(), ...strangers.slice(0, 15)], old);
    const note = bob.note({ ...mentioning([strangers[15]!]), ...old });
    await bob.deliver(alice.server, bob.create(note));
    const updated = new Date(alice.server.clock.now()).toISOString();
    await bob.deliver(alice.server, bob.activity("Update", { ...note, ...mentioning(strangers.slice(10)), updated }));
    expect([await typesOf(dora), await isLimited()]).toEqual([[], true]);
  });

  test("is not held for mentions of accounts that follow it, mentioned it, or favourited or boosted its posts", async () => {
    const { server } = alice;
    await post([doraUri()]);
    const [first] = (await dora.get("/api/v1/notifications")).json;
    const others: Client[] = [];
    for (const name of ["fay", "gus", "hal"]) others.push(await server.person(name, { role: "user" }));
    const [fay, gus, hal] = others as [Client, Client, Client];
    const bobId = accountId(server, bob.uri)!;
    await dora.post(`/api/v1/statuses/${first.status.id}/favourite`);
    await fay.post(`/api/v1/statuses/${first.status.id}/reblog`);
    await gus.publish(`@${bob.handle} hello`);
    await hal.post(`/api/v1/accounts/${bobId}/follow`);
    const known = ["dora", "fay", "gus", "hal"].map((name) => `${server.ctx.config.origin}/users/${name}`);
    await post([...known, ...strangers]);
    expect([reports(), await isLimited()]).toEqual([[], false]);
    await post([`${server.ctx.config.origin}/users/alice`]);
    expect(reports()).toHaveLength(1);
  });

  test("is held if it has just followed them, not if it has done so for a day", async () => {
    await bob.deliver(alice.server, bob.activity("Follow", doraUri()));
    alice.server.clock.advance(24 * HOUR);
    await bob.deliver(alice.server, bob.activity("Follow", alice.uri));
    await post([doraUri(), ...strangers]);
    expect(reports()).toEqual([]);
    await post([alice.uri]);
    expect(reports()).toHaveLength(1);
  });

  /** More posts of bob, which mention himself. */
  const addPosts = (many: number) => {
    const id = Number(accountId(alice.server, bob.uri));
    // Their ids follow those that the server has given, also if that is another process.
    alice.server.clock.advance(1000);
    for (let at = 0; at < many; at += 1) {
      const statusId = Number(remoteStatus(alice.server, String(id), "Hello"));
      alice.server.ctx.db.transaction((tx) =>
        tx.run("INSERT INTO mentions (status_id, account_id) VALUES ($statusId, $id)", { statusId, id }),
      );
    }
    alice.server.clock.advance(1000);
  };

  test.each<[string, () => Promise<unknown>]>([
    [
      "reactions to its newest 200 posts",
      async () => {
        const [{ status }] = (await dora.get("/api/v1/notifications")).json;
        await dora.post(`/api/v1/statuses/${status.id}/favourite`);
      },
    ],
    ["the newest 200 mentions of it", () => dora.publish(`@${bob.handle} hello`)],
  ])("is checked for %s only, so that its history costs nothing", async (_, act) => {
    await post([doraUri()]);
    await act();
    addPosts(199);
    await post([doraUri(), ...strangers]);
    expect(reports()).toEqual([]);
    addPosts(1);
    await post([doraUri()]);
    expect(reports()).toHaveLength(1);
  });

  test.each([
    [199, 1],
    [200, 0],
  ])(
    "is checked for its newest 200 posts within the hour: after %d others, there are %d reports",
    async (many, held) => {
      await post([doraUri(), ...strangers.slice(0, 10)]);
      alice.server.ctx.db.transaction((tx) => tx.run("DELETE FROM notifications", {}));
      addPosts(many);
      await post(strangers.slice(10));
      expect(reports()).toHaveLength(held);
    },
  );

  test.each([
    [19, 1],
    [20, 0],
  ])(
    "is checked for the newest 20 notifications of a user: after %d others, there are %d reports",
    async (many, held) => {
      const { ctx } = alice.server;
      const old = { published: new Date(alice.server.clock.now() - 5 * HOUR).toISOString() };
      await post([doraUri(), ...strangers.slice(0, 10)], old);
      for (let at = 0; at < many; at += 1) {
        ctx.db.transaction((tx) =>
          tx.run(
            `INSERT INTO notifications (account_id, type, from_account_id, created_at)
           SELECT account_id, 'favourite', $bobId, $now FROM users`,
            { bobId: Number(accountId(alice.server, bob.uri)), now: ctx.clock.now() },
          ),
        );
      }
      await post(strangers.slice(10));
      expect(reports()).toHaveLength(held);
    },
  );

  inProcess("costs one query if no local account is mentioned, and another one if few are", async () => {
    const eve = peer.account("eve", "good.test");
    await eve.deliver(alice.server, eve.activity("Follow", alice.uri));
    await befriend(alice, bob);
    const first = await newFloodQueries(alice.server, () => post([eve.uri]));
    const second = await newFloodQueries(alice.server, () => post([doraUri(), ...strangers.slice(1)]));
    expect([first, second]).toEqual([1, 1]);
  });
});

describe("Without the setting", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();

  test("no account is held", async () => {
    const bob = peer.account("bob", "good.test");
    const note = bob.note(mentioning([alice.uri, ...addUsers(alice.server, 30)]));
    await bob.deliver(alice.server, bob.create(note));
    expect([count(alice.server, "reports"), (await alice.profile(bob)).limited]).toEqual([0, undefined]);
    expect(await alice.news()).toEqual([["mention", bob.handle]]);
  });

  inProcess("nothing is looked up", async () => {
    const bob = peer.account("bob", "good.test");
    const note = bob.note(mentioning([alice.uri, ...addUsers(alice.server, 30)]));
    const deliver = () => bob.deliver(alice.server, bob.create(note));
    expect(await newFloodQueries(alice.server, deliver)).toBe(0);
  });
});
