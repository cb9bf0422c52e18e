import { beforeEach, describe, expect, test } from "bun:test";
import { PUBLIC } from "../../src/federation/read/audience.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

/* Bob's and Ines's servers know nothing of policies, or lie. Alice and Bob follow each other. */

const { alice, drain, advance } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let ines: HostileAccount;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  ines = peer.account("ines", "gallery.test");
  await befriend(alice, bob);
});

const only = (...words: string[]) => ({ always: words });
const CLOSED = { can_reply: only("author"), can_reblog: only("author"), can_favourite: only("author") };

/** Ines and Bob answer a post, boost it and favourite it. Returns how often each of these counts. */
async function interactions({ id, uri }: Json, ...who: HostileAccount[]): Promise<[number, number, number]> {
  for (const account of who) {
    await account.deliver(alice.server, account.create(account.note({ inReplyTo: uri })));
    await account.deliver(alice.server, account.activity("Announce", uri, { to: [PUBLIC], cc: [alice.uri] }));
    await account.deliver(alice.server, account.activity("Like", uri));
  }
  const { json } = await alice.get(`/api/v1/statuses/${id}`);
  return [json.replies_count, json.reblogs_count, json.favourites_count];
}

const documentOf = async ({ uri }: Json): Promise<Json> => {
  const path = alice.server.origin + new URL(uri).pathname;
  return (await fetch(path, { headers: { accept: "application/activity+json" } })).json();
};

describe("A post here", () => {
  test("tells other servers who may interact with it, and nothing if everyone may", async () => {
    const rules = { can_reply: only("mutuals"), can_reblog: only("following"), can_favourite: only() };
    const post = await alice.publish({ status: `@${bob.handle} hello`, interaction_policy: rules });
    const { interactionPolicy } = await documentOf(post);
    expect(interactionPolicy).toEqual({
      canLike: { automaticApproval: [alice.uri], manualApproval: [] },
      canReply: { automaticApproval: [alice.uri, `${alice.uri}/followers`, bob.uri], manualApproval: [] },
      canAnnounce: { automaticApproval: [alice.uri, `${alice.uri}/following`], manualApproval: [] },
      canQuote: { automaticApproval: [PUBLIC], manualApproval: [] },
    });
    const open = await alice.publish("open");
    expect(Object.keys((await documentOf(open)).interactionPolicy)).toEqual(["canQuote"]);
  });

  test("that is closed gets nothing from servers that know no policies", async () => {
    const post = await alice.publish({ status: "closed", interaction_policy: CLOSED });
    expect(await interactions(post, bob, ines)).toEqual([0, 0, 0]);
    expect(await alice.news()).toEqual([["follow", bob.handle]]);
    expect(await alice.home()).toHaveLength(1);
  });

  test.each(["followers", "following", "mutuals"])("for %p gets something from those only", async (word) => {
    const policy = { can_reply: only(word), can_reblog: only(word), can_favourite: only(word) };
    const post = await alice.publish({ status: "closed", interaction_policy: policy });
    expect(await interactions(post, bob, ines)).toEqual([1, 1, 1]);
  });

  test("can be answered by accounts that it mentions", async () => {
    await alice.idOf(ines);
    const post = await alice.publish({ status: `@${ines.handle} hello`, interaction_policy: CLOSED });
    expect(await interactions(post, bob, ines)).toEqual([1, 0, 0]);
  });
});

describe("A post of another server", () => {
  const rule = (...uris: string[]) => ({ automaticApproval: uris });
  /** Bob publishes a post that Alice gets. */
  async function posted(interactionPolicy: unknown, more: Json = {}): Promise<Json> {
    const note = bob.note({ interactionPolicy, ...more });
    peer.serve(note.id, note);
    await bob.deliver(alice.server, bob.create(note));
    return (await alice.copyOf({ uri: note.id }))!;
  }
  /** The statuses of Alice's reply, boost and favourite. */
  async function tried({ id }: Json): Promise<[number, number, number]> {
    const reply = await alice.post("/api/v1/statuses", { status: "indeed", in_reply_to_id: id });
    const [boost, favourite] = [
      await alice.post(`/api/v1/statuses/${id}/reblog`),
      await alice.post(`/api/v1/statuses/${id}/favourite`),
    ];
    return [reply.status, boost.status, favourite.status];
  }

  test("that is closed can't be answered, boosted or favourited, with either spelling and while others must ask", async () => {
    const me = rule(bob.uri);
    const asking = { manualApproval: [PUBLIC] };
    const older = { always: bob.uri, approvalRequired: [PUBLIC] };
    expect(await tried(await posted({ canReply: me, canAnnounce: asking, canLike: older }))).toEqual([403, 403, 403]);
    const post = await posted({ canReply: older, canAnnounce: { automaticApproval: [] }, canLike: asking });
    expect(await tried(post)).toEqual([403, 403, 403]);
    expect(post.interaction_policy.can_reply.always).toEqual(["author", "mentioned"]);
  });

  test("is open where its policy says nothing", async () => {
    for (const policy of [
      null,
      {},
      PUBLIC,
      { canReply: {}, canLike: null, canAnnounce: [] },
      { canReply: rule("as:Public") },
    ]) {
      expect(await tried(await posted(policy))).toEqual([200, 200, 200]);
    }
  });

  test("is open to its followers, to accounts that it names, and to replies of those that it mentions", async () => {
    const followers = rule(bob.document.followers);
    expect(await tried(await posted({ canReply: followers, canAnnounce: followers, canLike: rule() }))).toEqual([
      200, 200, 403,
    ]);
    const named = rule(alice.uri, `${alice.uri}2`);
    expect(await tried(await posted({ canReply: named, canAnnounce: named, canLike: rule(`${alice.uri}2`) }))).toEqual([
      200, 200, 403,
    ]);
    const closed = rule(bob.uri);
    const tag = { type: "Mention", href: alice.uri, name: `@${alice.handle}` };
    const post = await posted({ canReply: closed, canAnnounce: closed, canLike: closed }, { tag });
    expect(await tried(post)).toEqual([200, 403, 403]);
  });

  test("follows the changes of its policy", async () => {
    const post = await posted({});
    advance(60_000);
    const note = bob.note({ id: post.uri, interactionPolicy: { canReply: rule(bob.uri) } });
    await bob.deliver(alice.server, bob.activity("Update", note, { to: note.to, cc: note.cc }));
    expect((await tried(post))[0]).toBe(403);
  });

  test("for followers has replies of accounts of a third server, which knows whether they follow", async () => {
    const post = await posted({ canReply: rule(bob.document.followers) });
    const reply = ines.note({ inReplyTo: post.uri, cc: [alice.uri] });
    await ines.deliver(alice.server, ines.create(reply));
    expect(await alice.copyOf({ uri: reply.id })).toMatchObject({ in_reply_to_id: post.id });
  });

  test("that is closed has no replies by others here, also if they mention a user or came first", async () => {
    const late = bob.note({ interactionPolicy: { canReply: rule(bob.uri) } });
    const early = ines.note({ inReplyTo: late.id, cc: [alice.uri] });
    await ines.deliver(alice.server, ines.create(early));
    expect(await alice.copyOf({ uri: early.id })).toMatchObject({ in_reply_to_id: null });
    await bob.deliver(alice.server, bob.create(late));
    const parent = (await alice.copyOf({ uri: late.id }))!;
    const reply = ines.note({ inReplyTo: late.id, cc: [alice.uri] });
    await ines.deliver(alice.server, ines.create(reply));
    await drain();
    expect(await alice.copyOf({ uri: reply.id })).toBeNull();
    const { json: thread } = await alice.get(`/api/v1/statuses/${parent.id}/context`);
    expect([thread.descendants, parent.replies_count]).toEqual([[], 0]);
  });
});
