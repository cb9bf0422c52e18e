import { afterEach, beforeEach, describe, expect } from "bun:test";
import { refreshAccount, storeActor } from "../../src/federation/fetching/actors.ts";
import { FetchError } from "../../src/federation/fetching/fetch.ts";
import { Keys } from "../../src/federation/inbox/signing-keys.ts";
import { remoteOf } from "../../src/federation/fetching/remote.ts";
import { statusAt } from "../../src/federation/fetching/statuses.ts";
import { markGone } from "../../src/core/people/remote-accounts.ts";
import KEYS from "../fixtures/keys.json" with { type: "json" };
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { inProcess } from "../support/server.ts";
import { Site } from "../support/site.ts";

/* Documents of other servers that name addresses that are not theirs. */

const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";

const { alice } = neighboursForEachTest(["alice"]);
let site: Site;

beforeEach(() => void (site = new Site()));
afterEach(() => site.stop());

const served =
  (document: Json, type = "application/activity+json") =>
  () =>
    new Response(JSON.stringify(document), { headers: { "content-type": type } });

/** An account that its server serves, with the handle that WebFinger assigns to it. */
function actor(username: string, domain: string, more: Json = {}, subject?: string): Json & { id: string } {
  const id = site.url(`/users/${username}`, domain);
  const publicKey = { id: `${id}#main-key`, owner: id, publicKeyPem: KEYS[0]!.publicKey };
  const document = { id, type: "Person", preferredUsername: username, inbox: `${id}/inbox`, publicKey, ...more };
  site.put(`/users/${username}`, served(document));
  const jrd = {
    subject: subject ?? `acct:${username}@${new URL(id).host}`,
    links: [{ rel: "self", type: "application/activity+json", href: id }],
  };
  site.put("/.well-known/webfinger", served(jrd, "application/jrd+json"));
  return document;
}

const note = (path: string, attributedTo: string, more: Json = {}): Json & { id: string } => {
  const id = site.url(path, new URL(attributedTo).hostname);
  const document = { id, type: "Note", attributedTo, content: "Hello", to: [PUBLIC], ...more };
  site.put(path, served(document));
  return document;
};

const problemOf = async (work: Promise<unknown>): Promise<string> => {
  const [result] = await Promise.allSettled([work]);
  if (result.status === "fulfilled") return "none";
  return result.reason instanceof FetchError ? result.reason.problem : String(result.reason);
};

const addressesOf = (id: number): Json =>
  alice.server.ctx.db.get<Json>("SELECT * FROM remote_accounts WHERE account_id = $id", { id })!;

describe("An account that claims", () => {
  inProcess("the key id of another server's account has no key, so the other one can sign", async () => {
    const { ctx } = alice.server;
    const bobsKey = `${site.url("/users/bob", "good.test")}#main-key`;
    const mallory = actor("mallory", "evil.test", {
      publicKey: {
        id: bobsKey,
        owner: site.url("/users/mallory", "evil.test"),
        publicKeyPem: KEYS[1]!.publicKey,
      },
    });
    await storeActor(ctx, mallory);
    const bob = actor("bob", "good.test");
    expect((await new Keys(ctx).find(bobsKey))?.sender.uri).toBe(bob.id);
  });

  inProcess("the shared inbox of another server gets activities in its own", async () => {
    const sharedInbox = "https://victim.example/inbox";
    const id = await storeActor(alice.server.ctx, actor("mallory", "evil.test", { endpoints: { sharedInbox } }));
    expect(addressesOf(id).shared_inbox_url).toBeNull();
  });

  inProcess("a handle that is no handle keeps the one of its address", async () => {
    const { ctx } = alice.server;
    const { port } = new URL(site.url("/"));
    const names = ["mal\u202Elory", "mallory~1", "<b>", "mal lory", "x".repeat(101)];
    const domains = [`evil.test:${port}\\.example`, `evil.test:${port}%2f`, `${"a".repeat(64)}.test`];
    const subjects = [
      ...names.map((name) => `acct:${name}@evil.test:${port}`),
      ...domains.map((domain) => `acct:mallory@${domain}`),
    ];
    for (const [at, subject] of subjects.entries()) {
      const { id } = actor(`mallory${at}`, "evil.test", {}, subject);
      await refreshAccount(ctx, id);
      const row = ctx.db.get<Json>("SELECT username, domain FROM accounts WHERE uri = $id", { id });
      expect(row).toEqual({ username: `mallory${at}`, domain: `evil.test:${port}` });
    }
  });
});

describe("A key whose owner doesn't name it", () => {
  inProcess("is not fetched again for ten minutes", async () => {
    const keys = new Keys(alice.server.ctx);
    const { id } = actor("mallory", "evil.test");
    const key = { id: `${id}#other`, owner: id, publicKeyPem: KEYS[1]!.publicKey };
    site.put("/keys/1", served({ ...key, id: site.url("/keys/1", "evil.test") }));
    const keyId = site.url("/keys/1", "evil.test");
    expect(await keys.find(keyId)).toBeNull();
    const asked = site.asked.length;
    expect(await keys.find(keyId)).toBeNull();
    expect(site.asked).toHaveLength(asked);
  });
});

describe("A status", () => {
  inProcess("of an account that was deleted is not fetched, even if its server still has it", async () => {
    const { ctx } = alice.server;
    const bob = actor("bob", "good.test");
    const id = await storeActor(ctx, bob);
    ctx.db.transaction((tx) => markGone(ctx, tx, id));
    await alice.server.drain();
    expect(await problemOf(statusAt(ctx, note("/notes/1", bob.id).id))).toBe("gone");
    expect(await remoteOf(ctx).object(site.url("/notes/1", "good.test"))).toBeNull();
  });

  inProcess("to which another server redirects is not stored again", async () => {
    const { ctx } = alice.server;
    const status = await alice.publish("Mine");
    const address = site.put("/elsewhere", () => Response.redirect(status.uri), "evil.test");
    expect(await problemOf(statusAt(ctx, address))).toBe("refused");
    const { json } = await alice.get(`/api/v2/search?resolve=true&q=${encodeURIComponent(address)}`);
    expect(json.statuses).toEqual([]);
  });

  inProcess("that is fetched as a parent causes no requests for the accounts that it mentions", async () => {
    const bob = actor("bob", "good.test");
    const tag = Array.from({ length: 10 }, (_, at) => ({
      type: "Mention",
      href: site.url(`/victims/${at}`, "victim.test"),
    }));
    const parent = note("/notes/1", bob.id, { tag });
    const reply = note("/notes/2", bob.id, { inReplyTo: parent.id });
    await statusAt(alice.server.ctx, reply.id);
    expect(site.asked.filter((path) => path.startsWith("/victims"))).toEqual([]);
  });

  inProcess("is stored without the rest of its parents if they take longer than half a minute", async () => {
    const { ctx, clock } = alice.server;
    const bob = actor("bob", "good.test");
    let next: string | null = null;
    for (let at = 0; at < 10; at += 1) {
      const { id, ...more } = note(`/notes/${at}`, bob.id, { inReplyTo: next });
      site.put(`/notes/${at}`, () => {
        clock.advance(9000);
        return served({ id, ...more })();
      });
      next = id;
    }
    expect(await problemOf(statusAt(ctx, note("/reply", bob.id, { inReplyTo: next }).id))).toBe("none");
    expect(ctx.db.get<Json>("SELECT count(*) AS n FROM statuses")!.n).toBe(5);
  });
});
