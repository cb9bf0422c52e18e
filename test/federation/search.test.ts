import { beforeEach, describe, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";
import { befriend, hostilePeerForEachTest } from "../support/hostile-peer.ts";

/** The accounts and statuses found for pasted text. */
async function found(who: Neighbour, text: string): Promise<{ accounts: string[]; statuses: string[] }> {
  const json = await who.resolve(text);
  const uris = (each: { uri: string }[]) => each.map(({ uri }) => uri);
  return { accounts: uris(json.accounts), statuses: uris(json.statuses) };
}

const account = ({ uri }: { uri: string }) => ({ accounts: [uri], statuses: [] });
const status = ({ uri }: { uri: string }) => ({ accounts: [], statuses: [uri] });
const NOTHING = { accounts: [], statuses: [] };

describe("Between two servers", () => {
  const { alice, bob, drain, advance } = neighboursForEachTest(["alice", "bob"]);

  test("a handle is found by search and lookup, and known afterwards for everyone", async () => {
    const stranger = alice.server.stranger();
    const lookup = `/api/v1/accounts/lookup?acct=${bob.handle}`;
    expect((await stranger.get(lookup)).status).toBe(404);
    for (const handle of [`@${bob.handle}`, bob.handle.toUpperCase()]) {
      expect(await found(alice, handle)).toEqual(account(bob));
    }
    expect((await stranger.get(lookup)).json).toMatchObject({ acct: bob.handle, uri: bob.uri });
    expect((await alice.get(`/api/v1/accounts/lookup?acct=nobody@${bob.handle.split("@")[1]}`)).status).toBe(404);
    expect(await found(alice, "@nobody@nowhere.test:1")).toEqual(NOTHING);
  });

  test("pasted addresses of profiles and posts lead to them, with the author's counts", async () => {
    const carol = await bob.server.person("carol");
    await carol.follow(bob);
    const post = await bob.publish("Hello");
    await carol.post(`/api/v1/statuses/${post.id}/favourite`);
    await carol.post(`/api/v1/statuses/${post.id}/reblog`);
    expect(await found(alice, bob.uri)).toEqual(account(bob));
    expect(await found(alice, `${bob.server.ctx.config.origin}/@bob`)).toEqual(account(bob));
    expect(await alice.profile(bob)).toMatchObject({ followers_count: 1, following_count: 0, statuses_count: 1 });
    expect(await found(alice, post.url)).toEqual(status(post));
    expect(await found(alice, post.uri)).toEqual(status(post));
    expect(await alice.copyOf(post)).toMatchObject({ favourites_count: 1, reblogs_count: 1, replies_count: 0 });
    expect(await alice.home()).toEqual([]);
    expect(await alice.news()).toEqual([]);
    expect(await found(alice, `${bob.server.ctx.config.origin}/about`)).toEqual(NOTHING);
  });

  test("a profile that was first seen in a post gets its counts when a user opens it", async () => {
    const carol = await bob.server.person("carol");
    await carol.follow(bob);
    await bob.publish(`Hello @${alice.handle}`);
    await drain();
    const [{ account: seen }] = (await alice.get("/api/v1/notifications")).json;
    const profile = async (who: Client) => (await who.get(`/api/v1/accounts/${seen.id}`)).json;
    expect(await profile(alice.server.stranger())).toMatchObject({ followers_count: 0 });
    await drain();
    expect(await profile(alice)).toMatchObject({ followers_count: 0 });
    await drain();
    expect(await profile(alice)).toMatchObject({ followers_count: 1, statuses_count: 1 });
  });

  test("a post that was deleted is not found again", async () => {
    const post = await bob.publish("A mistake");
    await found(alice, post.url);
    await alice.react("favourite", post);
    await drain();
    await bob.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    advance(1000);
    expect(await found(alice, post.url)).toEqual(NOTHING);
  });
});

describe("On a server by others", () => {
  const { alice, newPeer } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newPeer("fern");
  });

  test("handles, and addresses of documents and pages, are found", async () => {
    const post = await fern.post({ to: "public", content: "<p>rain</p>" });
    for (const address of [fern.handle, fern.uri, `${fern.origin}/@fern`]) {
      expect(await found(alice, address)).toEqual(account(fern));
    }
    for (const address of [post.uri, post.object.url!.toString()]) {
      expect(await found(alice, address)).toEqual(status(post));
    }
    expect((await alice.copyOf(post)).url).toBe(post.object.url!.toString());
  });

  test("nothing private is found", async () => {
    const moss = await newPeer("moss");
    const post = await fern.post({ to: [moss.uri], content: "<p>psst</p>" });
    expect(await found(alice, post.uri)).toEqual(NOTHING);
  });

  test("a server that is down is as empty as one without the account", async () => {
    await fern.down();
    expect(await found(alice, `@${fern.handle}`)).toEqual(NOTHING);
    expect(await found(alice, fern.uri)).toEqual(NOTHING);
  });

  test("a local account is found by the handle, the page and the document that others know", async () => {
    const person = await fern.lookup(`@${alice.handle}`);
    expect(person?.id?.href).toBe(alice.uri);
    expect((await fern.lookup(`${alice.server.ctx.config.origin}/@alice`))?.id?.href).toBe(alice.uri);
    const { uri, url } = await alice.publish("Hello");
    expect((await fern.lookup(uri))?.id?.href).toBe(uri);
    expect((await fern.lookup(url))?.id?.href).toBe(uri);
  });
});

describe("A known post", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();

  test("is found by its page without a request, whether or not the address is like Mastodon's", async () => {
    const mallory = peer.account("mallory");
    await befriend(alice, mallory);
    const before = peer.fetched().length;
    for (const [path, page] of [
      [`/users/mallory/statuses/7`, `/@mallory/7`],
      [`/objects/8`, `/@mallory/8`],
      [`/users/mallory/statuses/x9`, `/@mallory/x9`],
      [`/notes/10`, `/notes/10`],
    ]) {
      const [id, url] = [peer.origin() + path, peer.origin() + page];
      await mallory.deliver(alice.server, mallory.create(mallory.note({ id, url })));
      expect(await found(alice, url)).toEqual(status({ uri: id }));
    }
    expect(peer.fetched().length).toBe(before);
  });

  test("is not found by a page of another server, though its address is like Mastodon's", async () => {
    const mallory = peer.account("mallory");
    await befriend(alice, mallory);
    const elsewhere = peer.origin("good.test");
    const note = mallory.note({ id: `${peer.origin()}/users/mallory/statuses/7`, url: `${elsewhere}/@mallory/7` });
    await mallory.deliver(alice.server, mallory.create(note));
    expect(await found(alice, `${elsewhere}/@mallory/7`)).toEqual(NOTHING);
  });
});
