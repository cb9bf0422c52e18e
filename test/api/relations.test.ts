import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, relationship } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

const act = (who: Client, verb: string, target: { id: string }, body?: object): Promise<Answer> =>
  who.post(`/api/v1/accounts/${target.id}/${verb}`, body);

describe("A note about an account", () => {
  const note = (comment?: string) => act(alice, "note", bob, comment === undefined ? undefined : { comment });

  test("is private, and replaced by the next", async () => {
    const { status, json } = await note("met in Ghent");
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ id: bob.id, note: "met in Ghent" });
    await note("met in Bruges");
    expect((await relationship(alice, bob)).note).toBe("met in Bruges");
    expect((await relationship(bob, alice)).note).toBe("");
    expect((await relationship(carol, bob)).note).toBe("");
  });

  test.each([[""], ["   "], [undefined]])("is removed with %p as the comment", async (comment) => {
    await note("met in Ghent");
    expect((await note(comment)).json.note).toBe("");
    expect((await relationship(alice, bob)).note).toBe("");
  });

  test("has at most 2,000 characters, counting graphemes", async () => {
    expect((await note("😀".repeat(2000))).status).toBe(200);
    const { status, json } = await note("x".repeat(2001));
    const reason = "Comment is too long (maximum is 2000 characters)";
    expect([status, json]).toEqual([422, { error: `Validation failed: ${reason}` }]);
    expect((await relationship(alice, bob)).note).toBe("😀".repeat(2000));
  });

  test("about an unknown account is not found", async () => {
    expect((await act(alice, "note", { id: "12" }, { comment: "who?" })).status).toBe(404);
  });
});

describe("Removing a follower", () => {
  test("ends their follow, not the user's own, and doesn't notify them", async () => {
    await act(alice, "follow", bob);
    await act(bob, "follow", alice);
    const { status, json } = await act(alice, "remove_from_followers", bob);
    expect(status).toBe(200);
    expectShape(json, "Relationship");
    expect(json).toMatchObject({ id: bob.id, followed_by: false, following: true });
    expect((await carol.get(`/api/v1/accounts/${alice.id}`)).json).toMatchObject({
      followers_count: 0,
      following_count: 1,
    });
    expect((await carol.get(`/api/v1/accounts/${bob.id}`)).json.following_count).toBe(0);
    expect((await bob.get("/api/v1/notifications")).json.map((it: Json) => it.type)).toEqual(["follow"]);
  });

  test("removes the user's posts from the follower's home timeline", async () => {
    await act(bob, "follow", alice);
    await alice.publish("hello");
    await act(alice, "remove_from_followers", bob);
    expect((await bob.get("/api/v1/timelines/home")).json).toEqual([]);
  });

  test("changes nothing for an account that doesn't follow or has only requested to", async () => {
    await alice.patch("/api/v1/accounts/update_credentials", { locked: true });
    await act(bob, "follow", alice);
    expect((await act(alice, "remove_from_followers", bob)).json).toMatchObject({ requested_by: true });
    expect((await act(alice, "remove_from_followers", carol)).status).toBe(200);
  });

  test("that doesn't exist is not found", async () => {
    expect((await act(alice, "remove_from_followers", { id: "12" })).status).toBe(404);
  });
});

describe("Familiar followers", () => {
  let dora: Client;

  beforeEach(async () => {
    dora = await server.person("dora");
    for (const target of [bob, carol]) {
      await act(alice, "follow", target);
      await act(target, "follow", dora);
    }
  });

  const familiar = async (...ids: string[]): Promise<Json> =>
    (await alice.get(`/api/v1/accounts/familiar_followers?${ids.map((id) => `id[]=${id}`).join("&")}`)).json;
  const hide = (who: Client) => who.patch("/api/v1/accounts/update_credentials", { hide_collections: true });

  test("are followers of each given account that the user follows", async () => {
    const stranger = await server.person("emil");
    await act(stranger, "follow", dora);
    const found = await familiar(dora.id, "12", "x", bob.id, dora.id);
    expectShape(found, ["FamiliarFollowers"]);
    expect(idsOf(found)).toEqual([dora.id, bob.id]);
    expect(found.map(({ accounts }: Json) => idsOf(accounts))).toEqual([[carol.id, bob.id], []]);
  });

  test("respect hidden followers and follows", async () => {
    await hide(bob);
    expect(idsOf((await familiar(dora.id))[0].accounts)).toEqual([carol.id]);
    await hide(dora);
    expect((await familiar(dora.id))[0].accounts).toEqual([]);
  });

  test("are empty without ids, and too many ids are refused", async () => {
    expect(await familiar()).toEqual([]);
    const many = Array.from({ length: 81 }, (_, at) => `id[]=${at + 1}`).join("&");
    expect((await alice.get(`/api/v1/accounts/familiar_followers?${many}`)).status).toBe(422);
  });
});

test("Identity proofs are an empty list, because Mastodon removed them", async () => {
  const { status, json } = await alice.get(`/api/v1/accounts/${bob.id}/identity_proofs`);
  expect([status, json]).toEqual([200, []]);
  expect((await alice.get("/api/v1/accounts/12/identity_proofs")).status).toBe(404);
});

test("Several accounts are returned once each, in the order of the request", async () => {
  const ids = [carol.id, "12", bob.id, carol.id, "x"].map((id) => `id[]=${id}`).join("&");
  const answer = await server.stranger().get(`/api/v1/accounts?${ids}`);
  expectShape(answer.json, ["Account"]);
  expect(idsOf(answer)).toEqual([carol.id, bob.id]);
  expect((await alice.get("/api/v1/accounts")).json).toEqual([]);
});
