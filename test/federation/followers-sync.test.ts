import { beforeEach, describe, expect, test } from "bun:test";
import { adoptFollowers, localFollowersOf, resyncFollows } from "../../src/federation/local-followers.ts";
import { digestOf } from "../../src/federation/followers-digest.ts";
import type { Client, Json } from "../support/client.ts";
import { Neighbour, neighboursForEachTest } from "../support/federation.ts";
import {
  befriend as befriendAccount,
  count,
  documentResponse,
  type HostileAccount,
  hostilePeerForEachTest,
  sendRequest,
} from "../support/hostile-peer.ts";
import { act, undo } from "../support/moderation.ts";
import { queryPlan } from "../support/query-plan.ts";
import { acceptRemotely } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";
import { recordStatements } from "../support/sql/recorded.ts";

const HOUR = 3600_000;

const { alice, bob, drain, advance, befriend } = neighboursForEachTest(["alice", "bob"]);
const peer = hostilePeerForEachTest();

const header = (request: { headers: Headers }) => request.headers.get("collection-synchronization");
const lastDelivery = () => peer.asked.findLast(({ method }) => method === "POST")!;

async function publish(visibility: string): Promise<void> {
  await alice.publish({ status: "Hello", visibility });
  await alice.server.drain();
}

describe("A followers-only post", () => {
  test("names the digest of the receiving server's followers, which the signature covers", async () => {
    const [eve, mallory] = [peer.account("eve"), peer.account("mallory")];
    const other = peer.account("oscar", "other.test");
    for (const account of [eve, mallory, other]) {
      await account.deliver(alice.server, account.activity("Follow", alice.uri));
    }
    await publish("private");
    const sent = peer.asked.filter(
      ({ method, headers }) => method === "POST" && headers.has("collection-synchronization"),
    );
    const digests = new Set(sent.map(header));
    const parts = (digest: string) =>
      `collectionId="${alice.uri}/followers", url="${alice.uri}/followers_synchronization", digest="${digest}"`;
    expect(digests).toEqual(new Set([parts(digestOf([mallory.uri, eve.uri])), parts(digestOf([other.uri]))]));
    for (const { headers } of sent) expect(headers.get("signature")).toContain("collection-synchronization");
  });

  test("is the only kind of post that does", async () => {
    const eve = peer.account("eve");
    await eve.deliver(alice.server, eve.activity("Follow", alice.uri));
    for (const visibility of ["public", "unlisted"]) {
      await publish(visibility);
      expect(header(lastDelivery())).toBeNull();
    }
    await publish("private");
    expect(header(lastDelivery())).not.toBeNull();
  });
});

describe("The digest of followers", () => {
  test("is the XOR of the hashes of their URIs", () => {
    expect(digestOf([])).toBe("0".repeat(64));
    // The example of the FEP.
    const uris = ["https://testing.example.org/users/1", "https://testing.example.org/users/2"];
    expect(digestOf(uris)).toBe("c33f48cd341ef046a206b8a72ec97af65079f9a3a9b90eef79c5920dce45c61f");
  });
});

describe("The list of followers for another server", () => {
  test("has only those on the server that signs the request", async () => {
    const [eve, oscar] = [peer.account("eve"), peer.account("oscar", "other.test")];
    for (const account of [eve, oscar]) await account.deliver(alice.server, account.activity("Follow", alice.uri));
    const path = "/users/alice/followers_synchronization";
    const listFor = async (account: HostileAccount) => {
      const response = await account.fetch(alice.server, path);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
      return (await response.json()) as Json;
    };
    expect(await listFor(eve)).toMatchObject({
      id: `${alice.uri}/followers_synchronization`,
      type: "OrderedCollection",
      orderedItems: [eve.uri],
    });
    expect((await listFor(oscar)).orderedItems).toEqual([oscar.uri]);
    expect((await eve.fetch(alice.server, path, null)).status).toBe(401);
  });

  inProcess("is found by the addresses of that server, however many followers there are elsewhere", async () => {
    const eve = peer.account("eve");
    await eve.deliver(alice.server, eve.activity("Follow", alice.uri));
    const { db } = alice.server.ctx;
    const recorded = await recordStatements(db, async () => {
      await eve.fetch(alice.server, "/users/alice/followers_synchronization");
    });
    const reads = recorded
      .filter(({ query }) => query.endsWith(" followersOnServer"))
      .flatMap(({ sql }) => queryPlan(db.raw, sql))
      .map(({ table, constraints }) => [table, constraints]);
    expect(reads).toEqual([
      ["accounts", ["rowid=?"]],
      ["accounts", ["uri>?", "uri<?"]],
      ["follows", ["account_id=?", "target_account_id=?"]],
    ]);
  });
});

describe("A digest that arrives", () => {
  let eve: HostileAccount;
  let carol: Client;
  let items: string[];
  const uriOf = (name: string) => `${alice.server.ctx.config.origin}/users/${name}`;
  const follows = async (who: Client) => {
    const [relationship] = (await who.get(`/api/v1/accounts/relationships?id[]=${id}`)).json;
    return { following: relationship.following, requested: relationship.requested };
  };
  let id: string;

  /** Alice follows eve. Carol, on the same server, doesn't. */
  beforeEach(async () => {
    eve = peer.account("eve");
    carol = await alice.server.person("carol");
    id = await befriendAccount(alice, eve);
    items = [];
    const url = `${eve.uri}/followers_synchronization`;
    peer.serve(url, () => documentResponse({ id: url, type: "OrderedCollection", orderedItems: items }));
  });

  interface Said {
    collectionId?: string;
    url?: string;
    digest?: string;
  }

  async function deliver(said: Said = {}, isSigned = true): Promise<void> {
    await send(said, isSigned);
    await alice.server.drain();
  }

  /** Eve's server delivers a followers-only post that names a digest. */
  async function send(said: Said = {}, isSigned = true): Promise<void> {
    const parts = {
      collectionId: eve.document.followers,
      url: `${eve.uri}/followers_synchronization`,
      digest: digestOf(items),
      ...said,
    };
    const value = Object.entries(parts)
      .map(([name, text]) => `${name}="${text}"`)
      .join(",");
    const headers = { "collection-synchronization": value };
    const create = eve.create(eve.note({ to: [eve.document.followers], cc: [] }));
    const request = await eve.sign(alice.server, create, isSigned ? { headers } : {});
    await sendRequest(alice.server, { ...request, headers: { ...request.headers, ...headers } });
  }

  const lists = () => peer.fetched().filter((url) => url.endsWith("_synchronization")).length;
  const undone = () =>
    peer.delivered
      .filter(({ type, object }) => type === "Undo" && object.type === "Follow")
      .map(({ object }) => object);

  test("ends a follow that the other server doesn't know, and tells it so", async () => {
    await deliver();
    expect(await follows(alice)).toEqual({ following: false, requested: false });
    expect(undone()).toMatchObject([{ actor: alice.uri, object: eve.uri }]);
  });

  test("ends a follow that only the other server knows", async () => {
    items = [alice.uri, uriOf("carol"), uriOf("nobody"), "https://far.example/users/rita"];
    await deliver();
    expect(await follows(alice)).toEqual({ following: true, requested: false });
    expect(await follows(carol)).toEqual({ following: false, requested: false });
    expect(undone()).toMatchObject([{ actor: uriOf("carol"), object: eve.uri }]);
  });

  test("ends few of the follows that only the other server knows, and the rest the next time", async () => {
    const names = Array.from({ length: 23 }, (_, at) => `user${at}`);
    await Promise.all(names.map((name) => alice.server.person(name)));
    items = [alice.uri, ...names.map(uriOf)];
    await deliver();
    expect(undone()).toHaveLength(20);
    const ended = new Set(undone().map(({ actor }) => actor));
    items = items.filter((uri) => !ended.has(uri));
    advance(HOUR);
    await deliver();
    expect(new Set(undone().map(({ actor }) => actor))).toEqual(new Set(names.map(uriOf)));
    expect(undone()).toHaveLength(23);
  });

  test("leaves the follow of a suspended user that the other server lists", async () => {
    await act(alice.server, "suspend", alice);
    items = [alice.uri, "https://far.example/users/rita"];
    await deliver();
    expect(lists()).toBe(1);
    undo(alice.server, "suspend", alice);
    expect(await follows(alice)).toMatchObject({ following: true });
    expect(undone()).toEqual([]);
  });

  test("shares its turn with the other hosts of its site", async () => {
    await send();
    const jobs = alice.server.ctx.db.all<{ host: string }>("SELECT host FROM jobs WHERE kind = 'followers.compare'");
    expect(jobs).toEqual([{ host: "evil.test" }]);
  });

  test("accepts a follow that waited for the answer", async () => {
    await carol.follow({ id });
    items = [alice.uri, uriOf("carol")];
    await deliver();
    expect(await follows(carol)).toEqual({ following: true, requested: false });
    expect(undone()).toEqual([]);
  });

  inProcess("leaves a follow that was accepted while the list was fetched", async () => {
    const { ctx } = alice.server;
    const before = localFollowersOf(ctx.db, Number(id));
    await alice.act("unfollow", eve);
    await alice.follow({ id });
    expect(acceptRemotely(alice.server, alice, { id })).toBe(true);
    ctx.db.transaction((tx) => adoptFollowers(ctx, tx, Number(id), { before, listed: new Set() }));
    expect(await follows(alice)).toMatchObject({ following: true });
  });

  test("causes no request if it is that of the followers here", async () => {
    items = [alice.uri];
    await deliver();
    expect(lists()).toBe(0);
    expect(await follows(alice)).toMatchObject({ following: true });
  });

  test("causes one request an hour", async () => {
    items = [alice.uri, "https://far.example/users/rita"];
    await deliver();
    await deliver();
    expect(lists()).toBe(1);
    advance(HOUR);
    await deliver();
    expect(lists()).toBe(2);
  });

  test.each<[string, (url: string) => Said, boolean?]>([
    ["of another account's followers", () => ({ collectionId: "http://evil.test/users/mallory/followers" })],
    ["with a list on another server", () => ({ url: "http://other.test/users/eve/followers_synchronization" })],
    ["that is no digest", () => ({ digest: "1234" })],
    ["without an address", () => ({ url: "" })],
    ["that is longer than any address", (url) => ({ url: `${url}?${"a".repeat(7000)}` })],
    ["that the signature doesn't cover", () => ({}), false],
  ])("is ignored: one %s", async (_, said, isSigned = true) => {
    const asked = peer.asked.filter(({ method }) => method === "GET").length;
    await deliver(said(`${eve.uri}/followers_synchronization`), isSigned);
    expect(count(alice.server, "fetches WHERE subject LIKE 'followers.compare%'")).toBe(0);
    expect(peer.asked.filter(({ method }) => method === "GET").length).toBe(asked);
    expect(await follows(alice)).toMatchObject({ following: true });
  });

  test.each<[string, () => object]>([
    ["has another digest", () => ({ type: "OrderedCollection", orderedItems: [uriOf("carol")] })],
    ["is no collection", () => ({ type: "Note", content: "Hello" })],
    ["has objects for ids", () => ({ type: "OrderedCollection", orderedItems: [{ id: alice.uri, type: "Person" }] })],
    ["misses a page", () => ({ type: "OrderedCollection", orderedItems: [], next: `${eve.uri}/missing` })],
  ])("changes nothing if the list %s", async (_, list) => {
    const url = `${eve.uri}/followers_synchronization`;
    peer.serve(url, () => documentResponse({ id: url, ...list() }));
    await deliver({ digest: digestOf([uriOf("dave")]) });
    expect(lists()).toBe(1);
    expect(await follows(alice)).toEqual({ following: true, requested: false });
    expect(undone()).toEqual([]);
  });
});

describe("After a backup was restored over newer follows", () => {
  let carol: Neighbour;
  let dora: Neighbour;

  async function neighbourOf(user: Neighbour, username: string): Promise<Neighbour> {
    const { server } = user;
    return Object.assign(Object.create(Neighbour.prototype), await server.person(username), { server, username });
  }

  const relation = async (one: Neighbour, other: Neighbour) => (await one.relationship(other)).following as boolean;
  const isFollowedBy = async (one: Neighbour, other: Neighbour) =>
    (await one.relationship(other)).followed_by as boolean;

  /** Carol is with alice, dora with bob: since they follow the others, posts are still delivered. */
  beforeEach(async () => {
    carol = await neighbourOf(alice, "carol");
    dora = await neighbourOf(bob, "dora");
    await befriend(carol, bob);
    await befriend(alice, dora);
  });

  /** Puts an earlier state of the database of alice's server back. */
  async function restore(disk: Uint8Array): Promise<void> {
    await alice.server.kill(disk);
    await alice.server.revive();
  }

  inProcess("A backup restored over newer follows is repaired", async () => {
    const disk = alice.server.ctx.db.raw.serialize();
    await befriend(alice, bob);
    await carol.act("unfollow", bob);
    await drain();
    await restore(disk);
    expect([await relation(alice, bob), await isFollowedBy(bob, alice)]).toEqual([false, true]);
    expect([await relation(carol, bob), await isFollowedBy(bob, carol)]).toEqual([true, false]);
    expect([await relation(bob, alice), await isFollowedBy(alice, bob)]).toEqual([true, false]);
    for (const user of [bob, alice]) await user.publish({ status: "For followers", visibility: "private" });
    await drain();
    for (const [one, other] of [
      [alice, bob],
      [carol, bob],
      [bob, alice],
    ] as const) {
      expect([await relation(one, other), await isFollowedBy(other, one)]).toEqual([false, false]);
    }
    // Follows that the backup has are unchanged.
    for (const [one, other] of [
      [bob, carol],
      [alice, dora],
      [dora, alice],
    ] as const) {
      expect([await relation(one, other), await isFollowedBy(other, one)]).toEqual([true, true]);
    }
  });

  inProcess("the other server's follows can be sent again, and are known again", async () => {
    const disk = alice.server.ctx.db.raw.serialize();
    await bob.act("follow", alice);
    await drain();
    const uri = () => alice.server.ctx.db.all("SELECT uri FROM follows WHERE uri LIKE '%/users/bob#%'");
    const before = uri();
    await restore(disk);
    expect(await isFollowedBy(alice, bob)).toBe(false);
    expect(resyncFollows(bob.server.ctx, Number(bob.id))).toEqual({ follows: 2, followers: 1 });
    await drain();
    expect([await relation(bob, alice), await isFollowedBy(alice, bob)]).toEqual([true, true]);
    expect(uri()).toEqual(before);
  });

  inProcess("a user's followers are compared without a post", async () => {
    const disk = alice.server.ctx.db.raw.serialize();
    await bob.act("follow", alice);
    await drain();
    await restore(disk);
    resyncFollows(alice.server.ctx, Number(alice.id));
    await drain();
    expect(await relation(bob, alice)).toBe(false);
    expect(await relation(dora, alice)).toBe(true);
  });
});
