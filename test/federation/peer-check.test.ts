import { afterEach, beforeEach, describe, expect } from "bun:test";
import { checkPeer } from "../../src/federation/peers/check.ts";
import { listPeers } from "../../src/federation/peers/list.ts";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { VERSION } from "../../src/version.ts";
import { addressesOf } from "../support/instance.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { documentResponse, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { inProcess } from "../support/server.ts";
import type { Json } from "../support/client.ts";

const { alice, bob, befriend, advance } = neighboursForEachTest(["alice", "bob"]);
const peer = hostilePeerForEachTest();
// Bun writes the time of the system into each Date header.
beforeEach(() => advance(Date.now() - alice.server.clock.now()));
afterEach(() => addressesOf.clear());

/** The state of each check by its name, and all texts. */
async function check(target: string): Promise<{ states: Record<string, string>; texts: Record<string, string> }> {
  const found = await Array.fromAsync(checkPeer(alice.server.ctx, target));
  return {
    states: Object.fromEntries(found.map(({ check: name, state }) => [name, state])),
    texts: Object.fromEntries(found.map(({ check: name, text }) => [name, text])),
  };
}

const WELL = {
  "Name resolution": "OK",
  Connection: "OK",
  "WebFinger of the handle": "OK",
  "WebFinger of the account": "OK",
  "Signed fetch": "OK",
  Clock: "OK",
};

/** Serves an account only to some requests; the others get a status. */
function restrict(account: HostileAccount, status: number, isServed: (request: Request) => boolean): void {
  peer.serve(account.uri, (request) => {
    if (!isServed(request)) return new Response(null, { status });
    return documentResponse(account.document);
  });
}

const isSigned = ({ headers }: Request) => headers.has("signature");
const isByRfc = ({ headers }: Request) => headers.has("signature-input");

describe("A check of a Linnet server", () => {
  inProcess("finds that all is well, by handle and by host, and notes its software", async () => {
    await befriend(alice, bob);
    const { host } = new URL(bob.server.ctx.config.origin);
    for (const target of [bob.handle, `@${bob.handle}`, host]) {
      const { states, texts } = await check(target);
      expect(states).toEqual({ ...WELL, Signature: "UNKNOWN", Block: "OK", "View of this server": "OK" });
      expect(texts["WebFinger of the account"]).toContain(bob.uri);
      expect(texts["View of this server"]).toContain(alice.handle);
    }
    expect(listPeers(alice.server.ctx.db)).toMatchObject([{ domain: host, software: `linnet ${VERSION}` }]);
  });

  inProcess(
    "by its host finds the account of the server if no other is known, and that it doesn't know us",
    async () => {
      const { states, texts } = await check(new URL(bob.server.ctx.config.origin).host);
      expect(states).toMatchObject({ ...WELL, "View of this server": "UNKNOWN" });
      expect(texts["WebFinger of the account"]).toContain("/actor is @");
      expect(texts["View of this server"]).toContain(`It doesn't know @${alice.handle}`);
    },
  );
});

describe("A check finds", () => {
  inProcess("a name without an address, and stops there", async () => {
    addressesOf.set("nowhere.test", []);
    const { states, texts } = await check("nowhere.test");
    expect(states).toEqual({ "Name resolution": "PROBLEM" });
    expect(texts["Name resolution"]).toBe(
      "nowhere.test has no address. Check the spelling of nowhere.test, and the DNS server of this machine.",
    );
  });

  inProcess("a host that doesn't respond", async () => {
    const { host } = new URL(peer.origin());
    await peer.stop();
    const { states, texts } = await check(host);
    expect(states).toEqual({ "Name resolution": "OK", Connection: "PROBLEM" });
    expect(texts["Connection"]).toContain(`linnet peer retry ${host}`);
  });

  inProcess("a handle that doesn't exist", async () => {
    const { domain } = peer.account("eve");
    const { states, texts } = await check(`nobody@${domain}`);
    expect(states).toMatchObject({ "WebFinger of the handle": "PROBLEM" });
    expect(texts["WebFinger of the handle"]).toContain("Check the spelling of @nobody@evil.test");
    expect(states).not.toHaveProperty("Signed fetch");
  });

  inProcess("an account to which its host assigns another handle", async () => {
    const eve = peer.account("eve");
    peer.assign(eve.handle, `${eve.origin}/users/mallory`);
    peer.assign(`alias@${eve.domain}`, eve.uri);
    const { states, texts } = await check(`alias@${eve.domain}`);
    expect(states).toMatchObject({ "WebFinger of the handle": "OK", "WebFinger of the account": "PROBLEM" });
    expect(texts["WebFinger of the account"]).toContain("/users/mallory, not");
  });

  inProcess("a clock that is wrong", async () => {
    const eve = peer.account("eve");
    const date = new Date(alice.server.clock.now() - 3600_000).toUTCString();
    peer.serve(eve.uri, () => {
      const response = documentResponse(eve.document);
      response.headers.set("date", date);
      return response;
    });
    const { states, texts } = await check(eve.handle);
    expect(states).toMatchObject({ Clock: "PROBLEM" });
    expect(texts["Clock"]).toMatch(/^Its clock is 36\d\d seconds behind this one/);
  });

  inProcess("that a host accepts one form of signature only, which deliveries then use", async () => {
    const eve = peer.account("eve");
    restrict(eve, 401, isByRfc);
    const { states, texts } = await check(eve.handle);
    expect(states).toMatchObject({ ...WELL, Signature: "OK", Block: "OK" });
    expect(texts["Signature"]).toBe("It accepts RFC 9421 only. Linnet uses that from now on.");
    const row = alice.server.ctx.db.get<Json>("SELECT signature FROM hosts WHERE domain = $domain", {
      domain: eve.domain,
    });
    expect(row).toEqual({ signature: "rfc9421" });
  });

  inProcess("that a host accepts both forms of signature", async () => {
    const eve = peer.account("eve");
    restrict(eve, 401, isSigned);
    const { texts } = await check(eve.handle);
    expect(texts["Signature"]).toBe("It accepts both forms. Linnet uses draft-cavage.");
  });

  inProcess.each([
    ["forbids signed fetches", 403, (request: Request) => !isSigned(request), "PROBLEM"],
    ["forbids all fetches", 403, () => false, "PROBLEM"],
    ["refuses only this server's signature", 401, (request: Request) => !isSigned(request), "PROBLEM"],
    ["refuses all fetches", 401, () => false, "UNKNOWN"],
    ["fails", 500, () => false, "UNKNOWN"],
  ])("whether a host blocks this server: it %s", async (_, status, isServed, state) => {
    const eve = peer.account("eve");
    restrict(eve, status, isServed);
    const { states } = await check(eve.handle);
    expect(states).toMatchObject({ "Signed fetch": "PROBLEM", Signature: "PROBLEM", Block: state });
  });

  inProcess.each([
    [{ suspended: true }, "PROBLEM", "It has suspended"],
    [{ limited: true }, "PROBLEM", "It limits"],
    [{ uri: "https://old.example/users/alice" }, "PROBLEM", "It takes https://old.example/users/alice for"],
    [{}, "OK", "It shows"],
  ])("what a host shows of this server: %j", async (account, state, text) => {
    const eve = peer.account("eve");
    peer.serve(`${eve.origin}/api/v1/accounts/lookup?acct=${encodeURIComponent(alice.handle)}`, () =>
      Response.json(account),
    );
    const { states, texts } = await check(eve.handle);
    expect([states["View of this server"], texts["View of this server"]]).toEqual([
      state,
      expect.stringContaining(`${text} `),
    ]);
  });
});

describe("A check", () => {
  inProcess("sends few requests, whatever the answers are", async () => {
    const eve = peer.account("eve");
    peer.serve(`${eve.origin}/.well-known/nodeinfo`, () =>
      Response.redirect(`${eve.origin}/.well-known/nodeinfo`, 302),
    );
    restrict(eve, 401, () => false);
    await check(eve.handle);
    expect(peer.asked.length).toBeLessThan(20);
  });

  inProcess.each([
    ["a b", '"a b" is neither a host like example.org nor a handle like @name@example.org.'],
    ["https://far.test/@eve", "is neither a host"],
    ["@eve", '"@eve" is neither a host'],
    ["bad.test", 'This server exchanges nothing with bad.test. See "linnet domain list".'],
    ["eve@sub.bad.test", "This server exchanges nothing with sub.bad.test."],
  ])("of %j is refused", async (target, sentence) => {
    setDomainBlock(alice.server.ctx, "bad.test", { severity: "suspend" });
    await expect(check(target)).rejects.toThrow(sentence);
    await expect(check(alice.handle)).rejects.toThrow("is this server");
  });
});
