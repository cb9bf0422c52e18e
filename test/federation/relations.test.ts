import { beforeEach, describe, expect, test } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { moderate } from "../../src/core/moderation/moderation.ts";
import type { Json } from "../support/client.ts";
import { type Neighbour, neighboursForEachTest } from "../support/federation.ts";
import { notificationTypesOf, relationship } from "../support/reading.ts";

const { alice, bob, drain } = neighboursForEachTest(["alice", "bob"]);
/** Bob on Alice's server, and Alice on Bob's. */
let bobHere: { id: string };
let aliceThere: { id: string };

beforeEach(async () => {
  bobHere = { id: await alice.idOf(bob) };
  aliceThere = { id: await bob.idOf(alice) };
});

const act = async (who: Neighbour, verb: string, target: { id: string }): Promise<void> => {
  expect((await who.post(`/api/v1/accounts/${target.id}/${verb}`)).status).toBe(200);
  await drain();
};
const set = async (who: Neighbour, change: object): Promise<void> => {
  expect((await who.patch("/api/v1/accounts/update_credentials", change)).status).toBe(200);
  await drain();
};
const answer = async (verb: "authorize" | "reject"): Promise<void> => {
  expect((await bob.post(`/api/v1/follow_requests/${aliceThere.id}/${verb}`)).status).toBe(200);
  await drain();
};

/** Alice's follow of Bob as her server knows it, and as his does. */
async function follow(): Promise<string[]> {
  const [here, there] = [await relationship(alice, bobHere), await relationship(bob, aliceThere)];
  const word = (is: boolean, wants: boolean) => (is ? "follows" : wants ? "requested" : "nothing");
  return [word(here.following, here.requested), word(there.followed_by, there.requested_by)];
}

const BOTH_FOLLOW = ["follows", "follows"];
const BOTH_REQUESTED = ["requested", "requested"];
const BOTH_NOTHING = ["nothing", "nothing"];

describe("A follow of an open account on another server", () => {
  beforeEach(() => act(alice, "follow", bobHere));

  test("is accepted, counted and notified", async () => {
    expect(await follow()).toEqual(BOTH_FOLLOW);
    expect(await notificationTypesOf(bob)).toEqual(["follow"]);
    const counts = async (who: Neighbour) => (await who.get("/api/v1/accounts/verify_credentials")).json;
    expect([(await counts(alice)).following_count, (await counts(bob)).followers_count]).toEqual([1, 1]);
  });

  test("ends when the follower unfollows, and can begin again", async () => {
    await act(alice, "unfollow", bobHere);
    expect(await follow()).toEqual(BOTH_NOTHING);
    expect(await notificationTypesOf(bob)).toEqual([]);
    await act(alice, "follow", bobHere);
    expect(await follow()).toEqual(BOTH_FOLLOW);
  });

  test("ends when the account removes the follower", async () => {
    await act(bob, "remove_from_followers", aliceThere);
    expect(await follow()).toEqual(BOTH_NOTHING);
  });

  test("ends when a user blocks the other's domain", async () => {
    await bob.post("/api/v1/domain_blocks", { domain: alice.server.ctx.config.handleDomain });
    await drain();
    expect(await follow()).toEqual(BOTH_NOTHING);
  });

  test("ends when a moderator suspends the follower", async () => {
    moderate(bob.server.ctx, Number(aliceThere.id), "suspend", { by: null, text: "", reportId: null });
    await drain();
    expect((await relationship(alice, bobHere)).following).toBe(false);
  });

  test("ends when a moderator suspends the account", async () => {
    moderate(alice.server.ctx, Number(bobHere.id), "suspend", { by: null, text: "", reportId: null });
    await drain();
    expect((await relationship(bob, aliceThere)).followed_by).toBe(false);
  });

  test("is not announced to a server that is blocked", async () => {
    setDomainBlock(alice.server.ctx, bob.server.ctx.config.handleDomain, { severity: "suspend" });
    await drain();
    expect((await relationship(bob, aliceThere)).followed_by).toBe(true);
  });
});

describe("A follow of a locked account on another server", () => {
  beforeEach(async () => {
    await set(bob, { locked: true });
    await act(alice, "follow", bobHere);
  });

  test("waits for approval", async () => {
    expect(await follow()).toEqual(BOTH_REQUESTED);
    expect(await notificationTypesOf(bob)).toEqual(["follow_request"]);
    await answer("authorize");
    expect(await follow()).toEqual(BOTH_FOLLOW);
  });

  test("can be rejected, and requested again", async () => {
    await answer("reject");
    expect(await follow()).toEqual(BOTH_NOTHING);
    await act(alice, "follow", bobHere);
    expect(await follow()).toEqual(BOTH_REQUESTED);
  });

  test("can be withdrawn", async () => {
    await act(alice, "unfollow", bobHere);
    expect(await follow()).toEqual(BOTH_NOTHING);
    expect(await notificationTypesOf(bob)).toEqual([]);
  });

  test("is accepted when the account is unlocked", async () => {
    await set(bob, { locked: false });
    expect(await follow()).toEqual(BOTH_FOLLOW);
  });
});

describe("Blocking an account on another server", () => {
  const isBlocked = async () => [
    (await relationship(bob, aliceThere)).blocking,
    (await relationship(alice, bobHere)).blocked_by,
  ];

  test("ends follows in both directions, until it is undone", async () => {
    await act(alice, "follow", bobHere);
    await act(bob, "follow", aliceThere);
    await act(bob, "block", aliceThere);
    expect([await follow(), await isBlocked()]).toEqual([BOTH_NOTHING, [true, true]]);
    expect((await relationship(bob, aliceThere)).following).toBe(false);
    expect((await relationship(alice, bobHere)).followed_by).toBe(false);
    expect((await alice.follow(bobHere)).status).toBe(403);
    await act(bob, "unblock", aliceThere);
    expect(await isBlocked()).toEqual([false, false]);
    await act(alice, "follow", bobHere);
    expect(await follow()).toEqual(BOTH_FOLLOW);
  });

  test("rejects its follow, even if its server doesn't know of the block", async () => {
    bob.server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO blocks (account_id, target_account_id, created_at) VALUES ($bob, $alice, 0)", {
        bob: Number(bob.id),
        alice: Number(aliceThere.id),
      }),
    );
    await act(alice, "follow", bobHere);
    expect(await follow()).toEqual(BOTH_NOTHING);
  });
});

describe("Another server shows", () => {
  const shown = async (): Promise<Json> => (await alice.get(`/api/v1/accounts/${bobHere.id}`)).json;

  test("the changed profile of a followed account", async () => {
    await act(alice, "follow", bobHere);
    await set(bob, {
      display_name: "Bob B.",
      note: "Hi #tea",
      locked: true,
      bot: true,
      discoverable: true,
      fields_attributes: [{ name: "Site", value: "https://bob.example" }],
    });
    const account = await shown();
    expect(account).toMatchObject({
      display_name: "Bob B.",
      locked: true,
      bot: true,
      discoverable: true,
      group: false,
    });
    expect(account.note).toContain("tea");
    expect(account.fields).toMatchObject([{ name: "Site", value: expect.stringContaining("https://bob.example") }]);
    expect([account.acct, account.url, account.uri]).toEqual([
      bob.handle,
      `${bob.server.ctx.config.origin}/@bob`,
      bob.uri,
    ]);
  });

  test("a deleted account as deleted, without its posts and follows", async () => {
    await act(alice, "follow", bobHere);
    await act(bob, "follow", aliceThere);
    await bob.publish("last words");
    await drain();
    expect((await alice.get("/api/v1/timelines/home")).json).toHaveLength(1);
    await bob.server.person("second");
    deleteAccount(bob.server.ctx, Number(bob.id));
    await drain();
    expect(await shown()).toMatchObject({ suspended: true, display_name: "" });
    expect((await alice.get("/api/v1/timelines/home")).json).toEqual([]);
    expect((await alice.get("/api/v1/accounts/verify_credentials")).json).toMatchObject({
      followers_count: 0,
      following_count: 0,
    });
    expect(bob.server.ctx.db.all("SELECT 1 FROM follows")).toEqual([]);
    const headers = { accept: "application/activity+json" };
    expect((await fetch(`${bob.origin}/users/bob`, { headers })).status).toBe(410);
  });
});
