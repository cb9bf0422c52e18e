import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, type HostileAccount, hostilePeerForEachTest, PUBLIC, statusId } from "../support/hostile-peer.ts";
import { moved } from "./read/fixtures.ts";

/* Groups (FEP-1b12), such as the communities of Lemmy and PieFed. */

const MINUTE = 60_000;

const { alice, bob, drain, advance } = neighboursForEachTest(["alice", "bob"]);
const peer = hostilePeerForEachTest();
let group: HostileAccount;
let author: HostileAccount;
let page: Json;
let addresses: Record<string, string>;

beforeEach(async () => {
  group = peer.account("bread", "lemmy.test", { type: "Group" });
  author = peer.account("sef", "other.test");
  addresses = {
    "https://lemmy.example/c/bread": group.uri,
    "https://lemmy.example": group.origin,
    "https://other.example/u/sef": author.uri,
    "https://other.example": author.origin,
    "https://piefed.example/c/maps": group.uri,
    "https://piefed.example/post/512": `${author.origin}/post/88`,
    "https://piefed.example": group.origin,
  };
  page = await moved("lemmy/page", addresses);
  peer.serve(page.id, page);
});

let announced = 0;

/** The group announces a fixture, with an id of its own. */
async function announce(name: string, by = group): Promise<void> {
  const activity = await moved(name, addresses);
  await by.deliver(alice.server, { ...activity, actor: by.uri, id: `${by.uri}/announced/${(announced += 1)}` });
}

const fetches = () => peer.fetched("other.test").filter((url) => url === page.id).length;
/** The activities of a type that an account received. */
const sentTo = ({ uri }: HostileAccount, type: string): Json[] =>
  peer.asked
    .filter(({ method, url }) => method === "POST" && url === `${uri}/inbox`)
    .map(({ body }) => JSON.parse(body))
    .filter((activity) => activity.type === type);

describe("A group that a user follows", () => {
  beforeEach(() => befriend(alice, group));

  test.each(["lemmy/announce-delete", "piefed/announce-delete"])(
    "takes its boost back by %s, but the post stays as long as its own server has it",
    async (name) => {
      await announce("lemmy/announce-create");
      expect(await alice.home()).toHaveLength(1);
      await announce(name);
      expect(await alice.home()).toEqual([]);
      expect(await alice.copyOf({ uri: page.id })).toMatchObject({ reblogs_count: 0 });
    },
  );

  test.each<[string, () => Response]>([
    ["404", () => new Response(null, { status: 404 })],
    ["410", () => new Response(null, { status: 410 })],
    [
      "a Tombstone",
      () =>
        Response.json({ id: page.id, type: "Tombstone" }, { headers: { "content-type": "application/activity+json" } }),
    ],
  ])("announces a deletion, which counts if the post's own server answers %s", async (_, answer) => {
    await announce("lemmy/announce-create");
    peer.serve(page.id, answer);
    await announce("lemmy/announce-delete");
    expect(statusId(alice.server, page.id)).toBeNull();
  });

  test("announces an edit, which is read from the post's own server, once a minute", async () => {
    await announce("lemmy/announce-create");
    advance(MINUTE);
    const updated = new Date(alice.server.clock.now()).toISOString();
    peer.serve(page.id, { ...page, name: "A rye loaf that rose", updated });
    await announce("lemmy/announce-update");
    const content = async () => (await alice.copyOf({ uri: page.id }))!.content;
    expect(await content()).toStartWith("<p>A rye loaf that rose</p><p>I tried <strong>three</strong>");
    const before = fetches();
    await announce("lemmy/announce-update");
    await announce("lemmy/announce-update");
    expect(fetches()).toBe(before);
    advance(MINUTE);
    await drain();
    expect(fetches()).toBe(before + 1);
    peer.serve(page.id, { ...page, name: "Stolen", attributedTo: `${author.origin}/u/eve`, updated });
    await announce("lemmy/announce-update");
    advance(MINUTE);
    await drain();
    expect(fetches()).toBe(before + 2);
    expect(await content()).toStartWith("<p>A rye loaf that rose</p>");
  });

  test("changes nothing by bans and pins, or for posts that it does not boost, and asks no server for them", async () => {
    const other = peer.account("cake", "lemmy.test", { type: "Group" });
    const person = peer.account("dan", "lemmy.test");
    for (const account of [other, person]) await befriend(alice, account);
    await announce("lemmy/announce-create");
    await announce("lemmy/announce-create", person);
    const before = fetches();
    await announce("lemmy/announce-block");
    await announce("lemmy/announce-feature");
    for (const account of [other, person]) {
      await announce("lemmy/announce-delete", account);
      await announce("lemmy/announce-update", account);
    }
    expect(await alice.copyOf({ uri: page.id })).toMatchObject({ reblogs_count: 2 });
    expect(fetches()).toBe(before);
  });

  test("gets replies to its posts and replies to these, like their authors, with edits and deletions", async () => {
    await announce("lemmy/announce-create");
    const copy = (await alice.copyOf({ uri: page.id }))!;
    const reply = await alice.publish({ status: "Which flour?", in_reply_to_id: copy.id });
    const second = await alice.publish({ status: "Rye, of course", in_reply_to_id: reply.id });
    await drain();
    for (const account of [group, author]) {
      const [create] = sentTo(account, "Create");
      expect(create).toMatchObject({
        to: [PUBLIC],
        audience: group.uri,
        object: { id: reply.uri, audience: group.uri },
      });
      expect([create!.cc, create!.object.cc]).toEqual([
        [`${alice.uri}/followers`, group.uri, author.uri],
        [`${alice.uri}/followers`, group.uri, author.uri],
      ]);
    }
    expect(sentTo(group, "Create").map(({ object }) => object.id)).toEqual([reply.uri, second.uri]);
    await alice.put(`/api/v1/statuses/${second.id}`, { status: "Rye and wheat" });
    await drain();
    await alice.delete(`/api/v1/statuses/${second.id}`);
    await drain();
    expect([sentTo(group, "Update").length, sentTo(group, "Delete").length]).toEqual([1, 1]);
  });

  test("gets posts that mention it, and may boost them", async () => {
    const post = await alice.publish(`Sourdough @${group.handle}`);
    await drain();
    expect(sentTo(group, "Create")).toMatchObject([{ audience: group.uri, object: { id: post.uri, to: [PUBLIC] } }]);
    const create = sentTo(group, "Create")[0];
    await group.deliver(alice.server, group.activity("Announce", create, { to: [PUBLIC] }));
    expect(await alice.news()).toContainEqual(["reblog", group.handle]);
    const reblogs = async () => (await alice.get(`/api/v1/statuses/${post.id}`)).json.reblogs_count;
    expect(await reblogs()).toBe(1);
    const removal = { id: `${group.uri}/deletes/1`, type: "Delete", actor: group.uri, object: post.uri };
    await group.deliver(alice.server, group.activity("Announce", removal, { to: [PUBLIC] }));
    expect(await reblogs()).toBe(0);
  });
});

test("A group that nobody follows gets replies to its posts, too", async () => {
  const { statuses } = await alice.resolve(page.id);
  const reply = await alice.publish({ status: "Which flour?", in_reply_to_id: statuses[0].id });
  const second = await alice.publish({ status: "Rye, of course", in_reply_to_id: reply.id });
  await drain();
  expect(sentTo(group, "Create").map(({ object }) => object.id)).toEqual([reply.uri, second.uri]);
  await alice.delete(`/api/v1/statuses/${second.id}`);
  await drain();
  expect(sentTo(group, "Delete").map(({ object }) => object.id)).toEqual([second.uri]);
});

test("A group gets neither a reply for followers only nor its deletion", async () => {
  const { statuses } = await alice.resolve(page.id);
  const reply = await alice.publish({ status: "Between us", in_reply_to_id: statuses[0].id, visibility: "private" });
  await drain();
  await alice.delete(`/api/v1/statuses/${reply.id}`);
  await drain();
  expect(peer.asked.filter(({ method, url }) => method === "POST" && url.startsWith(group.origin))).toEqual([]);
});

test("A member's post reaches another member by the group, and the answer reaches the group and its author", async () => {
  await befriend(alice, group);
  const post = await bob.publish(`Sourdough @${group.handle}`);
  await drain();
  const create = sentTo(group, "Create")[0];
  await group.deliver(alice.server, group.activity("Announce", create, { to: [PUBLIC] }));
  const [boost] = await alice.home();
  expect(boost).toMatchObject({ account: { group: true }, reblog: { uri: post.uri, account: { acct: bob.handle } } });
  const reply = await alice.publish({ status: "Which flour?", in_reply_to_id: boost!.reblog.id });
  await drain();
  expect(sentTo(group, "Create").map(({ object }) => object.id)).toEqual([post.uri, reply.uri]);
  expect((await bob.copyOf(reply))!.in_reply_to_id).toBe(post.id);
});
