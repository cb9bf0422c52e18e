import { beforeEach, describe, expect, test } from "bun:test";
import { removeDomainBlock, setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { purgeAll } from "../support/purging.ts";
import { type Neighbour, neighboursForEachTest } from "../support/federation.ts";
import { befriend, count, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { storeFrom } from "../support/remote-statuses.ts";

const domainOf = ({ server }: Neighbour) => server.ctx.config.handleDomain;

describe("Suspending the domain of another server", () => {
  const { alice, bob, befriend: befriendAll, drain } = neighboursForEachTest(["alice", "bob"]);

  test("ends the follows on both sides, and lifting it starts from scratch", async () => {
    await befriendAll(alice, bob);
    const post = await bob.publish(`@${alice.handle} hello`);
    const deleted = await bob.publish(`@${alice.handle} oops`);
    await drain();
    await bob.delete(`/api/v1/statuses/${deleted.id}`);
    await drain();
    const { ctx } = alice.server;
    const oldId = await alice.idOf(bob);
    setDomainBlock(ctx, domainOf(bob), { severity: "suspend" });
    await purgeAll(alice.server);
    await drain();
    expect(await bob.relationship(alice)).toMatchObject({ following: false, followed_by: false });
    expect(await alice.copyOf(post)).toBeNull();
    expect(ctx.db.all("SELECT username FROM accounts WHERE domain IS NOT NULL")).toEqual([]);
    for (const table of ["remote_keys", "remote_accounts", "tombstones", "hosts", "fetches", "deliveries"]) {
      expect([table, count(alice.server, table)]).toEqual([table, 0]);
    }
    await bob.publish(`@${alice.handle} are you there?`);
    await drain();
    expect(ctx.db.all("SELECT id FROM statuses WHERE local = 0")).toEqual([]);
    removeDomainBlock(ctx, domainOf(bob));
    alice.server.clock.advance(20 * 60_000);
    bob.server.clock.advance(20 * 60_000);
    await befriendAll(alice, bob);
    expect(await alice.relationship(bob)).toMatchObject({ following: true, followed_by: true });
    expect(await alice.idOf(bob)).not.toBe(oldId);
    expect((await alice.resolve(post.uri)).statuses).toMatchObject([{ account: { acct: bob.handle } }]);
    const again = await bob.publish(`@${alice.handle} welcome back`);
    await drain();
    expect(await alice.copyOf(again)).not.toBeNull();
  });
});

describe("A server that suspends a domain", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();
  let bob: HostileAccount;

  beforeEach(async () => {
    bob = peer.account("bob", "good.test");
    await befriend(alice, bob);
    peer.asked.length = 0;
  });

  const suspend = () => setDomainBlock(alice.server.ctx, bob.domain, { severity: "suspend" });
  const delivered = () => peer.delivered.map(({ type, object }) => `${type} ${object.type ?? object}`).sort();

  test("tells it once that the follows ended, and then nothing more", async () => {
    suspend();
    await alice.publish(`@${bob.handle} too late`);
    await purgeAll(alice.server);
    expect(delivered()).toEqual(["Reject Follow", "Undo Follow"]);
    expect(peer.delivered).toContainEqual(expect.objectContaining({ type: "Undo", actor: alice.uri }));
    alice.server.clock.advance(8 * 24 * 3600_000);
    await purgeAll(alice.server);
    expect(peer.asked).toHaveLength(2);
    expect(await alice.news()).toEqual([["severed_relationships", "alice"]]);
  });

  test("doesn't repeat a farewell that the domain refuses or doesn't answer", async () => {
    peer.serve(`${bob.uri}/inbox`, () => new Response(null, { status: 503 }));
    suspend();
    await purgeAll(alice.server);
    alice.server.clock.advance(2 * 24 * 3600_000);
    await alice.server.drain();
    expect(delivered()).toEqual(["Reject Follow", "Undo Follow"]);
    expect([count(alice.server, "hosts"), count(alice.server, "deliveries")]).toEqual([0, 0]);
  });

  test("refuses its activities and its signed requests, also those for public documents", async () => {
    const { server } = alice;
    const { id } = await alice.publish("hello");
    const paths = ["/users/alice", `/users/alice/statuses/${id}`, "/users/alice/outbox", `/@alice/${id}`];
    for (const path of paths) expect([path, (await bob.fetch(server, path)).status]).toEqual([path, 200]);
    suspend();
    for (const path of paths) {
      expect([path, (await bob.fetch(server, path)).status]).toEqual([path, 403]);
      expect([path, (await bob.fetch(server, path, { form: "rfc9421" })).status]).toEqual([path, 403]);
    }
    expect((await bob.fetch(server, "/actor")).status).toBe(200);
    expect(await bob.send(server, bob.create(bob.note({ to: [alice.uri] })))).toBe(403);
    await purgeAll(server);
    expect(count(server, "statuses")).toBe(1);
  });

  test("continues after a crash in the middle of the purge", async () => {
    const { server } = alice;
    const sql = "SELECT id FROM accounts WHERE uri = $uri";
    const id = String(server.ctx.db.get<{ id: number }>(sql, { uri: bob.uri })!.id);
    for (let at = 0; at < 60; at += 1) storeFrom(server, { id, uri: bob.uri });
    suspend();
    await server.drain();
    expect(count(server, "statuses")).toBe(35);
    await server.kill();
    await server.revive();
    await purgeAll(server);
    expect([count(server, "statuses"), server.ctx.db.get(sql, { uri: bob.uri })]).toEqual([0, null]);
  });

  test("stops removing when the block is lifted", async () => {
    const { server } = alice;
    const { ctx } = server;
    suspend();
    removeDomainBlock(ctx, bob.domain);
    await purgeAll(server);
    expect(await alice.profile(bob)).toMatchObject({ acct: bob.handle });
  });

  test("includes its subdomains, except those with a milder block", async () => {
    const { server } = alice;
    const { ctx } = server;
    const names = ["spam.example", "a.spam.example", "fine.spam.example", "b.fine.spam.example", "notspam.example"];
    for (const domain of names) storeFrom(server, remoteAccount(server, { domain }));
    setDomainBlock(ctx, "fine.spam.example", { severity: "noop" });
    setDomainBlock(ctx, "spam.example", { severity: "suspend" });
    await purgeAll(server);
    const left = () =>
      ctx.db
        .all<{ domain: string }>("SELECT domain FROM accounts WHERE domain LIKE '%spam.example' ORDER BY domain")
        .map(({ domain }) => domain);
    expect(left()).toEqual(["b.fine.spam.example", "fine.spam.example", "notspam.example"]);
    removeDomainBlock(ctx, "fine.spam.example");
    await purgeAll(server);
    expect(left()).toEqual(["notspam.example"]);
  });

  test("keeps the posts of a domain that it only silences", async () => {
    const { server } = alice;
    storeFrom(server, remoteAccount(server, { domain: "spam.example" }));
    setDomainBlock(server.ctx, "spam.example", { severity: "silence" });
    await purgeAll(server);
    expect(count(server, "statuses")).toBe(1);
  });
});
