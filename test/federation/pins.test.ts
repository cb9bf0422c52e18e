import { beforeEach, describe, expect, test } from "bun:test";
import { Add, Remove } from "@fedify/vocab";
import type { Json } from "../support/client.ts";
import { aliceAndPeers, neighboursForEachTest, type Neighbour } from "../support/federation.ts";
import type { Peer } from "../support/fedify-peer.ts";
import {
  befriend,
  count,
  documentResponse,
  type HostileAccount,
  hostilePeerForEachTest,
} from "../support/hostile-peer.ts";

async function pinsOf(viewer: Neighbour, id: string): Promise<string[]> {
  const { json } = await viewer.get(`/api/v1/accounts/${id}/statuses?pinned=true`);
  return json.map(({ uri }: Json) => uri);
}

async function tagsOf(viewer: Neighbour, id: string): Promise<string[]> {
  const { json } = await viewer.get(`/api/v1/accounts/${id}/featured_tags`);
  return json.map(({ name }: Json) => name);
}

describe("Between two servers", () => {
  const { alice, bob, drain, befriend: makeFriends } = neighboursForEachTest(["alice", "bob"]);
  beforeEach(() => makeFriends(alice, bob));

  test("a pin reaches the followers, and its end too", async () => {
    const id = await bob.idOf(alice);
    const post = await alice.publish("Read this first");
    const secret = await alice.publish({ status: "Friends, read this", visibility: "private" });
    for (const each of [post, secret]) await alice.post(`/api/v1/statuses/${each.id}/pin`);
    await drain();
    expect(await pinsOf(bob, id)).toEqual([secret.uri, post.uri]);
    await alice.post(`/api/v1/statuses/${secret.id}/unpin`);
    await drain();
    expect(await pinsOf(bob, id)).toEqual([post.uri]);
    expect(await bob.news()).toEqual([["follow", alice.handle]]);
  });

  test("a featured hashtag reaches the followers, and its end too", async () => {
    const id = await bob.idOf(alice);
    await alice.publish("#SeaGlass again");
    const { json: featured } = await alice.post("/api/v1/featured_tags", { name: "SeaGlass" });
    await alice.post("/api/v1/tags/Rain/feature");
    await drain();
    expect(await tagsOf(bob, id)).toEqual(["SeaGlass", "Rain"]);
    await alice.delete(`/api/v1/featured_tags/${featured.id}`);
    await drain();
    expect(await tagsOf(bob, id)).toEqual(["Rain"]);
    await alice.post("/api/v1/tags/rain/unfeature");
    await drain();
    expect(await tagsOf(bob, id)).toEqual([]);
  });

  test("pinning twice, and unpinning what isn't pinned, tells nobody", async () => {
    const post = await alice.publish("Read this first");
    await alice.post(`/api/v1/statuses/${post.id}/pin`);
    await alice.post("/api/v1/featured_tags", { name: "rain" });
    await drain();
    const sent = () => count(alice.server, "outgoing_activities");
    const before = sent();
    await alice.post(`/api/v1/statuses/${post.id}/pin`);
    await alice.post("/api/v1/featured_tags", { name: "rain" });
    await alice.post("/api/v1/tags/snow/unfeature");
    await drain();
    expect(sent()).toBe(before);
  });
});

describe("With a server by others", () => {
  const { alice, newFriend, drain } = aliceAndPeers();
  let fern: Peer;
  beforeEach(async () => {
    fern = await newFriend("fern");
  });

  test("pins are sent", async () => {
    const post = await alice.publish("Read this first");
    await drain();
    const before = fern.received.length;
    for (const action of ["pin", "unpin"]) await alice.post(`/api/v1/statuses/${post.id}/${action}`);
    await drain();
    const target = `${alice.uri}/collections/featured`;
    expect(fern.received.slice(before).map(({ json }) => json)).toMatchObject([
      { type: "Add", actor: alice.uri, object: post.uri, target },
      { type: "Remove", actor: alice.uri, object: post.uri, target },
    ]);
    expect(fern.refused).toEqual([]);
  });

  test("a featured hashtag, which Fedify accepts from nobody, keeps nothing else from arriving", async () => {
    await alice.post("/api/v1/tags/Rain/feature");
    const post = await alice.publish("Hello");
    await drain();
    expect(fern.refused).toMatchObject([{ status: 400 }]);
    expect(fern.received.at(-1)?.object).toBe(post.uri);
    expect(count(alice.server, "deliveries")).toBe(0);
  });

  test("pins are received", async () => {
    const target = new URL("/featured", fern.origin);
    await fern.updateProfile({ more: { featured: target } });
    const post = await fern.post({ to: "public", content: "<p>moss</p>" });
    await drain();
    const id = await alice.idOf(fern);
    const item = { actor: new URL(fern.uri), object: new URL(post.uri), target };
    await fern.send(new Add({ ...item, id: new URL("/adds/1", fern.origin) }), [alice.uri]);
    await drain();
    expect(await pinsOf(alice, id)).toEqual([post.uri]);
    await fern.send(new Remove({ ...item, id: new URL("/removes/1", fern.origin) }), [alice.uri]);
    await drain();
    expect(await pinsOf(alice, id)).toEqual([]);
  });
});

describe("An Add or Remove", () => {
  const { alice } = neighboursForEachTest(["alice"]);
  const peer = hostilePeerForEachTest();
  let bob: HostileAccount;
  let mallory: HostileAccount;
  let bobId: string;
  let malloryId: string;

  const collectionsOf = (name: string, origin: string) => ({
    featured: `${origin}/users/${name}/featured`,
    featuredTags: `${origin}/users/${name}/tags`,
  });

  beforeEach(async () => {
    bob = peer.account("bob", "good.test", collectionsOf("bob", peer.origin("good.test")));
    mallory = peer.account("mallory", "good.test", collectionsOf("mallory", peer.origin("good.test")));
    bobId = await befriend(alice, bob);
    malloryId = await befriend(alice, mallory);
  });

  const published = async (author: HostileAccount, more: Json = {}): Promise<Json> => {
    const note = author.note(more);
    await author.deliver(alice.server, author.create(note));
    return note;
  };
  const send = (by: HostileAccount, type: string, object: unknown, target: unknown = by.document.featured) =>
    by.deliver(alice.server, by.activity(type, object, { target }));
  const hashtag = { type: "Hashtag", name: "#Rain", href: "http://good.test/tags/rain" };

  test("changes nothing in a collection of another account, whatever it has", async () => {
    const [own, others] = [await published(mallory), await published(bob)];
    for (const object of [own.id, others.id]) await send(mallory, "Add", object, bob.document.featured);
    for (const target of [bob.document.featured, bob.document.featuredTags])
      await send(mallory, "Add", hashtag, target);
    await send(mallory, "Add", own.id, `${mallory.uri}/elsewhere`);
    await send(mallory, "Add", own.id, null);
    await send(mallory, "Add", own.id, mallory.document.featuredTags);
    expect([count(alice.server, "status_pins"), count(alice.server, "featured_tags")]).toEqual([0, 0]);
    await send(bob, "Add", others.id);
    await send(bob, "Add", hashtag, bob.document.featuredTags);
    await send(mallory, "Remove", others.id, bob.document.featured);
    await send(mallory, "Remove", hashtag, bob.document.featuredTags);
    await send(mallory, "Remove", others.id);
    await send(mallory, "Remove", hashtag);
    expect([await pinsOf(alice, bobId), await tagsOf(alice, bobId)]).toEqual([[others.id], ["Rain"]]);
  });

  test("of another account's post changes nothing, whether it is known or not", async () => {
    const known = await published(bob);
    const unknown = bob.note();
    peer.serve(unknown.id, unknown);
    const mine = await alice.publish("mine");
    const far = peer.account("far", "far.test").note();
    peer.serve(far.id, far);
    for (const object of [known.id, unknown.id, mine.uri, far.id]) await send(mallory, "Add", object);
    expect(count(alice.server, "status_pins")).toBe(0);
    expect(peer.fetched("far.test")).toEqual([]);
  });

  test("of an unknown post fetches it silently", async () => {
    const note = bob.note({ published: "2026-01-01T00:00:00Z" });
    peer.serve(note.id, note);
    const before = await alice.news();
    await send(bob, "Add", note.id);
    expect(await pinsOf(alice, bobId)).toEqual([note.id]);
    expect(await alice.home()).toEqual([]);
    expect(await alice.news()).toEqual(before);
  });

  test("of an unknown post believes its server, not the activity", async () => {
    const note = bob.note({ content: "<p>true</p>" });
    peer.serve(note.id, note);
    await send(bob, "Add", { ...note, content: "<p>forged</p>" });
    expect(await alice.copyOf({ uri: note.id })).toMatchObject({ content: "<p>true</p>" });
  });

  test("of an unknown post fetches nothing for an account that nobody follows", async () => {
    const stranger = peer.account("stranger", "good.test", collectionsOf("stranger", peer.origin("good.test")));
    const note = stranger.note();
    peer.serve(note.id, () => documentResponse(note));
    await send(stranger, "Add", note.id);
    expect(peer.fetched("good.test")).not.toContain(note.id);
    expect(count(alice.server, "status_pins")).toBe(0);
  });

  test("keeps 20 pins and 10 hashtags of an account, each once", async () => {
    const notes: string[] = [];
    for (let at = 0; at < 22; at++) notes.push((await published(bob)).id);
    for (const id of [notes[0], ...notes]) await send(bob, "Add", id);
    for (let at = 0; at < 12; at++) {
      for (const name of [`#Rain${at}`, `#rain${at}`]) await send(bob, "Add", { ...hashtag, name });
    }
    expect((await pinsOf(alice, bobId)).toSorted()).toEqual(notes.slice(0, 20).toSorted());
    expect(await tagsOf(alice, bobId)).toEqual(Array.from({ length: 10 }, (_, at) => `Rain${at}`));
    expect(await pinsOf(alice, malloryId)).toEqual([]);
  });

  test("of a boost, a direct post or an invalid hashtag changes nothing", async () => {
    const note = await published(bob);
    const boost = bob.activity("Announce", note.id, { to: note.to, cc: note.cc });
    await bob.deliver(alice.server, boost);
    const direct = await published(bob, { to: [alice.uri], cc: [] });
    for (const object of [boost.id, direct.id, { type: "Hashtag", name: "#" }, { type: "Hashtag" }, null]) {
      await send(bob, "Add", object);
    }
    expect([count(alice.server, "status_pins"), count(alice.server, "featured_tags")]).toEqual([0, 0]);
  });
});
