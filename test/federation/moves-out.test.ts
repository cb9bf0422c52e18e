import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { aliceAndPeers, type Known, type Neighbour, neighboursForEachTest } from "../support/federation.ts";
import { acceptRemotely } from "../support/remote-rows.ts";
import { Visitor } from "../web/visitor.ts";

const DAY = 24 * 3600_000;
const PASSWORD = "correct horse";

const addAlias = (who: Neighbour, alias: Known) => who.post("/api/v1/linnet/aliases", { acct: `@${alias.handle}` });
const move = (who: Neighbour, target: Known, password = PASSWORD) =>
  who.post("/api/v1/linnet/move", { acct: `@${target.handle}`, password });
const cancel = (who: Neighbour) => who.delete("/api/v1/linnet/move");
const own = async (who: Neighbour) => (await who.get("/api/v1/accounts/verify_credentials")).json;

describe("Fifty users of another server follow an account that moves there:", () => {
  const { alice, carol, drain, befriend } = neighboursForEachTest(["alice", "carol"]);

  test("they follow the new account, which is in their lists, with their settings and notes", async () => {
    const { server } = carol;
    await befriend(alice, carol);
    const [aliceId, lists] = [await carol.idOf(alice), new Map<string, string>()];
    const followers = await Promise.all(Array.from({ length: 50 }, (_, at) => server.person(`follower${at}`)));
    for (const follower of followers) {
      await follower.post(`/api/v1/accounts/${aliceId}/follow`, { reblogs: false, notify: true, languages: ["de"] });
      acceptRemotely(server, follower, { id: aliceId });
      const { id } = (await follower.post("/api/v1/lists", { title: "Friends" })).json;
      await follower.post(`/api/v1/lists/${id}/accounts`, { account_ids: [aliceId] });
      await follower.post(`/api/v1/accounts/${aliceId}/note`, { comment: `known as ${follower.id}` });
      lists.set(follower.id, id);
    }
    // The other server knows nothing of them, so that it needs fifty keys neither now nor when they end.
    server.ctx.db.transaction((tx) => {
      tx.run("DELETE FROM jobs WHERE kind = 'delivery.prepare'");
      tx.run("UPDATE follows SET uri = NULL WHERE account_id <> +$carolId", { carolId: Number(carol.id) });
    });
    expect((await addAlias(carol, alice)).status).toBe(200);
    expect((await move(alice, carol)).json).toMatchObject({ moved: { acct: carol.handle } });
    await drain();
    for (const follower of followers) {
      const path = `/api/v1/accounts/relationships?id[]=${carol.id}&id[]=${aliceId}`;
      const note = `known as ${follower.id}`;
      expect((await follower.get(path)).json).toMatchObject([
        { following: true, showing_reblogs: false, notifying: true, languages: ["de"], note },
        { following: false, requested: false, note },
      ]);
      const members = (await follower.get(`/api/v1/lists/${lists.get(follower.id)}/accounts`)).json;
      expect(members.map(({ id }: Json) => id)).toEqual([carol.id]);
    }
    expect((await own(carol)).followers_count).toBe(51);
    const news = (await carol.get("/api/v1/notifications?limit=80")).json;
    expect(news.map(({ type }: Json) => type)).toEqual(Array.from({ length: 51 }, () => "follow"));
    expect(await carol.profile(alice)).toMatchObject({ moved: { id: carol.id } });
  });
});

describe("Between three servers, an account moves:", () => {
  const { alice, bob, carol, drain, advance, befriend } = neighboursForEachTest(["alice", "bob", "carol"]);
  const relationships = async () => {
    const [old, successor] = [await carol.relationship(alice), await carol.relationship(bob)];
    return [old.following, successor.following, successor.requested];
  };

  test("followers on other servers and here follow the new one, whose owner is notified once of each", async () => {
    await befriend(alice, carol);
    const dora = await alice.server.person("dora");
    await dora.follow(alice);
    await addAlias(bob, alice);
    await move(alice, bob);
    await drain();
    advance(31 * DAY);
    await drain();
    expect(await relationships()).toEqual([false, true, false]);
    const { json } = await dora.get(`/api/v1/accounts/${dora.id}/following`);
    expect(json.map(({ acct }: Json) => acct)).toEqual([bob.handle]);
    const followers = [carol.handle, `dora@${alice.server.ctx.config.handleDomain}`];
    expect((await bob.news()).map(([type, acct]) => `${type} ${acct}`).toSorted()).toEqual(
      followers.map((acct) => `follow ${acct}`).toSorted(),
    );
    expect(await own(alice)).toMatchObject({ followers_count: 0, moved: { acct: bob.handle } });
    expect((await carol.profile(alice)).moved).toMatchObject({ acct: bob.handle });
    expect((await bob.profile(alice)).moved).toMatchObject({ acct: bob.username });
    await bob.publish("Hello from here");
    await drain();
    expect((await carol.home())[0]).toMatchObject({ content: "<p>Hello from here</p>" });
  });

  test("servers that crash in between move everything, once", async () => {
    await befriend(alice, carol);
    await addAlias(bob, alice);
    await move(alice, bob);
    for (const { server } of [alice, carol, bob]) {
      await server.crashInJob();
      await server.revive();
      await server.drain();
    }
    await drain();
    expect(await relationships()).toEqual([false, true, false]);
    expect(await bob.news()).toEqual([["follow", carol.handle]]);
  });

  test("a locked account decides about each follower, and lists have the new account meanwhile", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await befriend(alice, carol);
    const { id } = (await carol.post("/api/v1/lists", { title: "Friends" })).json;
    await carol.post(`/api/v1/lists/${id}/accounts`, { account_ids: [await carol.idOf(alice)] });
    await addAlias(bob, alice);
    await move(alice, bob);
    await drain();
    expect(await relationships()).toEqual([false, false, true]);
    expect(await bob.news()).toEqual([["follow_request", carol.handle]]);
    const members = (await carol.get(`/api/v1/lists/${id}/accounts`)).json;
    expect(members.map(({ acct }: Json) => acct)).toEqual([bob.handle]);
    await bob.post(`/api/v1/follow_requests/${await bob.idOf(carol)}/authorize`);
    await drain();
    expect(await relationships()).toEqual([false, true, false]);
  });

  test("blocks and mutes of the old account hold for the new one, too", async () => {
    const dora = await carol.server.person("dora");
    const [aliceId] = [await carol.idOf(alice)];
    await carol.act("block", alice);
    await dora.post(`/api/v1/accounts/${aliceId}/mute`, { notifications: false, duration: 40 * 24 * 3600 });
    await drain();
    await addAlias(bob, alice);
    await move(alice, bob);
    await drain();
    expect(await carol.relationship(bob)).toMatchObject({ blocking: true });
    expect(await bob.relationship(carol)).toMatchObject({ blocked_by: true });
    const bobId = await carol.idOf(bob);
    const { json } = await dora.get(`/api/v1/accounts/relationships?id[]=${bobId}&id[]=${aliceId}`);
    expect(json[0]).toMatchObject({ muting: true, muting_notifications: false, following: false, blocking: false });
    expect(json[0].muting_expires_at).toBe(json[1].muting_expires_at);
  });

  test("users who follow the new account keep their settings, and it is neither blocked nor muted", async () => {
    await befriend(alice, carol);
    await carol.act("follow", bob, { reblogs: false });
    const dora = await carol.server.person("dora");
    const [aliceId, bobId] = [await carol.idOf(alice), await carol.idOf(bob)];
    await dora.post(`/api/v1/accounts/${bobId}/follow`);
    await drain();
    await dora.post(`/api/v1/accounts/${aliceId}/block`);
    await dora.post(`/api/v1/accounts/${bobId}/note`, { comment: "new" });
    await dora.post(`/api/v1/accounts/${aliceId}/note`, { comment: "old" });
    await addAlias(bob, alice);
    await move(alice, bob);
    await drain();
    expect(await carol.relationship(bob)).toMatchObject({ following: true, showing_reblogs: false });
    const { json } = await dora.get(`/api/v1/accounts/relationships?id[]=${bobId}`);
    expect(json).toMatchObject([{ following: true, blocking: false, note: "new\nold" }]);
  });

  test("the owner of the new account who follows the old one keeps doing so", async () => {
    await befriend(alice, bob);
    await addAlias(bob, alice);
    await move(alice, bob);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject({ following: true });
    expect(await own(bob)).toMatchObject({ following_count: 1, followers_count: 1 });
  });
});

describe("A move", () => {
  const { alice, bob, drain, advance, befriend } = neighboursForEachTest(["alice", "bob"]);
  const errorOf = async (answer: ReturnType<Neighbour["post"]>) => {
    const { status, json } = await answer;
    return [status, json.error];
  };

  test("is refused until the other account names this one, and says what to do", async () => {
    expect(await errorOf(move(alice, bob))).toEqual([
      409,
      `@${bob.handle} must name @${alice.handle} as an alias first: add it there (in Mastodon under Preferences, Account, "Moving from a different account"), then try again.`,
    ]);
    expect((await own(alice)).moved).toBeUndefined();
    await addAlias(bob, alice);
    expect((await move(alice, bob)).status).toBe(200);
  });

  test("is refused for a wrong password, the account itself, unknown accounts, and servers that don't respond", async () => {
    await addAlias(bob, alice);
    expect(await errorOf(move(alice, bob, "wrong horse"))).toEqual([403, "The password is wrong."]);
    expect(await errorOf(move(alice, alice))).toEqual([422, "This is the account itself: name another one."]);
    expect(await errorOf(move(alice, { ...bob, handle: "nobody@nowhere.test", uri: "" }))).toEqual([
      422,
      "No account is found as @nobody@nowhere.test: check that it is written like @name@example.org.",
    ]);
    await alice.idOf(bob);
    await bob.server.kill();
    expect(await errorOf(move(alice, bob))).toEqual([
      503,
      `The server of @${bob.handle} does not respond: try again later.`,
    ]);
    expect((await own(alice)).moved).toBeUndefined();
    await bob.server.revive();
  });

  test("is possible once in 30 days, also after it was cancelled", async () => {
    await addAlias(bob, alice);
    expect((await move(alice, bob)).status).toBe(200);
    expect(await errorOf(move(alice, bob))).toEqual([409, `This account has moved to @${bob.handle} already.`]);
    expect((await cancel(alice)).status).toBe(200);
    advance(30 * DAY - 1);
    expect((await errorOf(move(alice, bob)))[1]).toStartWith("An account can move once in 30 days: this one can move");
    advance(1);
    expect((await move(alice, bob)).status).toBe(200);
  });

  test("to an account that has moved is refused, so that there are neither chains nor circles", async () => {
    await addAlias(bob, alice);
    await addAlias(alice, bob);
    await move(alice, bob);
    await drain();
    expect(await errorOf(move(bob, alice))).toEqual([
      409,
      `@${alice.handle} has moved, too: name the account that is in use now.`,
    ]);
  });

  test("leaves an account that neither posts, boosts nor follows, and gets no followers, until it is cancelled", async () => {
    const post = await alice.publish("Before");
    await addAlias(bob, alice);
    const dora = await alice.server.person("dora");
    await move(alice, bob);
    const later = { status: "later", scheduled_at: new Date(alice.server.clock.now() + DAY).toISOString() };
    const attempts = () =>
      Promise.all([
        alice.post("/api/v1/statuses", { status: "After" }),
        alice.post("/api/v1/statuses", later),
        alice.post(`/api/v1/statuses/${post.id}/reblog`),
        alice.follow(dora),
        dora.follow(alice),
      ]);
    expect((await attempts()).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await alice.delete(`/api/v1/statuses/${post.id}`)).status).toBe(200);
    await drain();
    expect((await bob.act("follow", alice)).status).toBe(403);
    const again = await dora.publish("Hello");
    expect((await alice.post(`/api/v1/statuses/${again.id}/favourite`)).status).toBe(200);

    expect((await cancel(alice)).json.moved).toBeUndefined();
    expect(await errorOf(cancel(alice))).toEqual([409, "This account has not moved."]);
    await drain();
    expect((await bob.profile(alice)).moved).toBeUndefined();
    await befriend(alice, bob);
    expect(await bob.relationship(alice)).toMatchObject({ following: true, followed_by: true });
  });

  test("that is cancelled moves nobody else here", async () => {
    const dora = await alice.server.person("dora");
    await dora.follow(alice);
    await addAlias(bob, alice);
    await move(alice, bob);
    await cancel(alice);
    await drain();
    expect((await own(alice)).followers_count).toBe(1);
    expect(await bob.news()).toEqual([]);
  });

  test("is shown on the profile page, and in the document that other servers get", async () => {
    await addAlias(bob, alice);
    await move(alice, bob);
    const { text, html } = await new Visitor(alice.server).get("/@alice");
    expect(text).toContain(`alice has moved to @${bob.handle}`);
    expect(html).toContain(`<a href="${bob.server.ctx.config.origin}/@bob">@${bob.handle}</a>`);
    const documentOf = async (user: Neighbour) =>
      (
        await fetch(`${user.server.origin}/users/${user.username}`, {
          headers: { accept: "application/activity+json" },
        })
      ).json();
    expect(await documentOf(alice)).toMatchObject({ movedTo: bob.uri, alsoKnownAs: [] });
    expect(await documentOf(bob)).toMatchObject({ alsoKnownAs: [alice.uri] });
  });
});

describe("Aliases", () => {
  const { alice, bob, drain } = neighboursForEachTest(["alice", "bob"]);
  const list = async () => (await alice.get("/api/v1/linnet/aliases")).json.map(({ acct }: Json) => acct);

  test("are added by handle, listed, and removed", async () => {
    expect((await addAlias(alice, bob)).json).toMatchObject({ acct: bob.handle });
    expect((await addAlias(alice, bob)).status).toBe(200);
    expect(await list()).toEqual([bob.handle]);
    const path = `/api/v1/linnet/aliases/${await alice.idOf(bob)}`;
    expect([(await alice.delete(path)).status, (await alice.delete(path)).status]).toEqual([200, 404]);
    expect(await list()).toEqual([]);
    await drain();
  });

  test("can't be the account itself or unknown, and there are at most twenty", async () => {
    expect((await addAlias(alice, alice)).status).toBe(422);
    expect((await addAlias(alice, { handle: "nobody@nowhere.test", uri: "" })).status).toBe(422);
    for (let at = 0; at < 20; at += 1) await alice.server.person(`other${at}`);
    for (let at = 0; at < 20; at += 1) {
      expect((await alice.post("/api/v1/linnet/aliases", { acct: `other${at}` })).status).toBe(200);
    }
    expect((await addAlias(alice, bob)).json).toEqual({
      error: "An account can have at most 20 aliases: remove one first.",
    });
    expect(await list()).toHaveLength(20);
  });
});

describe("A server by others", () => {
  const { alice, newFollower, drain } = aliceAndPeers();

  test("gets an Update that names the new account, then the Move", async () => {
    const fern = await newFollower("fern");
    const dora = await alice.server.person("dora");
    await dora.post("/api/v1/linnet/aliases", { acct: "alice" });
    await alice.post("/api/v1/linnet/move", { acct: "dora", password: PASSWORD });
    await drain();
    expect(fern.refused).toEqual([]);
    expect(fern.received.map(({ type }) => type).slice(-2)).toEqual(["Update", "Move"]);
    expect(fern.received.at(-1)!.activity).toMatchObject({ objectId: new URL(alice.uri) });
  });
});
