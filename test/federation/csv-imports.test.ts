import { beforeEach, describe, expect, test } from "bun:test";
import { cancelImport } from "../../src/core/transfer/imports.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { documentResponse, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { Transfer } from "../support/imports.ts";

/* Imports whose accounts and posts have to be fetched from other servers. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { alice, bob, drain, advance } = neighboursForEachTest(["alice", "bob"]);
const peer = hostilePeerForEachTest();
let transfer: Transfer;

beforeEach(() => (transfer = new Transfer(() => alice.server, alice)));

const follows = (...addresses: string[]) => ["Account address,Show boosts", ...addresses].join("\n");
const followed = async () =>
  (await alice.get(`/api/v1/accounts/${alice.id}/following`)).json.map(({ acct }: Json) => acct);

describe("An import", () => {
  test("follows unknown accounts and bookmarks unknown posts of other servers", async () => {
    const post = await bob.publish("hello");
    await transfer.run(follows(bob.handle));
    expect(await transfer.run(post.uri)).toMatchObject({ done: 1, failed: 0 });
    await drain();
    expect(await followed()).toEqual([bob.handle]);
    expect((await alice.get("/api/v1/bookmarks")).json).toMatchObject([{ uri: post.uri }]);
  });

  test("that is killed goes on after the last row, and does nothing twice", async () => {
    const accounts = Array.from({ length: 30 }, (_, at) => peer.account(`a${at}`, "big.test"));
    await transfer.begin(follows(...accounts.map(({ handle }) => handle)));
    await alice.server.crashInJob();
    await alice.server.revive();
    expect(transfer.latest).toMatchObject({ state: "running", done: 0 });
    await alice.server.drain();
    expect(transfer.latest).toMatchObject({ state: "running", done: 20 });
    await alice.server.kill();
    await alice.server.revive();
    expect(await transfer.finish()).toMatchObject({ done: 30, failed: 0 });
    await drain();
    const sent = peer.delivered.filter(({ type }) => type === "Follow");
    // A killed server sends what it had not noted as sent again, as the same follow.
    expect(new Set(sent.map(({ id }) => id)).size).toBe(30);
  });

  test("asks a server that fails or wants to wait only once in a while, and finds its accounts later", async () => {
    const accounts = Array.from({ length: 10 }, (_, at) => peer.account(`a${at}`, "busy.test"));
    const handles = accounts.map(({ handle }) => handle);
    let asked = 0;
    let isBusy = true;
    for (const account of accounts) {
      const resource = encodeURIComponent(`acct:${account.handle}`);
      const url = `http://${account.domain}/.well-known/webfinger?resource=${resource}`;
      peer.serve(url, () => {
        asked += 1;
        if (isBusy) return new Response(null, { status: 429, headers: { "retry-after": "300" } });
        const links = [{ rel: "self", type: "application/activity+json", href: account.uri }];
        return Response.json({ subject: `acct:${account.handle}`, links });
      });
    }
    await transfer.begin(follows(...handles));
    await alice.server.drain();
    const before = asked;
    expect(before).toBeLessThan(5);
    advance(2 * MINUTE);
    await alice.server.drain();
    expect(asked).toBe(before);
    isBusy = false;
    for (let minutes = 0; minutes < 20; minutes++) {
      advance(MINUTE);
      await alice.server.drain();
    }
    expect(transfer.latest).toMatchObject({ state: "finished", done: 10, failed: 0 });
  });

  test("that is cancelled while accounts are fetched follows none of them", async () => {
    const bob = peer.account("bob", "slow.test");
    peer.serve(bob.uri, async () => {
      await cancelImport(alice.server.ctx, Number(alice.id), transfer.latest.id);
      return documentResponse(bob.document);
    });
    await transfer.begin(follows(bob.handle));
    await drain();
    expect(transfer.latest).toMatchObject({ state: "cancelled", done: 0, failed: 0 });
    expect(peer.delivered).toEqual([]);
  });

  test("gives up a server that never responds within some hours, one that is blocked at once", async () => {
    const dead = peer.account("dead", "dead.test");
    peer.serve(dead.uri, () => new Response(null, { status: 503 }));
    await alice.server.ctx.db.transaction((tx) =>
      tx.run("INSERT INTO domain_blocks (domain, severity, created_at) VALUES ('spam.test', 'suspend', 1)"),
    );
    await transfer.begin(follows(dead.handle, "eve@spam.test", "nobody@dead.test"));
    await alice.server.drain();
    expect(transfer.latest).toMatchObject({ state: "running", failed: 1 });
    for (let minutes = 0; minutes < 6 * 60 + 2; minutes += 10) {
      advance(10 * MINUTE);
      await alice.server.drain();
    }
    advance(HOUR);
    await alice.server.drain();
    expect(transfer.latest).toMatchObject({ state: "finished", done: 0, failed: 3 });
    expect(transfer.reasons).toEqual([
      `The server of ${dead.handle} does not respond: try again later.`,
      "This server exchanges nothing with spam.test.",
      expect.stringContaining("nobody@dead.test"),
    ]);
  });
});
