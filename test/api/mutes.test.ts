import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { homeOf, idsOf, pagesOf, relationship, notificationSendersOf, wordsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const HOUR = 3600_000;

const mute = (who: Client, target: { id: string }, options?: object): Promise<Answer> =>
  who.post(`/api/v1/accounts/${target.id}/mute`, options);
const unmute = (who: Client, target: { id: string }): Promise<Answer> =>
  who.post(`/api/v1/accounts/${target.id}/unmute`);
const inHours = (hours: number): string => new Date(server.clock.now() + hours * HOUR).toISOString();

describe("Muting an account", () => {
  test("is permanent and includes notifications by default", async () => {
    const { status, json } = await mute(alice, bob);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ id: bob.id, muting: true, muting_notifications: true, muting_expires_at: null });
  });

  test("can be changed by muting again", async () => {
    await mute(alice, bob, { notifications: false, duration: 3600 });
    const { json } = await mute(alice, bob, { duration: 7200 });
    expect(json).toMatchObject({ muting: true, muting_notifications: true, muting_expires_at: inHours(2) });
    expect((await mute(alice, bob, { notifications: "false" })).json).toMatchObject({
      muting_notifications: false,
      muting_expires_at: null,
    });
  });

  test("keeps follows, and doesn't notify the account", async () => {
    await alice.follow(bob);
    await bob.follow(alice);
    expect((await mute(alice, bob)).json).toMatchObject({ following: true, followed_by: true });
    const theirs = await relationship(bob, alice);
    expect(theirs).toMatchObject({ muting: false, blocked_by: false });
  });

  test("hides its posts in all timelines and threads, including boosts", async () => {
    await alice.follow(bob);
    await alice.follow(carol);
    const { id } = await bob.publish("bob writes #tag");
    const answer = await bob.publish({ status: "bob answers", in_reply_to_id: id });
    await carol.post(`/api/v1/statuses/${answer.id}/reblog`);
    const root = await carol.publish("carol writes");
    await bob.publish({ status: "to carol", in_reply_to_id: root.id });
    await mute(alice, bob);
    expect(await homeOf(alice)).toEqual(["carol writes"]);
    expect(wordsOf(await alice.get("/api/v1/timelines/public"))).toEqual(["carol writes"]);
    expect((await alice.get("/api/v1/timelines/tag/tag")).json).toEqual([]);
    expect((await alice.get(`/api/v1/statuses/${root.id}/context`)).json.descendants).toEqual([]);
    expect(wordsOf(await alice.get(`/api/v1/accounts/${carol.id}/statuses`))).toEqual(["carol writes"]);
  });

  test("keeps posts that mention it out of the home timeline", async () => {
    await alice.follow(carol);
    await carol.publish("before, @bob");
    await mute(alice, bob);
    await carol.publish("after, @bob");
    await carol.publish("and else");
    expect(await homeOf(alice)).toEqual(["and else"]);
  });

  test("keeps the user's own posts in the home timeline, including those to the account", async () => {
    await alice.publish("before, @bob");
    await mute(alice, bob);
    await alice.publish("after, @bob");
    expect(await homeOf(alice)).toEqual(["after, @bob", "before, @bob"]);
  });

  test("removes its notifications, and prevents new ones", async () => {
    await bob.publish("@alice hello");
    await carol.follow(alice);
    await mute(alice, bob);
    await bob.publish("@alice hello?");
    await carol.publish("@alice @bob is here");
    expect(await notificationSendersOf(alice)).toEqual(["follow by carol"]);
  });

  test("without notifications keeps those", async () => {
    await bob.publish("@alice hello");
    await mute(alice, bob, { notifications: false });
    await bob.follow(alice);
    await carol.publish("@alice @bob is here");
    expect(await notificationSendersOf(alice)).toEqual(["mention by carol", "follow by bob", "mention by bob"]);
  });

  test("ends with unmuting, which restores everything", async () => {
    await alice.follow(bob);
    await bob.publish("before");
    await mute(alice, bob);
    expect(await homeOf(alice)).toEqual([]);
    const { status, json } = await unmute(alice, bob);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ muting: false, muting_notifications: false });
    await bob.publish("after");
    expect(await homeOf(alice)).toEqual(["after", "before"]);
    expect((await unmute(alice, bob)).json.muting).toBe(false);
  });

  test.each([
    ["without a duration", 0],
    ["for an hour", 3600],
  ])("of oneself %s has no effect", async (_, duration) => {
    expect((await mute(alice, alice, { duration })).json.muting).toBe(false);
  });

  test.each(["mute", "unmute"])("of an unknown account (%s) is not found", async (verb) => {
    for (const id of ["12", "x"]) {
      const { status, json } = await alice.post(`/api/v1/accounts/${id}/${verb}`);
      expect([status, json]).toEqual([404, { error: "Record not found" }]);
    }
  });

  test.each([
    [{ duration: "soon" }, "Duration is not a number"],
    [{ duration: 1.5 }, "Duration must be an integer"],
    [{ notifications: "perhaps" }, "Notifications must be true or false"],
  ])("with %j is refused", async (options, reason) => {
    const { status, json } = await mute(alice, bob, options);
    expect([status, json]).toEqual([422, { error: `Validation failed: ${reason}` }]);
  });

  test.each([[-5], [0], ["1e300"]])("for %p seconds is practically permanent", async (duration) => {
    await mute(alice, bob, { duration });
    server.clock.advance(60 * 365 * 24 * HOUR);
    expect((await relationship(alice, bob)).muting).toBe(true);
  });
});

describe("A temporary mute", () => {
  beforeEach(async () => {
    await alice.follow(bob);
    await bob.publish("before");
    await mute(alice, bob, { duration: 3600 });
    await bob.publish("during");
  });

  test("shows when it ends", async () => {
    const { json } = await alice.get("/api/v1/mutes");
    expectShape(json, ["MutedAccount"]);
    expect(json.map((muted: Json) => [muted.id, muted.mute_expires_at])).toEqual([[bob.id, inHours(1)]]);
    expect(await homeOf(alice)).toEqual([]);
  });

  test("ends completely at that time", async () => {
    server.clock.advance(HOUR);
    expect(await homeOf(alice)).toEqual(["before"]);
    expect((await alice.get("/api/v1/mutes")).json).toEqual([]);
    await bob.publish("@alice after");
    expect(await homeOf(alice)).toEqual(["@alice after", "before"]);
    expect(await notificationSendersOf(alice)).toEqual(["mention by bob"]);
  });

  test("is deleted by the clean-up", async () => {
    await mute(alice, carol);
    server.clock.advance(HOUR);
    const { ctx } = server;
    ctx.db.transaction((tx) =>
      tx.run("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('clean_up', '{}', $now, $now)", {
        now: server.clock.now(),
      }),
    );
    await server.drain();
    expect(ctx.db.all("SELECT target_account_id AS id FROM mutes")).toEqual([{ id: Number(carol.id) }]);
  });
});

describe("The list of muted accounts", () => {
  test("is in reverse order, on consistent pages", async () => {
    const people = [bob, carol, await server.person("dora")];
    for (const { id } of people.toReversed()) await mute(alice, { id });
    const all = await alice.get("/api/v1/mutes");
    expectShape(all.json, ["MutedAccount"]);
    expect(idsOf(all)).toEqual(people.map(({ id }) => id));
    expect(all.json[0].mute_expires_at).toBeNull();
    const pages = await pagesOf(alice, "/api/v1/mutes?limit=1");
    expect(pages.map((page) => page.length)).toEqual([1, 1, 1, 0]);
    expect(pages.flatMap(idsOf)).toEqual(idsOf(all));
  });
});
