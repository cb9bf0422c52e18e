import { beforeEach, describe, expect, test } from "bun:test";
import { endFollow, storeFollow } from "../../src/core/people/follows.ts";
import type { Client, Json } from "../support/client.ts";
import { act } from "../support/moderation.ts";
import { homeOf, idsOf, NOT_FOUND, notificationTypesOf, refusal, relationship } from "../support/reading.ts";
import {
  acceptRemotely,
  deliveryEvents,
  remoteAccount,
  type RemoteAccount,
  remoteFollow,
} from "../support/remote-rows.ts";
import { remoteStatus } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice } = serverForEachTest(["alice"]);
let rita: RemoteAccount;

beforeEach(() => {
  rita = remoteAccount(server);
});

const account = async (id: string): Promise<Json> => (await alice.get(`/api/v1/accounts/${id}`)).json;
const unfollow = (who: Client, target: { id: string }) => who.post(`/api/v1/accounts/${target.id}/unfollow`);
const pair = (from: { id: string }, to: { id: string }) => [Number(from.id), Number(to.id)] as const;

const accepts = (target: RemoteAccount) => acceptRemotely(server, alice, target);

/** The other server ends a follow or request itself: its user unfollows, or rejects ours. */
function endsRemotely(follower: { id: string }, target: { id: string }): void {
  const { ctx } = server;
  ctx.db.transaction((tx) => endFollow(ctx, tx, ...pair(follower, target), { silently: true }));
}

const uriOfFollow = (at: number) => expect.stringMatching(new RegExp(`/users/alice#follows/${at}$`));
const lock = (locked: boolean) => alice.patch("/api/v1/accounts/update_credentials", { locked });

describe("Following a remote account", () => {
  test("is a request until its server accepts, even if the account isn't locked", async () => {
    const { json } = await alice.follow(rita, { reblogs: false });
    expect(json).toMatchObject({ following: false, requested: true, showing_reblogs: false });
    expect(await account(alice.id)).toMatchObject({ following_count: 0 });
    expect(deliveryEvents(server)).toEqual([
      { type: "follow.created", accountId: Number(alice.id), targetId: Number(rita.id), uri: uriOfFollow(1) },
    ]);
    expect(accepts(rita)).toBe(true);
    const after = await relationship(alice, rita);
    expect(after).toMatchObject({ following: true, requested: false, showing_reblogs: false });
    expect(await account(alice.id)).toMatchObject({ following_count: 1 });
    expect(await account(rita.id)).toMatchObject({ followers_count: 1 });
    expect(deliveryEvents(server)).toHaveLength(1);
  });

  test("adds its recent posts to the home timeline once it is accepted", async () => {
    remoteStatus(server, rita.id, "before");
    await alice.follow(rita);
    await server.drain();
    expect(await homeOf(alice)).toEqual([]);
    accepts(rita);
    await server.drain();
    expect(await homeOf(alice)).toEqual(["before"]);
  });

  test("asks its server once, however often it is repeated", async () => {
    for (const notify of [false, true]) await alice.follow(rita, { notify });
    accepts(rita);
    expect((await alice.follow(rita, { reblogs: false })).json).toMatchObject({ notifying: true });
    expect(deliveryEvents(server).map(({ type }) => type)).toEqual(["follow.created"]);
  });

  test("ends when its server rejects it, before or after it was accepted, and the server isn't told", async () => {
    for (const isAccepted of [false, true]) {
      await alice.follow(rita);
      if (isAccepted) accepts(rita);
      endsRemotely(alice, rita);
      expect(await relationship(alice, rita)).toMatchObject({ following: false, requested: false });
    }
    expect(deliveryEvents(server).map(({ type }) => type)).toEqual(["follow.created", "follow.created"]);
    expect(await account(alice.id)).toMatchObject({ following_count: 0 });
  });

  test("has the same URI when it is withdrawn or ended, and another one the next time", async () => {
    for (const isAccepted of [false, true]) {
      await alice.follow(rita);
      if (isAccepted) accepts(rita);
      await unfollow(alice, rita);
      await unfollow(alice, rita);
    }
    const found = deliveryEvents(server).map((event) => [event.type, "uri" in event && event.uri]);
    expect(found).toEqual([
      ["follow.created", uriOfFollow(1)],
      ["follow.deleted", uriOfFollow(1)],
      ["follow.created", uriOfFollow(2)],
      ["follow.deleted", uriOfFollow(2)],
    ]);
  });

  test("can't be accepted without a request, nor twice", async () => {
    expect(accepts(rita)).toBe(false);
    await alice.follow(rita);
    expect([accepts(rita), accepts(rita)]).toEqual([true, false]);
    expect(await account(rita.id)).toMatchObject({ followers_count: 1 });
  });

  test("that has moved is refused", async () => {
    const { id } = remoteAccount(server, { username: "new" });
    remoteAccount(server, { movedToId: Number(id) });
    expect((await alice.follow(rita)).status).toBe(403);
    expect(deliveryEvents(server)).toEqual([]);
  });
});

describe("A follow by a remote account", () => {
  const accepted = (uri: string) => ({
    type: "follow.accepted" as const,
    accountId: Number(alice.id),
    followerId: Number(rita.id),
    uri,
  });

  test("of an open account is accepted at once, and notifies it", async () => {
    const uri = remoteFollow(server, rita, alice);
    expect(await relationship(alice, rita)).toMatchObject({ followed_by: true, requested_by: false });
    expect(idsOf(await alice.get(`/api/v1/accounts/${alice.id}/followers`))).toEqual([rita.id]);
    expect(await notificationTypesOf(alice)).toEqual(["follow"]);
    expect(deliveryEvents(server)).toEqual([accepted(uri)]);
  });

  test("of a locked account waits for approval, of which its server then learns", async () => {
    await lock(true);
    await server.drain();
    const uri = remoteFollow(server, rita, alice);
    expect(await relationship(alice, rita)).toMatchObject({ followed_by: false, requested_by: true });
    expect(await notificationTypesOf(alice)).toEqual(["follow_request"]);
    expect(deliveryEvents(server)).toEqual([]);
    const { json } = await alice.post(`/api/v1/follow_requests/${rita.id}/authorize`);
    expect(json).toMatchObject({ followed_by: true });
    expect(await notificationTypesOf(alice)).toEqual(["follow"]);
    expect(deliveryEvents(server)).toEqual([accepted(uri)]);
  });

  test("of a locked account can be rejected", async () => {
    await lock(true);
    await server.drain();
    const uri = remoteFollow(server, rita, alice);
    await alice.post(`/api/v1/follow_requests/${rita.id}/reject`);
    expect(await notificationTypesOf(alice)).toEqual([]);
    expect(deliveryEvents(server)).toEqual([{ ...accepted(uri), type: "follow.rejected" }]);
    expect(refusal(await alice.post(`/api/v1/follow_requests/${rita.id}/reject`))).toEqual(NOT_FOUND);
  });

  test("is accepted when the account is unlocked", async () => {
    await lock(true);
    await server.drain();
    const uri = remoteFollow(server, rita, alice);
    await lock(false);
    expect(deliveryEvents(server)).toContainEqual(accepted(uri));
    expect(await relationship(alice, rita)).toMatchObject({ followed_by: true });
  });

  test("waits for approval if the account is limited", async () => {
    await act(server, "silence", rita);
    remoteFollow(server, rita, alice);
    expect(await relationship(alice, rita)).toMatchObject({ followed_by: false, requested_by: true });
  });

  test("that is repeated is accepted again, under its new URI", async () => {
    const uris = [remoteFollow(server, rita, alice), remoteFollow(server, rita, alice, `${rita.uri}/again`)];
    expect(deliveryEvents(server)).toEqual(uris.map(accepted));
    expect(await notificationTypesOf(alice)).toEqual(["follow"]);
    expect(await account(alice.id)).toMatchObject({ followers_count: 1 });
    await alice.post(`/api/v1/accounts/${rita.id}/remove_from_followers`);
    expect(deliveryEvents(server)[2]).toEqual({ ...accepted(uris[1]!), type: "follow.rejected" });
  });

  test("that is repeated while it waits is approved under its new URI", async () => {
    await lock(true);
    await server.drain();
    remoteFollow(server, rita, alice);
    const uri = remoteFollow(server, rita, alice, `${rita.uri}/again`);
    expect(await notificationTypesOf(alice)).toEqual(["follow_request"]);
    await alice.post(`/api/v1/follow_requests/${rita.id}/authorize`);
    expect(deliveryEvents(server)).toEqual([accepted(uri)]);
  });

  test("with the URI of another follow is ignored", async () => {
    const bob = await server.person("bob");
    const uri = remoteFollow(server, rita, alice);
    const { ctx } = server;
    const again = ctx.db.transaction((tx) =>
      storeFollow(ctx, tx, { accountId: Number(rita.id), targetId: Number(bob.id), uri }),
    );
    expect(again).toBe(false);
    expect(await relationship(bob, rita)).toMatchObject({ followed_by: false });
  });

  test("ends when the account removes the follower, of which its server learns", async () => {
    const uri = remoteFollow(server, rita, alice);
    await alice.post(`/api/v1/accounts/${rita.id}/remove_from_followers`);
    expect(await relationship(alice, rita)).toMatchObject({ followed_by: false });
    expect(deliveryEvents(server)).toEqual([accepted(uri), { ...accepted(uri), type: "follow.rejected" }]);
  });

  test("ends when the follower unfollows, and its server isn't told", async () => {
    const uri = remoteFollow(server, rita, alice);
    endsRemotely(rita, alice);
    expect(await relationship(alice, rita)).toMatchObject({ followed_by: false });
    expect(await account(alice.id)).toMatchObject({ followers_count: 0 });
    expect(await notificationTypesOf(alice)).toEqual([]);
    expect(deliveryEvents(server)).toEqual([accepted(uri)]);
  });
});

test("A follow between local users is not delivered", async () => {
  const bob = await server.person("bob");
  await alice.follow(bob);
  await lock(true);
  await bob.follow(alice);
  await alice.post(`/api/v1/follow_requests/${bob.id}/authorize`);
  await alice.post(`/api/v1/accounts/${bob.id}/remove_from_followers`);
  await unfollow(alice, bob);
  expect(deliveryEvents(server).filter(({ type }) => type.startsWith("follow"))).toEqual([]);
});
