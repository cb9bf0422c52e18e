import { beforeEach, describe, expect, test } from "bun:test";
import { removeSlice } from "../../src/core/people/account-deletion.ts";
import {
  accountOfUri,
  markGone,
  type RemoteProfile,
  saveRemoteAccount,
} from "../../src/core/people/remote-accounts.ts";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import type { Json } from "../support/client.ts";
import { act } from "../support/moderation.ts";
import { homeOf, idsOf, notificationTypesOf, relationship, wordsOf } from "../support/reading.ts";
import { deliveryEvents, profileOf, remoteAccount, type RemoteAccount, remoteFollow } from "../support/remote-rows.ts";
import { remoteStatus } from "../support/rows.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice } = serverForEachTest(["alice"]);

const shown = async (id: string): Promise<Json> => (await alice.get(`/api/v1/accounts/${id}`)).json;
const lookup = async (acct: string): Promise<Json> => (await alice.get(`/api/v1/accounts/lookup?acct=${acct}`)).json;

/** The id of the saved account; null if it is refused. */
function save(given: Partial<RemoteProfile>, options?: { takesHandle: boolean }): string | null {
  const { ctx } = server;
  const id = ctx.db.transaction((tx) => saveRemoteAccount(ctx, tx, profileOf(given), options));
  return id === null ? null : String(id);
}

function deleteRemotely({ id }: { id: string }): void {
  const { ctx } = server;
  ctx.db.transaction((tx) => markGone(ctx, tx, Number(id)));
}

const HANDLE = "rita@far.example";

describe("An account of another server", () => {
  test("is shown with its profile, handle, URL and URI", async () => {
    const { id, uri } = remoteAccount(server, {
      displayName: "Rita",
      noteHtml: "<p>Hi</p>",
      fields: [{ name: "Site", html: '<a href="https://rita.example">rita.example</a>' }],
      locked: true,
      discoverable: true,
      indexable: true,
      hideCollections: true,
      createdAt: Date.UTC(2020, 1, 3),
    });
    const account = await shown(id);
    expectShape(account, "Account");
    expect(account).toMatchObject({
      username: "rita",
      acct: HANDLE,
      display_name: "Rita",
      note: "<p>Hi</p>",
      url: "https://far.example/@rita",
      uri,
      fields: [{ name: "Site", value: '<a href="https://rita.example">rita.example</a>', verified_at: null }],
      locked: true,
      bot: false,
      group: false,
      discoverable: true,
      indexable: true,
      noindex: false,
      hide_collections: true,
      created_at: "2020-02-03T00:00:00.000Z",
      last_status_at: null,
    });
    expect(account).not.toContainKey("moved");
    expect((await lookup(`@${HANDLE.toUpperCase()}`)).id).toBe(id);
  });

  test("keeps its id when its profile changes", async () => {
    const before = remoteAccount(server, { displayName: "Rita", locked: true });
    await shown(before.id);
    expect(remoteAccount(server, { displayName: "Rita R.", url: "https://far.example/rita" })).toEqual(before);
    const { display_name, locked, url } = await shown(before.id);
    expect([display_name, locked, url]).toEqual(["Rita R.", false, "https://far.example/rita"]);
  });

  test("is known by its URI, with the time when its profile was fetched", () => {
    const { id, uri } = remoteAccount(server);
    server.clock.advance(1000);
    remoteAccount(server);
    expect(accountOfUri(server.ctx.db, uri)).toMatchObject({ id: Number(id), fetched_at: server.clock.now() });
    expect(accountOfUri(server.ctx.db, `${uri}x`)).toBeNull();
  });

  test.each([
    ["Person", false, false],
    ["Service", true, false],
    ["Application", true, false],
    ["Group", false, true],
    ["Organization", false, false],
  ] as const)("of type %s has bot %p and group %p", async (type, bot, group) => {
    expect(await shown(remoteAccount(server, { type }).id)).toMatchObject({ bot, group });
  });

  test("was never created in the future", async () => {
    const { id } = remoteAccount(server, { createdAt: server.clock.now() + 1e10 });
    expect((await shown(id)).created_at).toBe("2026-11-21T00:00:00.000Z");
  });

  test("has the higher of the counts that its server and this one know", async () => {
    const counts = { followers: 100, following: null, statuses: 1 };
    const rita = remoteAccount(server, { counts });
    for (const text of ["one", "two"]) remoteStatus(server, rita.id, text);
    server.ctx.db.transaction((tx) =>
      tx.run("UPDATE accounts SET statuses_count = 2 WHERE id = $id", { id: Number(rita.id) }),
    );
    remoteFollow(server, rita, alice);
    const expected = { followers_count: 100, following_count: 1, statuses_count: 2 };
    expect(await shown(rita.id)).toMatchObject(expected);
    remoteAccount(server);
    expect(await shown(rita.id)).toMatchObject(expected);
  });

  test("that has moved is shown with its successor, but not with the successor's own", async () => {
    const newest = remoteAccount(server, { username: "newest" });
    const newer = remoteAccount(server, { username: "newer", movedToId: Number(newest.id) });
    const { id } = remoteAccount(server, { movedToId: Number(newer.id) });
    const account = await shown(id);
    expectShape(account, "Account");
    expect(account.moved).toMatchObject({ id: newer.id, acct: "newer@far.example" });
    expect(account.moved).not.toContainKey("moved");
    expect((await shown(newer.id)).moved.id).toBe(newest.id);
  });

  test("obeys the block of its domain, also when its handle moves there", async () => {
    setDomainBlock(server.ctx, "spam.example", { severity: "suspend" });
    const [old, other] = [remoteAccount(server, { domain: "a.spam.example" }), remoteAccount(server)];
    expect([(await shown(old.id)).suspended, (await shown(other.id)).suspended]).toEqual([true, undefined]);
    expect(save({ uri: other.uri, domain: "spam.example" })).toBe(other.id);
    expect(await shown(other.id)).toMatchObject({ acct: "rita@spam.example", suspended: true });
    expect(save({ uri: other.uri, domain: "far.example" })).toBe(other.id);
    expect((await shown(other.id)).suspended).toBe(true);
  });

  test("can't have a handle or an address of this server", () => {
    const { handleDomain, origin } = server.ctx.config;
    expect(save({ username: "alice", domain: handleDomain, uri: "https://far.example/alice" })).toBeNull();
    expect(save({ uri: `${origin}/users/nobody` })).toBeNull();
    expect(save({ uri: `${origin}/users/alice` })).toBeNull();
  });
});

describe("A handle that another account has already", () => {
  let rita: RemoteAccount;
  const claim = { uri: "https://far.example/ap/1", displayName: "Mallory" };

  beforeEach(() => {
    rita = remoteAccount(server, { displayName: "Rita" });
    remoteFollow(server, rita, alice);
  });

  test("can't be claimed", async () => {
    expect(save(claim)).toBeNull();
    expect(save({ ...claim, username: "RITA" })).toBeNull();
    expect(await lookup(HANDLE)).toMatchObject({ id: rita.id, display_name: "Rita" });
  });

  test("goes to the account to which its domain assigns it, but the follows don't", async () => {
    const id = save(claim, { takesHandle: true })!;
    expect(id).not.toBe(rita.id);
    await server.drain();
    expect(await lookup(HANDLE)).toMatchObject({ id, display_name: "Mallory" });
    expect(await shown(rita.id)).toMatchObject({ suspended: true, display_name: "" });
    expect(await relationship(alice, { id })).toMatchObject({ followed_by: false });
    expect((await shown(alice.id)).followers_count).toBe(0);
    expect(save({ displayName: "Rita" })).toBeNull();
  });

  test("is not needed by an account that changes its own", async () => {
    expect(save({ uri: rita.uri, username: "margarita" })).toBe(rita.id);
    const id = save(claim)!;
    expect((await lookup(HANDLE)).id).toBe(id);
    expect((await lookup("margarita@far.example")).id).toBe(rita.id);
    expect(save({ uri: rita.uri })).toBeNull();
    expect((await lookup("margarita@far.example")).id).toBe(rita.id);
  });
});

describe("An account that its server deletes", () => {
  let rita: RemoteAccount;

  beforeEach(() => {
    rita = remoteAccount(server, { displayName: "Rita", counts: { followers: 9, following: 9, statuses: 9 } });
    remoteFollow(server, rita, alice);
  });

  test("disappears at once, with its posts", async () => {
    const id = remoteStatus(server, rita.id, "hello");
    deleteRemotely(rita);
    expect((await alice.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect(wordsOf(await alice.get("/api/v1/timelines/public"))).toEqual([]);
    const account = await shown(rita.id);
    expect(account).toMatchObject({ suspended: true, display_name: "", followers_count: 0, following_count: 1 });
    expect(await notificationTypesOf(alice)).toEqual([]);
    expect((await alice.follow(rita)).status).toBe(404);
  });

  test("leaves no posts, follows, favourites and notifications, and its server isn't told", async () => {
    await alice.follow(rita);
    const own = await alice.publish("mine");
    const id = remoteStatus(server, rita.id, "hello");
    const { db } = server.ctx;
    db.transaction((tx) => {
      const params = { ritaId: Number(rita.id), statusId: Number(own.id) };
      tx.run("INSERT INTO favourites (account_id, status_id, created_at) VALUES ($ritaId, $statusId, 0)", params);
      tx.run("UPDATE statuses SET favourites_count = 1 WHERE id = $statusId", { statusId: params.statusId });
    });
    const told = deliveryEvents(server);
    deleteRemotely(rita);
    // drain() would also run the jobs that tell other servers.
    for (let slice = 0; slice < 10; slice++) removeSlice(server.ctx, Number(rita.id));
    expect(deliveryEvents(server)).toEqual(told);
    await server.drain();
    expect(db.all("SELECT 1 FROM statuses WHERE id = $id", { id: Number(id) })).toEqual([]);
    expect(await shown(alice.id)).toMatchObject({ followers_count: 0, following_count: 0 });
    expect((await alice.get(`/api/v1/statuses/${own.id}`)).json.favourites_count).toBe(0);
    expect(await homeOf(alice)).toEqual(["mine"]);
    for (const table of [
      "follows",
      "follow_requests",
      "notifications",
      "favourites",
      "remote_accounts",
      "remote_keys",
    ]) {
      expect([table, db.all(`SELECT 1 FROM ${table}`)]).toEqual([table, []]);
    }
  });

  test("can't come back, be moderated or be deleted twice", async () => {
    deleteRemotely(rita);
    await server.drain();
    expect(save({ displayName: "Rita" })).toBeNull();
    expect(await shown(rita.id)).toMatchObject({ suspended: true, display_name: "" });
    expect(act(server, "silence", rita)).rejects.toThrow(`@${HANDLE} was permanently deleted.`);
    deleteRemotely(rita);
    expect(server.ctx.db.all("SELECT 1 FROM jobs WHERE kind = 'account.remove'")).toEqual([]);
  });

  test("is never a local account", async () => {
    deleteRemotely(alice);
    await server.drain();
    expect((await alice.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
    expect(idsOf(await alice.get(`/api/v1/accounts/${alice.id}/followers`))).toEqual([rita.id]);
  });
});
