import { beforeEach, describe, expect, test } from "bun:test";
import { Hashtag, Like, Note, Person, Question } from "@fedify/vocab";
import { type Peer, type PeerSettings, peersForEachTest, startPeer } from "../support/fedify-peer.ts";
import { TestClock } from "../support/instance.ts";

/* The peer that federation tests talk to is tested with a second one here, so that a failure there is Linnet's. */

let fern: Peer;
let moss: Peer;
const clock = new TestClock();
const newPeer = peersForEachTest({ clockOf: { clock } });

async function start(ferns: PeerSettings = {}, mosses: PeerSettings = {}): Promise<void> {
  fern = await newPeer("fern", ferns);
  moss = await newPeer("moss", mosses);
}

const PICTURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
/** The address of a path for requests that no peer sends. */
const at = (peer: Peer, path: string) => `http://127.0.0.1:${new URL(peer.origin).port}${path}`;
const types = (peer: Peer) => peer.received.map(({ type }) => type);

describe("A peer", () => {
  beforeEach(() => start());

  test("is found by its handle and by the URL of its page, and signs with one RSA key of 2048 bits", async () => {
    const found = await moss.lookup(`@${fern.handle}`);
    expect(found).toBeInstanceOf(Person);
    expect(found?.id?.href).toBe(fern.uri);
    expect((await moss.lookup(`${fern.origin}/@fern`))?.id?.href).toBe(fern.uri);
    const key = await (found as Person).getPublicKey();
    expect(key?.publicKey?.algorithm).toMatchObject({ name: "RSASSA-PKCS1-v1_5", modulusLength: 2048 });
    expect((found as Person).assertionMethodIds).toEqual([]);
    expect((await fetch(at(fern, "/.well-known/nodeinfo"))).status).toBe(200);
  });

  test("follows, is accepted, and unfollows", async () => {
    const follow = await fern.follow(moss.uri);
    expect(follow.status).toBe(202);
    expect(moss.received).toMatchObject([
      {
        type: "Follow",
        id: follow.id,
        actor: fern.uri,
        object: moss.uri,
        inbox: "/actors/moss/inbox",
        signature: "cavage",
      },
    ]);
    expect(types(fern)).toEqual(["Accept"]);
    expect(fern.following).toEqual([moss.uri]);
    expect(moss.followers).toEqual([fern.uri]);
    expect((await fern.undo(follow)).status).toBe(202);
    expect(moss.followers).toEqual([]);
    expect(fern.following).toEqual([]);
  });

  test("publishes, edits and deletes a post", async () => {
    await fern.follow(moss.uri);
    const attachments = [{ url: moss.put("/rain.png", PICTURE, "image/png"), mediaType: "image/png", alt: "drops" }];
    const post = await moss.post({ to: "public", content: "<p>rain</p>", attachments });
    expect(post.deliveries).toEqual([{ method: "POST", url: `${fern.origin}/inbox`, status: 202 }]);
    const found = await fern.lookup(post.uri);
    expect(found).toBeInstanceOf(Note);
    expect(found?.content).toBe("<p>rain</p>");
    expect(fern.received.at(-1)!.json).toMatchObject({
      object: { attachment: [{ type: "Image", url: `${moss.origin}/rain.png`, name: "drops" }] },
    });
    expect(await (await fetch(at(moss, "/rain.png"))).bytes()).toEqual(PICTURE);
    expect(found?.published?.epochMilliseconds).toBe(clock.now());
    await moss.edit(post, { content: "<p>sun</p>", more: { summary: "weather" } });
    expect(await fern.lookup(post.uri)).toMatchObject({ content: "<p>sun</p>", summary: "weather" });
    expect((await moss.delete(post)).status).toBe(202);
    expect(await fern.lookup(post.uri)).toBeNull();
    expect(await fern.fetchSigned(post.uri)).toEqual({ status: 410, document: null });
    expect(types(fern)).toEqual(["Accept", "Create", "Update", "Delete"]);
    expect(fern.received.at(-1)?.object).toBe(post.uri);
  });

  test("replies to, likes and boosts a post, and takes both back", async () => {
    const post = await moss.post({ to: "public", content: "rain" });
    const tag = new Hashtag({ name: "#sun", href: new URL("/tags/sun", fern.origin) });
    const reply = await fern.post({
      to: "public",
      content: "sun",
      inReplyTo: post.uri,
      mentions: [moss.uri],
      more: { tags: [tag] },
    });
    const like = await fern.like(post.uri);
    const boost = await fern.boost(post.uri);
    await fern.undo(like);
    await fern.undo(boost);
    expect(moss.received.map(({ type, object }) => [type, object])).toEqual([
      ["Create", reply.uri],
      ["Like", post.uri],
      ["Announce", post.uri],
      ["Undo", like.id],
      ["Undo", boost.id],
    ]);
    expect(moss.received[0]!.json).toMatchObject({
      object: {
        inReplyTo: post.uri,
        tag: [
          { type: "Mention", href: moss.uri, name: `@${moss.handle}` },
          { type: "Hashtag", name: "#sun" },
        ],
      },
    });
  });

  test("counts the votes in a poll and publishes the results", async () => {
    const poll = await moss.post({ to: "public", content: "tea?", poll: { options: ["yes", "no"], closesIn: 60_000 } });
    expect((await fern.vote(poll.uri, "no")).status).toBe(202);
    const closed = await moss.publishResults(poll, { closed: true });
    expect(closed.status).toBe(202);
    const found = await fern.lookup(poll.uri);
    expect(found).toBeInstanceOf(Question);
    expect(fern.received.at(-1)!.json).toMatchObject({
      type: "Update",
      object: {
        type: "Question",
        votersCount: 1,
        oneOf: [
          { name: "yes", replies: { totalItems: 0 } },
          { name: "no", replies: { totalItems: 1 } },
        ],
      },
    });
    expect((found as Question).closed).not.toBeNull();
  });

  test("shows a private post only to a signer from the server of a recipient", async () => {
    const post = await moss.post({ to: [fern.uri], content: "psst" });
    expect(fern.received).toMatchObject([{ type: "Create", inbox: "/actors/fern/inbox" }]);
    expect(await fern.lookup(post.uri)).toBeNull();
    expect((await fern.lookup(post.uri, { signed: true }))?.content).toBe("psst");
    const elm = await newPeer("elm");
    expect((await elm.fetchSigned(post.uri)).status).toBe(401);
  });

  test("delivers an activity again, and both times count", async () => {
    const post = await fern.post({ to: "public", content: "rain" });
    expect((await fern.send(post.activity, [moss.uri])).status).toBe(202);
    expect((await fern.send(post.activity, [moss.uri], { shared: true })).status).toBe(202);
    expect(moss.received.map(({ id, inbox }) => [id, inbox])).toEqual([
      [post.id, "/actors/moss/inbox"],
      [post.id, "/inbox"],
    ]);
    expect(moss.asked.filter((each) => each.startsWith("POST"))).toEqual(["POST /actors/moss/inbox", "POST /inbox"]);
  });

  test("delivers once to the shared inbox of several followers", async () => {
    const rust = await newPeer("rust", { actors: ["iron"] });
    await rust.follow(moss.uri);
    await rust.actor("iron").follow(moss.uri);
    const post = await moss.post({ to: "followers", content: "rain" });
    expect(post.deliveries).toEqual([{ method: "POST", url: `${rust.origin}/inbox`, status: 202 }]);
  });

  test("refuses activities without a signature and with the key of another actor", async () => {
    const body = JSON.stringify({ type: "Like", id: `${fern.uri}#1`, actor: fern.uri, object: moss.uri });
    const headers = { "content-type": "application/activity+json", host: new URL(moss.origin).host };
    await fetch(at(moss, "/inbox"), { method: "POST", headers, body });
    const forged = new Like({ id: new URL("#2", fern.uri), actor: new URL(moss.uri), object: new URL(moss.uri) });
    expect((await fern.send(forged, [moss.uri])).status).toBe(401);
    expect(moss.refused).toMatchObject([
      { inbox: "/inbox", status: 401, reason: "noSignature" },
      { inbox: "/actors/moss/inbox", status: 401, reason: "the key of another actor" },
      { inbox: "/actors/moss/inbox", status: 401, reason: "the key of another actor" },
    ]);
    expect(moss.received).toEqual([]);
  });

  test("updates its profile, blocks, and deletes itself", async () => {
    await fern.follow(moss.uri);
    await moss.updateProfile({ displayName: "Moss the second", more: { discoverable: true } });
    expect(await fern.lookup(moss.uri)).toMatchObject({ name: "Moss the second", discoverable: true });
    await moss.block(fern.uri);
    expect(moss.followers).toEqual([]);
    await fern.follow(moss.uri);
    await moss.deleteAccount();
    expect(types(fern)).toEqual(["Accept", "Update", "Block", "Accept", "Delete"]);
    expect((await fern.fetchSigned(moss.uri)).status).toBe(410);
  });

  test("is believed with a new key", async () => {
    await fern.follow(moss.uri);
    await fern.rotateKey();
    expect((await fern.like((await moss.post({ to: "public", content: "rain" })).uri)).status).toBe(202);
  });

  test("is down and up again at the same address", async () => {
    await moss.follow(fern.uri);
    await moss.down();
    const lost = await fern.post({ to: "public", content: "rain" });
    expect(lost.deliveries).toEqual([{ method: "POST", url: `${moss.origin}/inbox`, status: null }]);
    expect(moss.refusedConnections).toBe(1);
    moss.up();
    expect((await fern.post({ to: "public", content: "sun" })).status).toBe(202);
    expect(types(moss)).toEqual(["Accept", "Create"]);
  });

  test("answers deliveries with any error", async () => {
    const follow = await fern.follow(moss.uri);
    moss.answerWith(503, { "retry-after": "60" });
    expect((await fern.undo(follow)).status).toBe(503);
    expect(moss.followers).toEqual([fern.uri]);
    moss.answerNormally();
    expect((await fern.undo(follow)).status).toBe(202);
  });
});

describe("A peer that accepts one form of signature", () => {
  test.each<[PeerSettings["signature"], PeerSettings["signature"], number[]]>([
    ["cavage", "cavage", [202]],
    ["rfc9421", "rfc9421", [202]],
    ["cavage", "rfc9421", [401, 202]],
    ["rfc9421", "cavage", [401, 202]],
  ])("is reached by a peer that first sends %s and takes %s", async (sends, takes, statuses) => {
    await start({ signature: sends }, { signature: takes });
    const follow = await fern.follow(moss.uri);
    expect(follow.deliveries.map(({ status }) => status)).toEqual(statuses);
    expect(moss.received).toMatchObject([{ type: "Follow", signature: takes }]);
    const post = await fern.post({ to: [moss.uri], content: "rain" });
    expect(post.deliveries.map(({ status }) => status)).toEqual([202]);
  });
});

describe("A locked peer", () => {
  beforeEach(() => start({}, { locked: true }));

  test("accepts or rejects each Follow itself", async () => {
    await fern.follow(moss.uri);
    expect(fern.received).toEqual([]);
    expect((await moss.accept(moss.received[0]!)).status).toBe(202);
    expect(fern.following).toEqual([moss.uri]);
    expect((await moss.reject(moss.received[0]!)).status).toBe(202);
    expect(fern.following).toEqual([]);
    expect(moss.followers).toEqual([]);
  });
});

test("A peer that serves signed GETs only refuses all others", async () => {
  await start({}, { signedGetsOnly: true });
  const { uri } = await moss.post({ to: "public", content: "rain" });
  expect(await Promise.all([moss.uri, uri].map((each) => fern.lookup(each)))).toEqual([null, null]);
  expect((await fern.lookup(uri, { signed: true }))?.content).toBe("rain");
  expect(await fern.fetchSigned(moss.uri)).toMatchObject({ status: 200, document: { type: "Person", id: moss.uri } });
  expect(moss.readers).toEqual([fern.uri, fern.uri]);
});

test("A peer that tries to reach another machine fails its test", async () => {
  const elm = await startPeer("elm");
  expect(await elm.lookup("https://elsewhere.example/users/oak")).toBeNull();
  await expect(elm.stop()).rejects.toThrow("https://elsewhere.example/users/oak");
});
