import { beforeEach, describe, expect, test } from "bun:test";
import { allowDomain, setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest, startNeighbour } from "../support/federation.ts";
import {
  accountId,
  befriend,
  count,
  type HostileAccount,
  hostilePeerForEachTest,
  sendRequest,
  statusId,
} from "../support/hostile-peer.ts";
import { act } from "../support/moderation.ts";

/* The responses of the inboxes to requests that are not accepted, or that have no effect. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;

beforeEach(() => {
  bob = peer.account("bob", "good.test");
});

const follow = (account = bob) => account.activity("Follow", alice.uri);
const queued = () => count(alice.server, "incoming_activities");
/** Posts text as it is. */
const post = async (body: string | ReadableStream, path = "/inbox") =>
  (await fetch(alice.server.origin + path, { method: "POST", body })).status;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("A request over 1 MB", () => {
  test("is refused, also if it doesn't give its length", async () => {
    const padded = (size: number) => {
      const activity = { ...follow(), padding: "" };
      return { ...activity, padding: "x".repeat(size - JSON.stringify(activity).length) };
    };
    expect(await bob.send(alice.server, padded(1024 * 1024))).toBe(202);
    expect(await bob.send(alice.server, padded(1024 * 1024 + 1))).toBe(413);
    const chunk = new TextEncoder().encode(" ".repeat(64 * 1024));
    const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    expect(await post(endless())).toBe(413);
    expect(await post(endless(), "/users/alice/inbox")).toBe(413);
    expect(queued()).toBe(1);
  });
});

describe("A malformed activity", () => {
  const malformed = (): string[] => {
    const activity = follow();
    const nested = (depth: number): unknown => (depth === 0 ? {} : [nested(depth - 1)]);
    const addresses = ["", "bob", "/users/bob", "ftp://good.test/bob", "javascript:alert(1)", "acct:bob@good.test"];
    const more = [
      "https://",
      "http://a b",
      "http://u:p@good.test/",
      "http://good.test\\@evil.test/",
      null,
      7,
      {},
      [],
      true,
    ];
    const others = [...addresses, ...more, `http://good.test/${"x".repeat(2048)}`];
    return [
      "",
      "{",
      "null",
      "7",
      '"text"',
      "[]",
      "[[]]",
      "\u0000",
      "{'id': 1}",
      `${JSON.stringify(activity)}x`,
      ...["id", "type", "actor"].map((name) => JSON.stringify({ ...activity, [name]: undefined })),
      ...others.flatMap((id) => [JSON.stringify({ ...activity, id }), JSON.stringify({ ...activity, actor: id })]),
      ...["", null, 7, {}, [], "x".repeat(101)].map((type) => JSON.stringify({ ...activity, type })),
      JSON.stringify({ ...activity, object: nested(31) }),
      `{"a":${"[".repeat(200_000)}`,
    ];
  };

  test("is refused, and nothing is fetched", async () => {
    for (const body of malformed()) {
      expect([body.slice(0, 300), await post(body)]).toEqual([body.slice(0, 300), 400]);
      expect(await bob.send(alice.server, {}, { body })).toBe(400);
      expect(await post(body, "/users/alice/inbox")).toBe(400);
    }
    expect(peer.asked).toEqual([]);
    expect(queued()).toBe(0);
  });

  test("is not one with 32 levels, with an object as its actor, or with a list as its type", async () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : [nested(depth - 1)]);
    const others = [{ more: nested(30) }, { actor: { id: bob.uri, type: "Person" } }, { type: ["Follow", "Other"] }];
    for (const more of others) expect(await bob.send(alice.server, { ...follow(), ...more })).toBe(202);
    expect(queued()).toBe(3);
  });
});

describe("A request without a valid signature", () => {
  test("is refused if the signature is missing or malformed", async () => {
    const body = JSON.stringify(follow());
    expect(await post(body)).toBe(401);
    const signed = await bob.sign(alice.server, follow());
    for (const signature of ["", "x", 'keyId="x"', "sig1=:AAAA:", `${signed.headers.signature},`.repeat(20)]) {
      const headers = { ...signed.headers, signature };
      expect((await sendRequest(alice.server, { ...signed, headers })).status).toBe(401);
    }
    const withInput = { ...signed.headers, "signature-input": "sig1=();created=1" };
    expect((await sendRequest(alice.server, { ...signed, headers: withInput })).status).toBe(401);
    expect(queued()).toBe(0);
  });

  test("is refused if it is by another key, or covers something else", async () => {
    const eve = peer.account("eve");
    expect(await bob.send(alice.server, follow(), { key: { ...eve.key, keyId: bob.key.keyId } })).toBe(401);
    const signed = await bob.sign(alice.server, follow());
    const changes: [string, string][] = [
      ["date", new Date(alice.server.clock.now() + 1000).toUTCString()],
      ["content-type", "text/plain"],
      ["digest", signed.headers.digest!.replace("=", "=A")],
    ];
    for (const [name, value] of changes) {
      const headers = { ...signed.headers, [name]: value };
      expect((await sendRequest(alice.server, { ...signed, headers })).status).toBe(401);
    }
  });

  test("is refused over twelve hours after it was signed, and over one hour before", async () => {
    const now = alice.server.clock.now();
    for (const form of ["cavage", "rfc9421"] as const) {
      for (const at of [now - 12 * HOUR - 1000, now + HOUR + 1000, 0]) {
        expect(await bob.send(alice.server, follow(), { form, at })).toBe(401);
      }
      for (const at of [now - 12 * HOUR, now + HOUR, now]) {
        expect(await bob.send(alice.server, follow(), { form, at })).toBe(202);
      }
    }
  });

  test("is refused if the method and path, the host, the date or the digest is not signed", async () => {
    const all = ["(request-target)", "host", "date", "digest"];
    for (const missing of all) {
      const request = bob.signParts(
        alice.server,
        follow(),
        all.filter((name) => name !== missing),
      );
      expect((await sendRequest(alice.server, request)).status).toBe(401);
    }
    expect((await sendRequest(alice.server, bob.signParts(alice.server, follow(), all))).status).toBe(202);
  });

  test("is refused if the digest is that of another body", async () => {
    for (const form of ["cavage", "rfc9421"] as const) {
      const [one, other] = [await bob.sign(alice.server, follow(), { form }), JSON.stringify(follow())];
      expect((await sendRequest(alice.server, { ...one, body: other })).status).toBe(401);
    }
  });

  test("is refused if the key belongs to another actor than the activity", async () => {
    const eve = peer.account("eve", "good.test");
    expect(await eve.send(alice.server, follow(bob))).toBe(401);
    expect(queued()).toBe(0);
  });

  test("is refused if the key or its owner doesn't exist", async () => {
    peer.serve(bob.uri, () => new Response(null, { status: 404 }));
    expect(await bob.send(alice.server, follow())).toBe(401);
    expect(await bob.send(alice.server, follow(), { key: { ...bob.key, keyId: "not an address" } })).toBe(401);
  });
});

describe("A request of a host that is blocked or not allowed", () => {
  test("is refused before anything is fetched", async () => {
    setDomainBlock(alice.server.ctx, "evil.test", { severity: "suspend" });
    for (const host of ["evil.test", "sub.evil.test", "EVIL.test", "evil.test."]) {
      const account = peer.account("eve", host);
      expect(await account.send(alice.server, follow(account))).toBe(403);
      expect((await account.fetch(alice.server, "/users/alice/outbox")).status).toBe(403);
      expect(await post(JSON.stringify(account.activity("Travel", alice.uri)))).toBe(403);
    }
    const eve = peer.account("eve");
    expect(await bob.send(alice.server, follow(), { key: eve.key })).toBe(403);
    expect(peer.asked).toEqual([]);
    const limited = peer.account("limited", "limited.test");
    setDomainBlock(alice.server.ctx, "limited.test", { severity: "silence" });
    expect(await limited.send(alice.server, follow(limited))).toBe(202);
  });

  test("is refused if its account is suspended", async () => {
    const id = await befriend(alice, bob);
    const { uri } = await alice.publish("hello");
    expect(await bob.send(alice.server, bob.activity("Like", uri))).toBe(202);
    await act(alice.server, "suspend", { id });
    expect(count(alice.server, "favourites")).toBe(0);
    expect(await bob.send(alice.server, follow())).toBe(403);
    expect((await bob.fetch(alice.server, "/users/alice/outbox")).status).toBe(403);
  });

  test("is refused in limited federation unless its domain is allowed", async () => {
    const { server } = await startNeighbour("alice", { LINNET_LIMITED_FEDERATION: "on" });
    try {
      allowDomain(server.ctx, "good.test");
      const eve = peer.account("eve");
      expect(await eve.send(server, follow(eve))).toBe(403);
      expect((await eve.fetch(server, "/users/alice")).status).toBe(403);
      expect((await eve.fetch(server, "/users/alice", null)).status).toBe(401);
      expect(peer.asked).toEqual([]);
      expect(await bob.send(server, follow())).toBe(202);
      expect((await bob.fetch(server, "/users/alice")).status).toBe(200);
      expect((await eve.fetch(server, "/actor", null)).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});

describe("A full queue", () => {
  const FILL = `
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $count)
    INSERT INTO incoming_activities (host, sender, uri, body, run_at)
    SELECT $host, 'http://' || $host || '/eve', 'http://' || $host || '/' || i, '{}', 0 FROM n`;
  const fill = (host: string, rows: number) =>
    alice.server.ctx.db.transaction((tx) => tx.run(FILL, { host, count: rows }));
  const fillBytes = (host: string, bytes: number) => {
    fill(host === "" ? "other.test" : host, 1);
    alice.server.ctx.db.transaction((tx) =>
      tx.run("UPDATE incoming_totals SET bytes = $bytes WHERE host = $host", { host, bytes }),
    );
  };
  const isRefused = async (account: HostileAccount) => {
    const response = await sendRequest(alice.server, await account.sign(alice.server, follow(account)));
    if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    else expect(response.status).toBe(202);
    return response.status === 429;
  };

  test("of one host's 2,000 activities refuses more of that host, until they are processed", async () => {
    fill(bob.domain, 1999);
    expect(await isRefused(bob)).toBe(false);
    expect(await isRefused(bob)).toBe(true);
    expect(await isRefused(peer.account("carol", "other.test"))).toBe(false);
    await alice.server.drain();
    expect(queued()).toBe(0);
    expect(await isRefused(bob)).toBe(false);
  });

  test("of 64 MB of one host refuses more of that host", async () => {
    fillBytes(bob.domain, 64 * 1024 * 1024 - 100);
    expect(await isRefused(bob)).toBe(true);
    expect(await isRefused(peer.account("carol", "other.test"))).toBe(false);
  });

  test("of 10,000 activities refuses more of all", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) fill(`${name}.test`, 2000);
    expect(await isRefused(bob)).toBe(true);
  });

  test("of 256 MB refuses more of all", async () => {
    fillBytes("", 256 * 1024 * 1024 - 100);
    expect(await isRefused(bob)).toBe(true);
  });
});

describe("The inbox of an account", () => {
  const sendTo = (name: string) => bob.send(alice.server, follow(), { path: `/users/${name}/inbox` });

  test("accepts activities only if there is such an account", async () => {
    expect(await sendTo("alice")).toBe(202);
    expect(await sendTo("Alice")).toBe(202);
    expect(await sendTo("nobody")).toBe(404);
    expect(await sendTo("bob")).toBe(404);
  });

  test("is gone with its account", async () => {
    const person = await alice.server.person("carol", { role: "user" });
    await act(alice.server, "suspend", person);
    expect(await sendTo("carol")).toBe(410);
    expect(peer.asked).toEqual([]);
  });
});

describe("An activity without effect", () => {
  test("is accepted and ignored if it is a duplicate, queued or processed", async () => {
    const activity = follow();
    const note = bob.note({ to: [alice.uri] });
    const create = bob.create(note);
    for (const each of [activity, create]) {
      expect(await bob.send(alice.server, each)).toBe(202);
      expect(await bob.send(alice.server, each)).toBe(202);
    }
    expect(queued()).toBe(2);
    // It costs no verification.
    expect(await post(JSON.stringify(activity))).toBe(202);
    await alice.server.drain();
    await bob.deliver(alice.server, activity);
    await bob.deliver(alice.server, create);
    await bob.deliver(alice.server, bob.create(note));
    expect(count(alice.server, "statuses")).toBe(1);
    expect((await alice.get("/api/v1/notifications")).json).toHaveLength(1);
  });

  test("is accepted and not stored if its type is unknown", async () => {
    for (const type of ["Travel", "Offer", "toString", "__proto__", "constructor"]) {
      expect(await bob.send(alice.server, bob.activity(type, alice.uri))).toBe(202);
    }
    expect(queued()).toBe(0);
    expect(peer.asked).toEqual([]);
  });

  test("is accepted and not stored if it deletes an unknown account or its posts", async () => {
    expect(await bob.send(alice.server, bob.activity("Delete", bob.uri))).toBe(202);
    expect(await bob.send(alice.server, bob.activity("Delete", `${bob.uri}/notes/1`))).toBe(202);
    expect(await post(JSON.stringify(bob.activity("Delete", bob.uri)))).toBe(202);
    expect(queued()).toBe(0);
    expect(peer.asked).toEqual([]);
  });

  test("is accepted and leaves no row if nobody here wants it", async () => {
    const notes: Json[] = [
      bob.note(),
      bob.note({ to: [bob.document.followers], cc: [] }),
      bob.note({ to: ["http://other.test/users/eve"], cc: [] }),
      bob.note({ inReplyTo: "http://other.test/notes/1" }),
      bob.note({ tag: [{ type: "Hashtag", name: "#cats" }] }),
    ];
    for (const note of notes) {
      await bob.deliver(alice.server, bob.create(note));
      expect(statusId(alice.server, note.id)).toBeNull();
    }
    await bob.deliver(alice.server, bob.activity("Announce", `${bob.uri}/notes/1`));
    await bob.deliver(alice.server, bob.activity("Like", `${bob.uri}/notes/1`));
    await bob.deliver(alice.server, bob.activity("Block", `${bob.origin}/users/eve`));
    expect(count(alice.server, "statuses") + queued()).toBe(0);
    expect(peer.fetched("other.test")).toEqual([]);
    expect(accountId(alice.server, bob.uri)).not.toBeNull();
  });
});
