import { describe, expect, test } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { listRelays, removeRelay } from "../../src/core/moderation/relays.ts";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { followRelay } from "../../src/federation/relays.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { count, type HostileAccount, hostilePeerForEachTest, PUBLIC, statusId } from "../support/hostile-peer.ts";
import { TestRelay } from "../support/relay.ts";
import { inProcess } from "../support/server.ts";
import { Socket } from "../support/streams.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KINDS = ["mastodon", "litepub"] as const;

const { alice, bob, drain, advance, servers } = neighboursForEachTest(["alice", "bob"]);
const peer = hostilePeerForEachTest();

/** Adds a relay to these servers, as their owners would, and lets it answer. */
async function join(relay: TestRelay, members = [alice]): Promise<void> {
  for (const { server } of members) {
    await followRelay(server.ctx, relay.address);
    await server.drain();
  }
  await relay.work();
  await drain();
  await relay.work();
}

const newRelay = (kind: TestRelay["kind"], host?: string) => new TestRelay(peer, kind, servers, host);
const urisOf = (statuses: Json[]) => statuses.map(({ uri }) => uri);
const timeline = async (path: string) => urisOf((await alice.get(`/api/v1/timelines/${path}`)).json);
const relays = () => listRelays(alice.server.ctx);

/** Accounts of different sites. */
const membersOf = (number: number) => Array.from({ length: number }, (_, n) => peer.account("cara", `member${n}.test`));

/** A post that its server has, by an account that nobody here follows. */
function hosted(author: HostileAccount, more: Json = {}): Json {
  const tag = [{ type: "Hashtag", name: "#tea", href: `${author.origin}/tags/tea` }];
  const published = new Date(alice.server.clock.now()).toISOString();
  const note = author.note({ tag, published, ...more });
  peer.serve(note.id, note);
  return note;
}

describe.each(KINDS)("A relay of the kind %s", (kind) => {
  test("brings the public posts of its members to the public and hashtag timelines, silently", async () => {
    const relay = newRelay(kind);
    await join(relay, [alice, bob]);
    expect(relays()).toMatchObject([{ address: relay.address, kind, state: "accepted", posts: 0, paused_at: null }]);
    await alice.post("/api/v1/tags/tea/follow");
    const post = await bob.publish(`Hello #tea`);
    const unlisted = await bob.publish({ status: "quietly #tea", visibility: "unlisted" });
    await drain();
    expect(relay.received.filter(({ type }) => type === "Create").map(({ object }) => object.id)).toEqual([post.uri]);
    await relay.work();
    expect(await timeline("public")).toEqual([post.uri]);
    expect(await timeline("tag/tea")).toEqual([post.uri]);
    expect(await alice.copyOf(unlisted)).toBeNull();
    await alice.post("/api/v1/tags/tea/unfollow");
    await alice.post("/api/v1/tags/tea/follow");
    await drain();
    expect([await alice.home(), await alice.news()]).toEqual([[], []]);
    expect(relays()).toMatchObject([{ posts: 1 }]);
    advance(24 * HOUR);
    expect(relays()).toMatchObject([{ posts: 0 }]);
  });

  test("gets new versions and the end of public posts, and nothing once it is removed", async () => {
    const relay = newRelay(kind);
    await join(relay);
    const eve = peer.account("eve");
    await eve.deliver(alice.server, eve.activity("Follow", alice.uri));
    const unlisted = await alice.publish({ status: "Quiet", visibility: "unlisted" });
    await drain();
    await alice.delete(`/api/v1/statuses/${unlisted.id}`);
    const post = await alice.publish("First");
    await drain();
    await alice.put(`/api/v1/statuses/${post.id}`, { status: "Second" });
    await alice.post(`/api/v1/statuses/${post.id}/reblog`);
    await drain();
    await alice.delete(`/api/v1/statuses/${post.id}`);
    await drain();
    const types = () => relay.received.map(({ type }) => type).filter((type) => !["Follow", "Accept"].includes(type));
    expect(types()).toEqual(["Create", "Update", "Delete"]);
    removeRelay(alice.server.ctx, relay.address);
    await alice.publish("Third");
    await drain();
    await relay.work();
    expect(types()).toEqual(["Create", "Update", "Delete", "Undo"]);
    expect([relays(), relay.members.size]).toEqual([[], 0]);
    const author = peer.account("cara", "good.test");
    const create = author.create(hosted(author));
    relay.members.add(`${alice.server.ctx.config.origin}/actor`);
    await (kind === "mastodon" ? relay.forward(alice.server, create) : relay.handOn(create));
    expect(count(alice.server, "statuses WHERE local = 0")).toBe(0);
  });

  test("brings nothing before it has accepted, or after it has refused", async () => {
    const relay = newRelay(kind);
    const author = peer.account("cara", "good.test");
    await followRelay(alice.server.ctx, relay.address);
    await alice.server.drain();
    relay.members.add(`${alice.server.ctx.config.origin}/actor`);
    const offer = async () => {
      const create = author.create(hosted(author));
      if (kind === "litepub") return relay.handOn(create);
      expect(await relay.forward(alice.server, create)).toBe(401);
    };
    await offer();
    relay.answer = "Reject";
    await relay.work();
    expect(relays()).toMatchObject([{ state: "refused" }]);
    await offer();
    expect(count(alice.server, "statuses")).toBe(0);
    relay.answer = "Accept";
    expect(await followRelay(alice.server.ctx, relay.address)).toBe("asked again");
    await alice.server.drain();
    await relay.work();
    expect(relays()).toMatchObject([{ state: "accepted" }]);
  });
});

test("LitePub's relay follows back, which is accepted; the follow of any other account is not", async () => {
  const relay = newRelay("litepub");
  await join(relay);
  const server = `${alice.server.ctx.config.origin}/actor`;
  expect(relay.received).toMatchObject([
    { type: "Follow", actor: server, object: relay.account.uri },
    { type: "Accept", actor: server, object: { type: "Follow", actor: relay.account.uri, object: server } },
  ]);
  const eve = peer.account("eve");
  await eve.deliver(alice.server, eve.activity("Follow", server));
  expect(peer.delivered).toHaveLength(2);
});

test("Mastodon's relay is asked for the Public collection", async () => {
  const relay = newRelay("mastodon");
  await join(relay);
  expect(relay.received).toMatchObject([{ type: "Follow", object: PUBLIC }]);
});

test("A relay learns that an account is deleted, since its members have the posts", async () => {
  const relay = newRelay("mastodon");
  await join(relay);
  const zoe = await alice.server.person("zoe");
  deleteAccount(alice.server.ctx, Number(zoe.id));
  await drain();
  expect(relay.received.at(-1)).toMatchObject({
    type: "Delete",
    object: `${alice.server.ctx.config.origin}/users/zoe`,
  });
});

describe("The account of a relay", () => {
  test("is not one that only claims its inbox, or answers for another", async () => {
    const relay = newRelay("mastodon");
    const eve = peer.account("eve", "evil.test", { inbox: relay.address });
    await followRelay(alice.server.ctx, relay.address);
    await alice.server.drain();
    const [follow] = relay.received;
    await eve.deliver(alice.server, eve.activity("Accept", follow));
    await eve.deliver(alice.server, eve.activity("Accept", follow!.id));
    expect(relays()).toMatchObject([{ state: "pending", account_uri: null }]);
    await relay.work();
    await eve.deliver(alice.server, eve.activity("Reject", follow));
    expect(relays()).toMatchObject([{ state: "accepted", account_uri: relay.account.uri }]);
  });
});

describe("A post that a relay names", () => {
  test("counts only as its own server has it", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const author = peer.account("cara", "good.test");
    const note = hosted(author, { content: "<p>true</p>" });
    const forged = author.create({ ...note, content: "<p>a lie</p>", attributedTo: relay.account.uri });
    expect(await relay.forward(alice.server, forged)).toBe(202);
    const { json } = await alice.get("/api/v1/timelines/public");
    expect(json).toMatchObject([{ uri: note.id, content: "<p>true</p>", account: { acct: author.handle } }]);
    const other = hosted(author, { attributedTo: relay.account.uri });
    const priv = hosted(author, { to: [`${author.uri}/followers`], cc: [] });
    const quiet = hosted(author, { to: [`${author.uri}/followers`], cc: [PUBLIC] });
    for (const object of [other, priv, quiet]) await relay.forward(alice.server, author.create(object));
    expect(count(alice.server, "statuses")).toBe(1);
  });

  test("is fetched once, and not at all if it is known, deleted or of this server", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const author = peer.account("cara", "good.test");
    const create = author.create(hosted(author));
    for (let n = 0; n < 3; n += 1) await relay.forward(alice.server, create);
    const own = await alice.publish("mine");
    await alice.delete(`/api/v1/statuses/${own.id}`);
    await relay.account.deliver(alice.server, relay.account.activity("Announce", create.object.id));
    await relay.account.deliver(alice.server, relay.account.activity("Announce", own.uri));
    await author.deliver(alice.server, author.activity("Delete", create.object.id));
    await relay.forward(alice.server, create);
    expect(peer.fetched("good.test").filter((url) => url === create.object.id)).toHaveLength(1);
    expect(relays()).toMatchObject([{ posts: 1 }]);
    expect(count(alice.server, "relay_counts WHERE missing > 0")).toBe(0);
  });

  test("changes and goes when the relay forwards that and its own server confirms it", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const author = peer.account("cara", "good.test");
    const note = hosted(author, { content: "<p>one</p>" });
    await relay.forward(alice.server, author.create(note));
    await relay.forward(alice.server, author.activity("Delete", note.id));
    expect(statusId(alice.server, note.id)).not.toBeNull();
    advance(MINUTE);
    const updated = new Date(alice.server.clock.now()).toISOString();
    peer.serve(note.id, { ...note, content: "<p>two</p>", updated });
    await relay.forward(alice.server, author.activity("Update", { ...note, content: "<p>a lie</p>", updated }));
    expect((await alice.copyOf({ uri: note.id }))!.content).toBe("<p>two</p>");
    advance(MINUTE);
    peer.serve(note.id, () => new Response(null, { status: 410 }));
    await relay.forward(alice.server, author.activity("Delete", note.id));
    expect(statusId(alice.server, note.id)).toBeNull();
  });

  test("is left to its own server if it is for a user here", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const [cara, dan] = [peer.account("cara", "good.test"), peer.account("dan", "other.test")];
    await alice.act("follow", cara);
    await drain();
    await cara.deliver(
      alice.server,
      cara.activity(
        "Accept",
        peer.delivered.find(({ object }) => object === cara.uri),
      ),
    );
    const followed = hosted(cara);
    const mention = hosted(dan, { cc: [alice.uri], tag: [{ type: "Mention", href: alice.uri, name: alice.handle }] });
    for (const create of [cara.create(followed), dan.create(mention)]) {
      await relay.forward(alice.server, create);
      expect(statusId(alice.server, create.object.id)).toBeNull();
      await (create.actor === cara.uri ? cara : dan).deliver(alice.server, create);
    }
    expect(urisOf(await alice.home())).toEqual([followed.id]);
    expect(await alice.news()).toEqual([["mention", dan.handle]]);
  });

  test("is ignored if its server is blocked, and silenced with its server", async () => {
    const relay = newRelay("litepub");
    await join(relay);
    const [cara, dan] = [peer.account("cara", "good.test"), peer.account("dan", "other.test")];
    setDomainBlock(alice.server.ctx, cara.domain, { severity: "suspend" });
    setDomainBlock(alice.server.ctx, dan.domain, { severity: "silence" });
    for (const author of [cara, dan]) await relay.handOn(author.create(hosted(author)));
    expect(peer.fetched("good.test")).toEqual([]);
    expect(statusId(alice.server, `${dan.uri}/notes/1`)).not.toBeNull();
    expect([await timeline("public"), await timeline("tag/tea")]).toEqual([[], []]);
  });

  test("is fetched at most 60 times a minute, and the rest is dropped", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const members = membersOf(7);
    const send = async (number: number) => {
      for (let n = 0; n < number; n += 1) {
        const author = members[n % members.length]!;
        await relay.account.send(alice.server, author.create(hosted(author)));
      }
      await alice.server.drain();
    };
    await send(70);
    expect(relays()).toMatchObject([{ posts: 60 }]);
    advance(MINUTE);
    await send(1);
    expect(relays()).toMatchObject([{ posts: 61 }]);
  });

  test("is dropped while ten of its site wait, which take no place of other sites", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const [busy, other] = membersOf(2);
    const notes = Array.from({ length: 12 }, () => hosted(busy!));
    for (const note of notes) await relay.account.send(alice.server, busy!.create(note));
    const create = other!.create(hosted(other!));
    await relay.forward(alice.server, create);
    expect(notes.filter(({ id }) => statusId(alice.server, id) !== null)).toEqual(notes.slice(0, 10));
    expect(statusId(alice.server, create.object.id)).not.toBeNull();
  });

  inProcess("is dropped while other fetches wait", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const { queue } = alice.server.ctx.background;
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const others = Array.from({ length: 9 }, (_, n) => queue.take(`h${n}`, () => done));
    const author = peer.account("cara", "good.test");
    await relay.forward(alice.server, author.create(hosted(author)));
    expect(peer.fetched("good.test")).toEqual([]);
    end();
    await Promise.all(others);
    await relay.forward(alice.server, author.create(hosted(author)));
    expect(relays()).toMatchObject([{ posts: 1 }]);
  });

  test("is streamed if it is recent, and counts for no trend", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const author = peer.account("cara", "good.test");
    const old = new Date(alice.server.clock.now() - 7 * HOUR).toISOString();
    const [everyone, tea, home] = await Promise.all([1, 2, 3].map(() => Socket.open(alice)));
    await everyone!.subscribe("public");
    await tea!.subscribe("hashtag", { tag: "tea" });
    await home!.subscribe("user");
    for (const published of [old, undefined]) {
      await relay.forward(
        alice.server,
        author.create(hosted(author, { content: `<p>${published ?? "new"}</p>`, published })),
      );
    }
    for (const stream of [everyone!, tea!]) {
      expect(await stream.next()).toMatchObject({ event: "update", payload: { content: "<p>new</p>" } });
      expect(await stream.soFar()).toEqual([]);
    }
    expect(await home!.soFar()).toEqual([]);
    expect(count(alice.server, "trend_uses")).toBe(0);
  });
});

describe("A relay that names posts that don't exist", () => {
  const missing = (author: HostileAccount) => author.create(author.note());

  test("is paused after 20 in an hour, with a report to the owner, until it is added again", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const members = membersOf(5);
    const author = members[0]!;
    const name = async (number: number) => {
      for (let n = 0; n < number; n += 1) {
        expect(await relay.account.send(alice.server, missing(members[n % members.length]!))).toBe(202);
      }
      await alice.server.drain();
    };
    await name(19);
    advance(HOUR);
    await name(19);
    expect([relays()[0]!.paused_at, await alice.news()]).toEqual([null, []]);
    expect(await relay.forward(alice.server, missing(members.at(-1)!))).toBe(202);
    expect(relays()).toMatchObject([{ state: "accepted", paused_at: alice.server.clock.now() }]);
    const [notification] = (await alice.get("/api/v1/notifications")).json;
    expect(notification).toMatchObject({
      type: "admin.report",
      report: { target_account: { acct: relay.account.handle } },
    });
    expect(notification.report.comment).toContain(`linnet relay add ${relay.address}`);
    const asked = peer.asked.length;
    const real = author.create(hosted(author));
    expect(await relay.forward(alice.server, real)).toBe(202);
    await relay.account.deliver(alice.server, relay.account.activity("Announce", real.object.id));
    expect(peer.asked).toHaveLength(asked);
    expect(await followRelay(alice.server.ctx, relay.address)).toBe("resumed");
    await relay.forward(alice.server, real);
    await name(1);
    expect(relays()).toMatchObject([{ posts: 1, paused_at: null }]);
    expect(await alice.news()).toHaveLength(1);
  });

  test("is not paused because of one member: five of its posts count", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const members = membersOf(4);
    const name = async (author: HostileAccount, number: number) => {
      for (let n = 0; n < number; n += 1) await relay.account.send(alice.server, missing(author));
      await alice.server.drain();
    };
    const [eve, ...others] = members;
    for (let time = 0; time < 3; time += 1) await name(eve!, 9);
    for (const each of others) await name(each, 4);
    expect(count(alice.server, "relay_counts WHERE missing = 17")).toBe(1);
    expect(relays()).toMatchObject([{ paused_at: null }]);
    for (const each of others) await name(each, 1);
    expect(relays()).toMatchObject([{ paused_at: alice.server.clock.now() }]);
  });

  test("is not paused because servers don't respond, or are blocked", async () => {
    const relay = newRelay("mastodon");
    await join(relay);
    const [cara, dan] = [peer.account("cara", "good.test"), peer.account("dan", "other.test")];
    peer.serve(`${cara.uri}/notes/1`, () => new Response(null, { status: 503 }));
    setDomainBlock(alice.server.ctx, dan.domain, { severity: "suspend" });
    for (const author of [cara, cara, dan]) await relay.account.send(alice.server, missing(author));
    await relay.account.deliver(alice.server, relay.account.activity("Announce", `${dan.uri}/notes/9`));
    expect(count(alice.server, "relay_counts")).toBe(0);
  });
});
