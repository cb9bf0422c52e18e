import { beforeEach, describe, expect, test } from "bun:test";
import { neighboursForEachTest } from "../support/federation.ts";
import {
  befriend,
  count,
  documentResponse,
  type HostileAccount,
  hostilePeerForEachTest,
  sendRequest,
} from "../support/hostile-peer.ts";

/* How other servers' keys are fetched: within bounds, and again after they change. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;

beforeEach(() => {
  bob = peer.account("bob", "good.test");
});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const follow = (account = bob) => account.activity("Follow", alice.uri);
const respond = async (account = bob, key = account.key) =>
  sendRequest(alice.server, await account.sign(alice.server, follow(account), { key }));
const statusOf = async (account = bob, key = account.key) => (await respond(account, key)).status;
const fetches = (account = bob) => peer.fetched(new URL(account.uri).hostname).length;
const fail = (account: HostileAccount, status: number) => peer.serve(account.uri, () => new Response(null, { status }));
const restore = (account: HostileAccount) => peer.serve(account.uri, () => documentResponse(account.document));

describe("A key that can't be fetched now", () => {
  test("asks the sender to try again later, and is fetched again after ten minutes", async () => {
    fail(bob, 500);
    const response = await respond();
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "60"]);
    const before = fetches();
    restore(bob);
    alice.server.clock.advance(10 * MINUTE - 1);
    expect(await statusOf()).toBe(503);
    expect(fetches()).toBe(before);
    alice.server.clock.advance(1);
    expect(await statusOf()).toBe(202);
  });

  test("is any whose server fails, can't be reached or wants to be left alone", async () => {
    for (const status of [500, 502, 503, 429, 408]) {
      const account = peer.account(`a${status}`, `a${status}.test`);
      fail(account, status);
      expect(await statusOf(account)).toBe(503);
    }
    expect(await statusOf(bob, { ...bob.key, keyId: "http://good.test:1/users/bob#main-key" })).toBe(503);
  });

  test("keeps no other key from being fetched", async () => {
    fail(bob, 500);
    expect(await statusOf()).toBe(503);
    expect(await statusOf(peer.account("beth", "good.test"))).toBe(202);
  });
});

describe("A key that doesn't exist", () => {
  test("is not asked for again within ten minutes", async () => {
    for (const status of [404, 410, 400]) {
      const account = peer.account(`a${status}`, `a${status}.test`);
      fail(account, status);
      expect(await statusOf(account)).toBe(401);
      const before = fetches(account);
      restore(account);
      expect(await statusOf(account)).toBe(401);
      expect(fetches(account)).toBe(before);
      alice.server.clock.advance(10 * MINUTE);
      expect(await statusOf(account)).toBe(202);
    }
  });
});

describe("A key whose owner doesn't name it", () => {
  test("is not fetched again for ten minutes", async () => {
    const keyId = `${bob.origin}/keys/1`;
    const { publicKeyPem } = bob.document.publicKey;
    peer.serve(keyId, { id: keyId, owner: bob.uri, publicKeyPem });
    expect(await statusOf(bob, { ...bob.key, keyId })).toBe(401);
    const before = fetches();
    expect(before).toBeGreaterThan(0);
    alice.server.clock.advance(10 * MINUTE - 1);
    expect(await statusOf(bob, { ...bob.key, keyId })).toBe(401);
    expect(fetches()).toBe(before);
    alice.server.clock.advance(1);
    bob.document.publicKey.id = keyId;
    expect(await statusOf(bob, { ...bob.key, keyId })).toBe(202);
  });
});

describe("Unknown keys", () => {
  test("are fetched twenty at a time; more have to wait", async () => {
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    const { promise: areAsked, resolve: allAsked } = Promise.withResolvers<void>();
    let asked = 0;
    const slow = Array.from({ length: 20 }, (_, at) => {
      const account = peer.account("slow", `slow${at}.test`);
      peer.serve(account.uri, async () => {
        asked += 1;
        if (asked === 20) allAsked();
        await isOpen;
        return documentResponse(account.document);
      });
      return account;
    });
    const responses = slow.map((account) => statusOf(account));
    await areAsked;
    const response = await respond();
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(fetches()).toBe(0);
    open();
    expect(await Promise.all(responses)).toEqual(slow.map(() => 202));
    expect(await statusOf()).toBe(202);
  });

  test("of one host are fetched thirty times a minute", async () => {
    const unknown = (n: number) => statusOf(bob, { ...bob.key, keyId: `${bob.origin}/keys/${n}` });
    for (let n = 0; n < 30; n += 1) expect(await unknown(n)).toBe(401);
    expect(fetches()).toBe(30);
    expect(await unknown(30)).toBe(503);
    expect(await statusOf()).toBe(503);
    expect(fetches()).toBe(30);
    expect(await statusOf(peer.account("carol", "other.test"))).toBe(202);
    alice.server.clock.advance(MINUTE);
    expect(await statusOf()).toBe(202);
  });
});

describe("A changed key", () => {
  beforeEach(async () => void (await befriend(alice, bob)));

  test("is fetched when the old one fails", async () => {
    bob.changeKey();
    expect(await statusOf()).toBe(202);
  });

  test("is fetched at most every five minutes for each account", async () => {
    const { privateKey } = peer.account("eve").key;
    const forged = { ...bob.key, privateKey };
    const before = fetches();
    expect(await statusOf(bob, forged)).toBe(401);
    expect(fetches()).toBe(before + 1);
    alice.server.clock.advance(5 * MINUTE - 1);
    expect(await statusOf(bob, forged)).toBe(401);
    bob.changeKey();
    expect(await statusOf()).toBe(401);
    expect(fetches()).toBe(before + 1);
    alice.server.clock.advance(1);
    expect(await statusOf()).toBe(202);
    expect(fetches()).toBe(before + 2);
  });

  test("that can't be fetched now asks the sender to try again later", async () => {
    bob.changeKey();
    fail(bob, 500);
    expect(await statusOf()).toBe(503);
    expect(await statusOf()).toBe(503);
    restore(bob);
    alice.server.clock.advance(10 * MINUTE);
    expect(await statusOf()).toBe(202);
  });

  test("may have another id", async () => {
    bob.changeKey();
    bob.key.keyId = `${bob.uri}#key-2`;
    bob.document.publicKey.id = bob.key.keyId;
    expect(await statusOf()).toBe(202);
  });

  test("may be one of several: the id in the signature selects it", async () => {
    const keys = [1, 2, 3].map((n) => {
      bob.changeKey();
      const keyId = `${bob.uri}#key-${n}`;
      return { ...bob.key, keyId, document: { ...bob.document.publicKey, id: keyId } };
    });
    bob.document.publicKey = keys.map(({ document }) => document);
    const [first, second, third] = keys;
    expect(await statusOf(bob, second)).toBe(202);
    const before = fetches();
    for (const key of [first, third]) expect(await statusOf(bob, key)).toBe(202);
    expect(fetches()).toBe(before);
    expect(await statusOf(bob, { ...first!, keyId: second!.keyId })).toBe(401);
    bob.document.publicKey = [third!.document];
    const update = bob.activity("Update", bob.document);
    expect(await bob.send(alice.server, update, { key: first })).toBe(202);
    await alice.server.drain();
    expect(await statusOf(bob, third)).toBe(202);
    alice.server.clock.advance(DAY);
    expect(await statusOf(bob, first)).toBe(401);
  });

  test("is one of the first four", async () => {
    const { publicKey } = bob.document;
    bob.document.publicKey = [1, 2, 3, 4, 5].map((n) => ({ ...publicKey, id: `${bob.uri}#key-${n}` }));
    for (const [n, status] of [
      [4, 202],
      [5, 401],
    ] as const) {
      expect(await statusOf(bob, { ...bob.key, keyId: `${bob.uri}#key-${n}` })).toBe(status);
    }
    expect(count(alice.server, "remote_keys")).toBe(4);
  });

  test("replaces the old one when the account's server announces it", async () => {
    const old = { ...bob.key };
    const before = fetches();
    const update = bob.activity("Update", null);
    bob.changeKey();
    await bob.send(alice.server, { ...update, object: bob.document }, { key: old });
    await alice.server.drain();
    expect(await statusOf()).toBe(202);
    expect(fetches()).toBe(before);
  });
});

describe("A replaced key", () => {
  const announce = async (key = bob.key) => {
    await bob.send(alice.server, bob.activity("Update", bob.document), { key });
    await alice.server.drain();
  };
  beforeEach(async () => void (await befriend(alice, bob)));

  test("is accepted for one day, without another fetch", async () => {
    const old = { ...bob.key };
    const before = fetches();
    bob.changeKey();
    await announce(old);
    alice.server.clock.advance(DAY - 1);
    expect([await statusOf(bob, old), await statusOf()]).toEqual([202, 202]);
    expect(fetches()).toBe(before);
    alice.server.clock.advance(1);
    expect([await statusOf(bob, old), await statusOf()]).toEqual([401, 202]);
  });

  test("can neither become the account's key again nor delete or move the account", async () => {
    const old = { ...bob.key };
    const { publicKey } = bob.document;
    bob.changeKey();
    await announce(old);
    const objects = { Update: { ...bob.document, publicKey }, Delete: bob.uri, Move: bob.uri };
    for (const [type, object] of Object.entries(objects)) {
      const activity = bob.activity(type, object, { target: alice.uri });
      expect([type, await bob.send(alice.server, activity, { key: old })]).toEqual([type, 401]);
    }
    await alice.server.drain();
    expect(await statusOf()).toBe(202);
    expect(count(alice.server, "accounts WHERE gone_at IS NOT NULL OR moved_to_id IS NOT NULL")).toBe(0);
    const note = bob.note();
    for (const type of ["Create", "Update", "Delete"]) {
      expect(await bob.send(alice.server, bob.activity(type, note), { key: old })).toBe(202);
    }
  });

  test("is accepted if the new one has another id", async () => {
    const old = { ...bob.key };
    bob.changeKey();
    bob.key.keyId = bob.document.publicKey.id = `${bob.uri}#key-2`;
    await announce(old);
    expect([await statusOf(bob, old), await statusOf()]).toEqual([202, 202]);
    alice.server.clock.advance(DAY);
    expect([await statusOf(bob, old), await statusOf()]).toEqual([401, 202]);
  });

  test("is only the one before, and only one that its owner named", async () => {
    const keys = [{ ...bob.key }];
    for (let change = 0; change < 2; change += 1) {
      bob.changeKey();
      await announce(keys.at(-1));
      keys.push({ ...bob.key });
    }
    const { privateKey } = peer.account("eve").key;
    expect(await Promise.all(keys.map((key) => statusOf(bob, key)))).toEqual([401, 202, 202]);
    expect(await statusOf(bob, { ...bob.key, privateKey })).toBe(401);
    expect(count(alice.server, "retired_remote_keys")).toBe(1);
    await alice.server.cleanUpAfter(DAY + 1);
    expect(count(alice.server, "retired_remote_keys")).toBe(0);
  });
});
