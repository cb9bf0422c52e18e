import { beforeEach, describe, expect, test } from "bun:test";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { ACTIVITY, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

const get = (url: string, accept = ACTIVITY) => fetch(url, { headers: { accept }, redirect: "manual" });

describe("Two servers that both require signed requests", () => {
  const { alice, bob, befriend, drain } = neighboursForEachTest(["alice", "bob"], { LINNET_SECURE_FETCH: "on" });

  test("federate from scratch: they find, follow and fetch each other", async () => {
    const old = await bob.publish("older than the follow");
    await befriend(alice, bob);
    expect(await alice.relationship(bob)).toMatchObject({ following: true, followed_by: true });
    expect((await alice.copyOf(old))?.content).toBe("<p>older than the follow</p>");
    const reply = await alice.publish(`@${bob.handle} hello`);
    await drain();
    expect((await bob.copyOf(reply))?.account.acct).toBe(alice.handle);
    await bob.react("favourite", reply);
    await drain();
    expect((await alice.get(`/api/v1/statuses/${reply.id}`)).json.favourites_count).toBe(1);
    expect(await alice.profile(bob)).toMatchObject({ display_name: "bob", statuses_count: 1 });
  });
});

describe("A server that requires signed requests", () => {
  const { alice } = neighboursForEachTest(["alice"], { LINNET_SECURE_FETCH: "on" });
  const peer = hostilePeerForEachTest();
  let bob: HostileAccount;

  beforeEach(() => {
    bob = peer.account("bob", "good.test");
  });

  test("serves posts and collections to signed requests only, even public ones", async () => {
    const { server } = alice;
    const { id } = await alice.publish("hello");
    const status = `/users/alice/statuses/${id}`;
    const lists = ["outbox", "followers", "following", "collections/featured", "collections/tags"];
    const parts = ["activity", "context", "replies", "likes", "shares"].map((part) => `${status}/${part}`);
    for (const path of [status, `/@alice/${id}`, ...parts, ...lists.map((list) => `/users/alice/${list}`)]) {
      expect([path, (await bob.fetch(server, path, null)).status]).toEqual([path, 401]);
      expect([path, (await bob.fetch(server, path)).status]).toEqual([path, 200]);
      const forged = await bob.fetch(server, path, { key: { ...bob.key, keyId: `${bob.origin}/users/eve#main-key` } });
      expect([path, forged.status]).toEqual([path, 401]);
    }
    const answer = await bob.fetch(server, status);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  });

  test("serves only the key of an account without a signature, and its profile with one", async () => {
    const { server } = alice;
    await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice L", note: "my note" });
    for (const path of ["/users/alice", "/@alice"]) {
      const answer = await bob.fetch(server, path, null);
      expect(answer.headers.get("cache-control")).toBe("private, no-store");
      const document = await answer.json();
      expect(Object.keys(document).sort()).toEqual(
        ["@context", "endpoints", "id", "inbox", "preferredUsername", "publicKey", "type"].sort(),
      );
      expect(document).toMatchObject({ id: alice.uri, publicKey: { owner: alice.uri } });
      expect(await (await bob.fetch(server, path)).json()).toMatchObject({
        name: "Alice L",
        outbox: expect.any(String),
      });
    }
  });

  test("serves its own actor, WebFinger and NodeInfo without a signature", async () => {
    const { origin, ctx } = alice.server;
    const resource = encodeURIComponent(`acct:alice@${ctx.config.handleDomain}`);
    const paths = ["/actor", "/actor/outbox", `/.well-known/webfinger?resource=${resource}`, "/.well-known/host-meta"];
    for (const path of [...paths, "/.well-known/nodeinfo", "/nodeinfo/2.0"]) {
      expect([path, (await get(origin + path)).status]).toEqual([path, 200]);
    }
  });

  test("serves pages, the API, oEmbed and media as before", async () => {
    const { origin, ctx } = alice.server;
    const { id, url } = await alice.publish("hello");
    const paths = [
      "/@alice",
      `/@alice/${id}`,
      `/api/v1/accounts/lookup?acct=alice`,
      `/api/v1/statuses/${id}`,
      `/api/oembed?url=${encodeURIComponent(url)}`,
      "/avatars/original/missing.png",
    ];
    for (const path of paths) expect([path, (await get(origin + path, "text/html")).status]).toEqual([path, 200]);
    expect(ctx.config.secureFetch).toBe(true);
  });

  test("serves nothing to a blocked server that signs", async () => {
    const { server } = alice;
    const { id } = await alice.publish("hello");
    setDomainBlock(server.ctx, "good.test", { severity: "suspend" });
    for (const path of ["/users/alice", `/users/alice/statuses/${id}`, "/users/alice/outbox"]) {
      expect([path, (await bob.fetch(server, path)).status]).toEqual([path, 403]);
    }
  });
});
