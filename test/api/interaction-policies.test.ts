import { beforeAll, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";

/* Bob follows Alice, Alice follows Carol, and Dora and Alice follow each other. */

const people = serverForAllTests(["alice", "bob", "carol", "dora", "eve"]);
const { server, alice, bob, carol, dora, eve } = people;

beforeAll(async () => {
  await bob.follow(alice);
  await alice.follow(carol);
  await dora.follow(alice);
  await alice.follow(dora);
});

const only = (...words: string[]) => ({ always: words });
const publish = (rules: object, more: object = {}): Promise<Json> =>
  alice.publish({ status: "hello", interaction_policy: rules, ...more });
const reply = async (who: Client, { id }: Json, status = "indeed") => {
  const answer = await who.post("/api/v1/statuses", { status, in_reply_to_id: id });
  return [answer.status, answer.json.error ?? "published"];
};
const act = async (who: Client, action: string, { id }: Json) =>
  (await who.post(`/api/v1/statuses/${id}/${action}`)).status;
const read = async (who: Client, { id }: Json): Promise<Json> => (await who.get(`/api/v1/statuses/${id}`)).json;
/** Of those, the ones that may reply. */
const repliers = async (post: Json, ...names: ("alice" | "bob" | "carol" | "dora" | "eve")[]) => {
  const answers = await Promise.all(names.map(async (name) => [name, (await reply(people[name], post))[0]]));
  return answers.filter(([, status]) => status === 200).map(([name]) => name);
};
const ALL = ["alice", "bob", "carol", "dora", "eve"] as const;

describe("A post without a policy", () => {
  test("shows what its visibility allows, and the viewer among those", async () => {
    const rule = (...words: string[]) => ({
      always: words,
      with_approval: [],
      automatic_approval: words,
      manual_approval: [],
    });
    const post = await alice.publish("open");
    const open = rule("public", "me");
    expect(post.interaction_policy).toEqual({ can_favourite: open, can_reply: open, can_reblog: open });
    expect((await read(server.stranger(), post)).interaction_policy.can_reply).toEqual(rule("public"));
    const secret = await alice.publish({ status: "for followers", visibility: "private" });
    expect((await read(bob, secret)).interaction_policy).toEqual({
      can_favourite: rule("author", "followers", "mentioned", "me"),
      can_reply: rule("author", "followers", "mentioned", "me"),
      can_reblog: rule("author"),
    });
    const direct = await alice.publish({ status: "@eve hi", visibility: "direct" });
    expect((await read(eve, direct)).interaction_policy).toEqual({
      can_favourite: rule("author", "mentioned", "me"),
      can_reply: rule("author", "mentioned", "me"),
      can_reblog: rule("author"),
    });
  });
});

describe("A post", () => {
  test.each([
    [["followers"], ["alice", "bob", "dora"]],
    [["following"], ["alice", "carol", "dora"]],
    [["mutuals"], ["alice", "dora"]],
    [
      ["followers", "following"],
      ["alice", "bob", "carol", "dora"],
    ],
    [["author"], ["alice"]],
    [[], ["alice"]],
    [["public", "author"], [...ALL]],
  ])("that lets %p reply is answered by those only", async (words, expected) => {
    expect(await repliers(await publish({ can_reply: only(...words) }), ...ALL)).toEqual([...expected]);
  });

  test("refuses replies, boosts and favourites with the reason, and shows who may", async () => {
    const nobody = only("author");
    const post = await publish({ can_reply: nobody, can_reblog: nobody, can_favourite: nobody });
    expect(await reply(bob, post)).toEqual([403, "The author of this post does not allow you to reply to it."]);
    for (const action of ["reblog", "favourite"]) {
      const { status, json } = await bob.post(`/api/v1/statuses/${post.id}/${action}`);
      const verb = action === "reblog" ? "boost" : action;
      expect([status, json.error]).toEqual([403, `The author of this post does not allow you to ${verb} it.`]);
      expect(await act(alice, action, post)).toBe(200);
    }
    const { interaction_policy: shown } = await read(bob, post);
    expect([shown.can_reply.always, shown.can_reblog.always]).toEqual([["author", "mentioned"], ["author"]]);
    expect((await read(alice, post)).interaction_policy.can_reblog.always).toEqual(["author", "me"]);
  });

  test("can always be answered by those that it mentions or replies to, but not by those that it quotes", async () => {
    const nobody = { can_reply: only("author") };
    expect(await repliers(await publish(nobody, { status: "@eve hello" }), "bob", "eve")).toEqual(["eve"]);
    const question = await eve.publish("a question");
    const answer = await publish(nobody, { status: "an answer", in_reply_to_id: question.id });
    expect(await repliers(answer, "bob", "eve")).toEqual(["eve"]);
    const quote = await publish(nobody, { status: "a quote", quoted_status_id: question.id });
    expect(await repliers(quote, "bob", "eve")).toEqual([]);
  });

  test("lets mentioned accounts boost it only if its policy says so", async () => {
    for (const [words, status] of [
      [["mentioned"], 200],
      [["author"], 403],
    ] as const) {
      const post = await publish({ can_reblog: only(...words) }, { status: "@eve hello" });
      expect([await act(eve, "reblog", post), await act(bob, "reblog", post)]).toEqual([status, 403]);
    }
  });

  test("takes both spellings of GoToSocial, also as a form, and what an app was shown", async () => {
    const form = new URLSearchParams([
      ["status", "hello"],
      ["interaction_policy[can_reply][always][0]", "author"],
      ["interaction_policy[can_reply][always][1]", "followers"],
      ["interaction_policy[can_reply][with_approval][0]", "public"],
      ["interaction_policy[can_reblog][automatic_approval][]", "me"],
    ]);
    const { json } = await alice.post("/api/v1/statuses", form);
    const { can_reply, can_reblog, can_favourite } = json.interaction_policy;
    expect(can_reply.always).toEqual(["author", "followers", "mentioned", "me"]);
    expect([can_reply.with_approval, can_reblog.always]).toEqual([[], ["author", "me"]]);
    const { status, json: edited } = await alice.put(`/api/v1/statuses/${json.id}`, {
      status: "changed",
      interaction_policy: { can_favourite, can_reply, can_reblog },
    });
    expect([status, edited.interaction_policy]).toEqual([200, json.interaction_policy]);
  });

  test("refuses words that no policy has", async () => {
    const { status, json } = await alice.post("/api/v1/statuses", {
      status: "hello",
      interaction_policy: { can_reply: only("friends") },
    });
    expect([status, json.error]).toEqual([422, "'friends' is not a valid always"]);
  });

  test("can be closed and opened later; replies that exist stay", async () => {
    const post = await alice.publish("hello");
    expect(await repliers(post, "bob")).toEqual(["bob"]);
    await alice.put(`/api/v1/statuses/${post.id}`, { interaction_policy: { can_reply: only("author") } });
    const closed = await read(bob, post);
    expect([closed.edited_at, closed.replies_count]).toEqual([null, 1]);
    expect(await repliers(post, "bob")).toEqual([]);
    await alice.put(`/api/v1/statuses/${post.id}`, { interaction_policy: { can_reply: only("public") } });
    expect(await repliers(post, "bob")).toEqual(["bob"]);
  });

  test("that waits for its time keeps its policy, and a scheduled reply that is no longer allowed stands alone", async () => {
    const post = await alice.publish("hello");
    const at = new Date(server.clock.now() + 3600_000).toISOString();
    const waiting = { status: "later", scheduled_at: at };
    await alice.post("/api/v1/statuses", { ...waiting, interaction_policy: { can_reblog: only("followers") } });
    await bob.post("/api/v1/statuses", { ...waiting, in_reply_to_id: post.id });
    await alice.put(`/api/v1/statuses/${post.id}`, { interaction_policy: { can_reply: only("author") } });
    server.clock.advance(3600_000);
    await server.drain();
    const newest = async (who: Client) => (await alice.get(`/api/v1/accounts/${who.id}/statuses?limit=1`)).json[0];
    expect((await newest(alice)).interaction_policy.can_reblog.always).toEqual(["author", "followers", "me"]);
    expect(await newest(bob)).toMatchObject({ content: "<p>later</p>", in_reply_to_id: null });
  });
});

describe("The default policies", () => {
  const PATH = "/api/v1/interaction_policies/defaults";

  test("apply to new posts of their visibility, and a missing one gets its original again", async () => {
    const { json: original } = await eve.get(PATH);
    expect(Object.keys(original).toSorted()).toEqual(["direct", "private", "public", "unlisted"]);
    expect(original.public.can_reply.always).toEqual(["public"]);
    expect(original.direct.can_reblog.always).toEqual(["author"]);
    const changed = { public: { can_reply: only("followers") }, private: { can_reply: only("author") } };
    const { json } = await eve.patch(PATH, changed);
    expect(json.public.can_reply.always).toEqual(["author", "followers", "mentioned"]);
    expect([json.public.can_reblog.always, json.unlisted]).toEqual([["public"], original.unlisted]);
    const rule = async (more: object) =>
      (await eve.publish({ status: "hello", ...more })).interaction_policy.can_reply.always;
    expect(await rule({})).toEqual(["author", "followers", "mentioned", "me"]);
    expect(await rule({ visibility: "unlisted" })).toEqual(["public", "me"]);
    expect(await rule({ visibility: "private" })).toEqual(["author", "mentioned", "me"]);
    expect(await rule({ interaction_policy: { can_reply: only("public") } })).toEqual(["public", "me"]);
    expect((await eve.patch(PATH, { private: null })).json).toEqual(original);
  });

  test("need the scopes for accounts", async () => {
    const other = server.otherApp(eve, "read:statuses write:statuses");
    expect([(await other.get(PATH)).status, (await other.patch(PATH, {})).status]).toEqual([403, 403]);
  });
});
