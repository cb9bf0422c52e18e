import { describe, expect, test } from "bun:test";
import { listSentFollows } from "../../src/core/people/sent-follows.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { type HostileAccount, count, hostilePeerForEachTest } from "../support/hostile-peer.ts";

const DAY = 24 * 3600_000;

const { alice, bob, drain, advance } = neighboursForEachTest(["alice", "bob"]);
const peer = hostilePeerForEachTest();

const sent = () => listSentFollows(alice.server.ctx.db);
const followsAt = () => peer.delivered.filter(({ type }) => type === "Follow");
const isRequested = async (eve: HostileAccount) => (await alice.relationship(eve)).requested;

async function follow(eve: HostileAccount): Promise<void> {
  await alice.act("follow", eve);
  await alice.server.drain();
}

async function passDays(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    advance(DAY);
    await alice.server.drain();
  }
}

describe("A follow without an answer", () => {
  test("is sent again after a day, three times in total and unchanged, and stays requested", async () => {
    const eve = peer.account("eve");
    await follow(eve);
    expect(followsAt()).toHaveLength(1);
    advance(DAY / 2);
    await alice.server.drain();
    expect(followsAt()).toHaveLength(1);
    await passDays(6);
    expect(followsAt()).toHaveLength(3);
    expect(new Set(followsAt().map(({ id }) => id)).size).toBe(1);
    expect(await isRequested(eve)).toBe(true);
    expect(sent()).toMatchObject([
      { username: "alice", target: eve.handle, deliveries: 3, problem: null, answer: null },
    ]);
    await alice.server.cleanUpAfter(40 * DAY);
    expect(sent()).toHaveLength(1);
  });

  test("is not sent again once it is withdrawn", async () => {
    const eve = peer.account("eve");
    await follow(eve);
    await alice.act("unfollow", eve);
    await passDays(3);
    expect(followsAt()).toHaveLength(1);
    expect(sent()).toEqual([]);
    await alice.server.cleanUpAfter(31 * DAY);
    expect(count(alice.server, "sent_follows")).toBe(0);
  });

  test("is accepted at the second attempt by a server that had lost the first", async () => {
    await bob.patch("/api/v1/accounts/update_credentials", { locked: true });
    await alice.act("follow", bob);
    await drain();
    bob.server.ctx.db.transaction((tx) => {
      tx.run("DELETE FROM follow_requests");
      tx.run("UPDATE accounts SET locked = 0 WHERE domain IS NULL");
    });
    advance(DAY);
    await drain();
    expect(await alice.relationship(bob)).toMatchObject({ following: true, requested: false });
    expect(sent()).toMatchObject([{ deliveries: 2, answer: "accepted", answered_at: expect.any(Number) }]);
  });
});

describe("A follow with an answer", () => {
  test.each(["Accept", "Reject"])(
    "is not sent again after the answer %s, which is remembered for 30 days",
    async (type) => {
      const eve = peer.account("eve");
      await follow(eve);
      await eve.deliver(alice.server, eve.activity(type, followsAt()[0]!.id));
      await passDays(3);
      expect(followsAt()).toHaveLength(1);
      expect(sent()).toMatchObject([
        { delivered_at: expect.any(Number), deliveries: 1, answer: type === "Accept" ? "accepted" : "rejected" },
      ]);
      await alice.server.cleanUpAfter(31 * DAY);
      expect(sent()).toEqual([]);
    },
  );

  test("starts again when the user follows again", async () => {
    const eve = peer.account("eve");
    await follow(eve);
    await eve.deliver(alice.server, eve.activity("Reject", followsAt()[0]!.id));
    await follow(eve);
    expect(sent()).toMatchObject([{ deliveries: 1, answer: null, answered_at: null }]);
  });
});

describe("A follow that can't be delivered", () => {
  test("has the reason, until it is delivered", async () => {
    const eve = peer.account("eve");
    let status = 503;
    peer.serve(`${eve.uri}/inbox`, () => new Response(null, { status }));
    await follow(eve);
    expect(sent()).toMatchObject([
      { deliveries: 0, delivered_at: null, problem: expect.stringContaining("answered 503"), answer: null },
    ]);
    status = 202;
    advance(DAY / 12);
    await alice.server.drain();
    expect(sent()).toMatchObject([{ deliveries: 1, problem: null }]);
  });
});
