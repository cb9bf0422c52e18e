import { beforeEach, describe, expect, test } from "bun:test";
import { removeBlock, storeBlock } from "../../src/core/people/blocks.ts";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { moderate } from "../../src/core/moderation/moderation.ts";
import type { DeliveryEvent } from "../../src/db/delivery-events.ts";
import type { Client } from "../support/client.ts";
import { homeOf, idsOf, notificationTypesOf, relationship } from "../support/reading.ts";
import {
  deliveryEvents,
  followRemote,
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

const change = (verb: "block" | "unblock", target: { id: string }) =>
  alice.post(`/api/v1/accounts/${target.id}/${verb}`);
const uriOf = (part: string) => expect.stringMatching(new RegExp(`/users/alice#${part}$`));
/** The events after those of the follows. */
const later = (count: number) => deliveryEvents(server).slice(count);

function blockRemotely(target: Client, uri = `${rita.uri}#blocks/${target.id}`): void {
  const { ctx } = server;
  const pair = { accountId: Number(rita.id), targetId: Number(target.id) };
  ctx.db.transaction((tx) => storeBlock(ctx, tx, { ...pair, uri }));
}

/** Alice and Rita follow each other, which causes two events. Returns the URI of Rita's follow. */
async function followEachOther(): Promise<string> {
  await followRemote(server, alice, rita);
  const uri = remoteFollow(server, rita, alice);
  expect(await relationship(alice, rita)).toMatchObject({ following: true, followed_by: true });
  expect(deliveryEvents(server)).toHaveLength(2);
  return uri;
}

const ends = (uri: string): DeliveryEvent[] => [
  { type: "follow.deleted", accountId: Number(alice.id), targetId: Number(rita.id), uri: uriOf("follows/1") },
  { type: "follow.rejected", accountId: Number(alice.id), followerId: Number(rita.id), uri },
];

describe("Blocking a remote account", () => {
  const blocked = () => ({ accountId: Number(alice.id), targetId: Number(rita.id), uri: uriOf("blocks/\\d+") });

  test("ends follows in both directions, and tells its server all of this", async () => {
    const uri = await followEachOther();
    expect((await change("block", rita)).json).toMatchObject({ blocking: true, following: false, followed_by: false });
    expect(later(2)).toEqual([...ends(uri), { type: "block.created", ...blocked() }]);
  });

  test("tells its server once, until it is unblocked", async () => {
    for (const verb of ["block", "block", "unblock", "unblock", "block"] as const) await change(verb, rita);
    expect(deliveryEvents(server)).toEqual([
      { type: "block.created", ...blocked() },
      { type: "block.deleted", ...blocked() },
      { type: "block.created", ...blocked() },
    ]);
    const [first, second, third] = deliveryEvents(server).map((event) => "uri" in event && event.uri);
    expect([first === second, second === third]).toEqual([true, false]);
  });

  test("rejects its follow request", async () => {
    await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
    await server.drain();
    const uri = remoteFollow(server, rita, alice);
    await change("block", rita);
    expect(deliveryEvents(server)).toEqual([ends(uri)[1]!, { type: "block.created", ...blocked() }]);
    expect(idsOf(await alice.get("/api/v1/follow_requests"))).toEqual([]);
  });

  test("is not delivered if the account is local", async () => {
    const bob = await server.person("bob");
    for (const verb of ["block", "unblock"] as const) await change(verb, bob);
    expect(deliveryEvents(server)).toEqual([]);
  });
});

describe("A block by a remote account", () => {
  test("ends follows in both directions, and its server isn't told", async () => {
    await followEachOther();
    remoteStatus(server, rita.id, "hello");
    blockRemotely(alice);
    expect(await relationship(alice, rita)).toMatchObject({ following: false, followed_by: false, blocked_by: true });
    expect(later(2)).toEqual([]);
    expect(await homeOf(alice)).toEqual([]);
    expect((await alice.follow(rita)).status).toBe(403);
  });

  test("hides the blocker's posts, until it is undone, which is not delivered either", async () => {
    const id = remoteStatus(server, rita.id, "hello");
    const seen = async () => (await alice.get(`/api/v1/statuses/${id}`)).status;
    blockRemotely(alice);
    expect(await seen()).toBe(404);
    const { ctx } = server;
    ctx.db.transaction((tx) => removeBlock(ctx, tx, Number(rita.id), Number(alice.id)));
    expect([await seen(), deliveryEvents(server)]).toEqual([200, []]);
  });

  test("keeps the notifications of the blocked account", async () => {
    const bob = await server.person("bob");
    await bob.follow(alice);
    blockRemotely(alice);
    expect(await notificationTypesOf(alice)).toEqual(["follow"]);
  });

  test("can be repeated, but not with the URI of another block", async () => {
    const bob = await server.person("bob");
    for (const uri of ["https://far.example/1", "https://far.example/2"]) blockRemotely(alice, uri);
    blockRemotely(bob, "https://far.example/2");
    expect(await relationship(alice, rita)).toMatchObject({ blocked_by: true });
    expect(await relationship(bob, rita)).toMatchObject({ blocked_by: false });
    blockRemotely(bob, "https://far.example/1");
    expect(await relationship(bob, rita)).toMatchObject({ blocked_by: true });
  });
});

describe("The other server learns that follows have ended", () => {
  let uri: string;

  beforeEach(async () => {
    uri = await followEachOther();
  });

  test("when a user blocks its domain", async () => {
    await alice.post("/api/v1/domain_blocks", { domain: "far.example" });
    expect(later(2)).toEqual(ends(uri));
  });

  test("when a moderator suspends the account", async () => {
    moderate(server.ctx, Number(rita.id), "suspend", { by: null, text: "", reportId: null });
    expect(later(2)).toEqual(ends(uri));
  });

  test("when the server blocks its domain, for the last time", async () => {
    setDomainBlock(server.ctx, "far.example", { severity: "suspend" });
    const farewells = ends(uri).map((event) => ({ ...event, isFarewell: true }));
    expect(later(2)).toEqual([...farewells, { type: "host.purged", host: "far.example", isSuspension: true }]);
  });
});
