import { beforeEach, describe, expect, test } from "bun:test";
import { PUBLIC } from "../../src/federation/read/audience.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

/* Bob follows Alice, and Ines doesn't. Their servers ask before they interact with a post, as GoToSocial's does. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let ines: HostileAccount;

beforeEach(async () => {
  bob = peer.account("bob", "good.test");
  ines = peer.account("ines", "gallery.test");
  await befriend(alice, bob);
});

const KINDS = ["Reply", "Like", "Announce"] as const;
type Kind = (typeof KINDS)[number];

const publish = (words: string[], more: Json = {}): Promise<Json> => {
  const rule = { always: words };
  const interaction_policy = { can_reply: rule, can_favourite: rule, can_reblog: rule };
  return alice.publish({ status: "hello", interaction_policy, ...more });
};

/** The wish of an account. */
function wish(who: HostileAccount, kind: Kind, { uri }: Json, more: Json = {}): Json {
  if (kind === "Reply") return who.note({ inReplyTo: uri, cc: [alice.uri], ...more });
  return who.activity(kind, uri, { to: [PUBLIC], cc: [alice.uri], ...more });
}

async function ask(who: HostileAccount, kind: Kind, { uri }: Json, instrument: unknown): Promise<Json> {
  const request = who.activity(`${kind}Request`, uri, { to: [alice.uri], instrument });
  await who.deliver(alice.server, request);
  return request;
}

/** The answers of Alice's server, without its other activities. */
const answers = () =>
  peer.delivered.filter(({ type, object }) => /^(Accept|Reject)$/.test(type) && object.type !== "Follow");

const counts = async ({ id }: Json): Promise<number[]> => {
  const { json } = await alice.get(`/api/v1/statuses/${id}`);
  return [json.replies_count, json.favourites_count, json.reblogs_count];
};

const authorizationAt = async (uri: string, who: HostileAccount | null = null): Promise<Json | number> => {
  const response = await (who ?? bob).fetch(alice.server, new URL(uri).pathname, who ? {} : null);
  return response.status === 200 ? response.json() : response.status;
};

describe.each([...KINDS])("A %sRequest", (kind) => {
  const only = KINDS.map((each) => (each === kind ? 1 : 0));

  test("by a follower is accepted at once, with an authorization that anyone can check", async () => {
    const post = await publish(["followers"]);
    const wanted = wish(bob, kind, post);
    const request = await ask(bob, kind, post, wanted);
    expect(await counts(post)).toEqual(only);
    const [answer] = answers();
    expect(answers()).toHaveLength(1);
    expect(answer).toMatchObject({ type: "Accept", actor: alice.uri, to: [bob.uri] });
    const asked = { id: request.id, type: `${kind}Request`, actor: bob.uri, object: post.uri, instrument: wanted.id };
    expect([answer!.object, answer!.cc]).toEqual([asked, undefined]);
    expect(await authorizationAt(answer!.result)).toMatchObject({
      id: answer!.result,
      type: `${kind}Authorization`,
      attributedTo: alice.uri,
      interactingObject: wanted.id,
      interactionTarget: post.uri,
    });
    await alice.server.person("dora");
    expect(await authorizationAt(answer!.result.replace("/alice/", "/dora/"))).toBe(404);
  });

  test("by any other account is rejected, and nothing is stored", async () => {
    const post = await publish(["followers"]);
    const request = await ask(ines, kind, post, wish(ines, kind, post));
    expect(answers()).toMatchObject([{ type: "Reject", to: [ines.uri], object: { id: request.id } }]);
    expect(answers()[0]).not.toHaveProperty("result");
    expect(await counts(post)).toEqual([0, 0, 0]);
  });

  test("by a blocked account, or for a post that is unknown or hidden, gets no answer", async () => {
    await alice.act("block", ines);
    const open = await publish(["public"]);
    await ask(ines, kind, open, wish(ines, kind, open));
    expect(answers()).toEqual([]);
    const secret = await publish(["public"], { visibility: "direct" });
    await ask(bob, kind, secret, wish(bob, kind, secret));
    await ask(bob, kind, { uri: `${open.uri}1` }, wish(bob, kind, open));
    expect([answers(), await counts(open), await counts(secret)]).toEqual([[], [0, 0, 0], [0, 0, 0]]);
  });

  test("that is repeated, or comes after the act, is accepted again, and counts once", async () => {
    const post = await publish(["public"]);
    const wanted = wish(bob, kind, post);
    await bob.deliver(alice.server, kind === "Reply" ? bob.create(wanted) : wanted);
    expect(answers()).toEqual([]);
    for (const instrument of [wanted, wanted.id]) await ask(bob, kind, post, instrument);
    expect(answers().map(({ type }) => type)).toEqual(["Accept", "Accept"]);
    expect(await counts(post)).toEqual(only);
  });

  test("for something else than it says has no effect", async () => {
    const [post, other] = [await publish(["followers"]), await publish(["public"])];
    const stored = wish(bob, kind, other);
    await bob.deliver(alice.server, kind === "Reply" ? bob.create(stored) : stored);
    const before = await counts(other);
    const lies = [
      wish(bob, kind, other),
      stored,
      { ...wish(bob, kind, post), id: `${ines.origin}/elsewhere` },
      wish(ines, kind, post),
      { ...wish(bob, kind, post), actor: ines.uri, attributedTo: ines.uri },
      wish(bob, kind === "Reply" ? "Like" : "Reply", post),
      `${bob.uri}/nothing`,
      null,
    ];
    for (const lie of lies) await ask(bob, kind, post, lie);
    expect([answers(), await counts(post), await counts(other)]).toEqual([[], [0, 0, 0], before]);
  });
});

test("A request to boost a post for followers is rejected, whatever its policy", async () => {
  const post = await publish(["public"], { visibility: "private" });
  await ask(bob, "Announce", post, wish(bob, "Announce", post));
  expect(answers()).toMatchObject([{ type: "Reject" }]);
});

test("A request may name the reply, which is then fetched", async () => {
  const post = await publish(["followers"]);
  const reply = wish(bob, "Reply", post);
  peer.serve(reply.id, reply);
  await ask(bob, "Reply", post, reply.id);
  expect([answers().length, await counts(post)]).toEqual([1, [1, 0, 0]]);
});

describe("What an account does without asking", () => {
  const doAll = async (who: HostileAccount, post: Json, more: Json = {}) => {
    for (const kind of KINDS) {
      const wanted = wish(who, kind, post, more);
      await who.deliver(alice.server, kind === "Reply" ? who.create(wanted) : wanted);
    }
  };

  test("is answered if the policy is about followers, also for the servers of other followers", async () => {
    await ines.deliver(alice.server, ines.activity("Follow", alice.uri));
    const post = await publish(["followers"]);
    await doAll(bob, post);
    const [reply, favourite, boost] = answers()
      .filter(({ to }) => to.includes(bob.uri))
      .filter(({ id }, at, all) => all.findIndex((each) => each.id === id) === at);
    const cc = [PUBLIC, `${alice.uri}/followers`];
    for (const answer of [reply, boost]) expect(answer).toMatchObject({ type: "Accept", target: post.uri, cc });
    expect([favourite!.target, favourite!.cc]).toEqual([post.uri, undefined]);
    expect(await authorizationAt(reply!.result)).toMatchObject({ interactingObject: reply!.object });
    const hosts = peer.asked.filter(({ body }) => body.includes(reply!.id)).map(({ url }) => new URL(url).hostname);
    expect(hosts.toSorted()).toEqual(["gallery.test", "good.test"]);
  });

  test("is not answered if the policy is open, or refuses it", async () => {
    for (const words of [["public"], ["author"], ["mentioned"]]) await doAll(bob, await publish(words));
    expect(answers()).toEqual([]);
  });
});

test("The authorization of a private reply is served to signed requests only, and of a removed one to nobody", async () => {
  const post = await publish(["followers"]);
  const reply = wish(bob, "Reply", post, { to: [bob.document.followers], cc: [alice.uri] });
  await ask(bob, "Reply", post, reply);
  const { result } = answers()[0]!;
  expect(await authorizationAt(result)).toBe(404);
  expect(await authorizationAt(result, ines)).toMatchObject({ interactingObject: reply.id });
  await bob.deliver(alice.server, bob.activity("Delete", reply.id));
  expect(await authorizationAt(result, ines)).toBe(404);
});
