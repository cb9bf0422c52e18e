import { beforeEach, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import {
  accountId,
  befriend,
  count,
  type HostileAccount,
  hostilePeerForEachTest,
  PUBLIC,
  statusId,
} from "../support/hostile-peer.ts";

/* Alice follows bob of good.test. Mallory of evil.test signs correctly, but about what isn't hers. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let mallory: HostileAccount;
let bobId: string;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  mallory = peer.account("mallory");
  bobId = await befriend(alice, bob);
  await befriend(alice, mallory);
});

const home = async (): Promise<Json[]> => (await alice.get("/api/v1/timelines/home")).json;
const contents = async () => (await home()).map(({ content, reblog }) => reblog?.content ?? content);
const statusOf = async (id: string): Promise<Json> => (await alice.get(`/api/v1/statuses/${id}`)).json;
/** Bob publishes a post, which arrives. */
const published = async (more: Json = {}): Promise<Json> => {
  const note = bob.note({ content: "<p>from bob</p>", ...more });
  await bob.deliver(alice.server, bob.create(note));
  return note;
};

/** The same host with another scheme or port, a subdomain, and another host. */
const otherOrigins = () => {
  const { host, port } = new URL(bob.origin);
  return [
    `https://${host}`,
    `http://good.test:${Number(port) + 1}`,
    `http://www.${host}`,
    `http://good.test.:${port}`,
    mallory.origin,
  ];
};

describe("A Create", () => {
  test("is stored if it is the sender's own", async () => {
    await published();
    expect(await contents()).toEqual(["<p>from bob</p>"]);
  });

  test("with an object of another origin is ignored, by scheme, host and port", async () => {
    for (const origin of otherOrigins()) {
      await bob.deliver(alice.server, bob.create(bob.note({ id: `${origin}/users/bob/notes/1` })));
    }
    const before = peer.fetched().length;
    await bob.deliver(alice.server, bob.activity("Create", `${mallory.origin}/notes/1`));
    expect(peer.fetched()).toHaveLength(before);
    expect(count(alice.server, "statuses")).toBe(0);
  });

  test("with an object attributed to another actor is ignored, on the same server or not", async () => {
    const beth = peer.account("beth", "good.test");
    for (const attributedTo of [beth.uri, mallory.uri, alice.uri, { id: beth.uri, type: "Person" }, null]) {
      await bob.deliver(alice.server, bob.create(bob.note({ attributedTo })));
    }
    await mallory.deliver(alice.server, mallory.create({ ...bob.note(), attributedTo: bob.uri }));
    expect(count(alice.server, "statuses")).toBe(0);
  });

  test("whose id leads to a post of another server or author is ignored", async () => {
    const elsewhere = `${mallory.origin}/notes/1`;
    peer.serve(`${bob.origin}/to-elsewhere`, () => Response.redirect(elsewhere));
    peer.serve(elsewhere, bob.note({ id: elsewhere }));
    await bob.deliver(alice.server, bob.create({ id: `${bob.origin}/to-elsewhere` }));
    await bob.deliver(alice.server, bob.activity("Create", `${bob.origin}/to-elsewhere`));
    const bethsNote = `${bob.origin}/beths`;
    peer.serve(bethsNote, bob.note({ id: bethsNote, attributedTo: peer.account("beth", "good.test").uri }));
    await bob.deliver(alice.server, bob.activity("Create", bethsNote));
    expect(count(alice.server, "statuses")).toBe(0);
  });

  test("doesn't replace a known post", async () => {
    const note = await published();
    await bob.deliver(alice.server, bob.create({ ...note, content: "<p>other</p>" }));
    expect(await contents()).toEqual(["<p>from bob</p>"]);
  });
});

describe("An embedded object of another server", () => {
  test("is fetched from there when it is boosted", async () => {
    const note = bob.note({ content: "<p>the truth</p>" });
    peer.serve(note.id, note);
    const announce = mallory.activity("Announce", { ...note, content: "<p>a lie</p>" }, { to: [PUBLIC] });
    await mallory.deliver(alice.server, announce);
    expect(await contents()).toEqual(["<p>the truth</p>"]);
    expect(peer.fetched("good.test")).toContain(note.id);
  });

  test("is fetched from there when it is replied to", async () => {
    const note = bob.note({ content: "<p>the truth</p>" });
    peer.serve(note.id, note);
    const reply = mallory.note({ inReplyTo: { ...note, content: "<p>a lie</p>" } });
    await mallory.deliver(alice.server, mallory.create(reply));
    const { json } = await alice.get(`/api/v1/statuses/${statusId(alice.server, reply.id)}/context`);
    expect(json.ancestors.map(({ content }: Json) => content)).toEqual(["<p>the truth</p>"]);
  });

  test("doesn't exist if its server doesn't have it", async () => {
    const note = bob.note({ content: "<p>a lie</p>" });
    await mallory.deliver(alice.server, mallory.activity("Announce", note, { to: [PUBLIC] }));
    expect(await contents()).toEqual([]);
    expect(statusId(alice.server, note.id)).toBeNull();
  });
});

describe("What isn't the sender's", () => {
  /** An edit that takes effect. */
  const edited = (note: Json, more: Json = {}) => {
    return { ...note, content: "<p>edited</p>", updated: new Date(alice.server.clock.now()).toISOString(), ...more };
  };

  test("can't be updated", async () => {
    const note = await published();
    const beth = peer.account("beth", "good.test");
    for (const forger of [mallory, beth]) {
      for (const attributedTo of [bob.uri, forger.uri]) {
        await forger.deliver(alice.server, forger.activity("Update", edited(note, { attributedTo })));
      }
    }
    expect(await contents()).toEqual(["<p>from bob</p>"]);
    await bob.deliver(alice.server, bob.activity("Update", edited(note)));
    expect(await contents()).toEqual(["<p>edited</p>"]);
  });

  test("can't be given another author by its author", async () => {
    const note = await published();
    await bob.deliver(alice.server, bob.activity("Update", edited(note, { attributedTo: mallory.uri })));
    expect((await home())[0]).toMatchObject({ content: "<p>from bob</p>", account: { acct: bob.handle } });
  });

  test("can't be deleted", async () => {
    const note = await published();
    const beth = peer.account("beth", "good.test");
    for (const forger of [mallory, beth]) {
      for (const object of [note.id, { id: note.id, type: "Tombstone" }, bob.uri]) {
        await forger.deliver(alice.server, forger.activity("Delete", object));
      }
    }
    expect(await contents()).toEqual(["<p>from bob</p>"]);
    expect((await alice.get(`/api/v1/accounts/${bobId}`)).json).toMatchObject({ acct: bob.handle });
    expect(count(alice.server, "tombstones")).toBe(0);
  });

  test("can't be kept from arriving by a Delete", async () => {
    const note = bob.note({ content: "<p>from bob</p>" });
    await mallory.deliver(alice.server, mallory.activity("Delete", note.id));
    await bob.deliver(alice.server, bob.create(note));
    expect(await contents()).toEqual(["<p>from bob</p>"]);
  });

  test("can't be kept from arriving by a Delete of an account of the same server that a user follows", async () => {
    const beth = peer.account("beth", "good.test");
    await befriend(alice, beth);
    const [delivered, boosted, deleted] = [bob.note(), bob.note(), bob.note()];
    for (const { id } of [delivered, boosted, deleted]) {
      await beth.deliver(alice.server, beth.activity("Delete", id));
    }
    await bob.deliver(alice.server, bob.create(delivered));
    peer.serve(boosted.id, boosted);
    await mallory.deliver(alice.server, mallory.activity("Announce", boosted.id, { to: [PUBLIC] }));
    await bob.deliver(alice.server, bob.activity("Delete", deleted.id));
    await bob.deliver(alice.server, bob.create(deleted));
    expect([delivered, boosted, deleted].map(({ id }) => statusId(alice.server, id) !== null)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("can't be undone, by its id or by its parts", async () => {
    const { id, uri } = await alice.publish("mine");
    const like = bob.activity("Like", uri);
    const boost = bob.activity("Announce", uri, { to: [PUBLIC] });
    const follow = bob.activity("Follow", alice.uri);
    for (const activity of [like, boost, follow]) await bob.deliver(alice.server, activity);
    const beth = peer.account("beth", "good.test");
    for (const forger of [mallory, beth]) {
      for (const activity of [like, boost, follow]) {
        await forger.deliver(alice.server, forger.activity("Undo", activity));
        await forger.deliver(alice.server, forger.activity("Undo", activity.id));
        await forger.deliver(alice.server, forger.activity("Undo", { ...activity, id: undefined }));
      }
    }
    expect(await statusOf(id)).toMatchObject({ favourites_count: 1, reblogs_count: 1 });
    const [relationship] = (await alice.get(`/api/v1/accounts/relationships?id[]=${bobId}`)).json;
    expect(relationship).toMatchObject({ followed_by: true });
  });

  test("can't be pinned or unpinned", async () => {
    const note = await published();
    const target = `${bob.uri}/featured`;
    for (const type of ["Add", "Remove"]) {
      expect(await mallory.send(alice.server, mallory.activity(type, note.id, { target }))).toBe(202);
    }
    await alice.server.drain();
    expect((await alice.get(`/api/v1/accounts/${bobId}/statuses?pinned=true`)).json).toEqual([]);
    expect(count(alice.server, "status_pins")).toBe(0);
  });

  test("can't be a profile", async () => {
    const forged = { ...bob.document, name: "forged" };
    await mallory.deliver(alice.server, mallory.activity("Update", forged));
    const beth = peer.account("beth", "good.test");
    await beth.deliver(alice.server, beth.activity("Update", forged));
    expect((await alice.get(`/api/v1/accounts/${bobId}`)).json.display_name).toBe("");
    bob.document.name = "Bob";
    await bob.deliver(alice.server, bob.activity("Update", bob.document));
    expect((await alice.get(`/api/v1/accounts/${bobId}`)).json.display_name).toBe("Bob");
  });
});

describe("An activity with the id of another server", () => {
  test("is not authenticated, so that it can't take the place of that one", async () => {
    const id = bob.newUri();
    const { uri } = await alice.publish("mine");
    for (const origin of otherOrigins().slice(0, -1)) {
      const like = { ...bob.activity("Like", uri), id: `${origin}/likes/1` };
      expect(await bob.send(alice.server, like)).toBe(401);
    }
    for (const type of ["Like", "Announce", "Follow", "Block", "Create"]) {
      const object = type === "Follow" || type === "Block" ? alice.uri : uri;
      expect(await mallory.send(alice.server, { ...mallory.activity(type, object), id, to: [PUBLIC] })).toBe(401);
    }
    await bob.deliver(alice.server, { ...bob.activity("Like", uri), id });
    expect(await statusOf(uri.split("/").at(-1))).toMatchObject({ favourites_count: 1 });
  });
});

describe("An id that is used again", () => {
  test("has no second effect, whether by the same account or another one of its server", async () => {
    const beth = peer.account("beth", "good.test");
    await befriend(alice, beth);
    await alice.server.person("ann", { role: "user" });
    const ann = `${alice.server.ctx.config.origin}/users/ann`;
    const [one, two] = [await alice.publish("one"), await alice.publish("two")];
    const note = await published();
    const pairs: [type: string, first: unknown, second: unknown][] = [
      ["Follow", alice.uri, ann],
      ["Like", one.uri, two.uri],
      ["Announce", one.uri, two.uri],
      ["Announce", note.id, two.uri],
      ["Block", alice.uri, ann],
    ];
    for (const [type, first, second] of pairs) {
      const activity = bob.activity(type, first, { to: [PUBLIC] });
      await bob.deliver(alice.server, activity);
      await beth.deliver(alice.server, beth.create(beth.note({ id: activity.id })));
      for (const account of [bob, beth]) {
        const again = account.activity(type, second, { to: [PUBLIC] });
        await account.deliver(alice.server, { ...again, id: activity.id });
        expect([type, count(alice.server, "incoming_activities")]).toEqual([type, 0]);
      }
    }
    expect(await statusOf(two.id)).toMatchObject({ favourites_count: 0, reblogs_count: 0 });
    const announce = mallory.activity("Announce", one.uri, { to: [PUBLIC] });
    await mallory.deliver(alice.server, announce);
    peer.serve(announce.id, mallory.note({ id: announce.id }));
    expect((await alice.resolve(announce.id)).statuses).toEqual([]);
  });

  test("gives a boost no content", async () => {
    const mine = await alice.publish("mine");
    const boost = bob.activity("Announce", mine.uri, { to: [PUBLIC] });
    await bob.deliver(alice.server, boost);
    const note = bob.note({ id: boost.id, updated: "2026-11-21T13:00:00Z" });
    await bob.deliver(alice.server, bob.activity("Update", note, { to: [PUBLIC] }));
    const sql = "SELECT content, edited_at FROM statuses WHERE uri = $uri";
    expect(alice.server.ctx.db.get<Json>(sql, { uri: boost.id })).toEqual({ content: "", edited_at: null });
  });
});

describe("An Accept or Reject", () => {
  const relationship = async (id: string) => (await alice.get(`/api/v1/accounts/relationships?id[]=${id}`)).json[0];

  test("of a Follow that was never sent has no effect", async () => {
    const carol = peer.account("carol", "good.test");
    await carol.deliver(alice.server, carol.activity("Follow", alice.uri));
    const carolId = accountId(alice.server, carol.uri)!;
    for (const object of [
      `${alice.uri}#follows/1`,
      { id: `${alice.uri}#follows/99`, type: "Follow", actor: alice.uri, object: carol.uri },
      { type: "Follow", actor: alice.uri, object: carol.uri },
    ]) {
      await carol.deliver(alice.server, carol.activity("Accept", object));
      await carol.deliver(alice.server, carol.activity("Reject", object));
    }
    expect(await relationship(carolId)).toMatchObject({ following: false, requested: false });
    expect(count(alice.server, "follows WHERE account_id = " + alice.id)).toBe(2);
  });

  test("from another actor than the one that was asked has no effect", async () => {
    const carol = peer.account("carol", "good.test");
    await carol.deliver(alice.server, carol.activity("Follow", alice.uri));
    const carolId = accountId(alice.server, carol.uri)!;
    await alice.follow({ id: carolId });
    await alice.server.drain();
    const follow = peer.delivered.find(({ type, object }) => type === "Follow" && object === carol.uri)!;
    for (const forger of [mallory, bob]) {
      for (const object of [follow, follow.id, { ...follow, id: undefined }]) {
        await forger.deliver(alice.server, forger.activity("Accept", object));
        expect(await relationship(carolId)).toMatchObject({ following: false, requested: true });
        await forger.deliver(alice.server, forger.activity("Reject", object));
        expect(await relationship(carolId)).toMatchObject({ following: false, requested: true });
      }
    }
    await carol.deliver(alice.server, carol.activity("Accept", follow.id));
    expect(await relationship(carolId)).toMatchObject({ following: true, requested: false });
    await mallory.deliver(alice.server, mallory.activity("Reject", follow));
    expect(await relationship(carolId)).toMatchObject({ following: true });
  });
});

describe("A Like or Announce", () => {
  /** Sends both about one of alice's posts, and returns what they changed. */
  const reactions = async (account: HostileAccount, id: string) => {
    const { uri } = await statusOf(id);
    await account.deliver(alice.server, account.activity("Like", uri));
    await account.deliver(alice.server, account.activity("EmojiReact", uri, { content: "🔥" }));
    await account.deliver(alice.server, account.activity("Announce", uri, { to: [PUBLIC] }));
    const { favourites_count, reblogs_count } = await statusOf(id);
    return [favourites_count, reblogs_count];
  };

  test("of a post that the actor can't see has no effect", async () => {
    const stranger = peer.account("stranger");
    const { id: followersOnly } = await alice.publish({ status: "for followers", visibility: "private" });
    expect(await reactions(stranger, followersOnly)).toEqual([0, 0]);
    const { id: direct } = await alice.publish({ status: `@${bob.handle} psst`, visibility: "direct" });
    expect(await reactions(mallory, direct)).toEqual([0, 0]);
  });

  test("of a private post by someone who can see it never makes it public", async () => {
    const { id: followersOnly } = await alice.publish({ status: "for followers", visibility: "private" });
    expect(await reactions(bob, followersOnly)).toEqual([1, 0]);
    const { id: direct } = await alice.publish({ status: `@${bob.handle} psst`, visibility: "direct" });
    expect(await reactions(bob, direct)).toEqual([1, 0]);
  });

  test("by an actor that the author blocks has no effect", async () => {
    const { id } = await alice.publish("hello");
    await alice.post(`/api/v1/accounts/${bobId}/block`);
    expect(await reactions(bob, id)).toEqual([0, 0]);
    expect((await alice.get("/api/v1/notifications?types[]=favourite&types[]=reblog")).json).toEqual([]);
  });

  test("of another server's private post, which its author boosts for everyone, stays private", async () => {
    const note = await published({ to: [bob.document.followers], cc: [] });
    await mallory.deliver(alice.server, mallory.activity("Announce", note.id, { to: [PUBLIC] }));
    await bob.deliver(alice.server, bob.activity("Announce", note.id, { to: [PUBLIC] }));
    const shown = async (who: Client) => (await who.get(`/api/v1/accounts/${bobId}/statuses`)).json as Json[];
    expect((await shown(alice)).map(({ visibility }) => visibility)).toEqual(["private", "private"]);
    expect(await shown(alice.server.stranger())).toEqual([]);
  });
});

describe("A vote", () => {
  const tallies = async (id: string) =>
    (await alice.get(`/api/v1/polls/${id}`)).json.options.map(({ votes_count }: Json) => votes_count);
  const ask = async (more: object = {}) => {
    const { poll, uri } = await alice.publish({
      status: "tea?",
      poll: { options: ["yes", "no"], expires_in: 3600 },
      ...more,
    });
    return { id: poll.id as string, uri: uri as string };
  };
  const vote = (account: HostileAccount, question: string, name: string) =>
    account.deliver(
      alice.server,
      account.create(account.note({ name, content: undefined, inReplyTo: question, to: [alice.uri], cc: [] })),
    );

  test("counts once", async () => {
    const poll = await ask();
    await vote(bob, poll.uri, "yes");
    await vote(bob, poll.uri, "yes");
    await vote(bob, poll.uri, "no");
    expect(await tallies(poll.id)).toEqual([1, 0]);
  });

  test("for an option that doesn't exist, or in no poll, has no effect", async () => {
    const poll = await ask();
    const { uri } = await alice.publish("no poll");
    for (const name of ["maybe", "Yes", "yes ", "0", "__proto__"]) await vote(bob, poll.uri, name);
    await vote(bob, uri, "yes");
    await vote(bob, `${alice.uri}/statuses/1`, "yes");
    expect(await tallies(poll.id)).toEqual([0, 0]);
    expect(count(alice.server, "statuses")).toBe(2);
  });

  test("after the end has no effect", async () => {
    const poll = await ask();
    alice.server.clock.advance(3600_000);
    await vote(bob, poll.uri, "yes");
    expect(await tallies(poll.id)).toEqual([0, 0]);
  });

  test("in a poll that the sender can't see has no effect, nor one by a blocked account", async () => {
    const poll = await ask({ visibility: "private" });
    await vote(peer.account("stranger"), poll.uri, "yes");
    const open = await ask();
    await alice.post(`/api/v1/accounts/${bobId}/block`);
    await vote(bob, open.uri, "yes");
    expect([...(await tallies(poll.id)), ...(await tallies(open.id))]).toEqual([0, 0, 0, 0]);
  });

  test("may be given for several options only if the poll allows it", async () => {
    const poll = await ask({ poll: { options: ["yes", "no"], expires_in: 3600, multiple: true } });
    await vote(bob, poll.uri, "yes");
    await vote(bob, poll.uri, "no");
    await vote(bob, poll.uri, "no");
    expect(await tallies(poll.id)).toEqual([1, 1]);
  });
});

describe("A post that was deleted", () => {
  test("doesn't come back, however it arrives", async () => {
    const note = await published();
    await bob.deliver(alice.server, bob.activity("Delete", { id: note.id, type: "Tombstone" }));
    peer.serve(note.id, note);
    await bob.deliver(alice.server, bob.create(note));
    await bob.deliver(alice.server, bob.activity("Update", note));
    await mallory.deliver(alice.server, mallory.activity("Announce", note.id, { to: [PUBLIC] }));
    const reply = mallory.note({ inReplyTo: note.id });
    await mallory.deliver(alice.server, mallory.create(reply));
    expect(await contents()).toEqual([]);
    expect(statusId(alice.server, reply.id)).not.toBeNull();
    expect(peer.fetched("good.test")).not.toContain(note.id);
    expect((await alice.resolve(note.id)).statuses).toEqual([]);
    expect(statusId(alice.server, note.id)).toBeNull();
  });

  test("doesn't arrive after its Delete", async () => {
    const note = bob.note();
    await bob.deliver(alice.server, bob.activity("Delete", note.id));
    await bob.deliver(alice.server, bob.create(note));
    expect(await contents()).toEqual([]);
  });

  test("isn't boosted again after the boost was undone", async () => {
    const note = await published();
    const announce = mallory.activity("Announce", note.id, { to: [PUBLIC] });
    await mallory.deliver(alice.server, announce);
    await mallory.deliver(alice.server, mallory.activity("Undo", announce));
    await mallory.deliver(alice.server, announce);
    expect(await home()).toHaveLength(1);
  });
});

describe("An activity of a deleted account", () => {
  test("has no effect if it was accepted before", async () => {
    const { id, uri } = await alice.publish("mine");
    expect(await bob.send(alice.server, bob.activity("Delete", bob.uri))).toBe(202);
    expect(await bob.send(alice.server, bob.activity("Like", uri))).toBe(202);
    expect(await bob.send(alice.server, bob.create(bob.note({ to: [alice.uri] })))).toBe(202);
    await alice.server.drain();
    expect(await statusOf(id)).toMatchObject({ favourites_count: 0 });
    expect(count(alice.server, "statuses")).toBe(1);
  });

  test("has no effect", async () => {
    await bob.deliver(alice.server, bob.activity("Delete", bob.uri));
    const note = bob.note();
    peer.serve(note.id, note);
    expect(await bob.send(alice.server, bob.create(note))).toBe(401);
    await mallory.deliver(alice.server, mallory.activity("Announce", note.id, { to: [PUBLIC] }));
    expect((await alice.resolve(note.id)).statuses).toEqual([]);
    expect(count(alice.server, "statuses")).toBe(0);
    expect(count(alice.server, "incoming_activities")).toBe(0);
  });
});
