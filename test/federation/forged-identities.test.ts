import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest, startNeighbour } from "../support/federation.ts";
import {
  accountId,
  ACTIVITY,
  befriend,
  count,
  documentResponse,
  HostileAccount,
  hostilePeerForEachTest,
  PUBLIC,
  sendRequest,
  statusId,
} from "../support/hostile-peer.ts";

/* Keys, handles and documents that claim to belong to another account. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let mallory: HostileAccount;

beforeEach(() => {
  bob = peer.account("bob", "good.test");
  mallory = peer.account("mallory");
});

const follow = (account: HostileAccount) => account.activity("Follow", alice.uri);
const accounts = () => count(alice.server, "remote_accounts");

describe("A key", () => {
  test("signs only for its owner", async () => {
    await befriend(alice, bob);
    const note = bob.note();
    expect(await mallory.send(alice.server, bob.create(note))).toBe(401);
    const beth = peer.account("beth", "good.test");
    expect(await beth.send(alice.server, bob.create(note))).toBe(401);
    expect(await mallory.send(alice.server, bob.create(note), { key: { ...mallory.key, keyId: bob.key.keyId } })).toBe(
      401,
    );
  });

  test("that its owner doesn't name is none", async () => {
    const keyId = `${mallory.origin}/key`;
    const publicKey = { ...mallory.document.publicKey, id: keyId };
    peer.serve(keyId, { id: keyId, type: "Key", owner: mallory.uri, publicKeyPem: publicKey.publicKeyPem });
    expect(await mallory.send(alice.server, follow(mallory), { key: { ...mallory.key, keyId } })).toBe(401);
    mallory.document.publicKey = publicKey;
    alice.server.clock.advance(11 * 60_000);
    expect(await mallory.send(alice.server, follow(mallory), { key: { ...mallory.key, keyId } })).toBe(202);
  });

  test("that names an owner on another server is none", async () => {
    const keyId = `${mallory.origin}/key`;
    const { publicKeyPem } = mallory.document.publicKey;
    peer.serve(keyId, { id: keyId, type: "Key", owner: bob.uri, publicKeyPem });
    bob.document.publicKey = { id: keyId, owner: bob.uri, publicKeyPem };
    expect(await bob.send(alice.server, follow(bob), { key: { ...mallory.key, keyId } })).toBe(401);
    expect(accounts()).toBe(0);
  });

  test("that names an owner other than the actor who shows it is none", async () => {
    mallory.document.publicKey.owner = bob.uri;
    expect(await mallory.send(alice.server, follow(mallory))).toBe(401);
    expect(await mallory.send(alice.server, follow(bob))).toBe(401);
    expect(accounts()).toBe(0);
    const beth = peer.account("beth", "good.test");
    beth.document.publicKey.owner = bob.uri;
    await alice.resolve(beth.uri);
    expect(await beth.send(alice.server, follow(beth))).toBe(401);
    expect(await beth.send(alice.server, follow(bob))).toBe(401);
  });

  test("with an id on another server can't take the place of the key there", async () => {
    mallory.document.publicKey.id = bob.key.keyId;
    await alice.resolve(`@${mallory.handle}`);
    expect(accountId(alice.server, mallory.uri)).not.toBeNull();
    expect(await bob.send(alice.server, follow(bob))).toBe(202);
    expect(await mallory.send(alice.server, follow(mallory), { key: { ...mallory.key, keyId: bob.key.keyId } })).toBe(
      401,
    );
  });

  test("may be a document of its own, or a part of one that names its owner", async () => {
    const keyId = `${bob.uri}/main-key`;
    bob.document.publicKey.id = keyId;
    peer.serve(keyId, { id: bob.uri, type: "Person", publicKey: bob.document.publicKey });
    expect(await bob.send(alice.server, follow(bob), { key: { ...bob.key, keyId } })).toBe(202);
  });

  test("that is too weak or no key is none", async () => {
    for (const publicKeyPem of ["", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"]) {
      const eve = peer.account(`eve${publicKeyPem.length}`);
      eve.document.publicKey.publicKeyPem = publicKeyPem;
      expect(await eve.send(alice.server, follow(eve))).toBe(401);
    }
  });
});

describe("A signature", () => {
  test("can't be moved to another request", async () => {
    await befriend(alice, mallory);
    for (const form of ["cavage", "rfc9421"] as const) {
      const signed = await mallory.sign(alice.server, follow(mallory), { form });
      const moved = [
        { ...signed, path: "/users/alice/inbox" },
        { ...signed, path: "/inbox?more" },
        { ...signed, body: `${signed.body} ` },
        { ...signed, body: JSON.stringify(follow(mallory)) },
      ];
      for (const request of moved) expect((await sendRequest(alice.server, request)).status).toBe(401);
      expect((await sendRequest(alice.server, signed)).status).toBe(202);
    }
  });

  test("of a GET can't be replayed as a POST", async () => {
    await befriend(alice, mallory);
    const body = JSON.stringify(follow(mallory));
    const digest = `SHA-256=${new Bun.CryptoHasher("sha256").update(body).digest("base64")}`;
    for (const form of ["cavage", "rfc9421"] as const) {
      const get = await mallory.sign(alice.server, {}, { method: "GET", form });
      expect((await sendRequest(alice.server, { ...get, method: "POST", body })).status).toBe(401);
      const headers = { ...get.headers, digest, "content-digest": digest };
      expect((await sendRequest(alice.server, { ...get, headers, method: "POST", body })).status).toBe(401);
      const withDigest = await mallory.sign(alice.server, {}, { method: "GET", form, headers: { digest } });
      expect((await sendRequest(alice.server, { ...withDigest, method: "POST", body })).status).toBe(401);
    }
  });

  test("for another server can't be forwarded to this one", async () => {
    await befriend(alice, mallory);
    const other = await startNeighbour("olga");
    try {
      for (const form of ["cavage", "rfc9421"] as const) {
        const request = await mallory.sign(other.server, follow(mallory), { form });
        expect((await sendRequest(alice.server, request)).status).toBe(401);
      }
    } finally {
      await other.server.stop();
    }
  });
});

describe("A handle", () => {
  test("that WebFinger assigns to another account is refused", async () => {
    peer.assign(mallory.handle, bob.uri);
    expect(await mallory.send(alice.server, follow(mallory))).toBe(401);
    expect((await alice.resolve(mallory.uri)).accounts).toEqual([]);
    expect(accounts()).toBe(0);
  });

  test("on another domain needs the consent of that domain", async () => {
    peer.assign(mallory.handle, mallory.uri, `acct:${bob.handle}`);
    expect(await mallory.send(alice.server, follow(mallory))).toBe(401);
    expect((await alice.resolve(`@${mallory.handle}`)).accounts).toEqual([]);
    expect(accounts()).toBe(0);
    const domain = new URL(peer.origin("brand.test")).host;
    const carol = peer.account("carol", "social.test");
    peer.assign(carol.handle, carol.uri, `acct:carol@${domain}`);
    peer.assign(`carol@${domain}`, carol.uri);
    expect((await alice.resolve(`@${carol.handle}`)).accounts).toMatchObject([
      { acct: `carol@${domain}`, uri: carol.uri },
    ]);
  });

  test("of this server can't be claimed", async () => {
    const { handleDomain } = alice.server.ctx.config;
    for (const subject of [`acct:${alice.handle}`, `acct:${alice.handle}.`, `acct:new@${handleDomain}`]) {
      peer.assign(mallory.handle, mallory.uri, subject);
      expect((await alice.resolve(`@${mallory.handle}`)).accounts).toEqual([]);
    }
    expect(accounts()).toBe(0);
  });

  test("of a known account can't be claimed by another id, unless its server assigns it", async () => {
    const bobId = await befriend(alice, bob);
    const usurper = new HostileAccount(peer, "bob2", "good.test", { preferredUsername: "bob" });
    peer.serve(usurper.uri, () => documentResponse(usurper.document));
    expect(await usurper.send(alice.server, follow(usurper))).toBe(401);
    expect((await alice.resolve(`@${bob.handle}`)).accounts).toMatchObject([{ id: bobId, uri: bob.uri }]);
    const foreign = new HostileAccount(peer, "bob", "evil.test", {});
    peer.serve(foreign.uri, () => documentResponse(foreign.document));
    peer.assign(foreign.handle, foreign.uri, `acct:${bob.handle}`);
    expect(await foreign.send(alice.server, follow(foreign))).toBe(401);
    expect((await alice.get(`/api/v1/accounts/${bobId}`)).json).toMatchObject({ acct: bob.handle, uri: bob.uri });
    const [relationship] = (await alice.get(`/api/v1/accounts/relationships?id[]=${bobId}`)).json;
    expect(relationship).toMatchObject({ following: true });
  });

  test("has only a name and a domain, whatever WebFinger says", async () => {
    const { domain } = mallory;
    const names = ["eve~1", "e\u202Eve", "еve", "<b>", '"', "a".repeat(101), "eve."];
    const domains = [`${domain}\\x`, `${domain}%2f`, "[::1]", "evil.test\u202E:1", `${domain}"`, `${domain}<`];
    const handles = [...names.map((name) => `${name}@${domain}`), ...domains.map((each) => `eve@${each}`)];
    for (const [at, handle] of handles.entries()) {
      const account = peer.account(`eve${at}`);
      peer.assign(account.handle, account.uri, `acct:${handle}`);
      peer.assign(handle, account.uri);
      expect((await alice.resolve(account.uri)).accounts).toMatchObject([{ acct: account.handle }]);
    }
  });

  test("in a document is refused unless Mastodon accepts it", async () => {
    for (const name of ["a b", "a@b", "a/b", "<i>", "al\u202Eice", "аlice", "", "a".repeat(101), null, ["x"], 7]) {
      const account = new HostileAccount(peer, "odd", "evil.test", { preferredUsername: name });
      peer.serve(account.uri, () => documentResponse(account.document));
      peer.assign(`${String(name)}@${account.domain}`, account.uri);
      expect((await alice.resolve(account.uri)).accounts).toEqual([]);
    }
    expect(accounts()).toBe(0);
  });
});

describe("A name", () => {
  test("can't reverse or hide the text around it", async () => {
    const name = "\u202Ebob\u2066 \u200F\u0000\u0007\u2028admin\u{E0041}";
    const id = await befriend(alice, peer.account("trick", "evil.test", { name, summary: `<p>${name}</p>` }));
    const { json } = await alice.get(`/api/v1/accounts/${id}`);
    expect(json.display_name).not.toMatch(/[\u202A-\u202E\u2066-\u2069\p{Cc}\u2028\u2029]/u);
    expect(json.display_name).toContain("bob");
  });
});

describe("A shared inbox", () => {
  test("on another server than its account is none", async () => {
    mallory.document.endpoints = { sharedInbox: `${bob.origin}/inbox` };
    await befriend(alice, mallory);
    await alice.publish("Hello");
    await alice.server.drain();
    const asked = peer.asked.filter(({ method }) => method === "POST").map(({ url }) => url);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((url) => url !== mallory.document.inbox)).toEqual([]);
    expect(peer.delivered.at(-1)).toMatchObject({ type: "Create" });
  });
});

describe("A document", () => {
  const note = (more: Json = {}) => bob.note({ id: `${bob.origin}/notes/1`, content: "<p>from bob</p>", ...more });

  test("that a user uploaded to a server is none", async () => {
    const uploaded = note({ content: "<p>forged</p>" });
    const types = [
      "application/json",
      "text/plain",
      "text/html",
      "application/octet-stream",
      "application/ld+json",
      'application/ld+json; profile="https://example.org/"',
      "application/activity+jsonx",
      'application/json; profile="https://www.w3.org/ns/activitystreams"',
      "",
    ];
    for (const type of types) {
      peer.serve(uploaded.id, () => documentResponse(uploaded, type));
      expect((await alice.resolve(uploaded.id)).statuses).toEqual([]);
    }
    expect(statusId(alice.server, uploaded.id)).toBeNull();
    const ld = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"';
    peer.serve(uploaded.id, () => documentResponse(uploaded, ld));
    expect((await alice.resolve(uploaded.id)).statuses).toHaveLength(1);
  });

  test("is fetched from its id if that differs from its address, once", async () => {
    const page = `${bob.origin}/@bob/1`;
    peer.serve(page, note());
    peer.serve(note().id, note());
    expect((await alice.resolve(page)).statuses).toMatchObject([{ uri: note().id }]);
    const [first, second, third] = [1, 2, 3].map((n) => `${mallory.origin}/${n}`) as [string, string, string];
    peer.serve(first, mallory.note({ id: second }));
    peer.serve(second, mallory.note({ id: third }));
    peer.serve(third, mallory.note({ id: third }));
    expect((await alice.resolve(first)).statuses).toEqual([]);
    expect(peer.fetched()).not.toContain(third);
  });

  test("of another server is what that server says", async () => {
    const lie = `${mallory.origin}/lie`;
    peer.serve(lie, note({ content: "<p>forged</p>" }));
    expect((await alice.resolve(lie)).statuses).toEqual([]);
    peer.serve(note().id, note());
    expect((await alice.resolve(lie)).statuses).toMatchObject([{ content: "<p>from bob</p>" }]);
  });

  test("that claims an author on another server is refused", async () => {
    const claim = bob.note({ id: `${mallory.origin}/notes/1` });
    peer.serve(claim.id, claim);
    expect((await alice.resolve(claim.id)).statuses).toEqual([]);
    const reply = mallory.note({ inReplyTo: claim.id });
    await befriend(alice, mallory);
    await mallory.deliver(alice.server, mallory.create(reply));
    await mallory.deliver(alice.server, mallory.activity("Announce", claim.id, { to: [PUBLIC] }));
    expect(statusId(alice.server, claim.id)).toBeNull();
  });

  test("that a redirect or another spelling finds on this server is never stored", async () => {
    const { id, uri } = await alice.publish("mine");
    await befriend(alice, mallory);
    const before = count(alice.server, "statuses");
    const shortened = `${mallory.origin}/short`;
    peer.serve(shortened, () => Response.redirect(uri));
    const named = `${mallory.origin}/named`;
    peer.serve(named, { id: uri, type: "Note" });
    const dotted = uri.replace(".test:", ".test.:");
    const actor = alice.uri.replace(".test:", ".test.:");
    for (const address of [shortened, named, dotted]) {
      await alice.resolve(address);
      await mallory.deliver(alice.server, mallory.create(mallory.note({ inReplyTo: address })));
      await mallory.deliver(alice.server, mallory.activity("Announce", address, { to: [PUBLIC] }));
    }
    expect((await alice.resolve(actor)).accounts).toEqual([]);
    await mallory.deliver(alice.server, mallory.create(mallory.note({ tag: [{ type: "Mention", href: actor }] })));
    expect(count(alice.server, "incoming_activities")).toBe(0);
    expect(count(alice.server, "statuses")).toBe(before + 4);
    expect(count(alice.server, "accounts")).toBe(2);
    expect((await alice.get(`/api/v1/statuses/${id}`)).json).toMatchObject({
      content: "<p>mine</p>",
      reblogs_count: 0,
    });
  });
});

describe("A private address", () => {
  test("is never asked, whatever names or redirects lead there", async () => {
    const { server } = await startNeighbour("strict", { LINNET_ALLOW_PRIVATE_ADDRESSES: "off" });
    try {
      const port = new URL(peer.origin()).port;
      const hosts = ["127.0.0.1", "[::1]", "localhost", "0x7f.1", "[::ffff:127.0.0.1]", "169.254.169.254", "evil.test"];
      const statuses = [];
      for (const host of hosts) {
        const uri = `http://${host}:${port}/users/mallory`;
        const key = { ...mallory.key, keyId: `${uri}#main-key` };
        const activity = { ...mallory.activity("Follow", uri), id: `${uri}/1`, actor: uri };
        statuses.push(await mallory.send(server, activity, { key }));
      }
      expect(statuses).toEqual(hosts.map(() => 401));
      expect(peer.asked).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});

describe("HTML of another server", () => {
  test("has no scripts, handlers, styles or dangerous addresses", async () => {
    await befriend(alice, mallory);
    const content = [
      "<script>alert(1)</script><style>*{display:none}</style>",
      '<p onclick="alert(1)" style="position:fixed" class="mention x-evil">text</p>',
      '<a href="javascript:alert(1)">one</a><a href="java&#10;script:alert(1)">two</a><a href="data:text/html,x">three</a>',
      '<img src=x onerror=alert(1)><svg/onload=alert(1)></svg><iframe srcdoc="x"></iframe><form action="//evil"><input></form>',
      "<b><p>broken</b></p></div></div><a href='https://ok.test/'>fine",
      "<noscript><p title='</noscript><script>alert(1)</script>'>",
    ].join("");
    const note = mallory.note({ content, summary: "<script>alert(1)</script>", name: "<b>" });
    await mallory.deliver(alice.server, mallory.create(note));
    const { json } = await alice.get(`/api/v1/statuses/${statusId(alice.server, note.id)}`);
    expect(json.content).not.toMatch(/<(?!\/?(?:p|b|strong|a|br|span)\b)/);
    expect(json.content).not.toMatch(/ on\w+=|style=|javascript:|data:|alert\(1\)<\/script|x-evil/);
    expect(json.content).toContain('href="https://ok.test/"');
    const page = await fetch(`${alice.server.origin}/@${mallory.handle}`, { headers: { accept: ACTIVITY } });
    expect(page.headers.get("content-type")).not.toContain(ACTIVITY);
  });
});
